"""Conversations of ToolTalk: turns of a person and an assistant, whose replies keep the calls that led to them.

Certain: an object of turns with a `role` and a `text`, one of which has `apis` whose `request` has an `api_name`. A
call and its result stand before the reply that they are kept with. An `exception` is the result of a call that failed.
What the conversation was written from (its scenario, the account of the person) is left out and counted.

Source: https://github.com/microsoft/ToolTalk, `data`, 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from budgeteer.engine.content.conversation import Conversation, Message, Role
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.datasets.columns import leave_columns
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import first_text, text_value
from budgeteer.formats.messages.objects import object_under
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, mappings, mostly, numbered_mappings
from budgeteer.formats.reading.importing import imported_from_entries

_TURNS: Final = "conversation"
_CALLS: Final = "apis"
_ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system"}
_IDS: Final = ("name", "conversation_id")
_NOTHING: Final = (None, "")


def detect(document: Document) -> str | None:
    """Why a document holds conversations of ToolTalk, None when it does not."""
    if mostly(document, lambda value: any(map(_is_called, mappings(value.get(_TURNS))))):
        return "has turns whose `apis` are requests with an `api_name` and their responses, as ToolTalk's have"
    return None


def _is_called(turn: Mapping[str, Any]) -> bool:
    """Whether a turn says something by a role, and has calls."""
    return "role" in turn and "text" in turn and any(_name(raw) for raw in mappings(turn.get(_CALLS)))


def _name(raw: Mapping[str, Any]) -> str:
    return text_value(object_under(raw, "request").get("api_name"))


def read(document: Document) -> Imported:
    """Read a conversation of each object.

    Raises:
        FormatError: none says anything.
    """
    return imported_from_entries(document, _conversation, "ToolTalk", without="no turns in it")


def _conversation(entry: Entry, document: Document, skipped: list[Skipped]) -> Conversation:
    place = f"{entry.where}, turn "
    draft = ConversationDraft(document.notes, place)
    for number, turn in numbered_mappings(entry.value.get(_TURNS), place, skipped):
        role = _ROLES.get(text_value(turn.get("role")))
        if role is None:
            skipped.append(Skipped(f"{place}{number}", "no known role", compact_json(turn)[:500]))
            continue
        for at, raw in numbered_mappings(turn.get(_CALLS), f"{place}{number}, call ", skipped):
            if _name(raw):
                _add_call(draft, raw, number)
            else:
                skipped.append(Skipped(f"{place}{number}, call {at}", "no `api_name`", compact_json(raw)[:500]))
        said = Message(role, texts(text_value(turn.get("text"))), line=number)
        draft.check_read(said, turn, read=("text", "index", _CALLS))
        draft.add(said)
        leave_columns(turn, {"role", "text", _CALLS}, document.notes)
    leave_columns(entry.value, {*_IDS, _TURNS}, document.notes)
    title = text_value(entry.value.get("name"))
    return draft.conversation(
        first_text(entry.value, _IDS) or f"c{entry.number}", title, f"Conversation {entry.number}"
    )


def _add_call(draft: ConversationDraft, raw: Mapping[str, Any], line: int) -> None:
    """Add a call, and its result where the source has one."""
    request = object_under(raw, "request")
    call = draft.calls.call(_name(raw), request.get("parameters"))
    draft.add(Message("assistant", (call,), line=line))
    told = list(_told(raw))
    failed = raw.get("exception") not in _NOTHING
    if told or "response" in raw:
        draft.answer(Message("tool", (), line=line), texts(*told), call.id, failed=failed)
    leave_columns(request, {"api_name", "parameters"}, draft.notes)
    leave_columns(raw, {"request", "response", "exception"}, draft.notes)


def _told(raw: Mapping[str, Any]) -> Iterator[str]:
    """What a call came to: what it answered, and why it failed."""
    for key in ("response", "exception"):
        held = raw.get(key)
        if held not in _NOTHING:
            yield held if isinstance(held, str) else compact_json(held)
