"""Generated conversations that give pruning something to do: calls made twice, calls that fail, files written twice."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from budgeteer.engine.content.conversation import (
    Conversation,
    Message,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from budgeteer.engine.inputs.bundle import Inputs
from tests.conformance import generated

TOOL_NAMES = st.sampled_from(["read", "write", "Write", "run", "mcp__files__write_file", "read_file", "edit"])
LONG = st.text(alphabet="ab \n{}é", min_size=60, max_size=200)
SPACED_JSON = st.lists(LONG | st.integers(), max_size=3).map(lambda one: json.dumps({"found": one}, indent=4))
SHORT = st.sampled_from(["x", "a/b.py", "ls"])


@st.composite
def arguments(draw: st.DrawFn) -> str:
    """Arguments of few shapes, so that some are the same; now and then no object at all."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from(["", "not json", "[1, 2]", '"text"']) | LONG)
    value: dict[str, Any] = {"path": draw(st.sampled_from(["a.py", "b.py"]))}
    if draw(st.booleans()):
        value["content"] = draw(LONG | SHORT)
    if draw(st.integers(0, 4)) == 0:
        value["limit"] = draw(st.sampled_from([1, None]))
    keys = draw(st.permutations(sorted(value)))
    return json.dumps({key: value[key] for key in keys}, ensure_ascii=draw(st.booleans()))


@st.composite
def exchanges(draw: st.DrawFn, number: int, *, failing: bool) -> list[Message]:
    """A user's message and what the assistant does with it; `failing` adds what no request says of itself."""
    messages = [Message("user", (TextPart(draw(generated.WORDS)),), typed=not failing or draw(st.integers(0, 5)) > 0)]
    for turn in range(draw(st.integers(0, 3))):
        calls = [
            ToolCallPart(f"c{number}-{turn}-{at}", draw(TOOL_NAMES), draw(arguments()))
            for at in range(draw(st.integers(1, 3)))
        ]
        said: tuple[Part, ...] = (TextPart(draw(generated.WORDS)),) if draw(st.booleans()) else ()
        if draw(st.integers(0, 4)) == 0:
            said = (ReasoningPart("thought", "sealed", "", draw(st.sampled_from(["", "gemini"]))), *said)
        messages.append(Message("assistant", (*said, *calls)))
        for call in calls:
            text = TextPart(draw(LONG | generated.TEXTS | SPACED_JSON))
            failed = failing and draw(st.integers(0, 2)) == 0
            messages.append(Message("tool", (ToolResultPart(call.id, (text,), failed),)))
    if draw(st.booleans()):
        messages.append(Message("assistant", (TextPart(draw(generated.WORDS)),)))
    return messages


@st.composite
def conversations(draw: st.DrawFn, *, failing: bool = True) -> Conversation:
    """Up to eight exchanges; every message has an id."""
    messages = [Message("system", (TextPart(draw(generated.WORDS)),))] if draw(st.booleans()) else []
    for number in range(draw(st.integers(0, 8))):
        messages += draw(exchanges(number, failing=failing))
    numbered = [
        Message(one.role, one.parts, id=f"x{at}", line=at, typed=one.typed) for at, one in enumerate(messages, 1)
    ]
    return Conversation(id="p", title="p", messages=tuple(numbered))


@st.composite
def inputs(draw: st.DrawFn, *, failing: bool = True) -> Inputs:
    """A conversation, with libraries beside it or without."""
    return Inputs(
        conversation=draw(conversations(failing=failing)),
        tools=draw(st.none() | generated.tools()),
        skills=draw(st.just(()) | generated.skills()),
        query=draw(st.none() | generated.WORDS),
    )


@st.composite
def settings_of(draw: st.DrawFn) -> dict[str, Any]:
    """The settings of pruning, without ranges."""
    return {
        "mode": draw(st.sampled_from(["auto", "auto", "manual"])),
        "protectedTools": draw(st.lists(st.sampled_from(["write", "read", "EDIT", "run"]), max_size=2)),
        "turnProtection": draw(st.integers(0, 3)),
        "dedupe": draw(st.booleans()),
        "supersedeWrites": draw(st.booleans()),
        "purgeErrorsAfterTurns": draw(st.integers(0, 3)),
        "minifyResults": draw(st.booleans()),
        "maxSummaryPercent": 100,
    }
