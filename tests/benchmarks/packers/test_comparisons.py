"""Every comparison at a tiny size, without the libraries that only .venv-bench holds."""

from __future__ import annotations

import pytest

from benchmarks.inputs import workloads
from benchmarks.packers import comparisons, memory
from benchmarks.packers.contenders import ours, peers, starting
from benchmarks.packers.race import Contender, Pace, race

PACE = Pace(rounds=1, limit_seconds=60.0, share_seconds=1.0)
TINY = {
    comparisons.CONVERSATION: 30,
    comparisons.GROWTH: 30,
    comparisons.SWEEP_SHARE: 30,
    comparisons.SWEEP_LIMIT: 30,
    comparisons.SKILLS: 20,
    comparisons.APPEND: 30,
}


def alone(contenders: list[Contender]) -> list[Contender]:
    return [one for one in contenders if not one.is_peer]


@pytest.mark.slow
@pytest.mark.parametrize("group", TINY)
def test_every_contender_of_ours_is_right_and_timed(group):
    contenders = alone(comparisons.contenders_of(group, TINY[group]))
    laps = race(contenders, PACE)
    assert [lap.name for lap in laps if lap.median is None] == []
    assert any(one.ours for one in contenders)
    assert [lap.faults for lap in laps] == [[]] * len(laps)


def test_the_help_is_started_and_loads_nothing_heavy():
    laps = race(starting.starters(starting.own_environment()), PACE)
    assert [lap.name for lap in laps] == [starting.HELP, starting.BARE]


@pytest.mark.parametrize("plan", [comparisons.QUICK, comparisons.FULL], ids=lambda plan: plan.name)
def test_a_plan_names_groups_and_contenders_that_there_are(plan):
    small = {group: comparisons.contenders_of(group, size) for group, size in TINY.items()}
    assert set(small) | {comparisons.HELP} == set(plan.sizes)
    for group, size, name in plan.memory:
        assert size in plan.sizes[group]
        assert name in [one.name for one in small[group]]


def test_a_wrong_packing_does_not_pass_the_gate():
    costs = comparisons.costs_at(30)
    budget = costs.of(range(30)) // 2
    (packer,) = [one for one in ours.packers(costs, budget) if one.name == ours.WARM]
    answer = packer.prepare()(0)
    assert packer.faults(answer) == []
    assert packer.faults((answer[0], answer[1] + 1)) != []
    (looser,) = [one for one in ours.packers(costs, budget // 2) if one.name == ours.WARM]
    assert "over by" in looser.faults(answer)[0]


def test_a_tokenizer_that_counts_otherwise_is_found_out():
    (reference, _) = peers.tokenizers(comparisons.costs_at(30))
    right = reference.prepare()(0)
    assert reference.faults(right) == []
    assert reference.faults(right + 1) == [f"counts {right + 1:,} in place of {right:,}"]


def test_memory_is_measured_in_a_process_of_its_own():
    added = memory.added_megabytes(comparisons.SKILLS, 20, comparisons.library.COUNTED, limit_seconds=60.0)
    assert added is not None
    assert 0 <= added < 500


def test_the_conversation_is_the_same_every_time_and_whole():
    messages = workloads.conversation(500)
    workloads.conversation.cache_clear()
    assert workloads.conversation(500) == messages
    assert len(messages) == 500
    assert (messages[0].role, messages[-1].role) == ("system", "user")
    calls = [call.id for said in messages for call in said.calls]
    assert calls == [said.answers for said in messages if said.role == "tool"]
    assert 0.42 < len(calls) / 500 < 0.52
