"""clearToolResults on a run of one prompt: what is cleared, what stays, and the presets it stands for."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.analysis.sweep.sweep import sweep
from budgeteer.engine.content.conversation import Message, TextPart, ToolCallPart, ToolResultPart
from budgeteer.engine.inputs.bundle import Inputs
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering import render_request
from tests.conformance.invariants import check_everything
from tests.engine.analysis.replay.test_replay import subject_of, talk
from tests.engine.packs import bundle_of, packed, user

LONG = "stone and water " * 30


def run(calls: int) -> list[Message]:
    """One prompt, and calls of `read` and `search` in turn."""
    messages = [user("Mend the bell tower.")]
    for number in range(calls):
        call = ToolCallPart(f"c{number}", ("read", "search")[number % 2], '{"path": "tower/bell.txt", "from": 1}')
        messages += [
            Message("assistant", (call,)),
            Message("tool", (ToolResultPart(f"c{number}", (TextPart(LONG),)),)),
        ]
    return messages


def cleared(packing: Packing) -> list[str]:
    return [one.id for one in packing.ledger if one.rule == "clearToolResults" and one.fate == "truncated"]


def clearing(**settings: Any) -> dict[str, Any]:
    return {"history": {"strategy": "clearToolResults", "clearing": {"trigger": 100, **settings}}}


@pytest.mark.parametrize("provider", list(PROVIDERS))
@pytest.mark.parametrize("settings", [{}, {"clearToolInputs": True}, {"headChars": 20, "tailChars": 9}, {"keep": 0}])
def test_every_provider_is_sent_what_was_counted(provider: str, settings: dict[str, Any]) -> None:
    packing = packed(bundle_of(*run(6)), clearing(**settings), provider=provider)
    check_everything(packing)
    assert packing.fits
    assert cleared(packing)


def test_the_defaults_are_those_of_anthropic_and_langchain() -> None:
    small = packed(bundle_of(*run(6)), {"history": {"strategy": "clearToolResults"}})
    assert not cleared(small)
    packing = packed(bundle_of(*run(6)), clearing())
    assert cleared(packing) == ["message:m3", "message:m5", "message:m7"]
    contents = [message["content"] for message in render_request(packing)["messages"] if message["role"] == "tool"]
    assert contents == ["[cleared]"] * 3 + [LONG] * 3


def test_tools_are_never_or_always_cleared_by_name() -> None:
    never = packed(bundle_of(*run(6)), clearing(excludeTools=["read"]))
    assert cleared(never) == ["message:m5"]
    always = packed(bundle_of(*run(6)), clearing(alwaysClearTools=["SEARCH"]))
    assert cleared(always) == [f"message:m{row}" for row in (3, 5, 7, 9, 13)]


def test_nothing_is_cleared_at_the_trigger_nor_where_too_little_would_go() -> None:
    whole = packed(bundle_of(*run(6)), {"history": {"strategy": "full"}}).total.tokens
    assert not cleared(packed(bundle_of(*run(6)), clearing(trigger=whole)))
    saved = whole - packed(bundle_of(*run(6)), clearing(trigger=whole - 1)).total.tokens
    assert saved > 0
    assert cleared(packed(bundle_of(*run(6)), clearing(clearAtLeast=saved)))
    assert not cleared(packed(bundle_of(*run(6)), clearing(clearAtLeast=saved + 1)))


def test_a_result_is_cut_to_both_ends_and_the_line_between_them_says_how_much() -> None:
    packing = packed(bundle_of(*run(2)), clearing(keep=1, headChars=5, tailChars=6))
    contents = [message["content"] for message in render_request(packing)["messages"] if message["role"] == "tool"]
    assert contents == ["stone\n[469 characters cut]\nwater ", LONG]


def test_inputs_are_emptied_with_their_results() -> None:
    packing = packed(bundle_of(*run(4)), clearing(keep=3, clearToolInputs=True), provider="anthropic")
    inputs = [
        block["input"]
        for message in render_request(packing)["messages"]
        for block in message["content"]
        if isinstance(block, dict) and block["type"] == "tool_use"
    ]
    assert inputs == [{}, *[{"path": "tower/bell.txt", "from": 1}] * 3]


def test_the_request_is_packed_with_the_newest_groups_where_clearing_is_not_enough() -> None:
    config = clearing() | {"contextWindow": 360, "outputReserve": 0}
    packing = packed(bundle_of(*run(6)), config)
    check_everything(packing)
    assert packing.fits
    fates = {one.id: one.fate for one in packing.ledger}
    assert (fates["message:m1"], fates["message:m3"], fates["message:m13"]) == ("kept", "dropped", "kept")


def test_a_pinned_result_stays_whole() -> None:
    packing = packed(bundle_of(*run(6)), clearing() | {"pins": ["message:m3"]})
    assert cleared(packing) == ["message:m5", "message:m7"]


def test_langchain_clears_the_oldest_until_enough_is_saved_and_all_where_that_is_never() -> None:
    """ClearToolUsesEdit.apply: it stops behind the first result at which `clear_at_least` tokens were saved."""

    def found(least: int, **more: Any) -> list[str]:
        return cleared(packed(bundle_of(*run(6)), clearing(clearAtLeast=least, stop="atLeast", keep=1, **more)))

    each = packed(bundle_of(*run(6))).total.tokens - packed(bundle_of(*run(6)), clearing(keep=5)).total.tokens
    assert found(0) == [f"message:m{row}" for row in (3, 5, 7, 9, 11)]
    assert found(1) == ["message:m3"]
    assert found(each) == ["message:m3"]
    assert found(each + 1) == ["message:m3", "message:m5"]
    assert found(10**6) == [f"message:m{row}" for row in (3, 5, 7, 9, 11)]
    assert found(each + 1, excludeTools=["read"]) == ["message:m5", "message:m9"]


def test_a_sweep_of_how_much_is_cleared_equals_packing() -> None:
    settings = clearing(stop="atLeast", keep=1)
    found = sweep(subject_of(Inputs(conversation=talk(*run(6))), settings), "history.clearing.clearAtLeast")
    assert len(found.steps) == 6
    for step in found.steps:
        packing = packed(bundle_of(*run(6)), clearing(stop="atLeast", keep=1, clearAtLeast=step.at))
        assert step.answer.size == packing.total
