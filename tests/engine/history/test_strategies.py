"""History strategies on small conversations: what stays, what goes, and what is said of it."""

from typing import Any

import pytest

from budgeteer.engine.history.summary import SUMMARY_LINE, SummaryFailed, SummaryPending, SummaryRequest
from budgeteer.engine.result import Packing
from tests.engine.packs import assistant, bundle_of, fates, packed, result, system, user

QUARTER = "chars/4"


def history(strategy: str, **settings: Any) -> dict[str, Any]:
    return {"history": {"strategy": strategy, **settings}, "tokenizer": QUARTER, "safetyMarginPercent": 0}


def kept(packing: Packing) -> list[str]:
    return [key.removeprefix("message:") for key, fate in fates(packing).items() if fate == "kept" and "message" in key]


def reasons(packing: Packing) -> dict[str, tuple[str, str, str]]:
    return {d.id: (d.rule, d.sentence, d.counterfactual) for d in packing.ledger}


def test_newest_first_keeps_the_newest_within_its_tokens() -> None:
    bundle = bundle_of(user("x" * 40), assistant("x" * 40), user("x" * 40), assistant("x" * 40), tokenizer=QUARTER)
    packing = packed(bundle, history("newestFirst", maxTokens=20))
    assert kept(packing) == ["m3", "m4"]
    rule, sentence, counterfactual = reasons(packing)["message:m2"]
    assert rule == "newestFirst"
    assert sentence == "Older than the 20 tokens of history.maxTokens reach, counted from the newest."
    assert counterfactual == "Kept if history.maxTokens were ≥ 30."


def test_newest_first_keeps_no_result_without_its_call() -> None:
    bundle = bundle_of(user(), assistant("x" * 400, "a"), result("a", "y" * 8), assistant("z" * 8), tokenizer=QUARTER)
    assert kept(packed(bundle, history("newestFirst", maxTokens=20))) == ["m4"]


def test_newest_first_always_keeps_system_texts_between_messages() -> None:
    bundle = bundle_of(user("x" * 80), system("rule"), assistant("y" * 8), tokenizer=QUARTER)
    assert kept(packed(bundle, history("newestFirst", maxTokens=4))) == ["m2", "m3"]


def test_a_pinned_message_stays_with_its_group_before_all_others() -> None:
    bundle = bundle_of(
        user("x" * 40),
        assistant("", "a"),
        result("a", "y" * 40),
        user("x" * 40),
        assistant("z" * 40),
        tokenizer=QUARTER,
    )
    config = history("newestFirst", maxTokens=30) | {"pins": ["message:m3"]}
    packing = packed(bundle, config)
    assert kept(packing) == ["m2", "m3", "m5"]
    assert reasons(packing)["message:m2"][0] == "pin"


def test_pins_that_alone_are_over_are_a_stated_error() -> None:
    bundle = bundle_of(user("x" * 400), assistant("y"), tokenizer=QUARTER)
    packing = packed(bundle, history("newestFirst", maxTokens=30) | {"pins": ["message:m1"]})
    assert packing.error is not None
    assert packing.error.section == "history"
    assert (packing.error.needed_tokens, packing.error.allowed_tokens) == (100, 30)


def test_a_percent_limit_is_taken_of_the_input_budget() -> None:
    bundle = bundle_of(user("x" * 400), assistant("y" * 40), tokenizer=QUARTER)
    config = history("newestFirst", maxTokens="50%") | {"contextWindow": 120, "outputReserve": 20}
    assert packed(bundle, config).chosen.history.limit_tokens == 50


def test_the_room_left_rules_when_it_is_smaller() -> None:
    bundle = bundle_of(user("x" * 400), assistant("y" * 40), tokenizer=QUARTER)
    packing = packed(bundle, history("newestFirst") | {"contextWindow": 60, "outputReserve": 20})
    assert kept(packing) == ["m2"]
    assert "tokens left for history reach" in reasons(packing)["message:m1"][1]


def test_full_keeps_everything_that_fits() -> None:
    bundle = bundle_of(user(), assistant(), user(), assistant(), tokenizer=QUARTER)
    assert kept(packed(bundle, history("full"))) == ["m1", "m2", "m3", "m4"]


SMALL = {"contextWindow": 80, "outputReserve": 20}


def test_full_that_is_over_climbs_the_ladder_and_shows_each_rung() -> None:
    bundle = bundle_of(*[m for n in range(4) for m in (user("x" * 40), assistant("y" * 40))], tokenizer=QUARTER)
    packing = packed(bundle, history("full") | SMALL)
    assert kept(packing) == ["m5", "m6", "m7", "m8"]
    rule, sentence, _ = reasons(packing)["message:m1"]
    assert rule == "retry"
    assert "the full history: 80 of 60; without the oldest half: 40 of 60" in sentence


def test_the_last_rung_keeps_only_the_last_exchange() -> None:
    bundle = bundle_of(*[m for n in range(4) for m in (user("x" * 80), assistant("y" * 80))], tokenizer=QUARTER)
    packing = packed(bundle, history("full") | SMALL)
    assert kept(packing) == ["m7", "m8"]
    assert "only the last exchange: 40 of 60" in reasons(packing)["message:m1"][1]


def test_when_the_ladder_ends_over_it_is_a_stated_error() -> None:
    bundle = bundle_of(user("x" * 400), assistant("y" * 400), tokenizer=QUARTER)
    packing = packed(bundle, history("full") | SMALL)
    assert packing.error is not None
    assert packing.error.needed_tokens == 200
    assert packing.verdict.level == "cannotFit"
    assert "Tried the full history: 200 of 60." in packing.error.sentence


def test_without_retry_full_that_is_over_is_a_stated_error() -> None:
    bundle = bundle_of(user("x" * 400), assistant("y" * 8), user("x" * 8), assistant("y"), tokenizer=QUARTER)
    packing = packed(bundle, history("full") | SMALL | {"retry": {"enabled": False}})
    assert not packing.fits
    assert len(kept(packing)) == 4


LONG = [
    m for n in range(6) for m in (user(f"Question {n} about the importer?"), assistant(f"- Answer {n} " + "y" * 90))
]


def test_older_turns_become_one_summary_and_the_last_turns_stay() -> None:
    packing = packed(bundle_of(*LONG, tokenizer=QUARTER), history("summarizeOlder", maxChars=600))
    assert kept(packing) == ["m9", "m10", "m11", "m12"]
    found = fates(packing)
    assert found["summary:history"] == "added"
    assert found["message:m1"] == "summarised"
    summary = packing.chosen.history.summary
    assert summary is not None
    assert summary.text.startswith(SUMMARY_LINE)
    assert packing.total.chars <= 600


def test_history_within_the_limit_is_left_alone() -> None:
    packing = packed(bundle_of(*LONG, tokenizer=QUARTER), history("summarizeOlder"))
    assert len(kept(packing)) == 12
    assert packing.chosen.history.summary is None


def _failing(_request: SummaryRequest) -> str:
    raise SummaryFailed("no")


def test_a_summary_that_fails_leaves_the_last_messages_in_whole_groups() -> None:
    bundle = bundle_of(
        *LONG, user("Run it"), assistant("", "a", "b"), result("a"), result("b"), assistant("End"), tokenizer=QUARTER
    )
    config = history("summarizeOlder", maxChars=500, fallbackMessages=3, keepUserTurns=1)
    packing = packed(bundle, config, summarise=_failing)
    assert kept(packing) == ["m14", "m15", "m16", "m17"]
    assert reasons(packing)["message:m1"][1] == "Older than the turns kept; no summary could be written."


def test_a_fallback_that_is_over_keeps_the_turns_alone() -> None:
    config = history("summarizeOlder", maxChars=300, fallbackMessages=10, keepUserTurns=1)
    packing = packed(bundle_of(*LONG, tokenizer=QUARTER), config, summarise=_failing)
    assert kept(packing) == ["m11", "m12"]


def test_turns_that_alone_are_over_say_which_limit() -> None:
    packing = packed(bundle_of(*LONG, tokenizer=QUARTER), history("summarizeOlder", maxChars=100))
    assert packing.error is not None
    assert packing.error.sentence.startswith("What must stay verbatim takes 131 characters; history.maxChars is 100")


def test_without_retry_turns_that_are_over_are_the_error() -> None:
    config = history("summarizeOlder", maxChars=200) | {"retry": {"enabled": False}}
    packing = packed(bundle_of(*LONG, tokenizer=QUARTER), config)
    assert packing.error is not None
    assert kept(packing) == ["m9", "m10", "m11", "m12"]


def test_turns_over_the_room_name_the_tokens() -> None:
    config = history("summarizeOlder", keepUserTurns=9) | {"contextWindow": 60, "outputReserve": 20}
    config |= {"retry": {"enabled": False}}
    packing = packed(bundle_of(*LONG, tokenizer=QUARTER), config)
    assert packing.error is not None
    assert "tokens; 40 are left for history" in packing.error.sentence


def test_a_summary_that_is_still_to_be_written_is_passed_on() -> None:
    def pending(request: SummaryRequest) -> str:
        raise SummaryPending(request)

    with pytest.raises(SummaryPending) as caught:
        packed(bundle_of(*LONG, tokenizer=QUARTER), history("summarizeOlder", maxChars=600), summarise=pending)
    assert len(caught.value.request.messages) == 8
    assert caught.value.request.max_chars <= 600


def test_a_summary_that_is_too_long_is_cut_to_its_limit() -> None:
    config = history("summarizeOlder", maxChars=600, summaryMaxChars=200)
    packing = packed(bundle_of(*LONG, tokenizer=QUARTER), config, summarise=lambda _: "word " * 500)
    summary = packing.chosen.history.summary
    assert summary is not None
    assert len(summary.text) <= 200
