"""What counts as use of a skill or a tool."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.bundle import Inputs
from budgeteer.engine.chat import Message, TextPart, ToolCallPart, ToolResultPart
from budgeteer.engine.config import load_config
from budgeteer.engine.library import Skill
from budgeteer.engine.sections.order import Use
from budgeteer.engine.usage import usage_of, with_usage

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
