"""summarizeOlder, recentExchange and the retry ladder against the seeds they come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.conversation import Conversation, Message, TextPart, ToolCallPart, ToolResultPart
from budgeteer.engine.content.library import Chunk
from budgeteer.engine.counting.tokenizers import QuarterCounter, counter_for
from budgeteer.engine.inputs.bundle import Bundle, Inputs, build_bundle
from budgeteer.engine.packing.history.summary import SummaryFailed, SummaryRequest, extractive_summary
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing
from tests.conformance.packing.history import seed_history as seed
from tests.conformance.packing.history.seed_history import NaiveMessage
from tests.conformance.packing.history.test_newest_first import chars_of
from tests.examples import examples

pytestmark = pytest.mark.conformance
thousands = settings(deadline=None, max_examples=examples(1_000), suppress_health_check=[HealthCheck.too_slow])
QUARTER = counter_for("chars/4")
#: A window in which nothing but the strategy's own limits bites.
AMPLE = {"model": "gemini-4-argon", "tokenizer": "chars/4", "system": {"marker": ""}, "safetyMarginPercent": 0}


@dataclass(frozen=True)
class Shape:
    """One exchange in characters: the question, the rounds of calls with their results, and the reply."""

    question: int
    rounds: tuple[tuple[int, ...], ...]
    reply: int


@st.composite
def talks(draw: st.DrawFn, *, calls: bool) -> Conversation:
    """A conversation of up to a dozen exchanges that ends with the assistant; plain, or with rounds of calls."""
    sizes = st.integers(1, 120)
    rounds = st.lists(st.lists(sizes, min_size=1, max_size=3).map(tuple), max_size=2).map(tuple)
    shapes = st.builds(Shape, sizes, rounds if calls else st.just(()), sizes)
    return talk(draw(st.lists(shapes, min_size=1, max_size=12)))


def talk(shapes: Sequence[Shape]) -> Conversation:
    """The conversation of these sizes, in words."""
    messages: list[Message] = []

    def say(role: Any, *parts: Any) -> None:
        number = len(messages) + 1
        messages.append(Message(role, parts, id=f"m{number}", line=number))

    for shape in shapes:
        say("user", TextPart(words(shape.question)))
        for results in shape.rounds:
            ids = [f"c{len(messages)}-{number}" for number in range(len(results))]
            say("assistant", *(ToolCallPart(one, "run", "{}") for one in ids))
            for one, size in zip(ids, results, strict=True):
                say("tool", ToolResultPart(one, (TextPart(words(size)),)))
        say("assistant", TextPart(words(shape.reply)))
    return Conversation(id="generated", title="generated", messages=tuple(messages))


def words(chars: int) -> str:
    """So many characters of text, in words of five."""
    return (
        ("word " * (chars // 5 + 1))[:chars].replace(" ", "s", 1) if chars < 6 else ("word " * chars)[: chars - 1] + "."
    )


def packed(conversation: Conversation, history: dict[str, Any], **more: Any) -> Packing:
    summarise = more.pop("summarise", extractive_summary)
    chunks = more.pop("chunks", ())
    counter = more.pop("counter", QUARTER)
    config = load_config({**AMPLE, "history": history, **more})
    bundle = build_bundle(Inputs(conversation=conversation, chunks=chunks), counter=QUARTER)
    return pack(bundle, config, counter=counter, summarise=summarise, provider="openai-chat")


def kept_rows(packing: Packing) -> list[int]:
    """The places of the history's messages that are kept as they are, by the strategy and not as the topic anchor."""
    rows = [one for one in packing.ledger if one.section == "history" and one.fate != "added"]
    return [row for row, one in enumerate(rows) if one.fate == "kept" and one.rule != "topicAnchor"]


def naive(bundle: Bundle) -> list[NaiveMessage]:
    return [NaiveMessage(message.role, chars_of(message)) for message in bundle.history]


@pytest.mark.slow
@thousands
@given(talks(calls=True), st.integers(0, 2_500), st.integers(1, 4))
def test_summarize_older_keeps_what_naide_keeps(conversation: Conversation, max_chars: int, turns: int) -> None:
    history = {"strategy": "summarizeOlder", "maxChars": max_chars, "keepUserTurns": turns}
    packing = packed(conversation, history, retry={"enabled": False}, summarise=lambda _: "s")
    wanted = seed.truncate_history(naive(packing.bundle), max_chars, turns)
    assert kept_rows(packing) == wanted.kept
    assert packing.fits
    summary = packing.chosen.history.summary
    assert list(summary.covers if summary else ()) == wanted.summarised


@pytest.mark.slow
@thousands
@given(talks(calls=True), st.integers(0, 2_500), st.integers(1, 4))
def test_a_summary_is_within_the_characters_where_the_turns_leave_room_for_one(
    conversation: Conversation, max_chars: int, turns: int
) -> None:
    """On purpose: Naide's summary always comes on top of its budget."""
    history = {"strategy": "summarizeOlder", "maxChars": max_chars, "keepUserTurns": turns}
    packing = packed(conversation, history, summarise=lambda request: "s" * request.max_chars)
    wanted = seed.truncate_history(naive(packing.bundle), max_chars, turns)
    verbatim_chars = sum(chars_of(packing.bundle.history[row]) for row in wanted.kept)
    summary = packing.chosen.history.summary
    assert bool(summary) == bool(wanted.summarised)
    if summary and max_chars - verbatim_chars >= 129:
        assert packing.ledger.total("history").chars <= max_chars
    elif summary:
        assert len(summary.text) == 2_000


def failing(_request: SummaryRequest) -> str:
    raise SummaryFailed("no")


class Uncountable(QuarterCounter):
    """Counts nothing that is new."""

    def count(self, text: str) -> int:
        if text == "s":
            raise ValueError("cannot be counted")
        return super().count(text)


FALLBACKS: list[tuple[str, int, dict[str, Any]]] = [
    ("fallbackMessages", seed.WITHOUT_SUMMARY, {"summarise": failing}),
    ("uncountedFallbackMessages", seed.UNCOUNTED, {"summarise": lambda _: "s", "counter": Uncountable()}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("setting", "count", "how"), FALLBACKS, ids=["summary", "counting"])
def test_a_failure_leaves_the_last_messages_as_naide_does(setting: str, count: int, how: dict[str, Any]) -> None:
    @thousands
    @given(talks(calls=False), st.integers(0, 1_500), st.integers(1, 3), st.none() | st.integers(0, 14))
    def check(conversation: Conversation, max_chars: int, turns: int, other: int | None) -> None:
        history = {"strategy": "summarizeOlder", "maxChars": max_chars, "keepUserTurns": turns}
        history |= {} if other is None else {setting: other}
        packing = packed(conversation, history, retry={"enabled": False}, **how)
        messages = naive(packing.bundle)
        plain = seed.truncate_history(messages, max_chars, turns)
        wanted = seed.last_messages(messages, count if other is None else other)
        if packing.bundle.query is None:  # on purpose: what was asked last stays, though Naide may drop it
            wanted = sorted({*wanted, *[row for row in range(len(messages)) if messages[row].role == "user"][-1:]})
        if not plain.summarised:
            wanted = plain.kept
        assert kept_rows(packing) == wanted
        assert packing.chosen.history.summary is None

    check()


def test_a_fallback_keeps_groups_whole_where_naide_cuts_them() -> None:
    conversation = talk([Shape(20, (), 20)] * 3 + [Shape(20, ((20, 20),), 20)])
    history = {"strategy": "summarizeOlder", "maxChars": 200, "keepUserTurns": 1, "fallbackMessages": 2}
    packing = packed(conversation, history, summarise=failing)
    assert seed.last_messages(naive(packing.bundle), 2) == [9, 10]
    assert kept_rows(packing) == [6, 7, 8, 9, 10]  # on purpose: with what was asked last


SAID = st.lists(
    st.sampled_from(["Fix the parser", "Add a test, please.", "- keep it", "# Plan", "we decided so", "fine", "\n"]),
    min_size=1,
    max_size=4,
).map("\n".join)


@thousands
@given(st.lists(st.tuples(SAID, SAID), min_size=1, max_size=5))
def test_a_summary_holds_what_naides_holds(exchanges: list[tuple[str, str]]) -> None:
    spoken = [(role, text) for pair in exchanges for role, text in zip(("user", "assistant"), pair, strict=True)]
    messages = tuple(Message(role, (TextPart(text),)) for role, text in spoken)  # type: ignore[arg-type] # two roles
    topics, decisions = seed.summarize_older_messages(spoken)
    try:
        text = extractive_summary(SummaryRequest(messages, 20_000, seed.TOPIC_CHARS))
    except SummaryFailed:
        assert not any(topics)
        assert not decisions
        return
    blocks = dict(block.split("\n- ", 1) for block in text.split("\n\n") if "\n- " in block)
    said = {head: block.split("\n- ") for head, block in blocks.items()}
    # On purpose: an empty topic is none, a longer one ends at a word; a decision is said once and without its mark.
    assert [one.removesuffix("…") for one in said.get("Topics discussed:", [])] == [
        whole_words(topic) for topic in topics if topic
    ]
    bare = [line.lstrip("-*# ") for line in decisions]
    assert said.get("Key decisions:", []) == list(dict.fromkeys(line for line in bare if line))


def whole_words(topic: str) -> str:
    """A topic as long as Naide's, without the word that its cut may have gone through."""
    return topic if len(topic) < seed.TOPIC_CHARS else topic[: seed.TOPIC_CHARS - 1].rpartition(" ")[0]


def room(tokens: int) -> dict[str, Any]:
    """A window that leaves so many tokens to history."""
    return {"contextWindow": tokens, "outputReserve": 0}


PLAIN = {"strategy": "recentExchange", "topicAnchor": False, "namePrevious": False}


@thousands
@given(talks(calls=False), st.integers(1, 500), st.integers(0, 5), st.booleans())
def test_recent_exchange_keeps_what_gemma_keeps(
    conversation: Conversation, budget: int, older: int, trimmings: bool
) -> None:
    history = {**PLAIN, "maxHistoryMessages": older, "topicAnchor": trimmings, "namePrevious": trimmings}
    packing = packed(conversation, history, **room(budget), retry={"enabled": False})
    chars = [message.chars for message in naive(packing.bundle)]
    # On purpose: Gemma counts the last two as one text with a line end between them; messages are counted apart here.
    joined = seed.joined_tokens(chars[-2:]) - sum(-(-one // 4) for one in chars[-2:])
    assert kept_rows(packing) == seed.build_history_with_budget(chars, budget + joined, older)
    # On purpose: Gemma sends an exchange that is over; here that is an error that says so.
    assert packing.fits == (sum(-(-one // 4) for one in chars[-2:]) <= budget)


def test_an_exchange_with_calls_stays_whole_where_gemma_takes_two_messages() -> None:
    conversation = talk([Shape(20, (), 20), Shape(20, ((20, 20), (20,)), 20)])
    packing = packed(conversation, {**PLAIN, "maxHistoryMessages": 0}, **room(1_000))
    chars = [message.chars for message in naive(packing.bundle)]
    assert seed.build_history_with_budget(chars, 1_000, 0) == [7, 8]
    assert kept_rows(packing) == [2, 3, 4, 5, 6, 7, 8]


def test_an_older_group_counts_all_its_messages_and_is_never_cut() -> None:
    conversation = talk([Shape(20, ((20, 20),), 20), Shape(20, (), 20)])
    kept: Callable[[int], list[int]] = lambda older: kept_rows(  # noqa: E731 - four words that are said twice
        packed(conversation, {**PLAIN, "maxHistoryMessages": older}, **room(1_000))
    )
    assert [kept(older) for older in range(6)] == [
        [5, 6],
        [4, 5, 6],
        [4, 5, 6],
        [4, 5, 6],
        [1, 2, 3, 4, 5, 6],
        [0, 1, 2, 3, 4, 5, 6],
    ]


@pytest.mark.slow
@thousands
@given(talks(calls=False), st.integers(1, 600))
def test_the_ladder_keeps_what_gemmas_retry_keeps(conversation: Conversation, budget: int) -> None:
    packing = packed(conversation, {"strategy": "full"}, **room(budget))
    sizes = [-(-message.chars // 4) for message in naive(packing.bundle)]
    kept, _, fits = seed.progressive_retry(sizes, (), budget)
    assert kept_rows(packing) == kept
    assert packing.fits == fits
    rungs = packing.chosen.history.rungs
    assert [rung.fits for rung in rungs] == [False] * (len(rungs) - 1) + [fits] * bool(rungs)


@pytest.mark.slow
@thousands
@given(talks(calls=False), st.lists(st.integers(1, 400), min_size=1, max_size=6), st.integers(1, 900))
def test_the_ladder_takes_from_history_and_chunks_as_gemmas_retry_does(
    conversation: Conversation, chunks: list[int], budget: int
) -> None:
    found = [Chunk(words(size), id=f"k{number}", score=-number) for number, size in enumerate(chunks)]
    more = {"chunks": found, "retrieval": {"searchTopK": len(chunks)}}
    packing = packed(conversation, {"strategy": "full"}, **more, **room(budget))
    overhead = sum(entry.size.tokens for entry in packed(conversation, {"strategy": "full"}, **more).ledger.overhead)
    sizes = [-(-message.chars // 4) for message in naive(packing.bundle)]
    found_sizes = [-(-len(chunk.text) // 4) for chunk in found]
    left = budget - overhead
    assume(sum(sizes[-2:]) + sum(found_sizes) <= left)  # all chunks are there before the ladder begins
    kept, count, fits = seed.progressive_retry(sizes, found_sizes, left)
    assert kept_rows(packing) == kept
    assert [one.id for one in packing.ledger if one.section == "retrieval" and one.fate == "kept"] == [
        f"chunk:k{number}" for number in range(count)
    ]
    assert packing.fits == fits


def test_each_rung_shows_its_size_and_its_room_and_what_was_taken_says_so() -> None:
    conversation = talk([Shape(40, (), 40)] * 2 + [Shape(120, (), 120)])
    chunks = [Chunk(words(80), id=name) for name in "abc"]
    packing = packed(conversation, {"strategy": "full"}, chunks=chunks, **room(125), retrieval={"searchTopK": 3})
    rungs = packing.chosen.history.rungs
    assert [(rung.name, rung.tokens, rung.fits) for rung in rungs] == [
        ("all of history that can be sent", 100, False),
        ("without the oldest half", 70, False),
        ("without the oldest half and half the chunks", 70, True),
    ]
    assert [rung.allowed_tokens for rung in rungs] == [60, 60, 80]
    rules = {one.id: one.rule for one in packing.ledger if one.fate == "dropped"}
    assert rules == dict.fromkeys(("message:m1", "message:m2", "message:m3", "chunk:c"), "retry")
