"""A packing as an OpenAI chat completions request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from budgeteer.engine.chat import ImagePart, Message, OpaquePart, Part, TextPart, ToolCallPart, ToolResultPart
from budgeteer.engine.rendering.sent import sent_messages, sent_tools, system_message
from budgeteer.engine.result import Packing


def openai_request(packing: Packing) -> dict[str, Any]:
    """The request, ready to send: model, messages, and tools where there are any."""
    messages: list[dict[str, Any]] = []
    system = system_message(packing)
    if system:
        messages.append({"role": "system", "content": system})
    messages += [openai_message(message) for message in sent_messages(packing)]
    tools = sent_tools(packing)
    return {"model": packing.model, "messages": messages, **({"tools": tools} if tools else {})}


def openai_message(message: Message) -> dict[str, Any]:
    """One message in OpenAI's chat form. One text part is a string, several are a list, none is null."""
    named = {"name": message.name} if message.name else {}
    for part in message.parts:
        if isinstance(part, ToolResultPart):
            return {"role": "tool", "tool_call_id": part.call_id, "content": _openai_content(part.content) or ""}
    content = [part for part in message.parts if not isinstance(part, ToolCallPart)]
    calls = [
        {"id": part.id, "type": "function", "function": {"name": part.name, "arguments": part.arguments}}
        for part in message.parts
        if isinstance(part, ToolCallPart)
    ]
    said = _openai_content(content)
    if said is None and not calls:
        said = ""
    return {"role": message.role, **named, "content": said, **({"tool_calls": calls} if calls else {})}


def _openai_content(parts: Sequence[Part]) -> Any:
    if not parts:
        return None
    if len(parts) == 1 and isinstance(parts[0], TextPart):
        return parts[0].text
    return [_openai_part(part) for part in parts]


def _openai_part(part: Part) -> Any:
    match part:
        case TextPart(text=text):
            return {"type": "text", "text": text}
        case ImagePart(raw=raw):
            return _openai_image(part) if raw.get("type") == "image" else dict(raw)
        case OpaquePart(raw=raw):
            return dict(raw)
        case _:
            raw = getattr(part, "raw", {})
            return dict(raw)


def _openai_image(image: ImagePart) -> dict[str, Any]:
    source = image.raw.get("source", {})
    url = source.get("url") or f"data:{source.get('media_type', 'image/png')};base64,{source.get('data', '')}"
    return {"type": "image_url", "image_url": {"url": url}}
