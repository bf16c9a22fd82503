"""Traces of OpenCode's requests to models: a record for each request and response, kept as what changed since the last.

Certain: records of a `_kind` (`request`, `response`, `error`) with the `_url` they went to. A record is its body beside
keys that begin with `_`. From the second of a kind on it tells differences: `*` before a key marks what changed and
stands there whole, `["…"]` and `"…"` what did not, `messages+` what came behind the messages of the request before,
`messages-` what was taken from their end first. A request and its response share the `_id`.
Source: files that https://github.com/fmagent-project/trace-viewer reads, and its `parsers/opencode.py`, 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from budgeteer.formats.messages.imported import Imported
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.objects import OBJECT
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, entries_of, mostly
from budgeteer.formats.traces.recorded_calls import RecordedCall, read_calls

_KINDS: Final = ("request", "response", "error")
_CHANGED: Final = "*"
_SAME: Final = "..."
_MESSAGES, _ADDED, _TAKEN = "messages", "messages+", "messages-"


def detect(document: Document) -> str | None:
    """Why a document is such a trace, None when it is not."""
    if mostly(document, _is_record):
        return "holds a `request` and a `response` in records with a `_kind` and a `_url`, as OpenCode's are traced"
    return None


def _is_record(value: Mapping[str, Any]) -> bool:
    return value.get("_kind") in _KINDS and isinstance(value.get("_url"), str) and "_id" in value


def read(document: Document) -> Imported:
    """Read every request with its response.

    Raises:
        FormatError: none is of a known form.
    """
    skipped = list(document.skipped)
    return read_calls(_calls(entries_of(document, skipped), document), document, skipped, "traced")


def _calls(entries: Iterable[Entry], document: Document) -> Iterator[RecordedCall]:
    """Each request with its response, in the order of the requests."""
    asked: dict[str, tuple[str, Mapping[str, Any]]] = {}
    told: dict[str, Mapping[str, Any]] = {}
    last: dict[str, Mapping[str, Any]] = {}
    for entry in entries:
        kind, given = text_value(entry.value.get("_kind")), str(entry.value.get("_id"))
        if kind not in ("request", "response"):
            document.notes.leave_line(kind[:40] or "record without a kind", entry.value)
            continue
        body = last[kind] = _restored(entry.value, last.get(kind, {}))
        document.notes.see([entry.value[_TAKEN]] if _TAKEN in entry.value else [])
        if kind == "request":
            asked[given] = (entry.where, body)
        else:
            told[given] = body
    unanswered = sum(given not in told for given in asked)
    document.notes.count("Requests that no response was written of", unanswered)
    for given, (where, body) in asked.items():
        yield RecordedCall(body, told.get(given, {}), where, "", text_value(body.get("model")))


def _restored(record: Mapping[str, Any], before: Mapping[str, Any]) -> Mapping[str, Any]:
    """The body of a record, what did not change taken from the one before it."""
    body: dict[str, Any] = {}
    for marked, held in record.items():
        key = marked.removeprefix(_CHANGED)
        if key.startswith("_") or key in (_ADDED, _TAKEN):
            continue
        if not _is_same(held):
            body[key] = _plain(held)
        elif key in before:
            body[key] = before[key]
    if _ADDED in record or _TAKEN in record:
        kept, taken = _list(before.get(_MESSAGES)), len(_list(record.get(_TAKEN)))
        body[_MESSAGES] = [*kept[: max(len(kept) - taken, 0)], *_list(_plain(record.get(_ADDED)))]
    elif _MESSAGES in before and _MESSAGES not in body:
        body[_MESSAGES] = before[_MESSAGES]
    return body


def _list(held: Any) -> list[Any]:
    return list(held) if isinstance(held, list) else []


def _is_same(held: Any) -> bool:
    """Whether a value stands for what did not change."""
    return held == _SAME or (isinstance(held, list) and len(held) == 1 and held[0] == _SAME)


def _plain(held: Any) -> Any:
    """A value without the marks of what changed in it, and without what did not and is not told."""
    if isinstance(held, OBJECT):
        return {key.removeprefix(_CHANGED): _plain(one) for key, one in held.items() if not _is_same(one)}
    return [_plain(one) for one in held] if isinstance(held, list) else held
