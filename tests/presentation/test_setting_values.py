from __future__ import annotations

import pytest

from budgeteer.engine.config.options import fields
from budgeteer.engine.config.size_limits import MOST
from budgeteer.presentation.setting_values import setting_text, value_text


@pytest.mark.parametrize(
    ("path", "value", "text"),
    [
        ("history.strategy", "newestFirst", "Newest first"),
        ("history.endOn", "user,tool", "User or tool"),
        ("skillsBudget.format", "xml", "XML"),
        ("tokenizer", "auto", "auto"),
        ("system.marker", "newestFirst", "newestFirst"),
        ("skillsBudget.enabled", True, "on"),
        ("history.maxTokens", 80_000, "80,000"),
        ("outputReserve", None, "not set"),
        ("pruning.ranges", [{"topic": "a"}, {"topic": "b"}], "2 entries"),
        ("pruning.protectedTools", ["write", "edit"], "write, edit"),
        ("pruning.protectedTools", [], "none"),
        ("skillsBudget.limits.maxSkillsInPrompt", MOST, "no limit"),
    ],
)
def test_a_value_is_written_as_pages_say_it(path: str, value: object, text: str) -> None:
    assert setting_text(path, value) == text


@pytest.mark.parametrize("path", [field.path for field in fields() if field.choices])
def test_no_two_choices_of_a_setting_read_alike(path: str) -> None:
    (field,) = [one for one in fields() if one.path == path]
    assert len({setting_text(path, choice) for choice in field.choices}) == len(field.choices)


def test_a_long_text_is_cut() -> None:
    assert value_text("word " * 40).endswith("…")
