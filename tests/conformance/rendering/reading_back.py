"""Rendered requests read back into a conversation: Responses and Gemini, as far as our own requests go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from budgeteer.engine.content.conversation import (
    Conversation,
    Message,
    Part,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from tests.conformance.recount import compact, definitions_in


def read_back(request: Mapping[str, Any], provider: str) -> Conversation:
    """The conversation a request in the form of Responses or Gemini holds."""
    if provider == "openai-responses":
        given, said = request.get("instructions"), list(_items(request["input"]))
        system = [given] if given else []
    else:
        system, said = _texts_of(request.get("systemInstruction")), list(_turns(request["contents"]))
    first = [Message("system", tuple(map(TextPart, system)))] if system else []
    numbered = [
        Message(one.role, one.parts, id=f"r{number}", line=number) for number, one in enumerate([*first, *said], 1)
    ]
    return Conversation(id="back", title="back", messages=tuple(numbered), tools=tuple(definitions_in(request)))


def _items(items: list[dict[str, Any]]) -> Iterator[Message]:
    said: list[Part] = []
    for item in items:
        if item.get("type") == "function_call":
            said.append(ToolCallPart(item["call_id"], item["name"], item["arguments"]))
        elif item.get("role") == "assistant":
            said += _texts(item["content"])
        else:
            if said:
                yield Message("assistant", tuple(said))
                said = []
            if item.get("type") == "function_call_output":
                yield Message("tool", (ToolResultPart(item["call_id"], _texts(item["output"])),))
            else:
                yield Message(item["role"], _texts(item["content"]))
    if said:
        yield Message("assistant", tuple(said))


def _texts(content: Any) -> tuple[TextPart, ...]:
    if isinstance(content, str):
        return (TextPart(content),) if content else ()
    return tuple(TextPart(part if isinstance(part, str) else part["text"]) for part in content)


def _texts_of(turn: Mapping[str, Any] | None) -> list[str]:
    return [part["text"] for part in turn["parts"]] if turn else []


def _turns(turns: list[dict[str, Any]]) -> Iterator[Message]:
    for turn in turns:
        said: list[Part] = []
        for part in turn["parts"]:
            if "functionResponse" in part:
                answer = part["functionResponse"]
                yield Message("tool", (ToolResultPart(answer["id"], _texts(answer["response"]["output"])),))
            elif "functionCall" in part:
                call = part["functionCall"]
                said.append(ToolCallPart(call["id"], call["name"], compact(call["args"])))
            else:
                said.append(TextPart(part["text"]))
        role: Role = "assistant" if turn["role"] == "model" else "user"
        if said:
            yield Message(role, tuple(said))


def count_read_back_alike(data: dict[str, Any]) -> None:
    """Take settings from a configuration that mean something else in a packed history than in what it came from.

    docs/engine.md names them: the ids of `keepWith` are the source's; libraries are system text in a packed prompt,
    which `countSystem` charges; beside `keepMessages`, what a fallback keeps may have a summary once the rest is
    gone; `summarizeOlder` counts turns, of which `startOn` may take the first prompt; and a summary of `keepEnds`, or
    of a range that was compressed, is a turn of its own for `maxTurns`.
    """
    history = data["history"]
    history["keepWith"] = {}
    history["countSystem"] = False
    if history["ends"]["between"] == "summary" or data.get("pruning", {}).get("ranges"):
        history["maxTurns"] = None
    if history["summarizing"]["keepMessages"] is not None:
        history["fallbackMessages"] = history["uncountedFallbackMessages"] = 0
    if history["strategy"] == "summarizeOlder" and history["startOn"] != "user":
        history["startOn"] = "any"
