"""The benchmarks' oracle: right by brute force, and in agreement with the engine on whatever is generated."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.inputs import workloads
from benchmarks.inputs.workloads import Call, Said
from benchmarks.packers import oracle
from benchmarks.packers.contenders import ours
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.packing.pack import pack
from tests.examples import examples

WORDS = st.text(alphabet="ab \n/.1é日'", max_size=30).map(lambda text: f"x{text}")


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Said, ...]:
    messages = [Said("system", draw(WORDS))] if draw(st.booleans()) else []
    for turn in range(draw(st.integers(0, 6))):
        if draw(st.booleans()):
            messages.append(Said("user", draw(WORDS)))
        calls = tuple(Call(f"c{turn}_{at}", "run", '{"n": 1}') for at in range(draw(st.integers(0, 3))))
        messages.append(Said("assistant", draw(WORDS), calls))
        messages += [Said("tool", draw(WORDS), answers=call.id) for call in calls]
    return (*messages, Said("user", draw(WORDS)))


@st.composite
def with_budgets(draw: st.DrawFn) -> tuple[oracle.Costs, int]:
    costs = oracle.costs_of(draw(conversations()))
    everything = range(len(costs.messages))
    least = costs.of([*range(costs.system), len(costs.messages) - 1])
    return costs, draw(st.integers(least, costs.of(everything) + 5))


@given(with_budgets())
def test_it_finds_what_trying_every_start_finds(case):
    costs, budget = case
    size = len(costs.messages)
    legal = [at for at in range(costs.system, size) if costs.messages[at].role != "tool"]
    tried = [[*range(costs.system), *range(at, size)] for at in legal]
    best = max((kept for kept in tried if costs.of(kept) <= budget), key=len)
    assert oracle.newest_that_fit(costs, budget) == best
    assert oracle.faults(costs, budget, best) == []


@settings(max_examples=examples(300))
@given(with_budgets())
def test_the_engine_keeps_what_the_oracle_keeps_and_says_what_it_counts(case):
    costs, budget = case
    bundle = build_bundle(Inputs(conversation=ours.conversation_of(costs.messages)), counter=ours.counter())
    packing = pack(bundle, ours.budgeted(budget), counter=ours.counter())
    assert ours.packing_faults(packing, packing.total.tokens, costs=costs, budget_tokens=budget) == []


def test_every_fault_is_named():
    calls = (Call("a", "run", "{}"), Call("b", "run", "{}"))
    results = [Said("tool", "done", answers=call.id) for call in calls]
    costs = oracle.costs_of(
        (Said("system", "S"), Said("user", "U"), Said("assistant", "", calls), *results, Said("user", "V"))
    )
    everything = [0, 1, 2, 3, 4, 5]
    whole = costs.of(everything)
    assert oracle.faults(costs, whole, everything) == []
    assert oracle.faults(costs, whole - 2, everything) == ["over by 2 tokens"]
    assert oracle.faults(costs, whole, [0, 2, 1, 3, 4, 5]) == ["changes the order"]
    assert oracle.faults(costs, whole, [1, 2, 3, 4, 5]) == ["drops the system text"]
    assert oracle.faults(costs, whole, [0, 1, 2, 3, 4]) == ["drops the newest message"]
    assert oracle.faults(costs, whole, [0, 3, 4, 5]) == ["breaks 2 pairs"]
    assert oracle.faults(costs, whole, [0, 1, 2, 3, 5]) == ["breaks 1 pair"]
    assert oracle.faults(costs, whole, [0, 2, 3, 4, 5]) == ["keeps 1 fewer than fit"]
    tight = costs.of([0, 5])
    assert oracle.faults(costs, tight, [0, 5]) == []


def test_a_block_of_skills_is_over_right_or_short():
    skills = workloads.skills(12)
    block = oracle.skills_block(skills[:5], ours.INSTALL_ROOT)
    limit = oracle.tokenizer.count(block)
    assert oracle.skills_faults(skills, ours.INSTALL_ROOT, limit, 5) == []
    assert oracle.skills_faults(skills, ours.INSTALL_ROOT, limit, 4) == ["keeps fewer skills than fit"]
    assert oracle.skills_faults(skills, ours.INSTALL_ROOT, limit - 3, 5) == ["over by 3 tokens"]


def test_rooms_hold_a_share_of_skills_and_messages_in_what_is_left():
    costs = oracle.costs_of(workloads.conversation(40))
    skills = workloads.skills(8)
    budgets, limits = (1_500, 3_000, 9_000), (150, 300, 900)
    rooms = oracle.rooms_of(costs, skills, ours.INSTALL_ROOT, budgets, limits)
    for budget, limit, room in zip(budgets, limits, rooms, strict=True):
        assert oracle.skills_faults(skills, ours.INSTALL_ROOT, limit, room.skills) == []
        history = sum(costs.tokens[at] for at in room.messages[1:])
        assert room.total_tokens == room.system_tokens + history + oracle.REPLY_TOKENS <= budget
