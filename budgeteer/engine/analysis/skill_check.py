"""Check a skill library against its limits: errors that should fail a build, and warnings for its authors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from budgeteer.engine.content.library import Skill
from budgeteer.engine.packing.fixes import Fix, Limit, LimitName
from budgeteer.engine.packing.ledger import Decision, Size
from budgeteer.engine.packing.limits import skill_limits
from budgeteer.engine.packing.result import CountedWith, Packing, WarningLevel
from budgeteer.engine.packing.verdict import warning_of

type Gravity = Literal["error", "warning", "notice"]

NAME_CHARS = 64
"""The longest `name` of the Agent Skills specification (agentskills.io/specification, front matter)."""

DESCRIPTION_CHARS = 1024
"""The longest `description` of the same page."""

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class LimitState:
    """One limit: the demand against it. `level` is "exceeded" above it, "approaching" from the warning threshold on."""

    limit: LimitName
    level: Literal["ok"] | WarningLevel
    used: int
    allowed: int
    percent: float
    unit: str
    fix: str

    def to_json(self) -> dict[str, Any]:
        """As in the command line's contract."""
        return {name: getattr(self, name) for name in ("limit", "level", "used", "allowed", "percent", "unit", "fix")}


@dataclass(frozen=True, slots=True)
class SkillProblem:
    """Something about one skill. An error stands behind an exceeded limit; the others are for its author to judge."""

    level: Gravity
    rule: str
    path: str
    sentence: str
    fix: str = ""

    def to_json(self) -> dict[str, str]:
        """As in the command line's contract."""
        return {name: getattr(self, name) for name in ("level", "rule", "path", "sentence", "fix")}


@dataclass(frozen=True, slots=True)
class LibraryCheck:
    """What was found, gravest first.

    Attributes:
        limits: every limit on skills, also those with room to spare.
        problems: errors, then warnings, then notices; within each in the library's own order.
        demand: the skills block with no limit; `after` the block that is sent.
        kept, skills: how many skills are in the block, and how many there are.
    """

    limits: tuple[LimitState, ...]
    problems: tuple[SkillProblem, ...]
    demand: Size
    after: Size
    kept: int
    skills: int

    @property
    def is_exceeded(self) -> bool:
        """Whether the library asks for more than a limit allows."""
        return any(state.level == "exceeded" for state in self.limits)

    @property
    def has_warnings(self) -> bool:
        """Whether anything above a notice was found."""
        return any(state.level != "ok" for state in self.limits) or any(p.level != "notice" for p in self.problems)


def check_library(packing: Packing) -> LibraryCheck:
    """Look at the skills of a packing whose skills budget is enabled."""
    skills = packing.bundle.skills
    none = CountedWith(0, Size())
    sent = next((section.after for section in packing.sections if section.name == "skills"), none)
    decisions = [decision for decision in packing.ledger if decision.section == "skills"]
    found = [*_left_out(packing, decisions), *_malformed(skills), *_repeated(skills)]
    gravity = {"error": 0, "warning": 1, "notice": 2}
    return LibraryCheck(
        limits=tuple(_limit_states(packing)),
        problems=tuple(sorted(found, key=lambda problem: gravity[problem.level])),
        demand=packing.chosen.skills.asked,
        after=sent.size,
        kept=sent.items,
        skills=len(skills),
    )


def _limit_states(packing: Packing) -> Iterator[LimitState]:
    for limit in skill_limits(packing.bundle, packing.chosen, packing.config):
        if limit.name != "maxSkillFileBytes":  # said below of the largest file, pinned or not
            yield _state(limit, packing)
    allowed = packing.config.skills_budget.limits.max_skill_file_bytes
    skills = packing.bundle.skills
    if skills:
        largest = max(skills, key=lambda skill: skill.file_bytes)
        fix = Fix(f"Split {largest.path}, or move parts of it into files beside it.")
        yield _state(Limit("maxSkillFileBytes", largest.file_bytes, allowed, f"bytes of {largest.path}", fix), packing)


def _state(limit: Limit, packing: Packing) -> LimitState:
    warning = warning_of(limit, packing.config, usable_tokens=packing.allowance.usable_tokens)
    percent = round(limit.used * 100 / max(limit.allowed, 1), 1)
    level = warning.level if warning else "exceeded" if limit.used > limit.allowed else "ok"
    fix = warning.fix if warning else limit.fix
    return LimitState(limit.name, level, limit.used, limit.allowed, percent, limit.unit, fix.sentence)


def _left_out(packing: Packing, decisions: list[Decision]) -> Iterator[SkillProblem]:
    """Skills that a limit leaves out of the block or shows by name only."""
    paths = {f"skill:{skill.path}": skill.path for skill in packing.bundle.skills}
    for decision in decisions:
        path = paths.get(decision.id, decision.name)
        if decision.rule == "maxSkillFileBytes":
            yield SkillProblem("error", decision.rule, path, decision.sentence, decision.counterfactual)
        elif decision.fate == "dropped":
            yield SkillProblem("notice", decision.rule, path, decision.sentence, decision.counterfactual)


def _malformed(skills: Sequence[Skill]) -> Iterator[SkillProblem]:
    """What the specification of skills does not allow; harnesses may refuse such a skill."""
    for skill in skills:
        if not skill.description.strip():
            what = "It has no description, so that a model cannot tell when to use it."
            yield SkillProblem("warning", "description", skill.path, what, "Add `description:` to its front matter.")
        elif len(skill.description) > DESCRIPTION_CHARS:
            what = f"Its description has {len(skill.description):,} characters; the specification allows"
            what = f"{what} {DESCRIPTION_CHARS:,}."
            yield SkillProblem("warning", "description", skill.path, what, "Move the details into the body.")
        if len(skill.name) > NAME_CHARS or not _NAME.fullmatch(skill.name):
            what = f"Its name {skill.name[:80]!r} is not made of lower-case letters, digits and single hyphens"
            what = f"{what} (at most {NAME_CHARS})."
            yield SkillProblem(
                "notice", "name", skill.path, what, "Harnesses that keep to the specification refuse it."
            )


def _repeated(skills: Sequence[Skill]) -> Iterator[SkillProblem]:
    times = Counter(skill.name for skill in skills)
    first: dict[str, str] = {}
    for skill in skills:
        if skill.name in first:
            what = f"The name {skill.name} stands for {first[skill.name]} already ({times[skill.name]} times in all)."
            yield SkillProblem("warning", "name", skill.path, what, "Rename one: a harness loads only one of them.")
        else:
            first[skill.name] = skill.path
