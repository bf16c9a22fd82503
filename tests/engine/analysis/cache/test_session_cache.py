"""The cache over a replay: sums, money, times, and what broke a prefix."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from budgeteer.engine.analysis.cache.cache_rules import rules_for
from budgeteer.engine.analysis.cache.recorded_cache import recorded_caches
from budgeteer.engine.analysis.cache.session_cache import CachePlan, RequestClock, SessionCache, seconds_of
from budgeteer.engine.analysis.replay.replay import Replay, replay
from budgeteer.engine.content.conversation import Conversation, Message, RecordedRequest, message_to_json
from budgeteer.engine.inputs.bundle import Inputs, tool_from_raw
from budgeteer.engine.models.registry import model
from budgeteer.engine.rendering.sent_content import messages_alone
from tests.conformance.packing.test_packing import configurations, inputs
from tests.engine.analysis.replay.test_replay import long_talk, packed_up_to, requests_in
from tests.engine.analysis.sweep.test_sweep import subject_of
from tests.engine.packs import assistant, result, system, talk, user
from tests.examples import examples

slowly = settings(deadline=None, max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
MODEL = "gpt-4.1"
STRATEGIES: dict[str, dict[str, Any]] = {
    "full": {},
    "newestFirst": {"history": {"strategy": "newestFirst"}},
    "summarizeOlder": {"history": {"strategy": "summarizeOlder", "maxChars": 4_000}},
    "keepEnds": {"history": {"strategy": "keepEnds", "maxTokens": 1_500, "ends": {"keepFirst": 2}}},
    "clearToolResults": {"history": {"strategy": "clearToolResults", "clearing": {"trigger": 900, "keep": 1}}},
    "pruning": {"pruning": {"mode": "auto", "turnProtection": 0}},
}


def played(conversation: Conversation, data: dict[str, Any], name: str = "", **inputs_: Any) -> Replay:
    config = {"model": MODEL, "contextWindow": 6_000, "outputReserve": 100, **data}
    subject = subject_of(Inputs(conversation=conversation, **inputs_), config)
    return replay(subject, cache=CachePlan.of(model(config["model"]), name))


def cache_in(found: Replay) -> SessionCache:
    assert found.cache is not None
    return found.cache


@slowly
@given(inputs(), configurations(), st.booleans())
def test_what_is_read_written_and_neither_is_what_is_sent(
    given_inputs: Inputs, data: dict[str, Any], prunes: bool
) -> None:
    if prunes:
        data = {**data, "pruning": {"mode": "auto"}}
    subject = subject_of(given_inputs, data, None)
    plan = CachePlan.of(model("claude-sonnet-4-5"))
    plain, found = replay(subject), replay(subject, cache=plan)
    assert [replace(turn, cache=None) for turn in found.turns] == list(plain.turns)
    for turn in found.turns:
        assert turn.cache is not None
        use = turn.cache.use
        assert use.read_tokens + use.written_tokens + use.neither_tokens == turn.after_tokens
        assert (turn.cache.broken is not None) == (use.miss == "changed")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_messages_that_are_shared_are_those_whose_bytes_are_the_same(strategy: str) -> None:
    data = {"model": MODEL, "contextWindow": 2_500, "outputReserve": 100, **STRATEGIES[strategy]}
    given_inputs = Inputs(conversation=talk(*long_talk()))
    assert given_inputs.conversation is not None
    messages = list(given_inputs.conversation.messages)
    sent = [
        [_bytes(message) for message in messages_alone(packed_up_to(given_inputs, data, end, None))]
        for end in requests_in(messages)
    ]
    found = replay(subject_of(given_inputs, data), cache=CachePlan.of(model(MODEL)))
    head = 4 if strategy == "pruning" else 1  # the own system text; pruning adds a tool, a text, and a marker
    for at, (before, now) in enumerate(pairwise(sent), start=1):
        same = next((place for place, pair in enumerate(zip(before, now, strict=False)) if pair[0] != pair[1]), None)
        same = min(len(before), len(now)) if same is None else same
        cached = found.turns[at].cache
        assert cached is not None
        assert cached.use.shared - head == same, (at, cached)


def _bytes(message: Message) -> str:
    data = message_to_json(message)
    return json.dumps({"role": data["role"], "parts": data["parts"]})


def test_a_conversation_that_only_grows_is_never_broken() -> None:
    cache = cache_in(played(talk(*long_talk()), {"contextWindow": 100_000}))
    assert not any(one.use.miss == "changed" for one in cache.requests)
    assert cache.read_share > 0.5


@pytest.mark.parametrize(
    ("strategy", "cause", "rule"),
    [
        ("newestFirst", "messageDropped", "newestFirst"),
        ("summarizeOlder", "summaryRewritten", "summarizeOlder"),
        ("summarizeOlder", "messageSummarised", "summarizeOlder"),
        ("keepEnds", "summaryRewritten", "keepEnds"),
        ("clearToolResults", "messageShortened", "clearToolResults"),
        ("pruning", "idAdded", "pruning.mode"),
    ],
)
def test_what_broke_a_prefix_is_told_by_its_rule(strategy: str, cause: str, rule: str) -> None:
    more = {"contextWindow": 4_000} if strategy != "clearToolResults" else {}
    said = [system("Be brief. " * 500), *long_talk()[1:]]
    cache = cache_in(played(talk(*said), {**STRATEGIES[strategy], **more}))
    broken = {(one.broken.cause, one.broken.rule) for one in cache.requests if one.broken is not None}
    assert (cause, rule) in broken


def test_a_result_that_pruning_takes_out_breaks_the_prefix() -> None:
    calls = [part for n in range(4) for part in (assistant("", f"c{n}"), result(f"c{n}", "line " * 400), user("go"))]
    cache = cache_in(played(talk(user("read it " * 400), *calls), {**STRATEGIES["pruning"], "contextWindow": 50_000}))
    assert any(one.broken is not None and one.broken.rule == "dedupe" for one in cache.requests)


def test_a_tool_that_comes_back_breaks_the_prefix_at_the_tools() -> None:
    tools = tuple(
        tool_from_raw({"name": name, "description": "Runs. " * 900, "input_schema": {"type": "object"}})
        for name in ("other", "run")
    )
    said = [user("a " * 50), assistant("b"), user("c"), assistant("", "c1"), result("c1"), assistant("d"), user("e")]
    said[0] = user("why " * 1_500)
    limits = {"maxToolDefinitionChars": 6_500, "maxSkillsPromptChars": 1_000}
    budget = {"skillsBudget": {"enabled": True, "limits": limits}, "contextWindow": 50_000}
    cache = cache_in(played(talk(*said), budget, tools=tools))
    broken = [one.broken for one in cache.requests if one.broken is not None]
    assert [one.cause for one in broken] == ["toolsChanged"]


def test_money_is_that_of_the_tokens_by_the_rules() -> None:
    said = [user("why " * 3_000), assistant("so"), user("and now?"), assistant("so"), user("and then?")]
    row = model("claude-sonnet-4-5")
    for name, factor in (("anthropic-5m", 1.25), ("anthropic-1h", 2.0)):
        cache = cache_in(played(talk(*said), {"model": row.name, "contextWindow": 50_000}, name))
        first, second, third = (one.use for one in cache.requests)
        assert (first.read_tokens, second.read_tokens, third.read_tokens) == (
            0,
            first.written_tokens,
            first.written_tokens + second.written_tokens,
        )
        for one in cache.requests:
            dollars = one.use.read_tokens * 0.3 + one.use.written_tokens * 3 * factor + one.use.neither_tokens * 3
            assert one.cost == pytest.approx(dollars / 1_000_000)
        assert cache.cost == pytest.approx(sum(one.cost for one in cache.requests))
        assert cache.to_json()["uncachedCost"] == pytest.approx(cache.uncached_cost)
    explicit = rules_for(model("gemini-2.5-flash"), "gemini-explicit")
    assert explicit is not None
    assert explicit.storage_price == 1.0


def test_times_of_the_source_decide_and_a_pause_stands_in() -> None:
    at = seconds_of("2026-03-01T10:00:00Z")
    assert at is not None
    assert seconds_of("2026-03-01T11:00:00+01:00") == at
    assert seconds_of("2026-03-01T10:00:00") == at
    assert seconds_of("yesterday") is None
    clock = RequestClock(30)
    timed = replace(user(), created="2026-03-01T10:00:00Z")
    assert [clock.seconds([user()]), clock.seconds([timed]), clock.seconds([user()])] == [0.0, at, at + 30]
    assert clock.timed == 1
    earlier = replace(user(), created="2026-02-01T10:00:00Z")
    assert clock.seconds([earlier]) == at + 30


def test_a_session_that_recorded_what_the_rules_say_has_no_error() -> None:
    said: list[Message] = [user("why " * 2_000)]
    for number in range(7):
        said += [assistant(f"because {number}"), user("why? " * 20)]
    sizes = [5_000 + 100 * number for number in range(7)]
    recorded = tuple(
        RecordedRequest(2 * at + 1, size, cache_read_tokens=sizes[at - 1] if at else 0, cache_write_tokens=100)
        for at, size in enumerate(sizes)
    )
    conversation = replace(talk(*said), recorded=recorded, model="claude-sonnet-4-5")
    five, hour = recorded_caches([conversation])
    assert (five.rules.name, hour.rules.name) == ("anthropic-5m", "anthropic-1h")
    assert five.is_default
    assert five.error == hour.error == 0
    assert five.differences == ()
    assert abs(five.counted_error) < 0.05
    missed = replace(recorded[3], cache_read_tokens=0)
    off = next(iter(recorded_caches([replace(conversation, recorded=(*recorded[:3], missed, *recorded[4:]))])))
    assert off.differences == (("not read, though it should be", 1, sizes[2]),)
    smaller = replace(recorded[3], input_tokens=1_500)
    begun = next(iter(recorded_caches([replace(conversation, recorded=(*recorded[:3], smaller, *recorded[4:]))])))
    assert begun.begun == 1
