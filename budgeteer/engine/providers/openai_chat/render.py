"""Write an OpenAI chat completions request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from budgeteer.engine.content.conversation import (
    AudioPart,
    FilePart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    TextPart,
    ToolCallPart,
    calls_of,
    results_of,
)
from budgeteer.engine.content.media import Media, media_of
from budgeteer.engine.content.origin import as_it_came, is_object, own_fields
from budgeteer.engine.providers.base import RequestContent

_FAMILY: Final = "openai"


def chat_request(content: RequestContent) -> dict[str, Any]:
    """The request, ready to send: model, messages, and tools where there are any."""
    messages = [chat_message(message) for message in (*content.system, *content.messages)]
    tools = {"tools": list(content.tools)} if content.tools else {}
    return {"model": content.model, "messages": messages, **tools}


def chat_message(message: Message) -> dict[str, Any]:
    """One message in OpenAI's chat form. One text part is a string, several are a list, none is null.

    What was read from a chat request stands as it stood there.
    """
    for result in results_of(message):
        answer = {"role": "tool", "tool_call_id": result.call_id, "content": _content(result.content) or ""}
        return as_it_came(answer, message.origin, _FAMILY)
    content = [part for part in message.parts if not isinstance(part, ToolCallPart) and not _is_refusal(part)]
    calls = [_call(call) for call in calls_of(message)]
    refusals = [dict(part.raw) for part in message.parts if isinstance(part, OpaquePart) and _is_refusal(part)]
    said = _content(content)
    if said is None and not calls:
        said = ""
    named = {"name": message.name} if message.name else {}
    refused = {key: value for refusal in refusals for key, value in refusal.items()}
    written = {"role": message.role, **named, "content": said, **refused, **({"tool_calls": calls} if calls else {})}
    return as_it_came(written, message.origin, _FAMILY)


def _call(call: ToolCallPart) -> dict[str, Any]:
    """One call; of a free-form tool where it was one in this provider's own request."""
    if own_fields(call.origin, _FAMILY).get("type") == "custom":
        written = {"id": call.id, "custom": {"name": call.name, "input": call.arguments}}
    else:
        written = {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
    return as_it_came(written, call.origin, _FAMILY)


def _is_refusal(part: Part) -> bool:
    """Whether it is the `refusal` that stands beside a message's content."""
    return isinstance(part, OpaquePart) and part.kind == "refusal" and "type" not in part.raw


def _content(parts: Sequence[Part]) -> Any:
    if not parts:
        return None
    if len(parts) == 1 and isinstance(parts[0], TextPart) and not is_object(parts[0].origin, _FAMILY):
        return parts[0].text
    return [_part(part) for part in parts]


def _part(part: Part) -> dict[str, Any]:
    match part:
        case TextPart(text=text):
            return as_it_came({"type": "text", "text": text}, part.origin, _FAMILY)
        case ImagePart(raw=raw) if raw.get("type") != "image_url":
            media = media_of(raw) or Media()
            return {"type": "image_url", "image_url": {"url": media.data_url if media.data else media.url}}
        case ImagePart(raw=raw) | FilePart(raw=raw) | AudioPart(raw=raw) | OpaquePart(raw=raw):
            return dict(raw)
        case _:
            raise TypeError(f"{type(part).__name__} is no content of OpenAI's chat")
