"""The seed's own way to fit skills: format the block anew at every probe of a binary search over the count.

Written from the seed document and the documented shape of the block; shares no code with the engine.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

HOMES = re.compile(r"^(?:/Users/[^/]+|/home/[^/]+|/root)/|^[A-Za-z]:\\Users\\[^\\]+\\")


@dataclass(frozen=True)
class NaiveSkill:
    name: str
    description: str
    path: str
    file_bytes: int = 0


@dataclass(frozen=True)
class NaiveLimits:
    max_skills: int = 150
    max_chars: int = 30_000
    max_bytes: int = 256_000
    root: str = "/home/you/.config/agent/skills"
    compact: bool = False
    policies: dict[str, str] = field(default_factory=dict)


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def format_skills(skills: Sequence[NaiveSkill], limits: NaiveLimits) -> str:
    if not skills:
        return ""
    lines = ["# Skills", "", "<available_skills>"]
    for skill in skills:
        location = f"{limits.root}/{skill.path}"
        if limits.compact:
            location = HOMES.sub("~/", location)
        lines += [
            "<skill>",
            f"<name>{escaped(skill.name)}</name>",
            f"<description>{escaped(skill.description)}</description>",
            f"<location>{escaped(location)}</location>",
            "</skill>",
        ]
    return "\n".join([*lines, "</available_skills>"])


def fit_skills_to_budget(skills: Sequence[NaiveSkill], limits: NaiveLimits) -> list[NaiveSkill]:
    """The seed's fitSkillsToBudget, after the file size limit; one full format a probe."""
    small = [skill for skill in skills if skill.file_bytes <= limits.max_bytes]
    candidates = small[: limits.max_skills]
    low, high = 0, len(candidates)
    while low < high:
        middle = -(-(low + high) // 2)
        if len(format_skills(candidates[:middle], limits)) <= limits.max_chars:
            low = middle
        else:
            high = middle - 1
    return candidates[:low]


def longest_prefix(skills: Sequence[NaiveSkill], limits: NaiveLimits) -> list[NaiveSkill]:
    """The same answer without a search: add one at a time until the block is too long."""
    small = [skill for skill in skills if skill.file_bytes <= limits.max_bytes][: limits.max_skills]
    kept: list[NaiveSkill] = []
    for skill in small:
        if len(format_skills([*kept, skill], limits)) > limits.max_chars:
            break
        kept.append(skill)
    return kept
