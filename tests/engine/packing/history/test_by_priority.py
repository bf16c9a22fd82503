"""byPriority and keepWith: what prompt-tsx's and priompt's tests ask of priorities and of elements kept together."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.packing.history.registry import STRATEGIES
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering.validity import check_packing
from tests.engine.packs import assistant, bundle_of, fates, packed, result, system, user

#: Priorities of nine messages of one size, the last of them the task.
PRIORITIES = {1: 5, 2: -1, 3: 0, 4: 7, 5: 0, 6: 5, 7: 1, 8: 0}
TALK = [user("word " * 9) for _ in range(9)] + [assistant("Done.")]


def settings(max_tokens: int = 80_000, *, strategy: str = "byPriority", **history: Any) -> dict[str, Any]:
    given = {f"message:m{number}": value for number, value in PRIORITIES.items()}
    return {"history": {"strategy": strategy, "maxTokens": max_tokens, "priorities": given, **history}}


def sent(packing: Packing) -> list[int]:
    kept = [key for key, fate in fates(packing).items() if fate == "kept" and key.startswith("message:m")]
    return [int(key.removeprefix("message:m")) for key in kept]


def least_important_first() -> list[int]:
    """prompt-tsx: the lowest priority goes first, of equals the earliest. The answer at the end is newer, at 0."""
    return sorted([*PRIORITIES, 10], key=lambda number: (PRIORITIES.get(number, 0), number))


@pytest.mark.parametrize("provider", ["openai-chat", "openai-responses"])
def test_the_least_important_go_first_until_the_rest_fits_and_the_order_is_kept(provider: str) -> None:
    bundle = bundle_of(*TALK)
    total = packed(bundle, settings(), provider=provider).ledger.total("history").tokens
    for budget in range(total, 0, -1):
        packing = packed(bundle, settings(budget), provider=provider)
        if not packing.fits:
            assert packing.error is not None
            assert packing.error.needed_tokens > budget
            break
        gone = [number for number in least_important_first() if number not in sent(packing)]
        assert gone == least_important_first()[: len(gone)]
        assert sent(packing) == sorted(sent(packing))
        if gone:  # the next one in would be over
            wider = packed(bundle, settings(budget + 14), provider=provider)
            assert len(sent(wider)) > len(sent(packing))


def test_a_reason_names_the_priority_and_the_tokens_that_would_keep_the_message() -> None:
    bundle = bundle_of(*TALK)
    packing = packed(bundle, settings(60))
    gone = [one for one in packing.ledger if one.fate == "dropped"]
    assert gone
    assert [limit.value for limit in packing.verdict.limits] == ["history"]
    for one in gone:
        number = int(one.id.removeprefix("message:m"))
        assert one.sentence.startswith(f"At priority {PRIORITIES.get(number, 0)},")
        (condition,) = one.reason.conditions
        assert number in sent(packed(bundle, settings(condition.at_least)))
        assert number not in sent(packed(bundle, settings(condition.at_least - 1)))


def test_without_priorities_it_is_the_newest_first() -> None:
    bundle = bundle_of(*TALK)
    for budget in (20, 60, 100):
        plain = settings(budget, priorities={})
        assert sent(packed(bundle, plain)) == sent(packed(bundle, settings(budget, strategy="newestFirst")))


def test_a_call_is_as_important_as_its_result() -> None:
    bundle = bundle_of(assistant("", "c"), result("c", "stone " * 9), *TALK)
    config = settings(50, priorities={"message:m2": 9})
    assert sent(packed(bundle, config))[:2] == [1, 2]


@pytest.mark.parametrize("strategy", [row.name for row in STRATEGIES.values() if row.name != "summarizeOlder"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_messages_that_are_kept_together_stay_or_go_together(strategy: str, provider: str) -> None:
    talk = [(user if at % 2 == 0 else assistant)(f"word {at} " * 9) for at in range(10)]
    pairs = {"message:m1": "message:m6", "message:m3": "message:m4", "message:m9": "message:m9"}
    for window in (120, 180, 240, 400):
        config = settings(window, strategy=strategy, keepWith=pairs, priorities={})
        packing = packed(bundle_of(*talk), config | {"contextWindow": window, "outputReserve": 0}, provider=provider)
        kept = set(sent(packing))
        if packing.fits:
            assert (1 in kept) == (6 in kept)
            assert (3 in kept) == (4 in kept)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("provider", ["anthropic", "gemini"])
def test_what_follows_a_question_that_goes_with_its_partner_is_not_sent_first(strategy: str, provider: str) -> None:
    talk = [user("word " * 90), assistant("Yes."), user("Why?"), assistant("So."), user("Where?")]
    pairs = {"message:m2": "message:m3"}
    for window in (60, 80, 400):
        config = settings(strategy=strategy, keepWith=pairs, priorities={})
        packing = packed(bundle_of(*talk), config | {"contextWindow": window, "outputReserve": 0}, provider=provider)
        assert not packing.fits or all(check.ok for check in check_packing(packing))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("provider", ["openai-chat", "openai-responses"])  # they take one between turns
def test_a_partner_of_a_system_text_stays_with_it(strategy: str, provider: str) -> None:
    talk = [(user if at % 2 == 0 else assistant)(f"word {at} " * 9) for at in range(10)]
    talk[4] = system("Be brief.")
    settled = settings(strategy=strategy, keepWith={"message:m2": "message:m5"}, priorities={})
    bundle, told = bundle_of(*talk), 0
    for window in range(60, 420, 40):
        packing = packed(bundle, settled | {"contextWindow": window, "outputReserve": 0}, provider=provider)
        if packing.fits:
            told += 1
            assert {2, 5} <= set(sent(packing))
    assert told


def test_a_chain_of_partners_is_one_group_and_what_it_takes_is_said() -> None:
    bundle = bundle_of(*TALK)
    pairs = {"message:m1": "message:m4", "message:m4": "message:m8", "message:none": "message:m3"}
    packing = packed(bundle, settings(50, strategy="newestFirst", keepWith=pairs))
    assert not {1, 4, 8} & set(sent(packing))
    (needed,) = {
        condition.at_least
        for one in packing.ledger
        if one.id in ("message:m1", "message:m4", "message:m8")
        for condition in one.reason.conditions
    }
    assert {1, 4, 8} <= set(sent(packed(bundle, settings(needed, strategy="newestFirst", keepWith=pairs))))


def test_a_partner_of_what_is_pinned_stays() -> None:
    config = settings(60, strategy="newestFirst", keepWith={"message:m5": "message:m2"}) | {"pins": ["message:m2"]}
    assert {2, 5} <= set(sent(packed(bundle_of(*TALK), config)))
