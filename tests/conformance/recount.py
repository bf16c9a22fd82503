"""An independent recount of a rendered OpenAI request: its JSON and tiktoken, nothing of the engine's."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.conformance import reference


@dataclass(frozen=True)
class Recount:
    """Tokens and characters of a request; `other` counts the parts that are no text."""

    tokens: int
    chars: int
    other: int


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def recount(request: Mapping[str, Any], tokenizer: str = "o200k_base") -> Recount:
    """OpenAI's published formula over what would be sent; definitions each alone, a token a bracket or comma."""
    tokens = 3
    chars = other = 0
    for message in request["messages"]:
        tokens += 3 + reference.count(message["role"], tokenizer)
        if "name" in message:
            tokens += 1 + reference.count(message["name"], tokenizer)
        for text in texts_of(message):
            if text is None:
                other += 1
            else:
                tokens += reference.count(text, tokenizer)
                chars += len(text)
    tools = request.get("tools", [])
    for tool in tools:
        tokens += reference.count(compact(tool), tokenizer)
        chars += len(compact(tool))
    joins = len(tools) + 1 if tools else 0
    return Recount(tokens + joins, chars + joins, other)


def texts_of(message: Mapping[str, Any]) -> Iterator[str | None]:
    """Every text a model would read in a message; None for a part that is no text."""
    content = message.get("content")
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else []:
        yield part["text"] if part["type"] == "text" else None
    for call in message.get("tool_calls", []):
        yield call["function"]["name"]
        yield call["function"]["arguments"]
