"""What the providers' documentation asks of a request, checked on its JSON alone."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

RESPONSES_OUTPUTS = {"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output"}
ANTHROPIC_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def openai_faults(request: Mapping[str, Any]) -> list[str]:
    """Every tool message answers a call of the assistant message before it; each call once, nothing between."""
    faults: list[str] = []
    open_calls: list[str] = []
    for number, message in enumerate(request["messages"]):
        role = message["role"]
        if role == "tool":
            if message["tool_call_id"] in open_calls:
                open_calls.remove(message["tool_call_id"])
            else:
                faults.append(f"message {number} answers no open call")
            continue
        if open_calls:
            faults.append(f"message {number} stands before the answers to {open_calls}")
        open_calls = [call["id"] for call in message.get("tool_calls", [])]
        if role not in ("system", "developer", "user", "assistant"):
            faults.append(f"message {number} has the role {role}")
        if message.get("content") is None and "refusal" not in message and not open_calls:
            faults.append(f"message {number} says nothing")
        if "tool_calls" in message and role != "assistant":
            faults.append(f"message {number} calls as {role}")
    if open_calls:
        faults.append(f"the end comes before the answers to {open_calls}")
    return faults


def as_blocks(content: str | Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """The blocks of a content, of which one text may be a string."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def anthropic_faults(request: Mapping[str, Any]) -> list[str]:
    """Turns alternate from the user's on; calls answered in the next turn, results first; ids and texts as allowed."""
    faults: list[str] = []
    messages: Sequence[Mapping[str, Any]] = request["messages"]
    expected: set[str] = set()
    used: set[str] = set()
    for number, message in enumerate(messages):
        role, blocks = message["role"], as_blocks(message["content"])
        if role != ("user", "assistant")[number % 2]:
            faults.append(f"message {number} is the {role}'s")
        if not blocks:
            faults.append(f"message {number} is empty")
        kinds = [block["type"] for block in blocks]
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        if kinds[: len(results)] != ["tool_result"] * len(results):
            faults.append(f"message {number} has results behind other blocks")
        if sorted(results) != sorted(expected):
            faults.append(f"message {number} answers {results}, open are {sorted(expected)}")
        calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
        if len(set(calls)) != len(calls) or (calls and role != "assistant"):
            faults.append(f"message {number} calls {calls}")
        expected = set(calls)
        faults += [f"message {number}: the id {one!r}" for one in [*calls, *results] if not ANTHROPIC_ID.fullmatch(one)]
        faults += [f"message {number} has a blank text" for text in texts(blocks) if not text.strip()]
        if kinds and kinds[-1] in ("thinking", "redacted_thinking"):
            faults.append(f"message {number} ends in thinking")
        faults += [f"message {number}: the id {one!r} again" for one in calls if one in used]
        used.update(calls)
    if expected:
        faults.append(f"the end comes before the answers to {sorted(expected)}")
    system = request.get("system", [{"type": "text", "text": "none"}])
    said = [system] if isinstance(system, str) else [block["text"] for block in system if block["type"] == "text"]
    if not said or not all(text.strip() for text in said):
        faults.append("the system text is blank")
    json.dumps(request)
    return faults


def responses_faults(request: Mapping[str, Any]) -> list[str]:
    """A call has one output and the output comes after it; reasoning is followed by something of the model's own."""
    faults: list[str] = []
    items: Sequence[Mapping[str, Any]] = request["input"]
    kinds = [item.get("type", "message") for item in items]
    for number, item in enumerate(items):
        if kinds[number] == "message":
            faults += message_faults(number, item)
        for call, output in RESPONSES_OUTPUTS.items():
            if kinds[number] in (call, output):
                mine = [(at, kinds[at]) for at, other in enumerate(items) if other.get("call_id") == item["call_id"]]
                if [kind for _, kind in mine] != [call, output]:
                    faults.append(f"item {number}: the call {item['call_id']!r} has {mine}")
        if kinds[number] == "reasoning":
            after = items[number + 1] if number + 1 < len(items) else {"role": "user"}
            if after.get("role", "assistant") != "assistant" or after.get("type", "").endswith("_output"):
                faults.append(f"item {number} is reasoning that led to nothing")
        if "call_id" in item and not 1 <= len(item["call_id"]) <= 64:
            faults.append(f"item {number} has a call id of {len(item['call_id'])} characters")
    if request.get("instructions") == "":
        faults.append("the instructions are empty")
    json.dumps(request)
    return faults


def message_faults(number: int, item: Mapping[str, Any]) -> list[str]:
    """What may not stand in a message item: the model's own words are text, everybody else's are inputs."""
    faults = []
    if item["role"] not in ("system", "developer", "user", "assistant"):
        faults.append(f"item {number} has the role {item['role']}")
    content = item["content"]
    if not content and item["role"] != "assistant":
        faults.append(f"item {number} is empty")
    if isinstance(content, list):
        kind = "output_text" if item["role"] == "assistant" else "input_"
        faults += [f"item {number} holds {one['type']}" for one in content if not one["type"].startswith(kind)]
    return faults


def gemini_faults(request: Mapping[str, Any]) -> list[str]:
    """Turns of user and model by turns; the next turn answers each call, as many, in order; signatures at home."""
    faults: list[str] = []
    expected: list[tuple[str | None, str]] = []
    for number, turn in enumerate(request["contents"]):
        role = turn.get("role", "user")
        if role != ("user", "model")[number % 2]:
            faults.append(f"content {number} is the {role}'s")
        if not turn["parts"]:
            faults.append(f"content {number} is empty")
        answers = [part["functionResponse"] for part in turn["parts"] if "functionResponse" in part]
        if [(one.get("id"), one["name"]) for one in answers] != expected:
            faults.append(f"content {number} answers {answers}, open are {expected}")
        calls = [part["functionCall"] for part in turn["parts"] if "functionCall" in part]
        if calls and role != "model":
            faults.append(f"content {number} calls as {role}")
        expected = [(one.get("id"), one["name"]) for one in calls]
        faults += [f"content {number}: {fault}" for part in turn["parts"] for fault in part_faults(role, part)]
    if expected:
        faults.append(f"the end comes before the answers to {expected}")
    json.dumps(request)
    return faults


def part_faults(role: str, part: Mapping[str, Any]) -> list[str]:
    """A part holds one thing, and a seal only beside it, in the model's turns."""
    faults = []
    if len(set(part) - {"thought", "thoughtSignature", "videoMetadata"}) != 1:
        faults.append(f"a part of {sorted(part)}")
    if part.get("text") == "" and "thoughtSignature" not in part:
        faults.append("an empty text")
    if "thoughtSignature" in part and role != "model":
        faults.append("sealed, and the user's")
    return faults


def texts(blocks: Sequence[Mapping[str, Any]]) -> list[str]:
    """The texts of text blocks, those inside results too."""
    found = []
    for block in blocks:
        if block["type"] == "text":
            found.append(block["text"])
        elif block["type"] == "tool_result" and isinstance(block.get("content"), list):
            found += texts(block["content"])
    return found
