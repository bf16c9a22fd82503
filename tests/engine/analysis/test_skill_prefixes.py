"""The count of skills a limit keeps, looked up, is the count that is fitted."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from budgeteer.engine.analysis.skill_prefixes import skill_prefixes
from budgeteer.engine.config.schema import SkillsBudgetConfig, load_config
from budgeteer.engine.content.library import Skill
from budgeteer.engine.counting.library_measures import measure_skills
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.errors import ConfigError
from budgeteer.engine.packing.sections.skills import fit_skills
from tests.conformance.generated import skills

COUNTER = counter_for("o200k_base")


def budget(**more: Any) -> SkillsBudgetConfig:
    return load_config({"skillsBudget": {"enabled": True, **more}}).skills_budget


@given(
    library=skills(),
    chars=st.integers(1, 4000),
    tokens=st.none() | st.integers(1, 1000),
    most=st.integers(1, 40),
    minify=st.booleans(),
    order=st.sampled_from([None, "alphabetical"]),
    policies=st.dictionaries(st.integers(0, 39), st.sampled_from(["pinned", "off", "nameOnly"]), max_size=4),
)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_what_is_looked_up_is_what_is_fitted(
    *,
    library: tuple[Skill, ...],
    chars: int,
    tokens: int | None,
    most: int,
    minify: bool,
    order: str | None,
    policies: dict[int, str],
) -> None:
    named = {library[at].path: policy for at, policy in policies.items() if at < len(library)}
    shape = {"optimization": {"minifyDescriptions": minify, "prioritization": order}, "policies": named}
    measures = measure_skills(library, counter=COUNTER)
    limits = {"maxSkillsPromptChars": chars, "maxSkillsPromptTokens": tokens, "maxSkillsInPrompt": most}
    fit = fit_skills(library, measures, budget(limits=limits, **shape), counter=COUNTER)
    prefixes = skill_prefixes(library, measures, budget(**shape), counter=COUNTER)
    kept = prefixes.kept(max_chars=chars, max_tokens=tokens, max_skills=most)
    assert prefixes.order[:kept] == fit.order


@pytest.mark.parametrize("more", [{"enabled": False}, {"fit": "fill"}, {"fallback": "nameOnly"}])
def test_what_has_no_prefixes_is_refused(more: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="prefix"):
        skill_prefixes([], measure_skills([], counter=COUNTER), budget(**more), counter=COUNTER)


def test_only_the_limits_that_are_named_limit_and_pinned_skills_stay_whatever_they_are() -> None:
    library = tuple(Skill(name, f"Does {name}.", f"{name}/SKILL.md") for name in ("a", "b", "c"))
    shape = {"policies": {"c": "pinned"}}
    measures = measure_skills(library, counter=COUNTER)
    prefixes = skill_prefixes(library, measures, budget(**shape), counter=COUNTER)
    assert prefixes.order == (2, 0, 1)
    chars, tokens = int(prefixes.chars[1]), int(prefixes.tokens[0])
    assert prefixes.kept(max_chars=10_000) == 3
    assert prefixes.kept(max_chars=chars) == 2
    assert prefixes.kept(max_chars=chars - 1) == 1
    assert prefixes.kept(max_chars=0) == 1
    assert prefixes.kept(max_chars=chars, max_tokens=tokens) == 1
    assert prefixes.kept(max_chars=10_000, max_skills=2) == 2
