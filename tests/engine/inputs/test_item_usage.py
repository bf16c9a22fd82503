"""What counts as use of a skill or a tool."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.conversation import (
    Conversation,
    Message,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from budgeteer.engine.content.library import Skill, ToolDefinition
from budgeteer.engine.content.usage_order import Use
from budgeteer.engine.inputs.bundle import Inputs
from budgeteer.engine.inputs.item_usage import recorded_use, usage_of, with_usage

LIBRARY = tuple(
    Skill(name, "", path)
    for name, path in [
        ("git-commit", "git/commit/SKILL.md"),
        ("pdf", "documents/pdf/SKILL.md"),
        ("plans:write", "plans/write/SKILL.md"),
        ("write", "essays/write/SKILL.md"),
    ]
)


def said(text: str, role: str = "user") -> Message:
    assert role in ("user", "assistant", "system")
    return Message("user" if role == "user" else "assistant" if role == "assistant" else "system", (TextPart(text),))


def called(name: str, arguments: str) -> Message:
    return Message("assistant", (ToolCallPart("c", name, arguments),))


@pytest.mark.parametrize(
    ("message", "paths"),
    [
        (said("Please use git-commit now."), {"git/commit/SKILL.md"}),
        (said("Make a pdf of it."), set()),
        (said("/pdf of this"), {"documents/pdf/SKILL.md"}),
        (said("use the `pdf` skill"), {"documents/pdf/SKILL.md"}),
        (said("plans:write it", "assistant"), {"plans/write/SKILL.md"}),
        (said("see ~/.config/agent/skills/documents/pdf/SKILL.md"), {"documents/pdf/SKILL.md"}),
        (said(r"C:\agent\documents\pdf\SKILL.md"), {"documents/pdf/SKILL.md"}),
        (said("x/commit/SKILL.md"), {"git/commit/SKILL.md"}),
        (said("write/SKILL.md could be either"), set()),
        (said("essays/write/SKILL.md is one"), {"essays/write/SKILL.md"}),
        (said("git-commit, git-commit, pdf", "system"), set()),
        (called("Skill", '{"skill": "pdf"}'), {"documents/pdf/SKILL.md"}),
        (called("Read", '{"file_path": "/home/a/skills/git/commit/SKILL.md"}'), {"git/commit/SKILL.md"}),
        (called("run", "cat git/commit/SKILL.md"), {"git/commit/SKILL.md"}),
        (called("Edit", '{"text": "a long text on the pdf format"}'), set()),
        (Message("tool", (ToolResultPart("c", (TextPart("git-commit git/commit/SKILL.md"),)),)), set()),
        (
            Message("assistant", (ReasoningPart("git-commit might do."), TextPart("I take plans:write."))),
            {"plans/write/SKILL.md"},
        ),
    ],
)
def test_a_skill_is_used_where_it_is_named_called_or_read(message: Message, paths: set[str]) -> None:
    assert {key for key in usage_of([message], LIBRARY) if "/" in key} == paths


def test_use_counts_messages_and_remembers_the_newest() -> None:
    talk = [
        said("git-commit git-commit"),
        said("nothing"),
        said("git-commit"),
        called("Bash", "{}"),
        called("Bash", "{}"),
    ]
    uses = usage_of(talk, LIBRARY)
    assert uses["git/commit/SKILL.md"] == Use(count=2, last=3)
    assert uses["Bash"] == Use(count=2, last=5)


def test_nothing_used_is_nothing() -> None:
    assert usage_of([], LIBRARY) == {}


def _ordered_by(prioritization: str, **inputs: Any) -> Inputs:
    config = load_config({"skillsBudget": {"enabled": True, "optimization": {"prioritization": prioritization}}})
    return with_usage(Inputs(skills=LIBRARY, **inputs), config)


def test_use_is_looked_for_only_where_the_order_asks_for_it() -> None:
    assert with_usage(Inputs(skills=LIBRARY), load_config({})) == Inputs(skills=LIBRARY)
    assert _ordered_by("alphabetical") == Inputs(skills=LIBRARY)


def test_with_no_use_in_a_conversation_recent_takes_the_times_of_the_files() -> None:
    dated = (Skill("old", "d", "old/SKILL.md", modified="2020-01-01T00:00:00"), Skill("no", "d", "no/SKILL.md"))
    found = with_usage(
        Inputs(skills=(*dated, Skill("bad", "d", "bad/SKILL.md", modified="yesterday"))),
        load_config({"skillsBudget": {"enabled": True, "optimization": {"prioritization": "recent"}}}),
    )
    assert found.usage_source == "by the times of their files"
    assert {path: use.last > 0 for path, use in found.usage.items()} == {"old/SKILL.md": True, "bad/SKILL.md": False}
    assert _ordered_by("frequent").usage_source == "in the conversation"


RECORDED = {"git-commit": Use(2, 50), "documents/pdf": Use(9, 10), "/plans:write": Use(1), "unheard-of": Use(7)}


def test_a_usage_file_names_skills_by_name_or_path() -> None:
    uses, strangers = recorded_use({**RECORDED, "git/commit/SKILL.md": Use(1, 60), "write": Use(4)}, LIBRARY)
    assert uses == {
        "git/commit/SKILL.md": Use(3, 60),
        "documents/pdf/SKILL.md": Use(9, 10),
        "plans/write/SKILL.md": Use(1),
        "essays/write/SKILL.md": Use(4),
    }
    assert strangers == 1


@pytest.mark.parametrize(
    ("order", "first"), [("frequent", "documents/pdf/SKILL.md"), ("recent", "git/commit/SKILL.md")]
)
def test_a_usage_file_goes_before_the_conversation(order: str, first: str) -> None:
    talk = Conversation("c", "t", (said("/plans:write"), called("Bash", "{}")))
    config = load_config({"skillsBudget": {"enabled": True, "optimization": {"prioritization": order}}})
    found = with_usage(Inputs(skills=LIBRARY, conversation=talk), config, RECORDED)
    assert found.usage_source == "in the usage file, in which 1 name(s) belong to no skill or tool here"
    rank = {path: use.count if order == "frequent" else use.last for path, use in found.usage.items() if "/" in path}
    assert max(rank, key=rank.__getitem__) == first
    assert found.usage["Bash"] == Use(1, 2)


def test_a_usage_file_without_times_does_not_tell_what_is_recent() -> None:
    config = load_config({"skillsBudget": {"enabled": True, "optimization": {"prioritization": "recent"}}})
    talk = Conversation("c", "t", (said("git-commit"),))
    found = with_usage(Inputs(skills=LIBRARY, conversation=talk), config, {"pdf": Use(9)})
    assert found.usage_source == "in the conversation"


def test_a_usage_file_that_names_tools_orders_them() -> None:
    tool = ToolDefinition("Bash", "", {}, "mcp", {"name": "Bash", "parameters": {}})
    talk = Conversation("c", "t", (called("Read", "{}"),), tools=(tool.raw,))
    config = load_config({"skillsBudget": {"enabled": True, "optimization": {"prioritization": "frequent"}}})
    for inputs in (Inputs(skills=LIBRARY, tools=[tool], conversation=talk), Inputs(conversation=talk)):
        assert with_usage(inputs, config, {"Bash": Use(5)}).usage == {"Bash": Use(5)}
