"""Every "kept if … were ≥ N" is true: at N the item is kept, one below it is not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given

from budgeteer.engine.bundle import Inputs
from budgeteer.engine.overlay import set_path
from budgeteer.engine.result import Packing
from tests.conformance.test_packing import configurations, inputs, packed, slowly

pytestmark = pytest.mark.conformance
CONDITION = re.compile(r"(?P<limit>[\w.]+) were ≥ (?P<number>[\d,]+)")
PATHS = {
    "maxSkillsPromptChars": "skillsBudget.limits.maxSkillsPromptChars",
    "maxSkillsPromptTokens": "skillsBudget.limits.maxSkillsPromptTokens",
    "maxToolDefinitionChars": "skillsBudget.limits.maxToolDefinitionChars",
    "features.topK": "features.topK",
    "history.maxTokens": "history.maxTokens",
    "history.maxHistoryMessages": "history.maxHistoryMessages",
}


@dataclass(frozen=True)
class Promise:
    """An item, and the numbers by configuration path at which it is said to be kept."""

    item: str
    numbers: tuple[tuple[str, int], ...]


def promise_of(item: str, counterfactual: str) -> Promise | None:
    """The promise as numbers; None where it names anything but limits of the configuration."""
    if not (counterfactual.startswith("Kept if ") and counterfactual.endswith(".")):
        return None
    numbers = []
    for condition in counterfactual.removeprefix("Kept if ").removesuffix(".").split(" and "):
        match = CONDITION.fullmatch(condition)
        if match is None:
            return None
        numbers.append((PATHS[match["limit"]], int(match["number"].replace(",", ""))))
    return Promise(item, tuple(numbers))


def promises(packing: Packing) -> list[Promise]:
    """Three promises of each kind: the first, the middle and the last."""
    found: dict[tuple[str, ...], list[Promise]] = {}
    for one in packing.ledger:
        promise = promise_of(one.id, one.counterfactual)
        if promise is not None:
            found.setdefault(tuple(path for path, _ in promise.numbers), []).append(promise)
    return [promise for some in found.values() for promise in (some[0], some[len(some) // 2], some[-1])]


def is_kept(promise: Promise, given_inputs: Inputs, data: dict[str, Any]) -> bool:
    """Whether the item is kept, and not for another reason than the limits: as the topic anchor."""
    ledger = packed(given_inputs, data, "openai-chat").ledger
    return next(one.fate != "dropped" and one.rule != "topicAnchor" for one in ledger if one.id == promise.item)


@slowly
@given(inputs(), configurations())
def test_at_the_numbers_the_item_is_kept_and_one_below_any_it_is_not(
    given_inputs: Inputs, data: dict[str, Any]
) -> None:
    for promise in promises(packed(given_inputs, data, "openai-chat")):
        there = data
        for path, number in promise.numbers:
            there = set_path(there, path, number)
        assert is_kept(promise, given_inputs, there), promise
        if data["skillsBudget"]["fit"] == "fill":
            continue  # the number makes room for all that come before, which may be more than is needed
        for path, number in promise.numbers:
            assert not is_kept(promise, given_inputs, set_path(there, path, number - 1)), (promise, path)
