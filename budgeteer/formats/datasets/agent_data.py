"""Trajectories in the standardized form of the Agent Data Protocol, into which sets of agents' runs are converted.

Certain: a `content` of actions and observations, each with its `class_`. An observation answers the call that it names,
else the action right before it, as the protocol's own conversion ties them; any other is said by its `source`. A
`description` is what the agent wrote beside its action, code a call of its language.

Source: https://github.com/neulab/agent-data-protocol, `schema/`, 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from budgeteer.engine.content.conversation import (
    ContentPart,
    Conversation,
    Message,
    Part,
    ReasoningPart,
    Role,
    ToolCallPart,
)
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.image_sizes import image_at
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.objects import OBJECT
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import Entry, mostly, numbered_mappings
from budgeteer.formats.reading.importing import imported_from_entries

_CLASS: Final = "class_"
_MESSAGE: Final = "message_action"
_CALLS: Final = frozenset({"api_action", "code_action"})
_OBSERVATIONS: Final = frozenset({"text_observation", "image_observation", "web_observation"})
_CLASSES: Final = _CALLS | _OBSERVATIONS | {_MESSAGE}
_ROLES: Final[Mapping[str, Role]] = {"agent": "assistant", "assistant": "assistant", "system": "system"}
"""By the source of an observation that answers no call; people and the environment are read as the user."""
_LOOKED_AT: Final = 5


def detect(document: Document) -> str | None:
    """Why a document holds trajectories of the protocol, None when it does not."""
    if mostly(document, _is_trajectory):
        return "holds a `content` of actions and observations with a `class_` each, as the Agent Data Protocol has it"
    return None


def _is_trajectory(value: Mapping[str, Any]) -> bool:
    given = value.get("content")
    first = given[:_LOOKED_AT] if isinstance(given, list) else []
    return bool(first) and all(isinstance(item, OBJECT) and _class_of(item) for item in first)


def _class_of(item: Mapping[str, Any]) -> str:
    """The class of an action or an observation, "" of anything else."""
    named = text_value(item.get(_CLASS))
    return named if named in _CLASSES else ""


def read(document: Document) -> Imported:
    """Read every trajectory.

    Raises:
        FormatError: there is none.
    """
    return imported_from_entries(document, _conversation, "Agent Data Protocol", without="no action or observation")


def _conversation(entry: Entry, document: Document, skipped: list[Skipped]) -> Conversation:
    draft = ConversationDraft(document.notes, f"{entry.where}, item ")
    called = ""
    for number, item in numbered_mappings(entry.value.get("content"), draft.place, skipped):
        kind = _class_of(item)
        if not kind:
            why = "neither an action nor an observation"
            skipped.append(Skipped(f"{draft.place}{number}", why, compact_json(item)[:500]))
        elif kind in _OBSERVATIONS:
            _observe(draft, number, item, called)
        else:
            called = _act(draft, number, item, kind)
            continue
        called = ""
    return draft.conversation(
        text_value(entry.value.get("id")) or f"c{entry.number}", "", document.stem or "Trajectory"
    )


def _act(draft: ConversationDraft, number: int, item: Mapping[str, Any], kind: str) -> str:
    """Add what the agent thought, wrote and called; the id of the call that what comes next answers, "" for none."""
    parts: list[Part] = []
    if thought := text_value(item.get("reasoning_content")):
        parts.append(ReasoningPart(thought))
    parts += texts(text_value(item.get("description")))
    call = _call(draft, item, kind) if kind in _CALLS else None
    parts += texts(text_value(item.get("content"))) if call is None else (call,)
    message = Message("assistant", tuple(parts), line=number)
    draft.check_read(message, item, (_CLASS,))
    draft.add(message)
    return "" if call is None else call.id


def _call(draft: ConversationDraft, item: Mapping[str, Any], kind: str) -> ToolCallPart:
    given = text_value(item.get("tool_call_id"))
    if kind == "api_action":
        return draft.calls.call(text_value(item.get("function")), item.get("kwargs"), given)
    draft.notes.count("Code that an agent ran, read as calls of its language")
    return draft.calls.call(text_value(item.get("language")) or "code", {"code": item.get("content")}, given)


def _observe(draft: ConversationDraft, number: int, item: Mapping[str, Any], called: str) -> None:
    """Add an observation: the result of the call that it names or that is right before it, else what is said."""
    given = text_value(item.get("tool_call_id"))
    answered = given if given in draft.calls.waiting else called
    content = tuple(_content(item, draft))
    frame = Message("user", content, name=text_value(item.get("name")), line=number)
    draft.check_read(frame, item, (_CLASS, "source"))
    if answered in draft.calls.waiting:
        draft.answer(frame, content, answered)
        return
    role = _ROLES.get(text_value(item.get("source")), "user")
    draft.add(replace(frame, role=role, typed=text_value(item.get("source")) == "user"))


def _content(item: Mapping[str, Any], draft: ConversationDraft) -> Iterator[ContentPart]:
    """A text, a picture by its path, or a page: its address, its tree or else its source, and how it looked."""
    kind = _class_of(item)
    if kind == "text_observation":
        yield from texts(text_value(item.get("content")))
    elif kind == "image_observation":
        yield image_at(text_value(item.get("content")))
        draft.notes.count("Descriptions of what pictures show, left out", int(bool(_about(item))), of=_about(item))
    else:
        tree, source = text_value(item.get("axtree")), text_value(item.get("html"))
        yield from texts(text_value(item.get("url")), tree or source)
        twice = bool(tree and source)
        draft.notes.count("Sources of pages beside their trees, left out", int(twice), of=source if twice else None)
        shown = item.get("image_observation")
        if isinstance(shown, OBJECT):
            yield image_at(text_value(shown.get("content")))
            draft.notes.count(
                "Descriptions of what pictures show, left out", int(bool(_about(shown))), of=_about(shown)
            )


def _about(item: Mapping[str, Any]) -> Any:
    return item.get("annotations") or None
