from __future__ import annotations

import pytest

from budgeteer.engine.packing.history.registry import STRATEGIES
from budgeteer.engine.packing.pruning.automatic import RULES
from budgeteer.presentation.reason_words import rule_title
from budgeteer.presentation.short_reasons import MOST_CHARS, short_reason

#: The strategy that leaves nothing out is the reason of nothing.
NAMES = [name for name, row in STRATEGIES.items() if row.takes]


@pytest.mark.parametrize("rule", [*NAMES, *RULES.values(), "retry", "compress", "tools.leaveOut", "shares.system"])
@pytest.mark.parametrize("fate", ["dropped", "summarised", "truncated", "added"])
def test_a_rule_says_in_one_line_why_an_item_went(rule: str, fate: str) -> None:
    assert short_reason(rule, fate) not in {rule_title(rule), rule, ""}
    assert len(short_reason(rule, fate)) <= MOST_CHARS


def test_what_a_rule_does_differs_by_the_fate() -> None:
    assert short_reason("clearToolResults", "truncated") == "Cleared at the trigger"
    assert short_reason("clearToolResults", "dropped") == "Older than what fits"
    assert short_reason("validity:anthropic", "truncated") == "Adapted to the provider"
    assert short_reason("policy:off", "dropped") == "Its policy is off"
