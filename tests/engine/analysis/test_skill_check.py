"""A library against its limits: one state a limit, and what its authors should mend."""

from __future__ import annotations

from typing import Any

from budgeteer.engine.analysis.skill_check import LibraryCheck, check_library
from budgeteer.engine.content.library import Skill
from tests.engine.packs import bundle_of, packed, user


def checked(*skills: Skill, **budget: Any) -> LibraryCheck:
    return check_library(packed(bundle_of(user(), skills=skills), {"skillsBudget": {"enabled": True, **budget}}))


def test_a_library_without_skills_has_no_largest_file_and_nothing_to_mend() -> None:
    found = checked()
    assert [(state.limit, state.used, state.level) for state in found.limits] == [
        ("maxSkillsInPrompt", 0, "ok"),
        ("maxSkillsPromptChars", 0, "ok"),
    ]
    assert (found.problems, found.kept, found.skills) == ((), 0, 0)
    assert not found.is_exceeded
    assert not found.has_warnings


def test_a_pinned_skill_whose_file_is_too_large_is_said_once_among_the_limits() -> None:
    large, small = (
        Skill(name, "Does it.", f"{name}/SKILL.md", file_bytes=size) for name, size in (("a", 90), ("b", 9))
    )
    found = checked(small, large, policies={"a": "pinned"}, limits={"maxSkillFileBytes": 50})
    states = [state for state in found.limits if state.limit == "maxSkillFileBytes"]
    assert [(state.used, state.allowed, state.percent, state.level) for state in states] == [
        (90, 50, 180.0, "exceeded")
    ]
    assert states[0].fix == "Split a/SKILL.md, or move parts of it into files beside it."
    assert [(one.level, one.rule, one.path) for one in found.problems] == [("error", "maxSkillFileBytes", "a/SKILL.md")]
    assert (found.kept, found.skills, found.is_exceeded) == (1, 2, True)
