"""A library of skills fitted into a block, beside the seed's loop: prepared, and with every skill counted anew."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.inputs.workloads import Entry
from benchmarks.packers import oracle, tokenizer
from benchmarks.packers.contenders import ours, seed
from benchmarks.packers.race import Contender, Work
from budgeteer.engine.analysis.skill_prefixes import skill_prefixes
from budgeteer.engine.config.schema import SkillsBudgetConfig
from budgeteer.engine.counting.library_measures import SkillMeasures, measure_skills
from budgeteer.engine.packing.sections.skills import SkillFit, fit_skills

PREPARED = "Budgeteer, prepared"
WARM = "Budgeteer, counted before"
COUNTED = "Budgeteer, counting all"
SEED = "seed's loop"


def fitters(entries: tuple[Entry, ...], limit_tokens: int) -> list[Contender]:
    """Every way to the longest prefix of a library within a number of tokens.

    PREPARED has counted before and made the sums as well, WARM has counted before.
    """
    size, skills = len(entries), ours.skills_of(entries)
    configs = [skills_config(limit_tokens - turn) for turn in range(ours.BUDGETS_IN_TURN)]

    def fitted(measures: SkillMeasures, turn: int) -> SkillFit:
        return fit_skills(skills, measures, configs[turn % ours.BUDGETS_IN_TURN], counter=ours.counter())

    def prepared() -> Work:
        measures = measure_skills(skills, counter=ours.counter())
        prefixes = skill_prefixes(skills, measures, configs[0], counter=ours.counter())
        most = ours.NO_LIMITS["maxSkillsPromptChars"]
        return lambda turn: prefixes.kept(max_chars=most, max_tokens=limit_tokens - turn % ours.BUDGETS_IN_TURN)

    def warm() -> Work:
        measures = measure_skills(skills, counter=ours.counter())
        return lambda turn: fitted(measures, turn)

    def counted() -> Work:
        ours.counter().count("loads the vocabulary")
        return lambda turn: fitted(measure_skills(skills, counter=ours.counter(), minified=False), turn)

    def seeds() -> Work:
        tokenizer.count("loads the vocabulary")
        return lambda turn: seed.fit_skills(
            entries, install_root=ours.INSTALL_ROOT, limit_tokens=limit_tokens - turn % ours.BUDGETS_IN_TURN
        )

    def faults(kept: int) -> list[str]:
        return oracle.skills_faults(entries, ours.INSTALL_ROOT, limit_tokens, kept)

    def faults_of_fit(fit: SkillFit) -> list[str]:
        return faults(len(fit.order)) + fit_faults(entries, fit)

    return [
        Contender(PREPARED, size, prepared, faults, ours=True),
        Contender(WARM, size, warm, faults_of_fit, ours=True),
        Contender(COUNTED, size, counted, faults_of_fit, ours=True),
        Contender(SEED, size, seeds, faults),
    ]


def skills_config(limit_tokens: int) -> SkillsBudgetConfig:
    """No limit but the block's tokens."""
    limits = {**ours.NO_LIMITS, "maxSkillsPromptTokens": limit_tokens}
    return SkillsBudgetConfig.model_validate({"enabled": True, "limits": limits, "installRoot": ours.INSTALL_ROOT})


def fit_faults(entries: Sequence[Entry], fit: SkillFit) -> list[str]:
    """Whether it is the first skills in order, and their tokens are those of the block counted whole."""
    if list(fit.order) != list(range(len(fit.order))):
        return ["changes the order"]
    says = int(fit.after_tokens.sum()) + fit.wrapper.tokens
    block = oracle.skills_block(entries[: len(fit.order)], ours.INSTALL_ROOT)
    right = tokenizer.count(block) if fit.order else 0
    return [] if says == right else [f"says {says:,} tokens in place of {right:,}"]
