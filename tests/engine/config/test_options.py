"""The configuration as fields."""

from budgeteer.engine.config.options import fields
from budgeteer.engine.config.size_limits import MOST

BY_PATH = {field.path: field for field in fields()}


def test_every_leaf_is_a_field_with_its_kind_and_bounds() -> None:
    chars = BY_PATH["skillsBudget.limits.maxSkillsPromptChars"]
    assert (chars.kind, chars.default, chars.minimum, chars.maximum) == ("int", 30_000, 0, MOST)
    assert BY_PATH["history.maxTokens"].kind == "percentOrInt"
    assert BY_PATH["shares.context"].kind == "number"
    assert BY_PATH["skillsBudget.policies"].kind == "map"
    assert BY_PATH["pins"].kind == "list"
    assert BY_PATH["outputReserve"].nullable
    prioritization = BY_PATH["skillsBudget.optimization.prioritization"]
    assert (prioritization.choices, prioritization.nullable) == (("recent", "frequent", "alphabetical"), True)
    assert (BY_PATH["skillsBudget.warnings.thresholdPercent"].maximum, BY_PATH["model"].group) == (100, "")
