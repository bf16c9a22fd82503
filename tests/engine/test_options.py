"""The configuration as fields, and what is refused because its rule is still to be built."""

import pytest

from budgeteer.engine.config import load_config
from budgeteer.engine.errors import NotAvailableYet
from budgeteer.engine.options import check_available, fields

BY_PATH = {field.path: field for field in fields()}


def test_every_leaf_is_a_field_with_its_kind_and_bounds() -> None:
    chars = BY_PATH["skillsBudget.limits.maxSkillsPromptChars"]
    assert (chars.kind, chars.default, chars.minimum, chars.maximum) == ("int", 30_000, 0, None)
    assert BY_PATH["history.maxTokens"].kind == "percentOrInt"
    assert BY_PATH["shares.context"].kind == "number"
    assert BY_PATH["skillsBudget.policies"].kind == "map"
    assert BY_PATH["pins"].kind == "list"
    assert BY_PATH["outputReserve"].nullable
    prioritization = BY_PATH["skillsBudget.optimization.prioritization"]
    assert (prioritization.choices, prioritization.nullable) == (("recent", "frequent", "alphabetical"), True)
    assert (BY_PATH["skillsBudget.warnings.thresholdPercent"].maximum, BY_PATH["model"].group) == (100, "")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"pruning": {"mode": "auto"}}, "pruning.mode: auto is not available yet. Use off."),
        (
            {"pruning": {"ranges": [{"startId": "m001"}]}},
            "pruning.ranges: a compress range is not available yet. Leave it at its default.",
        ),
    ],
)
def test_a_rule_the_engine_lacks_is_refused_never_ignored(data: dict[str, object], sentence: str) -> None:
    with pytest.raises(NotAvailableYet) as caught:
        check_available(load_config(data))
    assert str(caught.value) == sentence


def test_everything_else_is_available() -> None:
    check_available(load_config({"history": {"strategy": "summarizeOlder"}, "skillsBudget": {"enabled": True}}))
