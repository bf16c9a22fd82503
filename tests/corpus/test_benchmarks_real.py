"""The oracle of the benchmarks and the engine agree on every real conversation."""

from __future__ import annotations

from benchmarks.packers import oracle, real
from benchmarks.packers.contenders import ours
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.packing.pack import pack


def test_every_real_conversation_is_packed_as_the_oracle_would(corpus):
    found = [messages for messages in real.conversations(corpus) if len(messages) > 1]
    assert len(found) > 20
    for messages in found:
        costs = oracle.costs_of(messages)
        bundle = build_bundle(Inputs(conversation=ours.conversation_of(messages)), counter=ours.counter())
        # From the last thing a user said on, the task is within the newest run: there both rules keep the same.
        users = [at for at, said in enumerate(messages) if said.role == "user"]
        newest = users[-1] if users else max(at for at, said in enumerate(messages) if said.role != "tool")
        least = costs.of([*range(costs.system), *range(newest, len(messages))])
        whole = costs.of(range(len(messages)))
        for budget in (least, (least + whole) // 2, max(least, whole - 1), whole):
            packing = pack(bundle, ours.budgeted(budget), counter=ours.counter())
            assert ours.packing_faults(packing, packing.total.tokens, costs=costs, budget_tokens=budget) == []
