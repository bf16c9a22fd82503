"""`pruning.sendNudge`: the reminder that is due is a part of the packed prompt, once, and counted."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.packing.pruning.model_texts import nudge_text
from budgeteer.engine.packing.pruning.nudges import NUDGES, Nudge
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering import render_request
from tests.conformance.invariants import check_everything
from tests.conformance.recount import texts_in
from tests.engine.packs import assistant, bundle_of, fates, packed, result, user

RUN = [user("Go."), *(one for at in range(20) for one in (assistant("", f"c{at}"), result(f"c{at}", "stone " * 30)))]


def nudged(provider: str = "openai-chat", window: int = 4_000, **pruning: Any) -> Packing:
    config = {"contextWindow": window, "outputReserve": 0, "pruning": {"mode": "auto", "sendNudge": True, **pruning}}
    return packed(bundle_of(*RUN), config, provider=provider)


@pytest.mark.parametrize("provider", list(PROVIDERS))
def test_the_reminder_that_is_due_is_sent_and_counted(provider: str) -> None:
    packing = nudged(provider, maxContextPercent=30)
    check_everything(packing)
    said = "\n".join(filter(None, texts_in(render_request(packing))))
    assert said.count(nudge_text("contextLimitSoft")) == 1
    assert fates(packing)["system:nudge"] == "added"
    plain = nudged(provider, maxContextPercent=30, sendNudge=False)
    assert "system:nudge" not in fates(plain)
    assert plain.total.tokens < packing.total.tokens


@pytest.mark.parametrize(
    ("pruning", "expected"),
    [
        ({"maxContextPercent": 30, "nudgeForce": "strong"}, "contextLimitStrong"),
        ({"maxContextPercent": 30}, "contextLimitSoft"),
        ({"minContextPercent": 10, "maxContextPercent": 100}, "iteration"),
        ({"minContextPercent": 10, "maxContextPercent": 100, "iterationNudgeThreshold": 30}, "turn"),
        ({"minContextPercent": 100, "maxContextPercent": 100}, None),
        ({"mode": "manual", "minContextPercent": 10, "maxContextPercent": 100}, None),
        ({"modelDriven": False, "maxContextPercent": 30}, None),
    ],
)
def test_which_reminder_is_sent(pruning: dict[str, Any], expected: Nudge | None) -> None:
    said = "\n".join(filter(None, texts_in(render_request(nudged(**pruning)))))
    assert [nudge for nudge in NUDGES if nudge_text(nudge) in said] == [expected][: expected is not None]


def test_a_query_has_no_call_since_the_user_wrote() -> None:
    config = {
        "contextWindow": 4_000,
        "pruning": {"mode": "auto", "sendNudge": True, "minContextPercent": 10, "maxContextPercent": 100},
    }
    packing = packed(bundle_of(*RUN, query="And the clock?"), config)
    assert nudge_text("turn") in "\n".join(filter(None, texts_in(render_request(packing))))
