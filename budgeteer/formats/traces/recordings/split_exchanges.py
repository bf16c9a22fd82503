"""Requests and answers that stand in entries of their own, tied by an id, as interceptors write them while they come.

Certain: an entry that says it is a request (`type`, `kind`, `event` or `direction`), with an address or a method, and a
later one that says it is a response with the same id (`requestId` or the like). Entries between them are of the
program that wrote them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from budgeteer.formats.messages.numbering import Notes, text_value
from budgeteer.formats.reading.entries import Entry

_KINDS: Final = ("type", "kind", "event", "direction")
_IDS: Final = ("requestId", "request_id", "correlation_id", "correlationId", "id")
_ADDRESS: Final = frozenset({"url", "uri", "method", "path"})
_ASKED, _TOLD = "request", "response"


def split_exchanges(values: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The requests with their answers among some entries, each as one object; [] where there are none so apart."""
    entries = (Entry(number, "", value) for number, value in enumerate(values, 1))
    return [entry.value for entry in joined_exchanges(entries, None) if _TOLD in entry.value]


def joined_exchanges(entries: Iterable[Entry], notes: Notes | None) -> Iterator[Entry]:
    """Each request with its answer as one entry at the request's place, behind them the requests without an answer.

    Entries that are neither are counted in the notes.
    """
    waiting: dict[str, Entry] = {}
    for entry in entries:
        side, given = _side(entry.value)
        if side == _ASKED and given not in waiting:
            waiting[given] = entry
        elif side == _TOLD and given in waiting:
            asked = waiting.pop(given)
            yield Entry(asked.number, asked.where, {_ASKED: asked.value, _TOLD: entry.value})
        elif notes is not None:
            said = next((text_value(entry.value.get(key)) for key in _KINDS if entry.value.get(key)), "")
            notes.leave_line(said[:40] or "entry without a type", entry.value)
    for asked in waiting.values():
        yield Entry(asked.number, asked.where, {_ASKED: asked.value})


def _side(value: Mapping[str, Any]) -> tuple[str, str]:
    """Whether an entry is a request or a response, and its id; two empty texts where it is neither."""
    side = next((value[key] for key in _KINDS if value.get(key) in (_ASKED, _TOLD)), "")
    given = next((str(held) for key in _IDS if (held := value.get(key)) and isinstance(held, str | int)), "")
    if not side or not given or (side == _ASKED and _ADDRESS.isdisjoint(value)):
        return "", ""
    return side, given
