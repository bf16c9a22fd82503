"""LangChain4j's messages, as its `ChatMessageSerializer` writes them: a `type` in capitals (`USER`, `AI`, …).

They stand in a list, a line each, or as a chat memory's store keeps them, under any key.

Certain: such a type beside a `text`, `contents`, calls or attributes, and a type or contents that only LangChain4j has.
Source: github.com/langchain4j/langchain4j, langchain4j-core, dev/langchain4j/data/message, 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from budgeteer.engine.content.conversation import Message, Part, ReasoningPart, Role
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.frameworks.message_lists import StoredMessages, imported_messages
from budgeteer.formats.messages.image_sizes import image_at
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.objects import OBJECT
from budgeteer.formats.messages.opaque import opaque_part
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import mappings, mostly, sampled

_ROLES: Final[Mapping[str, Role]] = {
    "SYSTEM": "system",
    "USER": "user",
    "AI": "assistant",
    "TOOL_EXECUTION_RESULT": "tool",
    "CUSTOM": "user",
}
_OWN: Final = frozenset({"AI", "TOOL_EXECUTION_RESULT"})
_CONTENTS: Final = frozenset({"TEXT", "IMAGE", "AUDIO", "VIDEO", "PDF"})
_SAID: Final = ("text", "contents", "toolExecutionRequests", "attributes")
_READ: Final = (*_SAID, "toolName", "thinking")


def detect(document: Document) -> str | None:
    """Why a document holds messages of LangChain4j, None when it does not."""
    rows = [raw for value in sampled(document) for raw in _listed(value)[:20]]
    if mostly(document, lambda value: any(map(_is_message, _listed(value)[:20]))) and any(map(_is_own, rows)):
        return "holds messages of a `type` in capitals, as LangChain4j writes them"
    return None


def _listed(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    held = value.get("messages")
    return mappings(held) if isinstance(held, list) else [value]


def _is_message(value: Mapping[str, Any]) -> bool:
    return text_value(value.get("type")) in _ROLES and any(key in value for key in _SAID)


def _is_own(value: Mapping[str, Any]) -> bool:
    contents = mappings(value.get("contents"))
    return _is_message(value) and (
        value["type"] in _OWN or any(text_value(one.get("type")) in _CONTENTS for one in contents)
    )


def read(document: Document) -> Imported:
    """Read the messages, those of each object that holds a list of them as a conversation.

    Raises:
        FormatError: no message was found.
    """
    return imported_messages(document, _stored, _add, "LangChain4j")


def _stored(value: Mapping[str, Any]) -> list[StoredMessages] | None:
    held = value.get("messages")
    return [StoredMessages(held)] if isinstance(held, list) else None


def _add(draft: ConversationDraft, number: int, raw: Mapping[str, Any], skipped: list[Skipped]) -> None:
    role = _ROLES.get(text_value(raw.get("type")))
    if role is None:
        skipped.append(Skipped(f"{draft.place}{number}", "no known `type`", compact_json(raw)[:500]))
        return
    parts = tuple(_parts(draft, raw))
    if role == "tool":
        frame = Message("tool", (), name=text_value(raw.get("toolName")), line=number)
        content = [part for part in parts if not isinstance(part, ReasoningPart)]
        draft.answer(frame, content, text_value(raw.get("id")), failed=raw.get("isError") is True)  # type: ignore[arg-type]
        return
    whole = Message(role, parts, name=text_value(raw.get("name")), line=number)
    draft.check_read(whole, raw, _READ)
    draft.add(whole)


def _parts(draft: ConversationDraft, raw: Mapping[str, Any]) -> Iterator[Part]:
    if thought := text_value(raw.get("thinking")):
        yield ReasoningPart(thought)
    contents = mappings(raw.get("contents"))
    for item in contents:
        yield from _content(draft, item)
    if not contents:
        yield from texts(text_value(raw.get("text")))
    attributes = raw.get("attributes")
    if raw.get("type") == "CUSTOM" and isinstance(attributes, OBJECT):
        yield opaque_part("attributes", attributes, "langchain4j", draft.notes)
    for call in mappings(raw.get("toolExecutionRequests")):
        yield draft.calls.call(text_value(call.get("name")), call.get("arguments"), text_value(call.get("id")))


def _content(draft: ConversationDraft, item: Mapping[str, Any]) -> Iterator[Part]:
    kind, picture = text_value(item.get("type")), item.get("image")
    if kind == "TEXT" and isinstance(item.get("text"), str):
        yield from texts(item["text"])
    elif kind == "IMAGE" and isinstance(picture, OBJECT) and (address := _address(picture)):
        yield image_at(address)
    else:
        yield opaque_part(kind, item, "langchain4j", draft.notes)


def _address(picture: Mapping[str, Any]) -> str:
    """Where a picture lies, or its data as an address; "" where it has neither."""
    data = text_value(picture.get("base64Data"))
    kind = text_value(picture.get("mimeType")) or "image/png"
    return text_value(picture.get("url")) or (f"data:{kind};base64,{data}" if data else "")
