"""summarizeOlder in agents' runs: what goes is always in the summary, and what stays is the newest that fits."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.written_messages import SUMMARY_LINE
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.packing.history.summary import SummaryFailed, SummaryRequest
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering import render_request
from budgeteer.formats.detect import import_bytes
from tests.conformance.packing.history.test_task import TASK, check_asks, run_of
from tests.conformance.recount import compact
from tests.engine.packs import bundle_of, fates, packed, user


def older(window: int = 100_000, **settings: Any) -> dict[str, Any]:
    summarizing = settings.pop("summarizing", {})
    history = {"strategy": "summarizeOlder", "summaryMaxChars": 400, **settings, "summarizing": summarizing}
    return {"history": history, "contextWindow": window, "outputReserve": 0}


def kept(packing: Packing) -> list[int]:
    found = fates(packing)
    return [int(key.removeprefix("message:m")) for key, fate in found.items() if fate == "kept" and ":m" in key]


def test_turns_that_are_over_the_characters_by_themselves_stay_whole_beside_a_summary() -> None:
    bundle = bundle_of(*run_of(3, 20, ends_in="words"))
    packing = packed(bundle, older(maxChars=500))
    assert kept(packing) == list(range(43, 127))
    assert set(fates(packing).values()) == {"kept", "summarised", "added"}


@pytest.mark.parametrize("provider", list(PROVIDERS))
def test_a_run_is_its_task_a_summary_and_its_newest_steps(provider: str) -> None:
    packing = packed(bundle_of(*run_of(1, 60, ends_in="result")), older(900, maxChars=500), provider=provider)
    check_asks(packing, TASK)
    stays = kept(packing)
    assert stays[0] == 1
    assert stays[1:] == list(range(stays[1], 122))
    assert 8 < len(stays) < 110
    assert set(fates(packing).values()) == {"kept", "summarised", "added"}
    summary = packing.chosen.history.summary
    assert summary is not None
    assert summary.before == stays[1] - 1


def test_the_summary_stands_between_the_task_and_the_newest_steps() -> None:
    packing = packed(bundle_of(*run_of(1, 60, ends_in="result")), older(900, maxChars=500))
    task, summary, call = render_request(packing)["messages"][:3]
    assert task["content"] == TASK
    assert summary["content"].startswith(SUMMARY_LINE)
    assert call["tool_calls"]


def test_a_turn_that_is_cut_keeps_its_prompt() -> None:
    packing = packed(bundle_of(*run_of(2, 30, ends_in="words")), older(1_300, maxChars=500))
    stays = kept(packing)
    assert stays[0] == 1
    assert stays[1:] == list(range(stays[1], 125))
    assert 2 < stays[1] < 63


@pytest.mark.parametrize("provider", ["openai-chat", "anthropic"])
def test_packing_a_summary_and_long_turns_again_changes_nothing(provider: str) -> None:
    for prompts, window in ((3, 100_000), (1, 900), (2, 1_300)):
        config = older(window, maxChars=500, keepUserTurns=1)
        first = render_request(packed(bundle_of(*run_of(prompts, 40, ends_in="result")), config, provider=provider))
        (conversation,) = import_bytes(compact(first).encode()).conversations
        bundle = build_bundle(Inputs(conversation=conversation), counter=counter_for("o200k_base"))
        again = packed(bundle, config, provider=provider)
        assert render_request(again) == first


def test_an_earlier_summary_is_taken_over_into_the_next() -> None:
    earlier = user(f"{SUMMARY_LINE}\n\nTopics discussed:\n- The bell\n\nKey decisions:\n- It rings at six.")
    packing = packed(bundle_of(earlier, *run_of(3, 20, ends_in="words")), older(maxChars=500))
    summary = packing.chosen.history.summary
    assert summary is not None
    assert summary.text.splitlines()[3:5] == ["- The bell", "- Look at door 0."]
    assert "- It rings at six." in summary.text


def test_a_trigger_counts_the_tokens_of_the_request_in_the_place_of_characters() -> None:
    bundle = bundle_of(*run_of(3, 20, ends_in="words"))
    whole = packed(bundle, {}).total.tokens
    for trigger, summarises in ((whole - 1, True), (whole, False)):
        packing = packed(bundle, older(maxChars=0, summarizing={"trigger": trigger}))
        assert bool(packing.chosen.history.summary) == summarises
    over = packed(bundle, older(maxChars=0, summarizing={"trigger": whole - 1}))
    reason = next(one for one in over.ledger if one.id == "message:m1")
    assert reason.counterfactual == f"Kept as it is if history.summarizing.trigger were ≥ {whole:,}."
    [warning] = [one for one in over.warnings if one.limit.startswith("history.")]
    assert (warning.limit, list(warning.fix.settings)) == (
        "history.summarizing.trigger",
        ["history.summarizing.trigger"],
    )
    raised = {"trigger": warning.fix.settings["history.summarizing.trigger"]}
    mended = packed(bundle, older(maxChars=0, summarizing=raised))
    assert mended.chosen.history.summary is None
    assert not [one for one in mended.warnings if one.limit.startswith("history.")]


def test_a_percent_is_taken_of_the_input_budget() -> None:
    bundle = bundle_of(*run_of(3, 20, ends_in="words"))
    whole = packed(bundle, {}).total.tokens
    for percent, summarises in (("50%", False), ("49%", True)):
        packing = packed(bundle, older(2 * whole + 1, summarizing={"trigger": percent}))
        assert bool(packing.chosen.history.summary) == summarises


def test_a_target_is_what_the_request_comes_down_to() -> None:
    bundle = bundle_of(*run_of(3, 20, ends_in="words"))
    totals = []
    for target in (1_200, 700, 300, 1):
        packing = packed(bundle, older(keepUserTurns=50, summarizing={"trigger": 100, "target": target}))
        assert packing.chosen.history.summary
        totals.append(packing.total.tokens)
        check_asks(packing, TASK)
        assert packing.total.tokens <= max(target, 250)
    assert totals == sorted(totals, reverse=True)
    assert totals[0] > 1_100


def test_typed_messages_stay_word_for_word_up_to_their_tokens() -> None:
    bundle = bundle_of(*run_of(4, 10, ends_in="words"))
    settings = {"maxChars": 200, "keepUserTurns": 1}
    most = packed(bundle, older(**settings, summarizing={"userMessageTokens": 1_000}))
    assert [number for number in kept(most) if number < 67] == [1, 23, 45]
    few = packed(bundle, older(**settings, summarizing={"userMessageTokens": 20}))
    assert [number for number in kept(few) if number < 67] == [23, 45]
    request = render_request(most)["messages"]
    assert [message["content"] for message in request[:3]] == [f"Look at door {number}." for number in range(3)]
    assert request[3]["content"].startswith(SUMMARY_LINE)


def test_typed_messages_stay_word_for_word_where_no_summary_can_be_written() -> None:
    def write(_: SummaryRequest) -> str:
        raise SummaryFailed("nothing to say")

    bundle = bundle_of(*run_of(4, 10, ends_in="words"))
    settings = {"maxChars": 200, "keepUserTurns": 1, "fallbackMessages": 2}
    typed = packed(bundle, older(**settings, summarizing={"userMessageTokens": 1_000}), summarise=write)
    assert [number for number in kept(typed) if number < 67] == [1, 23, 45]
    without = packed(bundle, older(**settings), summarise=write)
    assert [number for number in kept(without) if number < 67] == []


def test_own_instructions_go_to_whoever_writes_the_summary() -> None:
    asked: list[SummaryRequest] = []

    def write(request: SummaryRequest) -> str:
        asked.append(request)
        return "short"

    bundle = bundle_of(*run_of(3, 20, ends_in="words"))
    for own in ("", "Keep every door."):
        packed(bundle, older(maxChars=500, summarizing={"instructions": own}), summarise=write)
    assert [request.instructions for request in asked] == ["", "Keep every door."]
    assert asked[0].key != asked[1].key


def test_turns_that_are_over_the_room_are_an_error_without_the_ladder() -> None:
    config = older(900, maxChars=500) | {"retry": {"enabled": False}}
    packing = packed(bundle_of(*run_of(1, 60, ends_in="result")), config)
    assert packing.error is not None
    assert packing.error.sentence.startswith("What must stay verbatim takes ")
