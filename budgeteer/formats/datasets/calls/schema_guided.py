"""Schema-guided dialogues: turns of a person and a system, whose frames keep the calls of services with their results.

Certain: dialogues of `turns` with a `speaker`, an `utterance` and `frames`, among which a frame has a `service_call`. A
call and its results stand before the reply that the system makes of them. What else frames annotate (acts, slots, the
state of the dialogue) is left out and counted. Dialogues whose frames call nothing are turns alone (turn_pairs.py).

Source: https://github.com/google-research-datasets/dstc8-schema-guided-dialogue, 2026-11.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from budgeteer.engine.content.conversation import Conversation, Message, Role
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.datasets.columns import leave_columns
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.objects import object_under
from budgeteer.formats.openai.roles import see_speaker
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, mappings, mostly, numbered_mappings, sampled
from budgeteer.formats.reading.importing import imported_from_entries

_TURNS: Final = "turns"
_FRAMES: Final = "frames"
_CALL: Final = "service_call"
_RESULTS: Final = "service_results"
_ID: Final = "dialogue_id"
_ROLES: Final[Mapping[str, Role]] = {"user": "user", "system": "assistant"}


def detect(document: Document) -> str | None:
    """Why a document holds schema-guided dialogues, None when it does not."""
    if any(map(_calls, sampled(document))) and mostly(document, _is_dialogue):
        return "holds dialogues whose turns have `frames` with a `service_call`, as schema-guided dialogues have"
    return None


def _is_dialogue(value: Mapping[str, Any]) -> bool:
    turns = mappings(value.get(_TURNS))
    return bool(turns) and all(
        isinstance(turn.get(_FRAMES), list) and _role(turn) is not None and isinstance(turn.get("utterance"), str)
        for turn in turns
    )


def _role(turn: Mapping[str, Any]) -> Role | None:
    return _ROLES.get(text_value(turn.get("speaker")).lower())


def _calls(value: Mapping[str, Any]) -> bool:
    """Whether a frame of a dialogue calls a method of a service."""
    frames = (frame for turn in mappings(value.get(_TURNS)) for frame in mappings(turn.get(_FRAMES)))
    return any(text_value(object_under(frame, _CALL).get("method")) for frame in frames)


def read(document: Document) -> Imported:
    """Read every dialogue.

    Raises:
        FormatError: none says anything.
    """
    return imported_from_entries(document, _conversation, "schema-guided", without="no turns in it")


def _conversation(entry: Entry, document: Document, skipped: list[Skipped]) -> Conversation:
    place = f"{entry.where}, turn "
    draft = ConversationDraft(document.notes, place)
    for number, turn in numbered_mappings(entry.value.get(_TURNS), place, skipped):
        role = _role(turn)
        if role is None:
            skipped.append(Skipped(f"{place}{number}", "no known speaker", compact_json(turn)[:500]))
            continue
        see_speaker(turn["speaker"], document.notes)
        for _, frame in numbered_mappings(turn.get(_FRAMES), f"{place}{number}, frame ", skipped):
            _add_call(draft, frame, number)
        said = Message(role, texts(text_value(turn.get("utterance"))), line=number)
        draft.check_read(said, turn, read=("speaker", "utterance", _FRAMES))
        draft.add(said)
        leave_columns(turn, {"speaker", "utterance", _FRAMES}, document.notes)
    leave_columns(entry.value, {_ID, _TURNS}, document.notes)
    given = text_value(entry.value.get(_ID))
    return draft.conversation(given or f"c{entry.number}", "", f"Dialogue {entry.number}")


def _add_call(draft: ConversationDraft, frame: Mapping[str, Any], line: int) -> None:
    """Add the call of a frame and what it found, if it calls anything; the rest of the frame is counted."""
    called = object_under(frame, _CALL)
    method = text_value(called.get("method"))
    read = {_CALL, _RESULTS} if method else set()
    if method:
        call = draft.calls.call(method, called.get("parameters"))
        draft.add(Message("assistant", (call,), line=line))
        if _RESULTS in frame:
            draft.answer(Message("tool", (), line=line), texts(compact_json(frame[_RESULTS])), call.id)
        leave_columns(called, {"method", "parameters"}, draft.notes)
    left = [held for key, held in frame.items() if key not in read and held]
    draft.notes.count("Annotations of turns beside what was said and called, left out", len(left), of=left)
