"""The order in which skills and tools are taken."""

import pytest

from budgeteer.engine.content.usage_order import Use, ordered

KEYS = [("beta", "b/SKILL.md"), ("Alpha", "z/SKILL.md"), ("alpha", "a/SKILL.md"), ("gamma", "g/SKILL.md")]
USAGE = {"g/SKILL.md": Use(2, 5.0), "b/SKILL.md": Use(2, 9.0), "a/SKILL.md": Use(7, 1.0)}


@pytest.mark.parametrize(
    ("prioritization", "order", "sentence"),
    [
        (None, [0, 1, 2, 3], "in the order given"),
        ("alphabetical", [2, 1, 0, 3], "by name"),
        ("frequent", [2, 0, 3, 1], "most used first"),
        ("recent", [0, 3, 2, 1], "last used or changed first"),
    ],
)
def test_ties_are_broken_by_name_then_path(prioritization: str | None, order: list[int], sentence: str) -> None:
    assert ordered(KEYS, prioritization=prioritization, usage=USAGE) == (order, sentence)


@pytest.mark.parametrize("prioritization", ["recent", "frequent"])
def test_with_no_use_known_the_order_is_by_name_and_said(prioritization: str) -> None:
    order, sentence = ordered(KEYS, prioritization=prioritization, usage={})
    assert order == [2, 1, 0, 3]
    assert sentence == "by name: no use of any of them is known"
