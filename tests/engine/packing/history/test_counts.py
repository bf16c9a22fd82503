"""Limits of messages and turns, system texts that are charged, and the oldest first: langchain, OpenHands, Roo Code."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.analysis.sweep.sweep import sweep
from budgeteer.engine.content.conversation import Message
from budgeteer.engine.inputs.bundle import Inputs
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.registry import PROVIDERS
from tests.engine.analysis.sweep.test_sweep import subject_of
from tests.engine.packs import assistant, bundle_of, fates, packed, result, system, talk, user

TALK = [
    user("one " * 8),
    assistant("two " * 8),
    user("three " * 8),
    assistant("", "c1"),
    result("c1", "four " * 8),
    assistant("five " * 8),
    user("six " * 8),
    assistant("seven " * 8),
]
COUNTING = ("newestFirst", "oldestFirst", "keepEnds", "clearToolResults")


def settings(strategy: str, **history: Any) -> dict[str, Any]:
    return {"history": {"strategy": strategy, "ends": {"keepFirst": 1, "between": "nothing"}, **history}}


def sent(packing: Packing) -> list[int]:
    kept = [key for key, fate in fates(packing).items() if fate == "kept" and key.startswith("message:m")]
    return [int(key.removeprefix("message:m")) for key in kept]


def reason_of(packing: Packing, number: int) -> Any:
    return next(one for one in packing.ledger if one.id == f"message:m{number}")


@pytest.mark.parametrize(
    ("strategy", "most", "expected"),
    [
        ("newestFirst", 1, [7]),  # the task always stays
        ("newestFirst", 3, [6, 7, 8]),
        ("newestFirst", 4, [6, 7, 8]),  # the call and its result go together
        ("newestFirst", 5, [4, 5, 6, 7, 8]),
        ("clearToolResults", 3, [6, 7, 8]),
        ("oldestFirst", 3, [1, 2, 3]),
        ("oldestFirst", 4, [1, 2, 3]),
        ("oldestFirst", 5, [1, 2, 3, 4, 5]),
        ("keepEnds", 2, [1, 7]),
        ("keepEnds", 4, [1, 6, 7, 8]),
    ],
)
def test_so_many_messages_stay_in_whole_groups(strategy: str, most: int, expected: list[int]) -> None:
    packing = packed(bundle_of(*TALK), settings(strategy, maxMessages=most))
    assert sent(packing) == expected
    assert packing.fits
    assert [limit.value for limit in packing.verdict.limits] == ["history"]
    (warning,) = [one for one in packing.warnings if one.limit == "history.maxMessages"]
    assert (warning.used, warning.allowed, warning.level) == (8, most, "exceeded")


@pytest.mark.parametrize("strategy", COUNTING)
@pytest.mark.parametrize("limit", ["maxMessages", "maxTurns"])
def test_a_reason_says_how_many_would_keep_the_message_and_they_do(strategy: str, limit: str) -> None:
    bundle = bundle_of(*TALK)
    packing = packed(bundle, settings(strategy, **{limit: 1}))
    gone = [one for one in packing.ledger if one.fate == "dropped"]
    assert gone
    for one in gone:
        (condition,) = one.reason.conditions
        assert condition.limit == f"history.{limit}"
        assert "allows" in one.sentence
        number = int(one.id.removeprefix("message:m"))
        assert number in sent(packed(bundle, settings(strategy, **{limit: condition.at_least})))
        assert number not in sent(packed(bundle, settings(strategy, **{limit: condition.at_least - 1})))


@pytest.mark.parametrize(("most", "expected"), [(1, [7, 8]), (2, [3, 4, 5, 6, 7, 8]), (3, [1, 2, 3, 4, 5, 6, 7, 8])])
def test_so_many_turns_stay(most: int, expected: list[int]) -> None:
    assert sent(packed(bundle_of(*TALK), settings("newestFirst", maxTurns=most))) == expected


def test_a_query_is_a_message_and_a_turn() -> None:
    bundle = bundle_of(*TALK, query="And then?")
    assert sent(packed(bundle, settings("newestFirst", maxMessages=3))) == [7, 8]
    assert sent(packed(bundle, settings("newestFirst", maxTurns=1))) == []
    assert sent(packed(bundle, settings("newestFirst", maxTurns=2))) == [7, 8]


def test_the_smaller_of_tokens_and_messages_rules() -> None:
    bundle = bundle_of(*TALK)
    two = packed(bundle, settings("newestFirst", maxMessages=2)).ledger.total("history").tokens
    assert sent(packed(bundle, settings("newestFirst", maxMessages=5, maxTokens=two))) == [7, 8]
    packing = packed(bundle, settings("newestFirst", maxMessages=2, maxTokens=two))
    assert {condition.limit for condition in reason_of(packing, 6).reason.conditions} == {
        "history.maxMessages",
        "history.maxTokens",
    }


def test_system_texts_are_charged_where_that_is_asked_for_and_stay() -> None:
    bundle = bundle_of(system(), *TALK)
    plain = packed(bundle, settings("newestFirst", maxMessages=3))
    charged = packed(bundle, settings("newestFirst", maxMessages=3, countSystem=True))
    assert (sent(plain), sent(charged)) == ([7, 8, 9], [8, 9])
    history = packed(bundle_of(*TALK[5:]), settings("newestFirst")).ledger.total("history").tokens
    block = packed(bundle, settings("full")).ledger.total("system").tokens
    assert sent(packed(bundle, settings("newestFirst", maxTokens=history))) == [7, 8, 9]
    assert sent(packed(bundle, settings("newestFirst", maxTokens=history, countSystem=True))) == [8, 9]
    assert sent(packed(bundle, settings("newestFirst", maxTokens=history + block, countSystem=True))) == [7, 8, 9]


def test_the_oldest_first_keeps_the_beginning_and_says_what_would_keep_the_rest() -> None:
    bundle = bundle_of(*TALK)
    first = packed(bundle_of(*TALK[:3]), settings("full")).ledger
    three = first.total("history").tokens + first.total("query").tokens
    packing = packed(bundle, settings("oldestFirst", maxTokens=three))
    assert sent(packing) == [1, 2, 3]
    reason = reason_of(packing, 8)
    assert reason.sentence.startswith("Newer than the oldest messages")
    (condition,) = reason.reason.conditions
    assert 8 in sent(packed(bundle, settings("oldestFirst", maxTokens=condition.at_least)))
    assert 8 not in sent(packed(bundle, settings("oldestFirst", maxTokens=condition.at_least - 1)))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_oldest_first_never_sends_a_request_that_asks_nothing(provider: str) -> None:
    bundle = bundle_of(assistant("Good day. " * 8), user("Mend it. " * 9), assistant("Done."))
    packing = packed(bundle, settings("oldestFirst", maxTokens=30), provider=provider)
    assert packing.verdict.level == "cannotFit"
    assert packing.error is not None
    wide = packed(bundle, settings("oldestFirst", maxTokens=packing.error.needed_tokens), provider=provider)
    assert wide.fits


def halved(count: int, percent: int) -> list[int]:
    """What Roo Code's truncateConversation keeps of so many messages: the first, the rest without an even number."""
    removed = (count - 1) * percent // 100
    return [1, *range(2 + removed // 2 * 2, count + 1)]


@pytest.mark.parametrize("percent", [25, 50, 75])
@pytest.mark.parametrize("count", [3, 5, 8, 21])
def test_a_share_is_removed_at_once_as_roo_code_does(count: int, percent: int) -> None:
    words: list[Message] = [(user if at % 2 == 0 else assistant)(f"{at} " * 9) for at in range(count)]
    bundle = bundle_of(*words[:-1], query=f"{count} " * 9) if count % 2 else bundle_of(*words)
    whole = packed(bundle, settings("full")).ledger
    over = whole.total("history").tokens + whole.total("query").tokens - 4
    ends = {"keepFirst": 1, "between": "nothing", "removePercent": percent}
    packing = packed(bundle, settings("keepEnds", ends=ends, maxTokens=over))
    expected = [number for number in halved(count, percent) if number < count or not count % 2]
    if count % 2 == 0:  # the task, the last message that somebody typed, is the one before the last
        assert count - 1 in expected
    if halved(count, percent) != list(range(1, count + 1)):
        assert sent(packing) == expected
        gone = [one for one in packing.ledger if one.fate == "dropped"]
        for one in gone:
            (condition,) = one.reason.conditions
            wide = packed(bundle, settings("keepEnds", ends=ends, maxTokens=condition.at_least))
            assert int(one.id.removeprefix("message:m")) in sent(wide)


@pytest.mark.parametrize("path", ["history.maxMessages", "history.maxTurns"])
@pytest.mark.parametrize("strategy", COUNTING)
def test_a_sweep_equals_packing_at_every_value(path: str, strategy: str) -> None:
    subject = subject_of(Inputs(conversation=talk(*TALK)), settings(strategy))
    found = sweep(subject, path)
    assert len(found.steps) > 2
    for value in range(1, 9):
        step = [one for one in found.steps if one.at <= value][-1]
        packing = packed(bundle_of(*TALK), settings(strategy, **{path.removeprefix("history."): value}))
        assert step.answer.size == packing.total, value
