"""Calls of Claude Code's own tools are read as the model made them."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import ToolCallPart, calls_of
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.messages.imported import Imported
from tests.formats.shapes import Session

PROMPTS = [{"tool": "Bash", "prompt": "run the tests"}]
PLAN = "# Lay the stones\n\nThen paint them."


def imported(call: dict[str, Any], *, version: str = "2.1.37", name: str = "ExitPlanMode") -> Imported:
    session = Session()
    session.user("u1", "Plan the wall", version=version)
    block = {"type": "tool_use", "id": "t1", "name": name, "input": call}
    session.assistant("a1", block, message_id="msg_1", version=version)
    session.result("r1", "t1", "Approved.")
    return import_bytes(session.data, name="s.jsonl")


def call_of(found: Imported) -> ToolCallPart:
    (call,) = (call for message in found.conversations[0].messages for call in calls_of(message))
    return call


@pytest.mark.parametrize(
    ("call", "version"),
    [
        ({"plan": PLAN}, "2.1.0"),
        ({"plan": PLAN, "planFilePath": "/plans/wall.md"}, "2.1.37"),
        ({"plan": PLAN, "planFilePath": "/plans/wall.md"}, "2.0.60"),
    ],
)
def test_a_plan_that_the_program_wrote_into_a_call_is_left_out(call: dict[str, Any], version: str) -> None:
    found = imported(call, version=version)
    assert call_of(found).arguments == "{}"
    assert any(warning.startswith("Plans that Claude Code wrote") for warning in found.warnings)


def test_what_the_model_wrote_of_such_a_call_stays() -> None:
    assert call_of(imported({"allowedPrompts": PROMPTS, "plan": PLAN})).arguments == (
        '{"allowedPrompts":[{"tool":"Bash","prompt":"run the tests"}]}'
    )


@pytest.mark.parametrize(
    ("call", "version", "name"),
    [
        ({"plan": PLAN}, "1.0.80", "ExitPlanMode"),
        ({"plan": PLAN}, "", "ExitPlanMode"),
        ({"plan": PLAN}, "2.1.37", "Task"),
        ({"allowedPrompts": PROMPTS}, "2.1.37", "ExitPlanMode"),
    ],
)
def test_other_calls_are_read_as_they_stand(call: dict[str, Any], version: str, name: str) -> None:
    found = imported(call, version=version, name=name)
    assert call_of(found).arguments.startswith('{"' + next(iter(call)))
    assert not any(warning.startswith("Plans that") for warning in found.warnings)
