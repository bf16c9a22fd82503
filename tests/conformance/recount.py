"""An independent recount of a rendered request: its JSON and tiktoken, nothing of the engine's.

OpenAI chat is recounted to the last token, frames included. The frames of the others are not published, so only what
they are sent to read is recounted: every text, name and argument, and the definitions.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.conformance.counting import reference
from tests.conformance.rendering.typescript_tools import definitions_tokens

#: Tokens that were measured around each parameter of a call of Claude's, and each definition (docs/engine.md).
PARAMETER = 15
DEFINITION = 6


@dataclass(frozen=True)
class Recount:
    """Tokens and characters of a request; `other` counts the parts that are no text."""

    tokens: int
    chars: int
    other: int


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def recount(request: Mapping[str, Any], tokenizer: str = "o200k_base") -> Recount:
    """OpenAI's published formula over what would be sent to one of its models, definitions as these read them."""
    read = recount_texts(request, tokenizer, maker="OpenAI")
    tokens = 3
    for message in request["messages"]:
        tokens += 3 + reference.count(message["role"], tokenizer)
        if message.get("name"):  # a result's too: the formula charges the name of every message
            tokens += 1 + reference.count(message["name"], tokenizer)
    return Recount(tokens + read.tokens, read.chars, read.other)


def recount_texts(
    request: Mapping[str, Any],
    tokenizer: str = "o200k_base",
    *,
    maker: str = "",
    parameter: int = PARAMETER,
    factor: float = 1.0,
) -> Recount:
    """What a request in any of the four forms holds to be read, without the frames around it.

    Definitions are counted each alone, a token a bracket or comma; for the models of a maker who is named, OpenAI or
    Anthropic, as these read them. Calibrated counts charge each parameter differently, and each text by a factor.
    """

    def count(text: str) -> int:
        return round(reference.count(text, tokenizer) * factor)

    texts = list(texts_in(request))
    said = [text for text in texts if text is not None]
    definitions = [compact(tool) for tool in definitions_in(request)]
    joins = len(definitions) + 1 if definitions else 0
    counted = sum(map(count, said))
    if maker == "OpenAI":
        counted += definitions_tokens(request, count)
    elif maker == "Anthropic":
        for tool in definitions_in(request):
            counted += count(read_by_claude(tool)) + DEFINITION if is_function(tool) else count(compact(tool))
    else:
        counted += sum(map(count, definitions)) + joins
    calls = [one for one in blocks_of(request) if one.get("type") == "tool_use"]
    counted += sum(parameters_instead(one, count, parameter) for one in calls)
    return Recount(counted, sum(map(len, (*said, *definitions))) + joins, sum(text is None for text in texts))


def is_function(tool: Mapping[str, Any]) -> bool:
    """Whether a tool in Anthropic's form has a schema of its own, and does not run at Anthropic."""
    return "input_schema" in tool


def read_by_claude(tool: Mapping[str, Any]) -> str:
    """A function in Anthropic's form as Claude reads it: what says something, as JSON with blanks, ASCII alone."""
    read = {"description": tool.get("description"), "name": tool["name"], "parameters": tool["input_schema"]}
    return json.dumps({key: value for key, value in read.items() if value or key != "description"})


def blocks_of(request: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The blocks of a request's messages."""
    for message in request.get("messages", ()):
        content = message.get("content")
        yield from content if isinstance(content, list) else []


def parameters_instead(block: Mapping[str, Any], count: Callable[[str], int], parameter: int) -> int:
    """What Claude reads of a call's input, one parameter after the other, beside its count as JSON."""
    read = 0
    for name, value in block["input"].items():
        read += parameter + count(name)
        read += count(value if isinstance(value, str) else json.dumps(value))
    return read - count(compact(block["input"]))


def definitions_in(request: Mapping[str, Any]) -> Sequence[Any]:
    """The tool definitions, one by one; Gemini keeps its functions in a list inside."""
    return [one for tool in request.get("tools", []) for one in tool.get("functionDeclarations", [tool])]


def texts_in(request: Mapping[str, Any]) -> Iterator[str | None]:
    """Every text a model would read, from the system text on; None for a part that is no text."""
    if "contents" in request:
        for turn in (request.get("systemInstruction", {"parts": []}), *request["contents"]):
            for part in turn["parts"]:
                yield from gemini_texts(part)
        return
    for key in ("system", "instructions"):
        if key in request:
            yield from content_texts(request[key])
    for item in request.get("input", request.get("messages", ())):
        yield from content_texts(item.get("content"))
        if item.get("refusal"):
            yield compact({"refusal": item["refusal"]})
        for call in item.get("tool_calls", []):
            called = call.get("function", call.get("custom"))
            yield called["name"]
            yield called.get("arguments", called.get("input"))
        if "content" not in item:
            yield from block_texts(item)


def content_texts(content: Any) -> Iterator[str | None]:
    """The texts of a content: a string, or a list of parts."""
    if isinstance(content, str):
        yield content
    for part in content if isinstance(content, list) else []:
        yield from block_texts(part)


def block_texts(block: Mapping[str, Any]) -> Iterator[str | None]:
    """The texts of one part, block or item of OpenAI or Anthropic."""
    match block.get("type"):
        case "text" | "input_text" | "output_text":
            yield block["text"]
        case "tool_use":
            yield block["name"]
            yield compact(block["input"])
        case "function_call":
            yield block["name"]
            yield block["arguments"]
        case "tool_result":
            yield from content_texts(block.get("content"))
        case "custom_tool_call":
            yield block["name"]
            yield block["input"]
        case "function_call_output" | "custom_tool_call_output":
            yield from content_texts(block["output"])
        case "thinking":
            yield block["thinking"]
        case _:
            yield None


def response_texts(response: Mapping[str, Any]) -> list[str]:
    """What a function's response says: its only output or error, else the whole object as JSON."""
    said = next(iter(response.values())) if set(response) in ({"output"}, {"error"}) else None
    if isinstance(said, str):
        return [said]
    return said if isinstance(said, list) else [compact(response)]


def gemini_texts(part: Mapping[str, Any]) -> Iterator[str | None]:
    """The texts of one part of Gemini's; what a response says, whether it went well or not."""
    if "text" in part:
        yield part["text"]
    elif "functionCall" in part:
        yield part["functionCall"]["name"]
        yield compact(part["functionCall"]["args"])
    elif "functionResponse" in part:
        yield from response_texts(part["functionResponse"]["response"])
        yield from (None for _ in part["functionResponse"].get("parts", []))
    else:
        yield None
