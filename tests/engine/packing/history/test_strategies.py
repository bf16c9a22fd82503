"""History strategies on small conversations: what stays, what goes, and what is said of it."""

from dataclasses import replace
from typing import Any

import pytest

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.conversation import Conversation
from budgeteer.engine.content.library import Chunk
from budgeteer.engine.content.written_messages import SUMMARY_LINE
from budgeteer.engine.counting.tokenizers import QuarterCounter, counter_for
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.packing.history.summary import SummaryFailed, SummaryPending, SummaryRequest
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing
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
    assert sentence == "Outside the newest 20 tokens."
    assert counterfactual == "Kept if history.maxTokens were ≥ 30."


def test_newest_first_keeps_no_result_without_its_call() -> None:
    bundle = bundle_of(user(), assistant("x" * 400, "a"), result("a", "y" * 8), assistant("z" * 8), tokenizer=QUARTER)
    assert kept(packed(bundle, history("newestFirst", maxTokens=20))) == ["m1", "m4"]


def test_newest_first_always_keeps_system_texts_between_messages() -> None:
    bundle = bundle_of(user("x" * 80), system("rule"), assistant("y" * 8), user("z"), tokenizer=QUARTER)
    assert kept(packed(bundle, history("newestFirst", maxTokens=4))) == ["m2", "m3", "m4"]


def test_a_pinned_message_stays_with_its_group_before_all_others() -> None:
    bundle = bundle_of(
        user("x" * 40),
        assistant("", "a"),
        result("a", "y" * 40),
        user("x" * 40),
        assistant("z" * 40),
        user("x" * 40),
        tokenizer=QUARTER,
    )
    config = history("newestFirst", maxTokens=40) | {"pins": ["message:m3"]}
    packing = packed(bundle, config)
    assert kept(packing) == ["m2", "m3", "m5", "m6"]
    assert reasons(packing)["message:m2"][0] == "pin"


def test_pins_that_alone_are_over_are_a_stated_error() -> None:
    bundle = bundle_of(user("x" * 400), assistant("y"), tokenizer=QUARTER)
    packing = packed(bundle, history("newestFirst", maxTokens=30) | {"pins": ["message:m1"]})
    assert packing.error is not None
    assert packing.error.section == "history"
    assert (packing.error.needed_tokens, packing.error.allowed_tokens) == (100, 30)


def test_newest_first_charges_the_query_once() -> None:
    bundle = bundle_of(user("x" * 40), assistant("x" * 40), user("x" * 40), tokenizer=QUARTER)
    assert kept(packed(bundle, history("newestFirst", maxTokens=19))) == ["m3"]
    assert kept(packed(bundle, history("newestFirst", maxTokens=20))) == ["m2", "m3"]


def test_the_ladder_cuts_no_group_in_half() -> None:
    bundle = bundle_of(
        user("x" * 40),
        assistant("", "a", "b"),
        result("a", "x" * 40),
        result("b", "x" * 40),
        user("x" * 40),
        assistant("x" * 40),
        tokenizer=QUARTER,
    )
    packing = packed(bundle, history("full") | {"contextWindow": 50, "outputReserve": 0})
    assert kept(packing) == ["m2", "m3", "m4", "m5", "m6"]


def test_a_history_of_just_its_limit_is_left_alone() -> None:
    bundle = bundle_of(*LONG, tokenizer=QUARTER)
    chars = packed(bundle, history("full")).total.chars
    assert packed(bundle, history("summarizeOlder", maxChars=chars)).chosen.history.summary is None
    assert packed(bundle, history("summarizeOlder", maxChars=chars - 1)).chosen.history.summary is not None


def test_a_percent_limit_is_taken_of_the_input_budget() -> None:
    bundle = bundle_of(user("x" * 400), assistant("y" * 40), tokenizer=QUARTER)
    config = history("newestFirst", maxTokens="50%") | {"contextWindow": 120, "outputReserve": 20}
    assert packed(bundle, config).chosen.history.limit_tokens == 50


def test_the_room_left_rules_when_it_is_smaller() -> None:
    bundle = bundle_of(user("x" * 400), assistant("y" * 40), user("z"), tokenizer=QUARTER)
    packing = packed(bundle, history("newestFirst") | {"contextWindow": 60, "outputReserve": 20})
    assert kept(packing) == ["m2", "m3"]
    assert "tokens left for history." in reasons(packing)["message:m1"][1]


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
    assert "all of history that can be sent: 80 of 60; without the oldest half: 40 of 60" in sentence


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
    assert "Tried all of history that can be sent: 200 of 60." in packing.error.sentence


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


class _Uncountable(QuarterCounter):
    def count(self, text: str) -> int:
        if text.startswith(SUMMARY_LINE):
            raise ValueError("cannot be counted")
        return super().count(text)


def test_a_summary_that_cannot_be_counted_leaves_more_of_the_last_messages() -> None:
    config = load_config(history("summarizeOlder", maxChars=600, fallbackMessages=2, uncountedFallbackMessages=5))
    packing = pack(bundle_of(*LONG, tokenizer=QUARTER), config, counter=_Uncountable())
    assert kept(packing) == ["m8", "m9", "m10", "m11", "m12"]
    assert reasons(packing)["message:m1"] == (
        "summarizeOlder",
        "Older than the messages kept; the summary could not be counted.",
        "Kept as it is if history.maxChars were ≥ 786.",
    )


def test_a_summary_that_takes_more_than_the_room_is_none() -> None:
    config = history("summarizeOlder", keepUserTurns=1, fallbackMessages=1) | SMALL
    packing = packed(bundle_of(*LONG, tokenizer=QUARTER), config, summarise=lambda _: "word " * 300)
    assert kept(packing) == ["m11", "m12"]


def test_no_fallback_messages_leave_the_task_alone() -> None:
    config = history("summarizeOlder", maxChars=500, fallbackMessages=0, keepUserTurns=1)
    assert kept(packed(bundle_of(*LONG, tokenizer=QUARTER), config, summarise=_failing)) == ["m11"]


def test_a_commands_output_at_the_head_begins_no_turn() -> None:
    output = replace(user("x" * 200), typed=False)
    numbered = [replace(m, id=f"m{n}") for n, m in enumerate((output, assistant("- Read it."), *LONG), start=1)]
    bundle = build_bundle(Inputs(conversation=Conversation("c", "c", numbered)), counter=counter_for(QUARTER))
    packing = packed(bundle, history("summarizeOlder", maxChars=980, keepUserTurns=6))
    assert fates(packing)["message:m1"] == "summarised"
    assert fates(packing)["message:m3"] == "kept"


def test_pins_alone_may_be_all_there_is() -> None:
    packing = packed(
        bundle_of(user(), assistant(), tokenizer=QUARTER),
        history("newestFirst") | {"pins": ["message:m1", "message:m2"]},
    )
    assert kept(packing) == ["m1", "m2"]


def test_one_chunk_is_no_half_and_stays_on_every_rung() -> None:
    messages = [m for n in range(4) for m in (user("x" * 40), assistant("y" * 40))]
    bundle = bundle_of(*messages, tokenizer=QUARTER, chunks=[Chunk("z" * 40, id="a")])
    packing = packed(bundle, history("full") | SMALL)
    assert fates(packing)["chunk:a"] == "kept"
    assert [rung.name for rung in packing.chosen.history.rungs][-1] == "only the last exchange"


def test_the_ladder_leaves_chunks_alone_where_that_gives_history_no_room() -> None:
    messages = [m for n in range(4) for m in (user("x" * 40), assistant("y" * 40))]
    chunks = [Chunk("z" * 40, id=name) for name in "ab"]
    bundle = bundle_of(*messages, tokenizer=QUARTER, chunks=chunks)
    shares = {"enabled": True, "context": 0.5, "history": 0.3, "system": 0.2, "redistribute": False}
    packing = packed(bundle, history("full") | {"contextWindow": 100, "outputReserve": 0, "shares": shares})
    assert kept(packing) == ["m7", "m8"]
    assert {fates(packing)[f"chunk:{name}"] for name in "ab"} == {"kept"}


def test_pins_stay_on_every_rung() -> None:
    messages = [m for n in range(4) for m in (user("x" * 80), assistant("y" * 80))]
    packing = packed(bundle_of(*messages, tokenizer=QUARTER), history("full") | SMALL | {"pins": ["message:m2"]})
    assert kept(packing) == ["m2", "m7", "m8"]
    pinned = packed(
        bundle_of(*messages[:2], tokenizer=QUARTER),
        history("full") | SMALL | {"pins": ["message:m1", "message:m2"], "contextWindow": 30},
    )
    assert pinned.error is not None
    tried = "Tried all of history that can be sent: 40 of 10."
    assert pinned.error.sentence == f"History cannot be made to fit 10 tokens. {tried}"


def _failing(_request: SummaryRequest) -> str:
    raise SummaryFailed("no")


def test_a_summary_that_fails_leaves_the_last_messages_in_whole_groups() -> None:
    bundle = bundle_of(
        *LONG, user("Run it"), assistant("", "a", "b"), result("a"), result("b"), assistant("End"), tokenizer=QUARTER
    )
    config = history("summarizeOlder", maxChars=500, fallbackMessages=3, keepUserTurns=1)
    packing = packed(bundle, config, summarise=_failing)
    assert kept(packing) == ["m13", "m14", "m15", "m16", "m17"]
    assert reasons(packing)["message:m1"][1] == "Older than the turns kept; no summary could be written."


def test_a_fallback_that_is_over_keeps_the_turns_alone() -> None:
    config = history("summarizeOlder", maxChars=300, fallbackMessages=10, keepUserTurns=1) | SMALL
    packing = packed(bundle_of(*LONG, tokenizer=QUARTER), config, summarise=_failing)
    assert kept(packing) == ["m11", "m12"]


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
