"""Haystack's chat messages: `role`, `meta`, `name` and a `content` of objects with one key, or the same with a `_`.

Certain: the keys with a `_`, or contents with `tool_call` or `tool_call_result` and without a `type`.
Source: github.com/deepset-ai/haystack, haystack/dataclasses/chat_message.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from budgeteer.engine.content.conversation import ContentPart, Message, Part, ReasoningPart, Role
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.frameworks.message_lists import StoredMessages, imported_messages
from budgeteer.formats.messages.image_sizes import image_at
from budgeteer.formats.messages.imported import Imported, Skipped
from budgeteer.formats.messages.numbering import text_value
from budgeteer.formats.messages.opaque import opaque_part
from budgeteer.formats.reading.conversation_draft import ConversationDraft, texts
from budgeteer.formats.reading.document import Document
from budgeteer.formats.reading.entries import mappings, sampled

_ROLES: Final[Mapping[str, Role]] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
_CALLS: Final = frozenset({"tool_call", "tool_call_result"})


def detect(document: Document) -> str | None:
    """Why a document holds messages of Haystack, None when it does not."""
    said = [raw for value in sampled(document) for raw in (mappings(value.get("messages")) or [value])]
    if any(map(_is_own, said)):
        return "holds messages with `meta` and contents of one key (`tool_call`, `tool_call_result`), as Haystack does"
    return None


def _is_own(raw: Mapping[str, Any]) -> bool:
    if isinstance(raw.get("_content"), list) and "_role" in raw:
        return True
    blocks = mappings(raw.get("content")) if {"role", "meta"} <= raw.keys() else []
    return any(not _CALLS.isdisjoint(block) and "type" not in block for block in blocks)


def read(document: Document) -> Imported:
    """Read the messages, those of each object with `messages` as a conversation.

    Raises:
        FormatError: no message was found.
    """
    return imported_messages(document, _stored, _add, "Haystack")


def _stored(value: Mapping[str, Any]) -> list[StoredMessages] | None:
    held = value.get("messages")
    return [StoredMessages(held)] if isinstance(held, list) else None


def _of(raw: Mapping[str, Any], key: str) -> Any:
    return raw[f"_{key}"] if f"_{key}" in raw else raw.get(key)


def _add(draft: ConversationDraft, number: int, raw: Mapping[str, Any], skipped: list[Skipped]) -> None:
    role = _ROLES.get(text_value(_of(raw, "role")))
    if role is None:
        skipped.append(Skipped(f"{draft.place}{number}", "no known role", compact_json(raw)[:500]))
        return
    meta = _of(raw, "meta")
    draft.model = (text_value(meta.get("model")) if isinstance(meta, Mapping) else "") or draft.model
    frame = Message(role, (), name=text_value(_of(raw, "name")), line=number)
    content = _of(raw, "content")
    parts: list[Part] = []
    has_results = False
    for item in content if isinstance(content, list) else [content]:
        result = item.get("tool_call_result") if isinstance(item, Mapping) else None
        if isinstance(result, Mapping):
            has_results = True
            _result(draft, frame, result)
        else:
            parts += _parts(draft, item)
    if parts or not has_results:
        whole = Message("user" if frame.role == "tool" else frame.role, tuple(parts), name=frame.name, line=frame.line)
        draft.check_read(whole, raw, ("content", "_content", "meta", "_meta", "_role", "_name"))
        draft.add(whole)


def _result(draft: ConversationDraft, frame: Message, result: Mapping[str, Any]) -> None:
    origin = result.get("origin")
    call: Mapping[str, Any] = origin if isinstance(origin, Mapping) else {}
    value = result.get("result")
    told: list[ContentPart] = []
    for item in value if isinstance(value, list) else [value]:
        text = item.get("text") if isinstance(item, Mapping) and len(item) == 1 else item
        told += texts(text if isinstance(text, str) else "" if text is None else compact_json(text))
    named = Message("tool", (), name=text_value(call.get("tool_name")), line=frame.line)
    draft.check_read(Message("user", tuple(told), line=frame.line), result, ("result", "origin"))
    draft.answer(named, told, text_value(call.get("id")), failed=result.get("error") is True)


def _parts(draft: ConversationDraft, item: Any) -> Iterator[Part]:
    match item:
        case str(text) | {"text": str(text)}:
            yield from texts(text)
        case {"tool_call": {"tool_name": str(name), **rest}}:
            yield draft.calls.call(name, rest.get("arguments"), text_value(rest.get("id")))
        case {"reasoning": {"reasoning_text": str(text)}}:
            yield ReasoningPart(text)
        case {"image": {"base64_image": str(data), **rest}}:
            yield image_at(f"data:{text_value(rest.get('mime_type')) or 'image/png'};base64,{data}")
        case Mapping():
            yield opaque_part(next(iter(item), ""), item, "haystack", draft.notes)
