"""Transcripts of Replit's agent: lines of a `memory_id` with the messages of a step.

Certain: lines of a `memory_id` and of `messages` whose roles are `user`, `assistant` or `tool`. The lines are one
conversation. Calls (`{type: "tool", name, arguments}`) have no ids: the messages of the role `tool` behind them answer
them in order.
Source: transcripts that people have published, 2026-11; its maker documents none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from budgeteer.engine.content.conversation import ContentPart, Message, OpaquePart, Part, Role
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.image_sizes import image_at
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.objects import object_under
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import entries_of, mappings, mostly, numbered_mappings
from budgeteer.formats.reading.importing import require

_ROLES: Final[Mapping[str, Role]] = {
    "system": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}
_READ: Final = ("content", "tool_calls")


def detect(document: Document) -> str | None:
    """Why a document is a transcript of Replit's agent, None when it is not."""
    if mostly(document, is_memory):
        return "is lines of a `memory_id` with messages, as Replit's agent keeps its steps"
    return None


def is_memory(value: Mapping[str, Any]) -> bool:
    """Whether an object is the messages of one step."""
    said = mappings(value.get("messages"))
    return "memory_id" in value and bool(said) and all(text_value(one.get("role")) in _ROLES for one in said)


def read(document: Document) -> Imported:
    """Read a transcript as one conversation.

    Raises:
        FormatError: no step holds a message.
    """
    skipped = list(document.skipped)
    draft = ConversationDraft(document.notes, "line ")
    for entry in entries_of(document, skipped):
        place = f"{entry.where}, message "
        if not isinstance(entry.value.get("messages"), list):
            skipped.append(Skipped(entry.where, "no messages of a step", compact_json(entry.value)[:500]))
        for number, raw in numbered_mappings(entry.value.get("messages"), place, skipped):
            role = _ROLES.get(text_value(raw.get("role")))
            if role is None:
                skipped.append(Skipped(f"{place}{number}", "no known role", compact_json(raw)[:500]))
            else:
                _add(draft, Message(role, (), line=entry.number), raw)
    chat = draft.conversation("c1", "", document.stem or "Replit agent")
    require(chat.messages, document, "Replit agent")
    return Imported("", "", "conversation", conversations=(chat,), skipped=tuple(skipped))


def _add(draft: ConversationDraft, frame: Message, raw: Mapping[str, Any]) -> None:
    said = _content(draft.notes.content_of(raw))
    if frame.role == "tool":
        draft.answer(frame, said, failed=raw.get("is_error") is True)
        return
    parts: list[Part] = [*said]
    parts += [
        draft.calls.call(text_value(call.get("name")), call.get("arguments"), text_value(call.get("id")))
        for call in mappings(raw.get("tool_calls"))
    ]
    message = Message(frame.role, tuple(parts), line=frame.line)
    draft.check_read(message, raw, _READ)
    draft.add(message)


def _content(given: Any) -> list[ContentPart]:
    if isinstance(given, str):
        return list(texts(given))
    found: list[ContentPart] = []
    for block in mappings(given):
        picture = object_under(block, "image_url")
        if block.get("type") == "text" and isinstance(block.get("text"), str):
            found += texts(block["text"])
        elif address := text_value(picture.get("url")):
            found.append(image_at(address))
        else:
            found.append(OpaquePart(text_value(block.get("type")), block))
    return found
