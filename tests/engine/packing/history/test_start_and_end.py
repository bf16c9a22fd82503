"""startOn and endOn: which role a history begins and ends with, as the tests of langchain's trim_messages ask."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.packing.history.registry import STRATEGIES
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering.sent_content import sent_messages
from tests.conformance.packing.history.test_task import TASK, check_asks, run_of
from tests.engine.packs import assistant, bundle_of, fates, packed, system, user

TALK = [user("a " * 10), assistant("b " * 10), user("c " * 10), assistant("d " * 10)]


def settings(max_tokens: int = 80_000, **history: Any) -> dict[str, Any]:
    return {"history": {"strategy": "newestFirst", "maxTokens": max_tokens, **history}}


def sent(packing: Packing) -> list[str]:
    return [key.removeprefix("message:") for key, fate in fates(packing).items() if fate == "kept" and "message" in key]


def test_a_history_begins_with_the_users_message() -> None:
    bundle = bundle_of(assistant("Good day."), *TALK)
    assert sent(packed(bundle, settings()))[0] == "m1"
    packing = packed(bundle, settings(startOn="user"))
    assert sent(packing) == ["m2", "m3", "m4", "m5"]
    reason = next(one for one in packing.ledger if one.id == "message:m1")
    assert (reason.rule, reason.counterfactual) == ("history.startOn", "Considered if history.startOn were any.")
    assert [limit.value for limit in packing.verdict.limits] == ["history"]


def test_an_answer_without_its_question_goes() -> None:
    bundle = bundle_of(*TALK)
    budget = packed(bundle_of(*TALK[1:]), settings()).ledger.total("history").tokens
    assert sent(packed(bundle, settings(budget))) == ["m2", "m3", "m4"]
    assert sent(packed(bundle, settings(budget, startOn="user"))) == ["m3", "m4"]


def test_a_history_ends_with_the_users_last_message() -> None:
    packing = packed(bundle_of(system(), *TALK), settings(endOn="user"))
    assert sent(packing) == ["m2", "m3", "m4"]
    reason = next(one for one in packing.ledger if one.id == "message:m5")
    assert (reason.fate, reason.rule) == ("dropped", "history.endOn")


def test_what_goes_at_the_end_leaves_its_room_to_older_messages() -> None:
    bundle = bundle_of(*TALK)
    budget = packed(bundle_of(*TALK[1:]), settings()).ledger.total("history").tokens
    assert sent(packed(bundle, settings(budget, endOn="user"))) == ["m1", "m2", "m3"]


def test_the_end_parts_no_messages_that_are_kept_together() -> None:
    bundle = bundle_of(user("When is high water?"), assistant("At six."), user("And low?"), assistant("At noon."))
    assert sent(packed(bundle, settings(endOn="user"))) == ["m1", "m2", "m3"]
    assert sent(packed(bundle, settings(endOn="user", keepWith={"message:m4": "message:m2"}))) == ["m1"]
    assert len(sent(packed(bundle, settings(endOn="user", keepWith={"message:m4": "message:m1"})))) == 4


def test_a_query_is_the_end() -> None:
    bundle = bundle_of(*TALK, query="And the clock?")
    assert len(sent(packed(bundle, settings(endOn="user")))) == 5


@pytest.mark.parametrize("strategy", [row.name for row in STRATEGIES.values() if row.keeps_task])
@pytest.mark.parametrize("provider", list(PROVIDERS))
def test_every_strategy_begins_and_ends_with_the_user(provider: str, strategy: str) -> None:
    bundle = bundle_of(assistant("Good day. " * 9), *run_of(3, 2, ends_in="words"))
    for window in (60, 120, 240, 4_000):
        history = settings(window, strategy=strategy, maxChars=300, startOn="user", endOn="user")
        packing = packed(bundle, history | {"contextWindow": window, "outputReserve": 0}, provider=provider)
        check_asks(packing, TASK)
        if packing.fits:
            assert sent(packing)[-1] == "m14"
            assert sent_messages(packing)[0].role == "user"


def test_what_is_pinned_stays_before_the_users_message() -> None:
    bundle = bundle_of(assistant("Good day."), *TALK)
    config = {**settings(startOn="user"), "pins": ["message:m1"]}
    assert sent(packed(bundle, config)) == ["m1", "m2", "m3", "m4", "m5"]
    assert "m1" not in sent(packed(bundle, config, provider="anthropic"))  # that provider refuses it there


def test_what_stands_before_an_end_is_promised_with_it() -> None:
    bundle = bundle_of(*(user("the") if at % 2 == 0 else assistant("the") for at in range(6)))
    history = {"strategy": "oldestFirst", "endOn": "user"}

    def with_tokens(tokens: int) -> Packing:
        return packed(bundle, {"history": history | {"maxTokens": tokens}})

    first = bundle.history_measures.column("openai-chat", "tokens").tolist()[0]
    dropped = [one for one in with_tokens(first).ledger if one.fate == "dropped" and one.section == "history"]
    promised = {one.id: [condition.at_least for condition in one.reason.conditions] for one in dropped}
    assert promised["message:m2"] == promised["message:m3"]
    assert promised["message:m4"] == promised["message:m5"]
    [needed] = promised["message:m2"]
    assert {one.id for one in with_tokens(needed).ledger if one.fate == "kept"} >= {"message:m2", "message:m3"}
    assert "message:m2" not in {one.id for one in with_tokens(needed - 1).ledger if one.fate == "kept"}


def test_an_end_in_a_later_turn_is_promised_with_its_turn() -> None:
    bundle = bundle_of(*(user("the") if at % 2 == 0 else assistant("the") for at in range(6)))
    history = {"strategy": "oldestFirst", "endOn": "user"}
    packing = packed(bundle, {"history": history | {"maxTokens": 80_000, "maxTurns": 1}})
    assert sent(packing) == ["m1"]
    first = bundle.history_measures.column("openai-chat", "tokens").tolist()[0]
    for tokens in (first, 80_000):
        limits = {"maxTokens": tokens, "maxTurns": 1}
        promised = {
            one.id.removeprefix("message:"): {str(each.limit): each.at_least for each in one.reason.conditions}
            for one in packed(bundle, {"history": history | limits}).ledger
            if one.rule == "oldestFirst"
        }
        assert [name for name, asked in promised.items() if "history.maxTurns" in asked][-2:] == ["m4", "m5"]
        for name, asked in promised.items():
            raised = {limit.removeprefix("history."): least for limit, least in asked.items()}
            assert name in sent(packed(bundle, {"history": history | limits | raised}))


def test_no_number_is_promised_to_what_a_summary_stands_for_and_history_may_not_begin_with() -> None:
    config = {"history": {"strategy": "summarizeOlder", "maxChars": 30, "keepUserTurns": 1, "startOn": "assistant"}}
    packing = packed(bundle_of(*TALK, user("e")), config)
    reasons = {one.id.removeprefix("message:"): one.reason for one in packing.ledger if one.rule == "summarizeOlder"}
    assert reasons["m1"].conditions == ()
    assert reasons["m1"].counterfactual == "Never kept here: the first message must be of role assistant."
    assert [str(condition.limit) for condition in reasons["m2"].conditions] == ["history.maxChars"]
