"""Sweeps, replays and comparisons of the largest real sessions and libraries, against packing anew."""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from budgeteer.engine.analysis.compare.compare import compare
from budgeteer.engine.analysis.replay.replay import replay
from budgeteer.engine.analysis.sweep.axes import full_path
from budgeteer.engine.analysis.sweep.probe import Subject
from budgeteer.engine.analysis.sweep.sweep import sweep, sweep_at
from budgeteer.engine.config.overlay import set_path
from budgeteer.engine.config.schema import BudgetConfig, dump_config, load_config
from budgeteer.engine.content.conversation import Conversation, Message, calls_of
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import Bundle, Inputs, build_bundle
from budgeteer.engine.packing.pack import pack
from tests.corpus.test_packing_real import CORPUS, STRATEGIES, conversations_of, library, measured
from tests.engine.analysis.replay.test_replay import spec_nudges
from tests.engine.analysis.sweep.test_sweep import check_same
from tests.examples import examples

pytestmark = pytest.mark.corpus
COUNTER = counter_for("o200k_base")
#: The largest sessions that are read, and the one library beside them.
SESSIONS = (
    "claude-code/cc-1813-lines-bash-progress-compact.jsonl",
    "claude-code/cc-747-lines-image-queue.jsonl",
    "claude-code/cc-251-lines-agent-progress.jsonl",
)
LIBRARY = "awesome-copilot-skills"
BUDGETS = examples(500)


def session(name: str) -> tuple[Path, int]:
    """The file, and its longest conversation."""
    path = CORPUS / "conversations" / name
    talks = conversations_of(path)
    return path, max(range(len(talks)), key=lambda at: len(talks[at].messages))


@functools.cache
def talk_of(name: str) -> Conversation:
    path, number = session(name)
    return conversations_of(path)[number]


@functools.cache
def bundle_of(name: str, *, with_skills: bool = True) -> Bundle:
    path, number = session(name)
    found, measures = library(LIBRARY) if with_skills else ((), None)
    talk, sizes = conversations_of(path)[number], measured(path, number)
    inputs = Inputs(conversation=talk, conversation_measures=sizes, skills=found, skill_measures=measures)
    return build_bundle(inputs, counter=COUNTER)


def subject_of(name: str, data: dict[str, Any], *, with_skills: bool = True) -> Subject:
    return Subject(bundle_of(name, with_skills=with_skills), load_config(data), COUNTER, provider="openai-chat")


def config_at(subject: Subject, path: str, value: int) -> BudgetConfig:
    data = dump_config(subject.config)
    if path == "inputBudget":
        return load_config(set_path(set_path(data, "outputReserve", 4_096), "contextWindow", value + 4_096))
    return load_config(set_path(data, path, value))


@pytest.mark.parametrize("limit", ["inputBudget", "history.maxTokens", "history.maxChars", "maxSkillsPromptChars"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_sweep_is_what_packing_anew_at_many_values_is(strategy: str, limit: str) -> None:
    data = {"model": "gpt-4o", "contextWindow": 60_000, "skillsBudget": {"enabled": True}}
    subject = subject_of(SESSIONS[0], {**data, "outputReserve": 4_096, "history": {"strategy": strategy}})
    most = 123_904 if limit == "inputBudget" else 200_000
    path = full_path(limit)
    swept = sweep(subject, limit, between=(None, most))
    items = swept.items()
    values = [1 + most * step // BUDGETS for step in range(BUDGETS)]
    answers = sweep_at(subject, limit, values)
    for value, answer in zip(values, answers, strict=True):
        assert swept.steps[swept.step_at(value)].answer == answer
        check_same(answer, items, subject.packed(config_at(subject, path, value)))
    for before, after in zip(swept.steps, swept.steps[1:], strict=False):
        assert before.answer != after.answer


@pytest.mark.parametrize("name", SESSIONS)
def test_the_steps_of_a_real_session_begin_exactly_where_the_answer_changes(name: str) -> None:
    data = {"model": "gpt-4o", "outputReserve": 4_096, "history": {"strategy": "newestFirst"}}
    subject = subject_of(name, data, with_skills=False)
    swept = sweep(subject, "history.maxTokens")
    items = swept.items()
    for at, step in list(enumerate(swept.steps))[1 :: max(len(swept.steps) // 20, 1)]:
        check_same(step.answer, items, subject.packed(config_at(subject, swept.path, int(step.at))))
        before = subject.packed(config_at(subject, swept.path, int(step.at) - 1))
        check_same(swept.steps[at - 1].answer, items, before)


def requests_in(messages: list[Message]) -> list[int]:
    """Where a reply begins, by looking at each message and the one before it."""
    begins = [at for at, one in enumerate(messages) if one.role == "assistant" and at]
    return [at for at in begins if messages[at - 1].role != "assistant"]


def calls_since_typed(messages: list[Message], end: int) -> int:
    """The calls after the last message that somebody typed; all of them where nobody did."""
    typed = [at for at in range(end) if messages[at].role == "user" and messages[at].typed]
    return sum(len(calls_of(one)) for one in messages[typed[-1] if typed else 0 : end])


@pytest.mark.parametrize("mode", ["auto", "manual"])
@pytest.mark.parametrize("name", SESSIONS)
def test_a_replay_nudges_where_a_simulation_from_the_specification_does(name: str, mode: str) -> None:
    pruning = {"mode": mode, "minContextPercent": 40, "maxContextPercent": 70, "nudgeFrequency": 5}
    data = {"model": "gpt-4o", "outputReserve": 500, "history": {"strategy": "newestFirst"}}
    window = subject_of(name, data, with_skills=False).packed().demand.tokens * 3 // 4  # so that it overflows
    window = min(window, 128_000)
    subject = subject_of(name, {**data, "contextWindow": window, "pruning": pruning}, with_skills=False)
    turns = replay(subject).turns
    messages = list(subject.bundle.history)
    ends = requests_in(messages)
    assert len(turns) >= len(ends) > 10
    observed = [
        (turn.after_tokens, calls_since_typed(messages, end), False) for turn, end in zip(turns, ends, strict=False)
    ]
    nudges = [next((one.nudge for one in turn.events if one.kind == "nudge"), None) for turn in turns[: len(ends)]]
    assert nudges == spec_nudges(observed, window, {**pruning, "iterationNudgeThreshold": 15})
    assert any(nudges)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", SESSIONS)
def test_a_replayed_request_is_what_packing_the_session_up_to_there_is(name: str, strategy: str) -> None:
    data = {"model": "gpt-4o", "contextWindow": 60_000, "outputReserve": 4_096, "history": {"strategy": strategy}}
    subject = subject_of(name, data, with_skills=False)
    talk = talk_of(name)
    turns = replay(subject).turns
    start = len(talk.messages) - len(subject.bundle.history) - (subject.bundle.query is not None)
    ends = requests_in(list(subject.bundle.history))
    for turn, end in list(zip(turns, ends, strict=False))[:: max(len(ends) // 12, 1)]:
        cut = replace(talk, messages=tuple(talk.messages)[: start + end])
        bundle = build_bundle(Inputs(conversation=cut), counter=COUNTER)
        packing = pack(bundle, subject.config, counter=COUNTER, provider="openai-chat")
        assert turn.after_tokens == packing.total.tokens
        assert turn.before_tokens == packing.demand.tokens
        assert (turn.level == "cannotFit") == (not packing.fits)


def test_what_moved_a_real_item_is_found_by_packing_with_it_alone() -> None:
    a = load_config({"model": "gpt-4o", "contextWindow": 60_000, "history": {"strategy": "newestFirst"}})
    changes = {
        "skillsBudget.enabled": True,
        "skillsBudget.limits.maxSkillsPromptChars": 9_000,
        "skillsBudget.optimization.minifyDescriptions": True,
        "history.maxTokens": 9_000,
    }
    data = dump_config(a)
    for path, value in changes.items():
        data = set_path(data, path, value)
    found = compare(lambda _: bundle_of(SESSIONS[0]), a, load_config(data))
    assert {one.path for one in found.differences} == set(changes)
    sides = {}
    for path, value in changes.items():
        packing = pack(bundle_of(SESSIONS[0]), load_config(set_path(dump_config(a), path, value)), counter=COUNTER)
        sides[path] = {one.id: one.fate for one in packing.ledger}
    assert len(found.moved) > 100
    for moved in found.moved:
        assert moved.b is not None
        if moved.cause.is_alone:
            assert sides[moved.cause.paths[0]][moved.id] == moved.b.fate
        else:
            assert all(fates[moved.id] != moved.b.fate for fates in sides.values())
    assert {moved.cause.is_alone for moved in found.moved} == {True, False}
