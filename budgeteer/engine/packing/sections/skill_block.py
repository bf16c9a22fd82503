"""The skills block as text: header, tags, one entry per skill, and configured shortening."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from types import MappingProxyType
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
_NO_ALIASES: Final[Mapping[str, str]] = MappingProxyType({})


def effective(config: SkillsBudgetConfig) -> SkillsBudgetConfig:
    """The configuration as it works: while the budget is off nothing is shortened, ordered or left out."""
    if config.enabled:
        return config
    return unshortened(config)


def unshortened(config: SkillsBudgetConfig) -> SkillsBudgetConfig:
    """The configuration with nothing but where skills are installed."""
    return _installed(config.install_root, tuple(config.install_roots.items()))


@functools.lru_cache(maxsize=256)
def _installed(root: str, roots: tuple[tuple[str, str], ...]) -> SkillsBudgetConfig:
    return SkillsBudgetConfig.model_validate({"installRoot": root, "installRoots": dict(roots)})


def located(path: str, config: SkillsBudgetConfig) -> tuple[str, str]:
    """The root a skill is installed under, as it is shown, and its path below it.

    The longest folder of `installRoots` that the path lies in decides, else `installRoot` holds the whole library.
    """
    folder = max((one for one in config.install_roots if path.startswith(f"{one.rstrip('/')}/")), key=len, default=None)
    root = config.install_root if folder is None else config.install_roots[folder]
    root = root.rstrip("/")
    root = compact_path(root + "/").rstrip("/") if config.optimization.compact_paths else root
    return root, path if folder is None else path[len(folder.rstrip("/")) + 1 :]


def location_opener(root: str) -> str:
    """The text before a location's slash: the tag, and the root or its alias."""
    return f"<location>{escape(root, quote=False)}"


def aliases_of(roots: Iterable[str]) -> dict[str, str]:
    """An alias for each root, r0 for the first, where the table of them is shorter than what they save; else none.

    Source: Codex (codex-rs/core-skills/src/render.rs, 0899b7c, read 2026-11-24), which writes a table of skill roots
    where more skills fit with it.
    """
    uses: dict[str, int] = {}
    for root in roots:
        uses[root] = uses.get(root, 0) + 1
    aliases = {root: f"r{number}" for number, root in enumerate(uses)}
    saved = sum((len(escape(root, quote=False)) - len(aliases[root])) * times for root, times in uses.items())
    return aliases if saved > len(_roots_table(aliases)) else {}


def _roots_table(aliases: Mapping[str, str]) -> str:
    lines = "".join(f"- {alias} = {root}\n" for root, alias in aliases.items())
    return f"Locations begin with an alias of where skills are installed:\n{lines}\n" if aliases else ""


def skill_entry(
    skill: Skill,
    config: SkillsBudgetConfig,
    *,
    short: bool,
    cut_chars: int | None = None,
    aliases: Mapping[str, str] = _NO_ALIASES,
) -> str:
    """One skill's entry, as it stands in the block; with `cut_chars` so much of its description at most."""
    middle = "" if short else skill_description(described(skill, config)[:cut_chars])
    root, path = located(skill.path, config)
    return skill_head(skill) + middle + location_opener(aliases.get(root, root)) + skill_tail(path)


def described(skill: Skill, config: SkillsBudgetConfig) -> str:
    """The description as the configuration has it, minified or as it came."""
    minify = config.optimization.minify_descriptions
    return minify_description(skill.description) if minify else skill.description


def skills_notice(listed: int, total: int) -> str:
    """What tells the model that skills are left out."""
    return f"[{listed:,} of {total:,} skills listed to save context]"


def skills_block(entries: Sequence[str], notice: str = "", aliases: Mapping[str, str] = _NO_ALIASES) -> str:
    """The whole block from its entries; "" when there is none."""
    return f"{_opening(notice, aliases)}{''.join(entries)}{BLOCK_CLOSE}" if entries else ""


def wrapper_size(counter: TokenCounter, notice: str = "", aliases: Mapping[str, str] = _NO_ALIASES) -> Size:
    """What the block costs beside its entries. Exact: both seams are a line end before a visible character."""
    opening = _opening(notice, aliases)
    return Size(counter.count(opening) + counter.count(BLOCK_CLOSE), len(opening) + len(BLOCK_CLOSE))


def _opening(notice: str, aliases: Mapping[str, str]) -> str:
    said = f"{notice}\n\n" if notice else ""
    return f"{_TITLE}{said}{_roots_table(aliases)}{_TAG}"
