"""Every "kept if … were ≥ N" is true: at N the item is kept, one below it is not."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given

from budgeteer.engine.bundle import Inputs
from budgeteer.engine.overlay import set_path
from budgeteer.engine.result import Packing
from tests.conformance.test_packing import configurations, inputs, packed, slowly

pytestmark = pytest.mark.conformance
PROMISE = re.compile(r"Kept if (?P<limit>[\w.]+) were ≥ (?P<number>[\d,]+)\.")
PATHS = {
    "maxSkillsPromptChars": "skillsBudget.limits.maxSkillsPromptChars",
    "maxToolDefinitionChars": "skillsBudget.limits.maxToolDefinitionChars",
    "history.maxTokens": "history.maxTokens",
}


def promises(packing: Packing) -> list[tuple[str, str, int]]:
    """Item, configuration path and number of every promise made, a few of each path."""
    found: dict[str, list[tuple[str, str, int]]] = {}
    for one in packing.ledger:
        match = PROMISE.fullmatch(one.counterfactual)
        if match:
            path = PATHS[match["limit"]]
            found.setdefault(path, []).append((one.id, path, int(match["number"].replace(",", ""))))
    return [promise for some in found.values() for promise in (some[0], some[len(some) // 2], some[-1])]


@slowly
@given(inputs(), configurations())
def test_at_the_number_the_item_is_kept_and_one_below_it_is_not(given_inputs: Inputs, data: dict[str, Any]) -> None:
    data["skillsBudget"]["fit"] = "prefix"  # under fill, room that is added may go to another item first
    data["skillsBudget"]["limits"]["maxSkillsPromptTokens"] = None  # two limits at once make two conditions
    for item, path, number in promises(packed(given_inputs, data, "openai-chat")):
        kept = fates(packed(given_inputs, set_path(data, path, number), "openai-chat"))
        assert kept[item] != "dropped", (item, path, number)
        below = fates(packed(given_inputs, set_path(data, path, number - 1), "openai-chat"))
        assert below[item] == "dropped", (item, path, number)


def fates(packing: Packing) -> dict[str, str]:
    return {one.id: one.fate for one in packing.ledger}
