"""What the tool that a model searches specs with gives back: specs whole, their list, or that there is none."""

from __future__ import annotations

from budgeteer.engine.analysis.search_tool import tool_answer
from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.library import FeatureSpec
from budgeteer.engine.counting.tokenizers import counter_for

SPECS = (
    FeatureSpec("auth/login.md", "", "", "Signing in takes a password."),
    FeatureSpec("auth/logout.md", "", "", "A session ends."),
    FeatureSpec("bugs/login.md", "", "", "The login was broken."),
)


def answered(*keywords: str, specs: tuple[FeatureSpec, ...] = SPECS, **features: int) -> str:
    config = load_config({"features": {"mode": "all", "keywords": ["never"], **features}}).features
    return tool_answer(specs, keywords, config, counter=counter_for("o200k_base"))


def test_the_best_specs_come_back_whole_whatever_the_mode_and_the_configured_keywords() -> None:
    both = answered("login", "session")
    assert "Signing in takes a password." in both
    assert "A session ends." in both
    assert both.index("Signing in") < both.index("A session ends.")
    assert "was broken" not in both
    assert "A session ends." not in answered("login", "session", topK=1)


def test_without_a_match_the_files_are_listed_and_without_specs_it_says_so() -> None:
    for listed in (answered(), answered("submarine")):
        assert "- auth/login.md\n- auth/logout.md" in listed
        assert "Signing in" not in listed
    assert answered("login", specs=()) == "No feature files found."
