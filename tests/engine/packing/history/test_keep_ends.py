"""keepEnds and the notice: the first messages and the newest stay, and the model is told what is missing."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.written_messages import SUMMARY_LINE, begins_turn, left_out_of, notice_text
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.packing.history.registry import STRATEGIES
from budgeteer.engine.packing.history.summary import SummaryFailed, SummaryRequest
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering import render_request
from budgeteer.formats.detect import import_bytes
from tests.conformance.packing.history.test_task import TASK, check_asks, run_of
from tests.conformance.recount import compact
from tests.engine.packs import assistant, bundle_of, fates, packed, system, user


def ends(max_tokens: int, **settings: Any) -> dict[str, Any]:
    between = settings.pop("between", "notice")
    first = settings.pop("keepFirst", 1)
    history = {"strategy": "keepEnds", "maxTokens": max_tokens, "summaryMaxChars": 400, **settings}
    return {"history": history | {"ends": {"keepFirst": first, "between": between}}}


def kept(packing: Packing) -> list[int]:
    found = fates(packing)
    return [
        int(key.removeprefix("message:m"))
        for key, fate in found.items()
        if fate == "kept" and key.startswith("message:m")
    ]


def texts(packing: Packing) -> list[str]:
    return [str(message.get("content")) for message in render_request(packing)["messages"]]


@pytest.mark.parametrize("between", ["notice", "summary", "nothing"])
@pytest.mark.parametrize("provider", list(PROVIDERS))
def test_a_run_keeps_its_task_and_its_newest_steps(provider: str, between: str) -> None:
    packing = packed(bundle_of(*run_of(1, 60, ends_in="result")), ends(900, between=between), provider=provider)
    check_asks(packing, TASK)
    stays = kept(packing)
    assert stays[0] == 1
    assert stays[1:] == list(range(stays[1], 122))
    assert 8 < len(stays) < 110
    gone = "summarised" if between == "summary" else "dropped"
    assert {fate for key, fate in fates(packing).items() if key.startswith("message:")} == {"kept", gone}
    assert packing.ledger.total("history").tokens <= 900


def test_what_stands_between_comes_before_the_newest_messages() -> None:
    bundle = bundle_of(*run_of(3, 20, ends_in="words"))
    for between, opening in (("notice", "["), ("summary", SUMMARY_LINE)):
        packing = packed(bundle, ends(400, keepFirst=3, between=between))
        assert kept(packing)[:4] == [1, 2, 3, 85]
        said = texts(packing)
        assert said[3] == TASK
        assert said[4].startswith(opening)


def test_the_notice_says_how_many_messages_were_left_out() -> None:
    packing = packed(bundle_of(*run_of(1, 60, ends_in="result")), ends(900))
    gone = 121 - len(kept(packing))
    assert texts(packing)[1] == f"[{gone} earlier messages removed to save context]"
    notice = next(one for one in packing.ledger if one.id == "notice:history")
    assert (notice.fate, notice.rule) == ("added", "keepEnds")
    assert notice.sentence == f"Tells the model that {gone} messages were left out."


def test_first_messages_are_whole_groups_and_no_system_texts() -> None:
    bundle = bundle_of(system(), *run_of(2, 20, ends_in="words"))
    assert kept(packed(bundle, ends(400, keepFirst=2)))[:3] == [2, 3, 4]
    assert kept(packed(bundle, ends(400, keepFirst=0)))[0] > 4


def test_first_messages_that_do_not_fit_give_way_to_the_task() -> None:
    bundle = bundle_of(user("bell " * 2_000), assistant("Yes."), user(TASK), assistant("Done."))
    packing = packed(bundle, ends(100, keepFirst=2))
    assert packing.fits
    assert kept(packing) == [3, 4]


def test_the_newest_step_comes_before_the_notice() -> None:
    bundle = bundle_of(user(TASK), assistant("stone " * 20), assistant("Done."))
    least = packed(bundle_of(user(TASK), assistant("Done.")), {}).ledger.total("history").tokens
    for budget in range(least, least + 20):
        packing = packed(bundle, ends(budget))
        assert kept(packing) == [1, 3]
        assert packing.ledger.total("history").tokens <= budget
    assert packing.chosen.history.summary is not None


def test_a_summary_that_fails_leaves_the_ends() -> None:
    def failing(_: SummaryRequest) -> str:
        raise SummaryFailed("no")

    packing = packed(bundle_of(*run_of(1, 60, ends_in="result")), ends(900, between="summary"), summarise=failing)
    assert packing.fits
    assert packing.chosen.history.summary is None
    assert "dropped" in fates(packing).values()


@pytest.mark.parametrize("most", [900, 0])
@pytest.mark.parametrize("between", ["notice", "summary"])
def test_at_its_number_a_message_between_the_ends_stays(between: str, most: int) -> None:
    bundle = bundle_of(*run_of(1, 60, ends_in="result"))
    packing = packed(bundle, ends(most, between=between))
    gone = [one for one in packing.ledger if one.fate in ("dropped", "summarised")]
    for one in (gone[0], gone[len(gone) // 2], gone[-1]):
        [condition] = one.reason.conditions
        assert condition.limit == "history.maxTokens"
        assert fates(packed(bundle, ends(condition.at_least, between=between)))[one.id] == "kept"


@pytest.mark.parametrize("strategy", [row.name for row in STRATEGIES.values() if row.keeps_task])
@pytest.mark.parametrize("provider", list(PROVIDERS))
def test_every_strategy_can_tell_the_model_what_was_left_out(provider: str, strategy: str) -> None:
    history = {"strategy": strategy, "notice": True, "maxTokens": 300, "maxChars": 900, "summaryMaxChars": 0}
    history |= {"clearing": {"trigger": 10}, "namePrevious": False}
    config = {"history": history, "contextWindow": 500, "outputReserve": 0}
    packing = packed(bundle_of(*run_of(1, 40, ends_in="result")), config, provider=provider)
    check_asks(packing, TASK)
    summary = packing.chosen.history.summary
    assert summary is not None
    assert summary.text == notice_text(
        81 - len([key for key in fates(packing) if fates(packing)[key] != "dropped"]) + 1
    )


def test_a_notice_that_nobody_asked_for_is_not_written() -> None:
    packing = packed(
        bundle_of(*run_of(1, 40, ends_in="result")), {"history": {"strategy": "newestFirst", "maxTokens": 300}}
    )
    assert packing.chosen.history.summary is None
    everything = {"history": {"strategy": "newestFirst", "notice": True}}
    assert packed(bundle_of(*run_of(1, 4, ends_in="result")), everything).chosen.history.summary is None


@pytest.mark.parametrize("provider", ["openai-chat", "anthropic"])
@pytest.mark.parametrize("between", ["notice", "summary"])
def test_packing_both_ends_again_changes_nothing_and_a_later_notice_counts_the_earlier_one(
    provider: str, between: str
) -> None:
    config = ends(900, between=between)
    first = render_request(packed(bundle_of(*run_of(2, 40, ends_in="result")), config, provider=provider))
    (conversation,) = import_bytes(compact(first).encode()).conversations
    bundle = build_bundle(Inputs(conversation=conversation), counter=counter_for("o200k_base"))
    assert render_request(packed(bundle, config, provider=provider)) == first
    if between == "summary" or provider == "anthropic":
        return
    smaller = packed(bundle, ends(500))
    earlier = [left_out_of(message) for message in bundle.history if left_out_of(message)]
    removed = list(fates(smaller).values()).count("dropped")
    assert smaller.chosen.history.summary is not None
    assert smaller.chosen.history.summary.text == notice_text(removed - 1 + sum(earlier))


def test_an_earlier_notice_that_says_the_same_stays() -> None:
    bundle = bundle_of(user(notice_text(7)), *run_of(2, 2, ends_in="words"))
    history = {"strategy": "summarizeOlder", "notice": True, "maxChars": 0, "summaryMaxChars": 0, "keepUserTurns": 2}
    packing = packed(bundle, {"history": history | {"fallbackMessages": 12}})
    assert set(fates(packing).values()) == {"kept"}
    assert len(fates(packing)) == 13


def test_a_notice_begins_no_turn() -> None:
    assert not begins_turn(user(notice_text(1)))
    assert not begins_turn(user(notice_text(12_345)))
    assert begins_turn(user(f"{notice_text(12)} Why?"))
    assert left_out_of(user(notice_text(12_345))) == 12_345


def test_what_would_keep_a_message_counts_the_notice_that_a_larger_limit_has_room_for() -> None:
    bundle = bundle_of(*(user("word " * 6) for _ in range(7)), query="Go on.")
    tight = {"history": {"strategy": "newestFirst", "maxTokens": 0, "notice": True}}
    packing = packed(bundle, tight)
    assert packing.chosen.history.summary is None
    for number in range(1, 8):
        reason = next(one.reason for one in packing.ledger if one.id == f"message:m{number}")
        (condition,) = reason.conditions
        wide = packed(bundle, {"history": tight["history"] | {"maxTokens": condition.at_least}})
        assert next(one.fate for one in wide.ledger if one.id == f"message:m{number}") == "kept"
