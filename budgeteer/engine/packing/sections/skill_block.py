"""The skills block as text: header, tags, one entry per skill, and configured shortening."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from budgeteer.engine.config.schema import SkillsBudgetConfig
from budgeteer.engine.content.library import Skill
from budgeteer.engine.counting.library_measures import skill_description, skill_head, skill_tail
from budgeteer.engine.counting.shortening import compact_path, minify_description
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.packing.ledger import Size

_TITLE: Final = "# Skills\n\n"
_TAG: Final = "<available_skills>\n"
BLOCK_OPEN: Final = _TITLE + _TAG
BLOCK_CLOSE: Final = "</available_skills>"


def effective(config: SkillsBudgetConfig) -> SkillsBudgetConfig:
    """The configuration as it works: while the budget is off nothing is shortened, ordered or left out."""
    if config.enabled:
        return config
    return SkillsBudgetConfig.model_validate({"installRoot": config.install_root})


def location_opener(config: SkillsBudgetConfig) -> str:
    """The text before each location's slash: the tag and the install root, compacted when asked for."""
    root = config.install_root.rstrip("/")
    root = compact_path(root + "/").rstrip("/") if config.optimization.compact_paths else root
    return f"<location>{escape(root, quote=False)}"


def skill_entry(skill: Skill, config: SkillsBudgetConfig, *, short: bool, cut_chars: int | None = None) -> str:
    """One skill's entry, as it stands in the block; with `cut_chars` so much of its description at most."""
    middle = "" if short else skill_description(described(skill, config)[:cut_chars])
    return skill_head(skill) + middle + location_opener(config) + skill_tail(skill.path)


def described(skill: Skill, config: SkillsBudgetConfig) -> str:
    """The description as the configuration has it, minified or as it came."""
    minify = config.optimization.minify_descriptions
    return minify_description(skill.description) if minify else skill.description


def skills_notice(listed: int, total: int) -> str:
    """What tells the model that skills are left out."""
    return f"[{listed:,} of {total:,} skills listed to save context]"


def skills_block(entries: Sequence[str], notice: str = "") -> str:
    """The whole block from its entries; "" when there is none."""
    return f"{_opening(notice)}{''.join(entries)}{BLOCK_CLOSE}" if entries else ""


def wrapper_size(counter: TokenCounter, notice: str = "") -> Size:
    """What the block costs beside its entries. Exact: both seams are a line end before a visible character."""
    opening = _opening(notice)
    return Size(counter.count(opening) + counter.count(BLOCK_CLOSE), len(opening) + len(BLOCK_CLOSE))


def _opening(notice: str) -> str:
    return f"{_TITLE}{notice}\n\n{_TAG}" if notice else BLOCK_OPEN
