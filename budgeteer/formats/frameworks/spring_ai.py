"""Spring AI's messages: a `messageType` and a `text`, with the `toolCalls` of a reply and the `responses` of tools.

They stand in a list, a line each, under the `messages` of an object or the `instructions` of a prompt, or one each as
the `output` of the `results` of a response.

Certain: a `messageType` of the four, beside a text, calls or responses.
Source: github.com/spring-projects/spring-ai, spring-ai-model, org/springframework/ai/chat/messages, 2026-11.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from budgeteer.engine.content.conversation import Message, Part, ReasoningPart, Role
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.frameworks.message_lists import StoredMessages, imported_messages
from budgeteer.formats.messages.image_sizes import image_at
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import first_text, text_value
from budgeteer.formats.messages.objects import OBJECT, object_under
from budgeteer.formats.messages.opaque import opaque_part
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import mappings, mostly

_ROLES: Final[Mapping[str, Role]] = {"USER": "user", "ASSISTANT": "assistant", "SYSTEM": "system", "TOOL": "tool"}
_TEXTS: Final = ("text", "textContent", "content")
"""Where a message's text stands; `textContent` and `content` in versions before 1.0."""
_LISTS: Final = ("messages", "instructions", "results")
_READ: Final = (*_TEXTS, "messageType", "metadata", "properties", "media", "toolCalls", "responses", "reasoningContent")


def detect(document: Document) -> str | None:
    """Why a document holds messages of Spring AI, None when it does not."""
    if mostly(document, lambda value: _is_message(value) or any(map(_is_message, mappings(_listed(value))[:20]))):
        return "holds messages with a `messageType`, as Spring AI writes them"
    return None


def _is_message(value: Mapping[str, Any]) -> bool:
    is_said = any(key in value for key in (*_TEXTS, "toolCalls", "responses"))
    return is_said and text_value(value.get("messageType")).upper() in _ROLES


def _listed(value: Mapping[str, Any]) -> Any:
    """The messages that an object holds, None where it holds none."""
    for key in _LISTS:
        held = value.get(key)
        if isinstance(held, list):
            return [row.get("output") if isinstance(row, OBJECT) else row for row in held] if key == "results" else held
    return None


def read(document: Document) -> Imported:
    """Read the messages, those of each object that holds a list of them as a conversation.

    Raises:
        FormatError: no message was found.
    """
    return imported_messages(document, _stored, _add, "Spring AI")


def _stored(value: Mapping[str, Any]) -> list[StoredMessages] | None:
    held = _listed(value)
    model = text_value(object_under(value, "metadata").get("model"))
    return None if held is None else [StoredMessages(held, model=model)]


def _add(draft: ConversationDraft, number: int, raw: Mapping[str, Any], skipped: list[Skipped]) -> None:
    role = _ROLES.get(text_value(raw.get("messageType")).upper())
    if role is None:
        skipped.append(Skipped(f"{draft.place}{number}", "no known `messageType`", compact_json(raw)[:500]))
        return
    responses = mappings(raw.get("responses"))
    for response in responses:
        frame = Message("tool", (), name=text_value(response.get("name")), line=number)
        draft.answer(frame, texts(_text(response.get("responseData"))), text_value(response.get("id")))
    said = first_text(raw, _TEXTS)
    parts = (*_thoughts(raw), *texts(said), *_media(draft, raw), *_calls(draft, raw))
    if parts or not responses:
        whole = Message("user" if role == "tool" else role, parts, line=number)
        draft.check_read(whole, raw, _READ)
        draft.add(whole)


def _calls(draft: ConversationDraft, raw: Mapping[str, Any]) -> Iterator[Part]:
    for call in mappings(raw.get("toolCalls")):
        yield draft.calls.call(text_value(call.get("name")), call.get("arguments"), text_value(call.get("id")))


def _thoughts(raw: Mapping[str, Any]) -> Iterator[Part]:
    """The reasoning of a reply: a field of it, or of its metadata."""
    for holder in (raw, object_under(raw, "metadata")):
        if thought := text_value(holder.get("reasoningContent")):
            yield ReasoningPart(thought)
            return


def _media(draft: ConversationDraft, raw: Mapping[str, Any]) -> Iterator[Part]:
    """The pictures beside a text; media of another kind, and without an address or data, stay as they came."""
    for item in mappings(raw.get("media")):
        kind, data = _mime(item.get("mimeType")), text_value(item.get("data"))
        if kind.startswith("image/") and data:
            is_address = data.startswith(("data:", "http://", "https://"))
            yield image_at(data if is_address else f"data:{kind};base64,{data}")
        else:
            yield opaque_part("media", item, "spring-ai", draft.notes)


def _mime(value: Any) -> str:
    """A type of media: a text, or an object of a `type` and a `subtype`."""
    if isinstance(value, OBJECT):
        return f"{text_value(value.get('type'))}/{text_value(value.get('subtype'))}"
    return text_value(value)


def _text(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else compact_json(value)
