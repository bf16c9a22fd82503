"""Every counterfactual is true: with its numbers the item stays, one below any of them it does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.config.overlay import set_path
from budgeteer.engine.inputs.bundle import Inputs
from budgeteer.engine.packing.conditions import Outcome, settings_of
from budgeteer.engine.packing.ledger import Decision
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.registry import PROVIDERS
from tests.conformance.packing.test_packing import FORMS, configurations, inputs, packed, slowly

pytestmark = pytest.mark.conformance


@dataclass(frozen=True)
class Promise:
    """A decision, and the values by configuration path at which its item is said to stay."""

    decision: Decision
    settings: dict[str, Any]


def promises(packing: Packing) -> list[Promise]:
    """Three promises of each kind: the first, the middle and the last."""
    found: dict[tuple[str, ...], list[Promise]] = {}
    for one in packing.ledger:
        settings = settings_of(one.reason.conditions)
        if settings and one.reason.outcome is not Outcome.CONSIDERED:
            found.setdefault((one.rule, *settings), []).append(Promise(one, settings))
    return [promise for some in found.values() for promise in (some[0], some[len(some) // 2], some[-1])]


def stays(promise: Promise, packing: Packing) -> bool:
    """Whether the item stays, and not for another reason than the limits: as the topic anchor, or named only."""
    after = next(one for one in packing.ledger if one.id == promise.decision.id)
    if promise.decision.reason.outcome is Outcome.IN_FULL:
        return after.rule != "fallback:nameOnly"
    if promise.decision.rule == "clearToolResults" and promise.decision.fate == "truncated":
        return after.rule != "clearToolResults"
    return after.fate in {"kept", "truncated"} and after.rule != "topicAnchor"


@slowly
@given(inputs(), configurations(), st.sampled_from(FORMS))
def test_at_the_numbers_the_item_is_kept_and_one_below_any_it_is_not(
    given_inputs: Inputs, data: dict[str, Any], provider: str | None
) -> None:
    before = packed(given_inputs, data, provider)
    for promise in promises(before):
        there = data
        for path, number in promise.settings.items():
            there = set_path(there, path, number)
        assert stays(promise, packed(given_inputs, there, provider)), promise
        if data["skillsBudget"]["fit"] == "fill" or promise.decision.reason.outcome is Outcome.IN_FULL:
            continue  # the number makes room for all that come before, which may be more than is needed
        if promise.decision.rule == "summarizeOlder":
            continue  # where a summary fails, the last few messages stay below the number too
        if promise.decision.rule == "keepEnds" or data["history"]["notice"]:
            continue  # below the number the first messages or the notice may give way
        if promise.decision.rule == "recentExchange" and PROVIDERS[before.provider].capabilities.first_is_user:
            continue  # the number reaches a user message to begin with; a line or the topic anchor may stand for it
        for path, number in promise.settings.items():
            below = packed(given_inputs, set_path(there, path, number - 1), provider)
            assert not stays(promise, below), (promise, path)


@slowly
@given(inputs(), configurations(), st.sampled_from(FORMS))
def test_after_a_limit_is_raised_by_the_fix_of_its_warning_no_item_waits_for_it_alone(
    given_inputs: Inputs, data: dict[str, Any], provider: str | None
) -> None:
    for warning in packed(given_inputs, data, provider).warnings:
        raised = {path: value for path, value in warning.fix.settings.items() if type(value) is int}
        there = data
        for path, value in raised.items():
            there = set_path(there, path, value)
        after = packed(given_inputs, there, provider).ledger if raised else ()
        for one in after:
            asked = settings_of(one.reason.conditions)
            assert not asked or not set(asked) <= set(raised), (warning, one)


@slowly
@given(inputs(), configurations(), st.sampled_from(FORMS))
def test_a_shortening_takes_off_the_demand_what_its_fix_says(
    given_inputs: Inputs, data: dict[str, Any], provider: str | None
) -> None:
    before = packed(given_inputs, data, provider)
    for warning in before.warnings:
        if warning.fix.saves.chars:
            there = data
            for path, value in warning.fix.settings.items():
                there = set_path(there, path, value)
            asked = packed(given_inputs, there, provider).chosen.skills.asked.chars
            assert before.chosen.skills.asked.chars - asked == warning.fix.saves.chars
