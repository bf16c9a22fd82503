"""A packing as an Anthropic Messages request."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Sequence
from typing import Any

from budgeteer.engine.chat import (
    ImagePart,
    Message,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    calls_of,
)
from budgeteer.engine.profiles import PROFILES
from budgeteer.engine.rendering.sent import sent_messages, sent_tools, system_message
from budgeteer.engine.result import Packing


def anthropic_request(packing: Packing) -> dict[str, Any]:
    """The request, ready to send: model, max_tokens, system, tools and messages."""
    request: dict[str, Any] = {"model": packing.model, "max_tokens": max(packing.output_reserve, 1)}
    system = system_message(packing)
    if system:
        request["system"] = system
    tools = sent_tools(packing)
    if tools:
        request["tools"] = tools
    request["messages"] = anthropic_messages(sent_messages(packing))
    return request


def anthropic_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages in Anthropic's form: results and the user's next words in one turn, ids in the allowed alphabet."""
    turns: list[dict[str, Any]] = []
    ids = _CallIds(call.id for message in messages for call in calls_of(message))
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        blocks = [block for part in message.parts for block in _anthropic_blocks(part, ids)]
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": role, "content": blocks})
    return turns


class _CallIds:
    """Call ids as Anthropic allows them; an id that is not allowed gets one that is, the same each time."""

    def __init__(self, call_ids: Iterable[str]) -> None:
        pattern = PROFILES["anthropic"].call_id
        ids = dict.fromkeys(call_ids)
        self._given = {key: key for key in ids if pattern is None or pattern.match(key)}
        free = (name for name in (f"call_{number}" for number in itertools.count(1)) if name not in ids)
        self._given |= {key: next(free) for key in ids if key not in self._given}

    def __getitem__(self, call_id: str) -> str:
        return self._given[call_id]


def _anthropic_blocks(part: Part, ids: _CallIds) -> list[dict[str, Any]]:
    match part:
        case TextPart(text=text):
            return [{"type": "text", "text": text}]
        case ToolCallPart():
            return [{"type": "tool_use", "id": ids[part.id], "name": part.name, "input": _arguments(part.arguments)}]
        case ToolResultPart():
            content = [block for inner in part.content for block in _anthropic_blocks(inner, ids)]
            only = content[0]["text"] if len(content) == 1 and content[0]["type"] == "text" else content
            error = {"is_error": True} if part.is_error else {}
            return [{"type": "tool_result", "tool_use_id": ids[part.call_id], "content": only, **error}]
        case ReasoningPart():
            if part.encrypted:
                return [{"type": "redacted_thinking", "data": part.encrypted}]
            return [{"type": "thinking", "thinking": part.text, "signature": part.signature}]
        case ImagePart(raw=raw) if raw.get("type") != "image":
            return [{"type": "image", "source": _anthropic_source(part)}]
        case _:
            return [dict(getattr(part, "raw", {}))]


def _anthropic_source(image: ImagePart) -> dict[str, Any]:
    url = str(image.raw.get("image_url", {}).get("url", ""))
    if url.startswith("data:"):
        media_type, _, data = url.removeprefix("data:").partition(";base64,")
        return {"type": "base64", "media_type": media_type, "data": data}
    return {"type": "url", "url": url}


def _arguments(text: str) -> Any:
    try:
        value = json.loads(text) if text else {}
    except ValueError:
        return {"arguments": text}
    return value if isinstance(value, dict) else {"arguments": value}
