"""Write an Anthropic Messages request."""

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
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    call_input,
)
from budgeteer.engine.content.media import Media, media_of
from budgeteer.engine.content.origin import as_it_came, is_bare, is_object
from budgeteer.engine.providers.anthropic.capabilities import CALL_ID
from budgeteer.engine.providers.base import RequestContent
from budgeteer.engine.providers.call_ids import CallIds

_FAMILY: Final = "anthropic"


def anthropic_request(content: RequestContent) -> dict[str, Any]:
    """The request, ready to send: model, max_tokens, system, tools and messages."""
    request: dict[str, Any] = {"model": content.model, "max_tokens": max(content.output_reserve, 1)}
    system = content.system_parts
    if system:
        is_text = len(system) == 1 and not is_object(system[0].origin, _FAMILY)
        request["system"] = system[0].text if is_text else list(map(_text, system))
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
        content = _content(message.parts, ids)
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] = [*_blocks(turns[-1]["content"]), *_blocks(content)]
        else:
            turns.append({"role": role, "content": content})
    return turns


def _content(parts: Sequence[Part], ids: CallIds) -> str | list[dict[str, Any]]:
    match parts:
        case (TextPart(text=text, origin=origin),) if is_bare(origin, _FAMILY):
            return text
        case _:
            return [_block(part, ids) for part in parts]


def _blocks(content: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _text(part: TextPart) -> dict[str, Any]:
    return as_it_came({"type": "text", "text": part.text}, part.origin, _FAMILY)


def _block(part: Part, ids: CallIds) -> dict[str, Any]:
    match part:
        case TextPart():
            return _text(part)
        case ToolCallPart():
            call = {"type": "tool_use", "id": ids[part.id], "name": part.name, "input": call_input(part.arguments)}
            return as_it_came(call, part.origin, _FAMILY)
        case ToolResultPart():
            error = {"is_error": True} if part.is_error else {}
            answer = {"type": "tool_result", "tool_use_id": ids[part.call_id], "content": _result_content(part, ids)}
            return as_it_came({**answer, **error}, part.origin, _FAMILY)
        case ReasoningPart():
            if part.encrypted:
                return {"type": "redacted_thinking", "data": part.encrypted}
            return {"type": "thinking", "thinking": part.text, "signature": part.signature}
        case ImagePart(raw=raw) if raw.get("type") != "image":
            return {"type": "image", "source": _source(media_of(raw) or Media())}
        case ImagePart(raw=raw) | FilePart(raw=raw) | AudioPart(raw=raw) | OpaquePart(raw=raw):
            return dict(raw)


def _result_content(result: ToolResultPart, ids: CallIds) -> str | list[dict[str, Any]]:
    match result.content:
        case (TextPart(text=text, origin=origin),) if not is_object(origin, _FAMILY):
            return text
        case content:
            return [_block(inner, ids) for inner in content]


def _source(media: Media) -> dict[str, Any]:
    if media.data:
        return {"type": "base64", "media_type": media.mime, "data": media.data}
    return {"type": "url", "url": media.url}
