"""Write an Anthropic Messages request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from budgeteer.engine.content.conversation import (
    AudioPart,
    FilePart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    call_input,
)
from budgeteer.engine.content.media import Media, media_of
from budgeteer.engine.providers.anthropic.capabilities import CALL_ID
from budgeteer.engine.providers.base import RequestContent
from budgeteer.engine.providers.call_ids import CallIds


def anthropic_request(content: RequestContent) -> dict[str, Any]:
    """The request, ready to send: model, max_tokens, system, tools and messages."""
    request: dict[str, Any] = {"model": content.model, "max_tokens": max(content.output_reserve, 1)}
    system = content.system_texts
    if system:
        request["system"] = system[0] if len(system) == 1 else [{"type": "text", "text": text} for text in system]
    if content.tools:
        request["tools"] = list(content.tools)
    request["messages"] = anthropic_messages(content.messages)
    return request


def anthropic_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages in Anthropic's form: results and the user's next words in one turn, ids in the allowed alphabet."""
    turns: list[dict[str, Any]] = []
    ids = CallIds(CALL_ID, messages)
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        ids.of_calls(message)
        blocks = [_block(part, ids) for part in message.parts]
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": role, "content": blocks})
    return turns


def _block(part: Part, ids: CallIds) -> dict[str, Any]:
    match part:
        case TextPart(text=text):
            return {"type": "text", "text": text}
        case ToolCallPart():
            return {"type": "tool_use", "id": ids[part.id], "name": part.name, "input": call_input(part.arguments)}
        case ToolResultPart():
            content = [_block(inner, ids) for inner in part.content]
            only = content[0]["text"] if len(content) == 1 and content[0]["type"] == "text" else content
            error = {"is_error": True} if part.is_error else {}
            return {"type": "tool_result", "tool_use_id": ids[part.call_id], "content": only, **error}
        case ReasoningPart():
            if part.encrypted:
                return {"type": "redacted_thinking", "data": part.encrypted}
            return {"type": "thinking", "thinking": part.text, "signature": part.signature}
        case ImagePart(raw=raw) if raw.get("type") != "image":
            return {"type": "image", "source": _source(media_of(raw) or Media())}
        case ImagePart(raw=raw) | FilePart(raw=raw) | AudioPart(raw=raw) | OpaquePart(raw=raw):
            return dict(raw)


def _source(media: Media) -> dict[str, Any]:
    if media.data:
        return {"type": "base64", "media_type": media.mime, "data": media.data}
    return {"type": "url", "url": media.url}
