"""How many skills fit under any limit, answered from prefix sums of the skills block.

The same answer as fit_skills where skills are taken as a prefix. Nothing is said of the single skill: no reasons, no
sizes, no fallback to names alone.
"""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from budgeteer.engine.config.schema import SkillsBudgetConfig
from budgeteer.engine.content.library import Skill
from budgeteer.engine.counting.library_measures import Ints, SkillMeasures
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.errors import ConfigError
from budgeteer.engine.packing.sections.skills import SkillAsk, fit_skills


@dataclass(frozen=True, slots=True)
class SkillPrefixes:
    """The skills that may stand in the block, in its order.

    Attributes:
        order: their indices. pinned: how many of them, the first ones, no limit drops.
        chars, tokens: the rendered block up to and including each.
    """

    order: tuple[int, ...]
    pinned: int
    chars: Ints
    tokens: Ints

    def kept(self, *, max_chars: int, max_tokens: int | None = None, max_skills: int | None = None) -> int:
        """How many of them the limits keep, `order`'s first ones."""
        count = bisect_right(self.chars, max_chars)
        if max_tokens is not None:
            count = min(count, bisect_right(self.tokens, max_tokens))
        if max_skills is not None:
            count = min(count, max_skills)
        return max(count, self.pinned)


def skill_prefixes(
    skills: Sequence[Skill],
    measures: SkillMeasures,
    config: SkillsBudgetConfig,
    *,
    counter: TokenCounter,
    ask: SkillAsk | None = None,
) -> SkillPrefixes:
    """The prefixes of a library under a configuration, its limits on the block aside.

    Raises:
        ConfigError: the configuration does not take skills as a prefix.
    """
    if not config.enabled or config.fit != "prefix" or config.fallback != "none" or config.notice:
        what = "only skills whose budget is on, taken as a prefix without a fallback or a notice, have prefixes"
        raise ConfigError(what, where="skillsBudget", mend="Pack them instead.")
    widest = config.limits.model_copy(
        update={
            "max_skills_in_prompt": sys.maxsize,
            "max_skills_prompt_chars": sys.maxsize,
            "max_skills_prompt_tokens": None,
        }
    )
    fit = fit_skills(
        skills, measures, config.model_copy(update={"limits": widest}), counter=counter, ask=ask or SkillAsk()
    )
    order = np.array(fit.order, np.int64)
    return SkillPrefixes(
        order=fit.order,
        pinned=int(fit.pinned[order].sum()),
        chars=np.cumsum(fit.after_chars[order]) + fit.wrapper.chars,
        tokens=np.cumsum(fit.after_tokens[order]) + fit.wrapper.tokens,
    )
