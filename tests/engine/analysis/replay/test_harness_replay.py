"""What agents do near the window: when they compact, what stays, and sums that add up."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from budgeteer.engine.analysis.replay.agent_harnesses import HARNESSES, AgentHarness, LiveMessages, cline_limit
from budgeteer.engine.analysis.replay.harness_replay import HarnessReplay, replay_harnesses
from budgeteer.engine.analysis.replay.replay import replay
from budgeteer.engine.analysis.replay.request_fitting import RequestFitter
from budgeteer.engine.analysis.replay.requests import reply_rows
from budgeteer.engine.analysis.sweep.probe import Subject
from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.conversation import ROLES, Message, RecordedRequest
from budgeteer.engine.inputs.bundle import Inputs
from tests.engine.analysis.replay.test_replay import subject_of, talk
from tests.engine.packs import assistant, result, user


def session(window: int) -> Subject:
    """Forty questions with a call each, some 80,000 tokens, for a model with this window."""
    said: list[Message] = []
    for at in range(40):
        said += [user(f"Question {at}: " + "why " * 300), assistant("", f"c{at}")]
        said += [result(f"c{at}", f"{at} " * 850), assistant("Because.")]
    config = {"model": "claude-sonnet-4-5", "contextWindow": window, "outputReserve": 4_000}
    return subject_of(Inputs(conversation=talk(*said)), config)


SMALL, LARGE = session(60_000), session(200_000)


def live(*messages: tuple[str, int], calls: tuple[int, ...] = (), window: int = 200_000) -> LiveMessages:
    """Messages of a role and a size each; `calls` are the places of those that call a tool."""
    count = len(messages)
    tokens = np.array([size for _, size in messages], np.int64)
    role = np.array([ROLES.index(role) for role, _ in messages], np.int64)  # type: ignore[arg-type]
    makes = np.array([int(at in calls) for at in range(count)], np.int64)
    group = np.cumsum(role != ROLES.index("tool")) - 1
    typed, total = role == ROLES.index("user"), int(tokens.sum())
    surroundings = np.cumsum(typed) == 0
    ones = np.ones_like(role)
    return LiveMessages(tokens, tokens * 4, role, typed, surroundings, makes, group, ones, total, window, window)


def kept(harness: str, messages: LiveMessages) -> list[int]:
    return np.flatnonzero(HARNESSES[harness].keep(messages).messages).tolist()  # type: ignore[index]


TALK = live(("user", 100), ("assistant", 50), ("tool", 900), ("assistant", 50), ("user", 30), calls=(1,))


def test_what_each_agent_keeps_of_a_talk() -> None:
    assert kept("claudeCode", TALK) == [4]
    assert kept("codex", TALK) == [0, 4]
    assert kept("geminiCli", TALK) == [4]
    assert kept("opencode", TALK) == [0, 1, 2, 3, 4]
    assert kept("rooCode", TALK) == []
    assert kept("copilot", TALK) == [4]


def test_codex_keeps_a_part_of_the_prompt_that_passes_its_limit() -> None:
    found = HARNESSES["codex"].keep(live(("user", 15_000), ("assistant", 10), ("user", 8_000), ("assistant", 10)))
    assert np.flatnonzero(found.messages).tolist() == [2]
    assert found.partial_tokens == 12_000


def test_gemini_cuts_at_a_user_s_message_and_everything_after_a_last_word() -> None:
    late = live(("user", 700), ("assistant", 10), ("user", 200), ("assistant", 90))
    assert kept("geminiCli", late) == [2, 3]
    assert kept("geminiCli", live(("user", 100), ("assistant", 900))) == []
    # In the middle of a call only what stands before the last prompt goes.
    calling = live(("user", 10), ("assistant", 10), ("user", 10), ("assistant", 10), ("tool", 900), calls=(3,))
    assert kept("geminiCli", calling) == [2, 3, 4]


def test_cline_keeps_the_first_exchange_and_the_newer_half() -> None:
    talk = live(*(("user", 10), ("assistant", 10)) * 5)
    assert kept("cline", talk) == [0, 1, 6, 7, 8, 9]
    huge = live(*(("user", 100_000), ("assistant", 10)) * 5)
    assert kept("cline", huge) == [0, 1, 8, 9]
    assert [cline_limit(window) for window in (64_000, 128_000, 200_000, 400_000)] == [37_000, 98_000, 160_000, 360_000]


def test_copilot_keeps_the_last_call_with_its_results_in_the_middle_of_a_run() -> None:
    run = live(("user", 9), ("assistant", 9), ("tool", 9), ("assistant", 9), ("tool", 9), calls=(1, 3))
    assert kept("copilot", run) == [3, 4]


def test_openhands_keeps_the_first_events_and_the_newest_in_whole_groups() -> None:
    run = live(("user", 9), *(("assistant", 9), ("tool", 9)) * 45, calls=tuple(range(1, 91, 2)))
    # The system text is one event of the first four, so the prompt and the first call stay; 35 of the newest hold 17.
    assert kept("openHands", run) == [0, 1, 2, *range(57, 91)]
    few = live(*(("user", 10_000), ("assistant", 5_000)) * 4, window=50_000)
    # By size: three events, 25,000 tokens, are the half already; everything else goes.
    assert kept("openHands", few) == [0, 1, 2]
    assert kept("openHands", live(("user", 60_000), ("assistant", 10), ("user", 10), window=50_000)) == []
    assert kept("openHands", TALK) == [0, 1, 2, 3, 4]


def test_openhands_compacts_by_the_number_of_events_and_again_as_they_grow() -> None:
    found = next(one for one in replay_harnesses(LARGE) if one.name == "openHands")
    assert found.to_json()["triggerEvents"] == 80
    assert len(found.compactions) >= 2
    # 20 turns of four messages and the system text are 81 events, before the first reply of the next turn.
    assert found.compactions[0].request == 41


def test_nothing_happens_below_the_triggers() -> None:
    asked = tuple(turn.before_tokens for turn in replay(LARGE).turns)
    for found in replay_harnesses(LARGE):
        if HARNESSES[found.name].most_events is not None:  # type: ignore[index]
            continue
        assert found.compactions == ()
        assert found.sent == asked


@pytest.mark.parametrize("harness", HARNESSES.values(), ids=list(HARNESSES))
def test_requests_grow_by_what_is_said_and_fall_where_an_agent_compacts(harness: AgentHarness) -> None:
    asked = [turn.before_tokens for turn in replay(SMALL).turns]
    found = next(one for one in replay_harnesses(SMALL) if one.name == harness.name)
    compacted = {one.request: one for one in found.compactions}
    assert len(found.sent) == len(asked)
    assert found.sent[0] == asked[0]
    for at in range(1, len(asked)):
        grown = found.sent[at - 1] + asked[at] - asked[at - 1]
        here = compacted.get(at + 1)
        if here is None:
            assert found.sent[at] == grown
        else:
            assert (here.before_tokens, here.after_tokens) == (grown, found.sent[at])
            assert here.messages >= here.prompts + here.results
    assert found.sent_tokens == sum(found.sent)
    assert found.uncached_cost == pytest.approx(found.sent_tokens * 3 / 1_000_000)
    assert HarnessReplay.from_json(json.loads(json.dumps(found.to_json(with_requests=True)))) == found


def test_every_agent_compacts_in_a_small_window_and_stays_within_it() -> None:
    for found in replay_harnesses(SMALL):
        assert found.compactions, found.name
        assert found.over_window == 0
        assert found.peak_tokens <= 60_000


def test_codex_puts_its_surroundings_in_anew() -> None:
    run = live(("developer", 500), ("user", 15_000), ("assistant", 10), ("user", 8_000), ("assistant", 10))
    found = HARNESSES["codex"].keep(run)
    assert np.flatnonzero(found.messages).tolist() == [0, 3]


def recorded_session(unshown: int, reasoning: int = 0, **metadata: Any) -> tuple[Subject, list[RecordedRequest]]:
    """Twenty prompts with a call each whose recorded inputs grow by so much more than the file shows."""
    said: list[Message] = []
    for at in range(20):
        said += [user(f"Question {at}: " + "why " * 300), assistant("", f"c{at}")]
        said += [result(f"c{at}", f"{at} " * 850), assistant("Because.")]
    plain = subject_of(Inputs(conversation=talk(*said)), {"model": "gpt-5"})
    fitter = RequestFitter(plain)
    rows = reply_rows(plain.bundle).tolist()
    requests = [
        RecordedRequest(row, fitter.before_tokens(row) + unshown * (at + 1), reasoning_tokens=reasoning, model="gpt-5")
        for at, row in enumerate(rows)
    ]
    given = replace(talk(*said), recorded=tuple(requests), metadata=metadata)
    return subject_of(Inputs(conversation=given), {"model": "gpt-5"}), requests


def compactions(subject: Subject, name: str) -> list[int]:
    return [one.request for one in next(one for one in replay_harnesses(subject) if one.name == name).compactions]


def test_recorded_inputs_count_as_they_were_up_to_the_first_compaction() -> None:
    for unshown in (0, 400):
        subject, requests = recorded_session(unshown, agentWindow=40_000)
        first = compactions(subject, "claudeCode")[0]
        assert first == next(at for at, one in enumerate(requests, 1) if one.input_tokens >= 40_000 - 33_000)


def test_codex_adds_the_reasoning_of_earlier_turns_and_an_estimate_of_what_is_new() -> None:
    without, _ = recorded_session(0, agentWindow=40_000)
    thinking, _ = recorded_session(0, reasoning=500, agentWindow=40_000)
    late, early = compactions(without, "codex")[0], compactions(thinking, "codex")[0]
    assert early < late
    # A call's results are new before its reply: a token for four characters of them counts.
    cut = next(one for one in replay_harnesses(without) if one.name == "codex")
    assert cut.trigger_tokens == 36_000


def test_the_window_that_a_session_recorded_holds_where_none_is_asked_for() -> None:
    subject, _ = recorded_session(0, agentWindow=40_000)
    asked = replace(subject, config=load_config({"model": "gpt-5", "contextWindow": 100_000}))
    row = {one.name: one.trigger_tokens for one in replay_harnesses(subject)}
    other = {one.name: one.trigger_tokens for one in replay_harnesses(asked)}
    assert (row["codex"], other["codex"]) == (36_000, 90_000)
    # Without either Codex knows what the model takes as input: 272,000 tokens of GPT-5's 400,000.
    plain, _ = recorded_session(0)
    assert {one.name: one.trigger_tokens for one in replay_harnesses(plain)}["codex"] == 244_800
