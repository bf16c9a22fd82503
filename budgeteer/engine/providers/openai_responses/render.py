"""Write an OpenAI Responses request: a flat list of items, calls and results among them."""

from __future__ import annotations

import mimetypes
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from budgeteer.engine.content.conversation import (
    FilePart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    calls_of,
)
from budgeteer.engine.content.media import Media, media_of
from budgeteer.engine.content.origin import as_it_came, is_object, own_fields
from budgeteer.engine.providers.base import RequestContent
from budgeteer.engine.providers.call_ids import CallIds
from budgeteer.engine.providers.openai_responses.capabilities import CALL_ID

_FAMILY: Final = "openai-responses"


def responses_request(content: RequestContent) -> dict[str, Any]:
    """The request, ready to send: model, instructions, input, and tools where there are any.

    `instructions` is the first system message; those after it are items, and so is one of the developer's, or of
    several texts, or one that was an item.
    """
    request: dict[str, Any] = {"model": content.model}
    system = content.system
    if system and system[0].role == "system" and not is_object(system[0].origin, _FAMILY):
        match system[0].parts:
            case (TextPart(text=text),):
                request["instructions"] = text
                system = system[1:]
    request["input"] = responses_items([*system, *content.messages])
    return {**request, **({"tools": list(content.tools)} if content.tools else {})}


def responses_items(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages as input items: each of the assistant's texts, calls and thoughts is one of its own."""
    ids = CallIds(CALL_ID, messages)
    items: list[dict[str, Any]] = []
    free: dict[str, bool] = {}
    for message in messages:
        ids.of_calls(message)
        free |= {call.id: call.is_free for call in calls_of(message)}
        if message.role in ("assistant", "tool"):
            for part in message.parts:
                if isinstance(part, TextPart) and _goes_on(part) and _is_open(items):
                    items[-1]["content"].append(_text(part, "output_text"))
                else:
                    items.append(_item(part, ids, free))
        else:
            items += _message_items(message)
    return items


def _message_items(message: Message) -> Iterator[dict[str, Any]]:
    """A user's or system message; what is an item by itself stands between its texts."""
    content: list[Part] = []
    for part in message.parts:
        if isinstance(part, OpaquePart):
            if content:
                yield _said(message, content)
            content = []
            yield dict(part.raw)
        else:
            content.append(part)
    if content:
        yield _said(message, content)


def _said(message: Message, content: Sequence[Part]) -> dict[str, Any]:
    return as_it_came({"role": message.role, "content": _content(content)}, message.origin, _FAMILY)


def _text(part: TextPart, kind: str) -> dict[str, Any]:
    return as_it_came({"type": kind, "text": part.text}, part.origin, _FAMILY)


def _goes_on(part: TextPart) -> bool:
    """Whether it stood in one item with the text before it."""
    return is_object(part.origin, _FAMILY) and part.origin is not None and part.origin.item is None


def _is_open(items: Sequence[Mapping[str, Any]]) -> bool:
    return bool(items) and items[-1].get("role") == "assistant" and isinstance(items[-1].get("content"), list)


def _reply(part: TextPart) -> dict[str, Any]:
    """One of the assistant's texts as an item of its own."""
    content = [_text(part, "output_text")] if is_object(part.origin, _FAMILY) else part.text
    is_own = part.origin is not None and part.origin.provider == _FAMILY
    return {"role": "assistant", "content": content, **((part.origin.item or {}) if part.origin and is_own else {})}


def _item(part: Part, ids: CallIds, free: Mapping[str, bool]) -> dict[str, Any]:
    """One item; `free` tells of each call so far whether a free-form tool was called: its answer has another type."""
    match part:
        case TextPart():
            return _reply(part)
        case ToolCallPart():
            kind, said = ("custom_tool_call", "input") if part.is_free else ("function_call", "arguments")
            call = {"type": kind, "call_id": ids[part.id], "name": part.name, said: part.arguments}
            return as_it_came(call, part.origin, _FAMILY)
        case ToolResultPart():
            kind = "custom_tool_call_output" if free[part.call_id] else "function_call_output"
            answer = {"type": kind, "call_id": ids[part.call_id], "output": _content(part.content)}
            return as_it_came(answer, part.origin, _FAMILY)
        case ReasoningPart():
            known = {"id": part.id} if part.id else {}
            summary = [{"type": "summary_text", "text": part.text}] if part.text else []
            item = {"type": "reasoning", **known, "summary": summary, "encrypted_content": part.encrypted}
            return _reasoning(item, part)
        case OpaquePart(raw=raw) | ImagePart(raw=raw):
            return dict(raw)
        case _:
            raise TypeError(f"{type(part).__name__} is no item of OpenAI's Responses")


def _reasoning(item: dict[str, Any], part: ReasoningPart) -> dict[str, Any]:
    """The item with its paragraphs as they stood."""
    came = as_it_came(item, part.origin, _FAMILY)
    fields = own_fields(part.origin, _FAMILY)
    return came | {key: fields[key] for key in ("summary", "content") if key in fields}


def _content(parts: Sequence[Part]) -> str | list[dict[str, Any]]:
    """One text is a string, anything more a list, nothing an empty string."""
    if not parts:
        return ""
    if len(parts) == 1 and isinstance(parts[0], TextPart) and not is_object(parts[0].origin, _FAMILY):
        return parts[0].text
    return [_input_part(part) for part in parts]


def _input_part(part: Part) -> dict[str, Any]:
    match part:
        case TextPart():
            return _text(part, "input_text")
        case ImagePart(raw=raw) if raw.get("type") != "input_image":
            detail = part.detail if part.detail in ("low", "high", "auto", "original") else "auto"
            return {"type": "input_image", "detail": detail, **_held(media_of(raw) or Media(), "image_url")}
        case FilePart(raw=raw) if raw.get("type") != "input_file":
            return {"type": "input_file", **_file(media_of(raw) or Media())}
        case ImagePart(raw=raw) | FilePart(raw=raw):
            return dict(raw)
        case _:
            raise TypeError(f"{type(part).__name__} is no content of OpenAI's Responses")


def _held(media: Media, address: str) -> dict[str, str]:
    if media.file_id:
        return {"file_id": media.file_id}
    return {address: media.data_url if media.data else media.url}


def _file(media: Media) -> dict[str, str]:
    if media.data:
        name = media.name or f"file{mimetypes.guess_extension(media.mime) or ''}"
        return {"filename": name, "file_data": media.data_url}
    return _held(media, "file_url")
