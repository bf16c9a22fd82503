"""What the providers' documentation asks of a request, checked on its JSON alone."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

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
        if message["content"] is None and not open_calls:
            faults.append(f"message {number} says nothing")
        if "tool_calls" in message and role != "assistant":
            faults.append(f"message {number} calls as {role}")
    if open_calls:
        faults.append(f"the end comes before the answers to {open_calls}")
    return faults


def anthropic_faults(request: Mapping[str, Any]) -> list[str]:
    """Turns alternate from the user's on; calls answered in the next turn, results first; ids and texts as allowed."""
    faults: list[str] = []
    messages: Sequence[Mapping[str, Any]] = request["messages"]
    expected: set[str] = set()
    for number, message in enumerate(messages):
        role, blocks = message["role"], message["content"]
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
    if expected:
        faults.append(f"the end comes before the answers to {sorted(expected)}")
    if "system" in request and not request["system"].strip():
        faults.append("the system text is blank")
    json.dumps(request)
    return faults


def texts(blocks: Sequence[Mapping[str, Any]]) -> list[str]:
    """The texts of text blocks, those inside results too."""
    found = []
    for block in blocks:
        if block["type"] == "text":
            found.append(block["text"])
        elif block["type"] == "tool_result" and isinstance(block["content"], list):
            found += texts(block["content"])
    return found
