"""Queries of Seal-Tools with the calls that answer them.

Certain: rows of a `query` and its `calling`, whose calls have an `api` and `parameters`. What a call's `responses` are
named there is its id: the parameters of later calls mention it. The rows offer no tools; their file of tools is read as
such.

Source: https://github.com/fairyshine/Seal-Tools, 2026-11.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from budgeteer.engine.content.conversation import Conversation, Message
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.datasets.columns import leave_columns
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, mappings, mostly, numbered_mappings
from budgeteer.formats.reading.importing import imported_from_entries

_ASKED: Final = "query"
_CALLS: Final = "calling"
_CALL: Final = frozenset({"api", "parameters"})


def detect(document: Document) -> str | None:
    """Why a document holds queries of Seal-Tools, None when it does not."""
    if mostly(document, _is_answered):
        return "holds rows of a `query` and its `calling`, calls of an `api` with `parameters`, as Seal-Tools has them"
    return None


def _is_answered(value: Mapping[str, Any]) -> bool:
    calls = mappings(value.get(_CALLS))
    return bool(text_value(value.get(_ASKED)).strip()) and bool(calls) and all(map(_is_call, calls))


def _is_call(raw: Mapping[str, Any]) -> bool:
    return bool(text_value(raw.get("api"))) and isinstance(raw.get("parameters"), Mapping)


def read(document: Document) -> Imported:
    """Read a conversation of each row: what was asked, and the calls that answer it.

    Raises:
        FormatError: no row asks anything.
    """
    return imported_from_entries(document, _conversation, "Seal-Tools", without="no query in it")


def _conversation(entry: Entry, document: Document, skipped: list[Skipped]) -> Conversation:
    place = f"{entry.where}, call "
    draft = ConversationDraft(document.notes, f"{entry.where}, message ")
    if text_value(entry.value.get(_ASKED)).strip():
        draft.add(Message("user", texts(entry.value[_ASKED])))
    calls = []
    for number, raw in numbered_mappings(entry.value.get(_CALLS), place, skipped):
        if not _is_call(raw):
            skipped.append(Skipped(f"{place}{number}", "no `api` with parameters", compact_json(raw)[:500]))
            continue
        given = _id(raw.get("responses"))
        calls.append(draft.calls.call(raw["api"], raw["parameters"], given))
        leave_columns(raw, _CALL | {"responses"} if given else _CALL, document.notes)
    if calls:
        draft.add(Message("assistant", tuple(calls)))
    leave_columns(entry.value, {"id", _ASKED, _CALLS}, document.notes)
    return draft.conversation(text_value(entry.value.get("id")) or f"c{entry.number}", "", f"Row {entry.number}")


def _id(responses: Any) -> str:
    """The name of a call's response, "" where it has none, or several."""
    return text_value(responses[0]) if isinstance(responses, list) and len(responses) == 1 else ""
