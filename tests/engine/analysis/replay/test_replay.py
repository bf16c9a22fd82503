"""A replay says of every request what packing the conversation up to there says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from budgeteer.engine.analysis.replay.autocompress import policy_named
from budgeteer.engine.analysis.replay.replay import Turn, pack_request_of, replay
from budgeteer.engine.analysis.sweep.probe import Subject
from budgeteer.engine.content.conversation import Conversation, Message
from budgeteer.engine.errors import ConfigError
from budgeteer.engine.inputs.bundle import Inputs, tool_from_raw
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing
from tests.conformance.packing.test_packing import configurations, inputs
from tests.engine.analysis.sweep.test_sweep import subject_of
from tests.engine.packs import assistant, result, system, talk, user
from tests.examples import examples

slowly = settings(deadline=None, max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
PRUNING = {
    "mode": "auto",
    "minContextPercent": 10,
    "maxContextPercent": 50,
    "nudgeFrequency": 2,
    "iterationNudgeThreshold": 2,
    "maxSummaryPercent": 100,
}


def requests_in(messages: list[Message]) -> list[int]:
    """Where a reply begins, by looking at each message and the one before it."""
    return [
        at
        for at, message in enumerate(messages)
        if message.role == "assistant"
        and any(one.role not in ("system", "developer") for one in messages[:at])
        and messages[at - 1].role != "assistant"
    ]


def packed_up_to(given_inputs: Inputs, data: dict[str, Any], end: int, provider: str | None) -> Packing:
    """The packing of the conversation as if nothing had been said after its first `end` messages."""
    assert given_inputs.conversation is not None
    cut = replace(given_inputs.conversation, messages=given_inputs.conversation.messages[:end])
    subject = subject_of(replace(given_inputs, conversation=cut, query=None), data, provider)
    return pack(subject.bundle, subject.config, counter=subject.counter, provider=provider)


def check_turn(turn: Turn, packing: Packing) -> None:
    assert turn.after_tokens == packing.total.tokens
    assert (turn.level == "cannotFit") == (not packing.fits)


@pytest.mark.slow
@slowly
@given(inputs(), configurations(), st.sampled_from([None, "openai-chat", "anthropic"]), st.booleans())
def test_every_request_is_what_packing_its_messages_anew_is(
    given_inputs: Inputs, data: dict[str, Any], provider: str | None, prunes: bool
) -> None:
    if prunes:
        data = {**data, "pruning": {**PRUNING, "minContextPercent": 40, "maxContextPercent": 80}}
    subject = subject_of(given_inputs, data, provider)
    assert given_inputs.conversation is not None
    messages = list(given_inputs.conversation.messages)
    ends = requests_in(messages)
    found = replay(subject)
    answered = [turn for turn in found.turns if turn.reply is not None]
    assert [turn.reply for turn in answered] == [f"message:{messages[end].id}" for end in ends]
    for turn, end in zip(answered, ends, strict=True):
        check_turn(turn, packed_up_to(given_inputs, data, end, provider))
    open_ones = found.turns[len(answered) :]
    assert len(open_ones) == (given_inputs.query is not None or messages[-1].role != "assistant")
    for turn in open_ones:
        check_turn(turn, subject.packed())


@slowly
@given(inputs(), configurations())
def test_what_is_asked_for_only_grows_and_is_a_packings_demand(given_inputs: Inputs, data: dict[str, Any]) -> None:
    subject = subject_of(given_inputs, data, "openai-chat")
    turns = replay(subject).turns
    asked = [turn.before_tokens for turn in turns]
    assert asked == sorted(asked)
    if turns and turns[-1].reply is None:
        assert asked[-1] == subject.packed().demand.tokens


def long_talk() -> list[Message]:
    messages = [system()]
    for number in range(12):
        messages.append(user(f"Question {number}: " + "why " * 120))
        for call in range(number % 4):
            messages += [assistant("", f"c{number}.{call}"), result(f"c{number}.{call}", "line " * 60)]
        messages.append(assistant("Because. " * 10))
    return messages


def long_subject(**data: Any) -> Subject:
    given_data = {"model": "gpt-4o", "contextWindow": 2_500, "outputReserve": 100, **data}
    return subject_of(Inputs(conversation=talk(*long_talk())), given_data)


def test_the_first_request_over_the_limit_names_its_largest_items() -> None:
    found = replay(long_subject(history={"strategy": "newestFirst"}))
    assert found.first_over is not None
    first = found.turns[found.first_over]
    before = found.turns[found.first_over - 1]
    assert before.before_tokens <= found.limit_tokens < first.before_tokens
    assert first.after_tokens <= found.limit_tokens
    assert [event.kind for event in first.events] == ["overflow"]
    assert len(first.causes) == 5
    sizes = [cause.tokens for cause in first.causes]
    assert sizes == sorted(sizes, reverse=True)
    assert first.causes[0].percent == round(sizes[0] * 100 / first.before_tokens, 1)
    assert before.causes == ()
    warned = next(turn for turn in found.turns if turn.events)
    assert [event.kind for event in warned.events] == ["warning"]
    assert found.warning_tokens is not None
    assert warned.before_tokens >= found.warning_tokens > found.turns[warned.number - 2].before_tokens


def test_a_summary_is_an_event_when_it_stands_for_more() -> None:
    found = replay(long_subject(history={"strategy": "summarizeOlder", "maxChars": 3_000, "summaryMaxChars": 600}))
    summaries = [event.sentence for turn in found.turns for event in turn.events if event.kind == "summary"]
    assert len(summaries) == len(set(summaries)) > 2


def test_what_cannot_fit_is_said_once() -> None:
    found = replay(long_subject(contextWindow=260, retry={"enabled": False}))
    levels = [turn.level for turn in found.turns]
    assert levels[-1] == "cannotFit"
    events = [event for turn in found.turns for event in turn.events if event.kind == "overflow"]
    assert len(events) == 1


def test_without_a_conversation_a_query_is_the_only_request() -> None:
    found = replay(subject_of(Inputs(query="Which ferry?"), {}))
    assert [(turn.number, turn.reply, turn.messages) for turn in found.turns] == [(1, None, 1)]


def test_what_the_source_reported_stands_beside_its_last_request() -> None:
    reported = Conversation(id="c", title="c", messages=talk(*long_talk()).messages, reported_input_tokens=4_321)
    found = replay(subject_of(Inputs(conversation=reported), {}))
    assert [turn.reported_tokens for turn in found.turns[-2:]] == [None, 4_321]


def ranges(*spans: tuple[str, str]) -> list[dict[str, Any]]:
    return [
        {"topic": f"part {number}", "ranges": [{"startId": start, "endId": end, "summary": "All was said."}]}
        for number, (start, end) in enumerate(spans, start=1)
    ]


def test_a_range_is_compressed_from_the_first_request_on_that_has_all_of_it() -> None:
    pruning = {**PRUNING, "ranges": ranges(("m001", "m002"), ("m003", "m006"))}
    with_ranges, without = long_subject(pruning=pruning), long_subject(pruning=PRUNING)
    found, plain = replay(with_ranges).turns, replay(without).turns
    messages = long_talk()[1:]
    ends = [at for at, one in enumerate(messages) if one.role == "assistant"]
    compressed = [turn.number for turn in found if any(event.kind == "compress" for event in turn.events)]
    wanted = [next(number for number, end in enumerate(ends, 1) if end > last) for last in (1, 5)]
    assert compressed == wanted
    assert found[-1].after_tokens < plain[-1].after_tokens
    assert found[0].after_tokens == plain[0].after_tokens


def test_the_extractive_policy_compresses_after_a_context_limit_nudge() -> None:
    found = replay(long_subject(pruning=PRUNING), policy="extractive")
    nudged = [
        turn.number for turn in found.turns if any((event.nudge or "").startswith("context") for event in turn.events)
    ]
    compressed = [turn.number for turn in found.turns if any(event.kind == "compress" for event in turn.events)]
    assert compressed
    assert all(number - 1 in nudged for number in compressed)
    assert found.turns[-1].after_tokens < replay(long_subject(pruning=PRUNING)).turns[-1].after_tokens
    assert found.policy == "extractive"


@pytest.mark.parametrize(
    ("pruning", "where"),
    [({"mode": "off"}, "pruning.mode"), ({**PRUNING, "ranges": ranges(("m001", "m002"))}, "pruning.ranges")],
)
def test_a_policy_that_does_not_go_with_the_configuration_is_refused(pruning: dict[str, Any], where: str) -> None:
    with pytest.raises(ConfigError) as error:
        replay(long_subject(pruning=pruning), policy="extractive")
    assert error.value.where == where


def spec_nudges(turns: list[tuple[int, int, bool]], window: int, config: dict[str, Any]) -> list[str | None]:
    """The nudges of requests (tokens, calls since the user, compressed before it), written from the specification."""
    found: list[str | None] = []
    since: int | None = None
    for tokens, calls, compressed in turns:
        since = 0 if compressed else None if since is None else since + 1
        usage = tokens / window
        nudge = None
        if since is None or since >= config["nudgeFrequency"]:
            if usage > config["maxContextPercent"] / 100:
                nudge = "contextLimitSoft"
            elif usage >= config["minContextPercent"] / 100 and config["mode"] == "auto":
                nudge = "iteration" if calls >= config["iterationNudgeThreshold"] else "turn"
        if nudge:
            since = 0
        found.append(nudge)
    return found


@pytest.mark.parametrize("mode", ["auto", "manual"])
def test_nudges_come_where_the_specification_has_them(mode: str) -> None:
    config = {**PRUNING, "mode": mode, "ranges": ranges(("m001", "m002"))}
    found = replay(long_subject(pruning=config)).turns
    messages = long_talk()[1:]
    observed = []
    for turn, end in zip(found, [at for at, one in enumerate(messages) if one.role == "assistant"], strict=True):
        asked = max(at for at in range(end) if messages[at].role == "user")
        calls = sum(part.__class__.__name__ == "ToolCallPart" for one in messages[asked:end] for part in one.parts)
        observed.append((turn.after_tokens, calls, any(event.kind == "compress" for event in turn.events)))
    nudges = [next((event.nudge for event in turn.events if event.kind == "nudge"), None) for turn in found]
    assert nudges == spec_nudges(observed, 2_500, config)
    assert len({nudge for nudge in nudges if nudge}) >= (3 if mode == "auto" else 1)


def test_the_extractive_policy_compresses_within_a_run_of_one_prompt() -> None:
    messages = [user("why " * 400)]
    for call in range(6):
        messages += [assistant(f"Step {call}: I decided to look.", f"c{call}"), result(f"c{call}", "line " * 100)]
    given = {"contextWindow": 1_500, "outputReserve": 100, "history": {"strategy": "newestFirst"}, "pruning": PRUNING}
    subject = subject_of(Inputs(conversation=talk(*messages)), given)
    found = replay(subject, policy="extractive").turns
    made = [event.sentence for turn in found for event in turn.events if event.kind == "compress"]
    assert made[0].startswith("Compressed: messages m002 to m005")  # the prompt and the newest call stay
    plain = replay(subject).turns
    at = next(at for at, turn in enumerate(found) if any(event.kind == "compress" for event in turn.events))
    assert found[at].after_tokens < plain[at].after_tokens


@pytest.mark.parametrize("calls", [0, 1])
def test_the_extractive_policy_makes_no_block_of_fewer_than_two_messages(calls: int) -> None:
    messages = [user("why " * 400), user("And so?")]
    for call in range(calls):
        messages += [assistant("", f"c{call}"), result(f"c{call}", "line " * 60)]
    given = {"contextWindow": 1_500, "outputReserve": 100, "history": {"strategy": "newestFirst"}, "pruning": PRUNING}
    subject = subject_of(Inputs(conversation=talk(*messages)), given)
    found = replay(subject, policy="extractive").turns
    assert (found[0].events[-1].nudge or "").startswith("context")
    assert not any(event.kind == "compress" for turn in found for event in turn.events)
    assert [turn.after_tokens for turn in found] == [turn.after_tokens for turn in replay(subject).turns]


@pytest.mark.parametrize(
    "settings_more",
    [
        {"history": {"summaryMaxChars": 100}},
        {"pruning": {**PRUNING, "maxSummaryPercent": 1}},
    ],
)
def test_the_extractive_policy_makes_no_block_without_room_for_its_summary(settings_more: dict[str, Any]) -> None:
    subject = long_subject(**{"pruning": PRUNING, **settings_more})
    found = replay(subject, policy="extractive").turns
    assert any((event.nudge or "").startswith("context") for turn in found for event in turn.events)
    assert [turn.to_json() for turn in found] == [turn.to_json() for turn in replay(subject).turns]


def test_a_policy_is_known_by_its_name_and_an_unknown_one_is_refused_with_all_of_them() -> None:
    assert policy_named("extractive") == "extractive"
    with pytest.raises(ConfigError, match="there is no policy 'thorough'") as error:
        policy_named("thorough")
    assert (error.value.where, error.value.mend) == ("policy", "Known: none, extractive.")


def test_a_message_of_which_the_opening_is_sent_counts_by_its_opening() -> None:
    """The oldest message is a long one: a topic anchor from the third exchange on."""
    messages = [user("We talk of ferries. " + "why " * 300)]
    for number in range(5):
        messages += [assistant(f"Answer {number}."), user(f"Question {number}?")]
    given_inputs = Inputs(conversation=talk(*messages, assistant()))
    data = {"history": {"strategy": "recentExchange", "maxHistoryMessages": 1}}
    turns = replay(subject_of(given_inputs, data)).turns
    last = packed_up_to(given_inputs, data, len(messages), None)
    assert last.chosen.history.shortened is not None
    assert last.chosen.history.shortened.rows.tolist() == [0]
    assert turns[-1].after_tokens == last.total.tokens
    assert turns[-1].after_tokens < turns[-1].before_tokens - 300


def test_word_of_progress_comes_with_each_request() -> None:
    heard: list[tuple[int, int]] = []
    found = replay(long_subject(), progress=lambda done, of: heard.append((done, of)))
    assert heard == [(number, len(found.turns)) for number in range(1, len(found.turns) + 1)]


def test_a_replay_as_plain_data_names_its_first_request_that_is_over_by_its_number() -> None:
    over, within = replay(long_subject(history={"strategy": "newestFirst"})), replay(long_subject(contextWindow=90_000))
    assert over.first_over is not None
    assert over.to_json() == {
        "window": 2_500,
        "limit": 2_400,
        "warning": 1_920,
        "policy": "none",
        "notInFile": None,
        "firstOver": over.first_over + 1,
        "turns": [turn.to_json() for turn in over.turns],
    }
    assert within.to_json()["firstOver"] is None


class Looked(Sequence[Message]):
    """Messages that count how often one is looked at."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.messages = messages
        self.times = 0

    def __len__(self) -> int:
        return len(self.messages)

    def __getitem__(self, index: Any) -> Any:
        found = self.messages[index]
        self.times += len(found) if isinstance(index, slice) else 1
        return found


def test_every_request_reads_few_messages_however_long_the_conversation_is() -> None:
    """Which tools were called is asked at each request: a stored conversation would be unpacked again and again."""
    turns = [
        one
        for at in range(60)
        for one in (user(f"Look at door {at}."), assistant("", f"c{at}"), result(f"c{at}", "stone"), assistant("Done."))
    ]
    given = Inputs(
        conversation=talk(*turns),
        tools=tuple(tool_from_raw({"name": name, "input_schema": {}}) for name in ("look", "wait")),
    )
    subject = subject_of(given, {"history": {"strategy": "newestFirst", "maxTokens": 400}})
    looked = Looked(subject.bundle.history)
    replayed = replay(replace(subject, bundle=replace(subject.bundle, history=looked)))
    assert len(replayed.turns) == 120
    assert looked.times <= 6 * len(turns)


@slowly
@given(given_inputs=inputs(), data=configurations())
def test_the_packing_of_one_request_is_what_the_replay_says_of_it(given_inputs: Inputs, data: dict[str, Any]) -> None:
    subject = subject_of(given_inputs, data)
    turns = replay(subject).turns
    for turn in turns:
        packing = pack_request_of(subject, turn.number)
        assert packing.total.tokens == turn.after_tokens
    for number in (0, len(turns) + 1):
        with pytest.raises(IndexError):
            pack_request_of(subject, number)
