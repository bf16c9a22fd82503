"""The skills fit against the seed's loop, formatted anew at every probe."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.library import Skill
from budgeteer.engine.counting.library_measures import measure_skills
from budgeteer.engine.counting.tokenizers import TOKENIZERS, counter_for
from budgeteer.engine.packing.sections.skill_block import skill_entry, skills_block
from budgeteer.engine.packing.sections.skills import fit_skills
from tests.conformance.counting import reference
from tests.conformance.generated import skills as generated_skills
from tests.conformance.packing.sections.seed_skills import (
    NaiveLimits,
    NaiveSkill,
    fit_skills_to_budget,
    format_skills,
    longest_prefix,
)
from tests.examples import examples

pytestmark = pytest.mark.conformance


def naive(library: tuple[Skill, ...]) -> list[NaiveSkill]:
    return [NaiveSkill(one.name, one.description, one.path, one.file_bytes) for one in library]


@st.composite
def limits(draw: st.DrawFn) -> NaiveLimits:
    return NaiveLimits(
        max_skills=draw(st.integers(0, 45)),
        max_chars=draw(st.integers(0, 6_000)),
        max_bytes=draw(st.sampled_from([0, 100_000, 256_000, 400_000])),
        root=draw(
            st.sampled_from(["/home/you/.config/agent/skills", "/Users/ann/s", "/root/x", "/opt/skills", "/srv/a-"])
        ),
        compact=draw(st.booleans()),
    )


def engine_answer(
    library: tuple[Skill, ...], bounds: NaiveLimits, tokenizer: str = "o200k_base"
) -> tuple[list[str], str]:
    """The paths the engine keeps, and the block it renders."""
    config = load_config(
        {
            "skillsBudget": {
                "enabled": True,
                "limits": {
                    "maxSkillsInPrompt": bounds.max_skills,
                    "maxSkillsPromptChars": bounds.max_chars,
                    "maxSkillFileBytes": bounds.max_bytes,
                },
                "optimization": {"compactPaths": bounds.compact},
                "installRoot": bounds.root,
            }
        }
    ).skills_budget
    counter = counter_for(tokenizer)
    measures = measure_skills(library, counter=counter)
    fit = fit_skills(library, measures, config, counter=counter)
    block = skills_block([skill_entry(library[index], config, short=bool(fit.short[index])) for index in fit.order])
    total = int(fit.after_tokens.sum()) + fit.wrapper.tokens
    assert total == reference.count(block, tokenizer)
    assert int(fit.after_chars.sum()) + fit.wrapper.chars == len(block)
    return [library[index].path for index in fit.order], block


@pytest.mark.parametrize("tokenizer", [name for name in TOKENIZERS if name != "chars/4"])
@settings(deadline=None, max_examples=examples(100))
@given(library=generated_skills(), bounds=limits())
def test_the_engine_keeps_what_the_seeds_loop_keeps(
    library: tuple[Skill, ...], bounds: NaiveLimits, tokenizer: str
) -> None:
    kept = fit_skills_to_budget(naive(library), bounds)
    paths, block = engine_answer(library, bounds, tokenizer)
    assert paths == [skill.path for skill in kept]
    assert block == format_skills(kept, bounds)


@settings(deadline=None, max_examples=examples(100))
@given(generated_skills(), limits())
def test_the_seeds_search_finds_the_longest_prefix(library: tuple[Skill, ...], bounds: NaiveLimits) -> None:
    assert fit_skills_to_budget(naive(library), bounds) == longest_prefix(naive(library), bounds)


@settings(deadline=None, max_examples=examples(100))
@given(generated_skills(), limits(), st.integers(0, 3_000))
def test_a_larger_limit_never_keeps_fewer(library: tuple[Skill, ...], bounds: NaiveLimits, more: int) -> None:
    larger = NaiveLimits(bounds.max_skills, bounds.max_chars + more, bounds.max_bytes, bounds.root, bounds.compact)
    smaller_answer, larger_answer = engine_answer(library, bounds)[0], engine_answer(library, larger)[0]
    assert larger_answer[: len(smaller_answer)] == smaller_answer
