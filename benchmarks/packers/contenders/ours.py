"""Budgeteer over the same conversations and skills.

Warm: everything was counted before, as it is in a preview. Cold: nothing was, and every message is counted in the call.
Only what stays: nothing was counted either, and messages are counted from the newest until the budget is full.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from benchmarks.inputs.workloads import Entry, Said
from benchmarks.packers import oracle
from benchmarks.packers.oracle import Costs
from benchmarks.packers.race import Contender, Work
from benchmarks.packers.tokenizer import ENCODING
from budgeteer.engine.analysis.newest_kept import NewestKept, newest_kept
from budgeteer.engine.config.schema import BudgetConfig, load_config
from budgeteer.engine.content.conversation import Conversation, Message, Part, TextPart, ToolCallPart, ToolResultPart
from budgeteer.engine.content.library import Skill
from budgeteer.engine.counting.tokenizers import TokenCounter, counter_for
from budgeteer.engine.inputs.bundle import Bundle, Inputs, build_bundle
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.registry import DEFAULT_PROVIDER

ANSWER = "Budgeteer, only what stays"
WARM = "Budgeteer, warm"
COLD = "Budgeteer, cold with totals"

#: Budgets that take turns, so that no call can take the answer of the one before.
BUDGETS_IN_TURN = 64

#: The largest window of the model table's that no budget of a benchmark is over.
MODEL = "gpt-4.1"
#: The folder that stands before each skill's path.
INSTALL_ROOT = "/home/you/.config/agent/skills"
#: No limit of skills but the one that is measured.
NO_LIMITS = {"maxSkillsInPrompt": 1_000_000_000, "maxSkillsPromptChars": 1_000_000_000}


def counter() -> TokenCounter:
    """What counts."""
    return counter_for(ENCODING)


def conversation_of(messages: Sequence[Said]) -> Conversation:
    """The conversation as an importer would have read it."""
    return Conversation(id="benchmark", title="benchmark", messages=tuple(map(_message, messages)))


def _message(said: Said) -> Message:
    if said.answers:
        return Message("tool", (ToolResultPart(said.answers, (TextPart(said.text),)),))
    parts: list[Part] = [TextPart(said.text)] if said.text else []
    parts += [ToolCallPart(call.id, call.name, call.arguments) for call in said.calls]
    return Message(said.role, tuple(parts))  # type: ignore[arg-type]  # a role of the workload is one of ours


def skills_of(entries: Sequence[Entry]) -> tuple[Skill, ...]:
    """The library as an importer would have read it."""
    return tuple(Skill(one.name, one.description, one.path) for one in entries)


def budgeted(budget_tokens: int, more: Mapping[str, Any] | None = None) -> BudgetConfig:
    """`newestFirst` within exactly so many tokens, no marker before the system text."""
    return load_config(
        {
            "model": MODEL,
            "tokenizer": ENCODING,
            "contextWindow": budget_tokens,
            "outputReserve": 0,
            "safetyMarginPercent": 0,
            "system": {"marker": ""},
            "history": {"strategy": "newestFirst", "maxTokens": budget_tokens},
            **(more or {}),
        }
    )


@cache
def _in_turn(budget_tokens: int) -> tuple[BudgetConfig, ...]:
    return tuple(budgeted(budget_tokens - turn) for turn in range(BUDGETS_IN_TURN))


def packers(costs: Costs, budget_tokens: int) -> list[Contender]:
    """Packing one conversation: only what stays, warm, and cold."""
    size, conversation, configs = len(costs.messages), conversation_of(costs.messages), _in_turn(budget_tokens)

    def bundle() -> Bundle:
        """The conversation counted for the one request form that it is packed for."""
        return build_bundle(Inputs(conversation=conversation), counter=counter(), providers=(DEFAULT_PROVIDER,))

    def answer(packing: Packing) -> tuple[Packing, int]:
        return packing, packing.total.tokens

    def only() -> Work:
        counter().count("loads the vocabulary")
        return lambda turn: newest_kept(conversation, configs[turn % BUDGETS_IN_TURN], counter=counter())

    def warm() -> Work:
        ready = bundle()
        return lambda turn: answer(pack(ready, configs[turn % BUDGETS_IN_TURN], counter=counter()))

    def cold() -> Work:
        counter().count("loads the vocabulary")
        return lambda turn: answer(pack(bundle(), configs[turn % BUDGETS_IN_TURN], counter=counter()))

    def faults(answered: tuple[Packing, int]) -> list[str]:
        return packing_faults(*answered, costs=costs, budget_tokens=budget_tokens)

    def faults_of_answer(kept: NewestKept) -> list[str]:
        last = len(costs.messages) - 1
        query = [last] if costs.messages[last].role == "user" else []
        return oracle.faults(costs, budget_tokens, [*range(costs.system), *kept.rows, *query])

    return [
        Contender(ANSWER, size, only, faults_of_answer, ours=True),
        Contender(WARM, size, warm, faults, ours=True),
        Contender(COLD, size, cold, faults, ours=True),
    ]


def kept_messages(packing: Packing, system: int) -> list[int]:
    """The places of what is sent, in the whole conversation: `system` leading texts, history, and the query."""
    rows = packing.chosen.history.kept
    query = [system + len(rows)] if packing.bundle.query is not None else []
    return [*range(system), *(np.flatnonzero(rows) + system).tolist(), *query]


def packing_faults(packing: Packing, total_tokens: int, *, costs: Costs, budget_tokens: int) -> list[str]:
    """What the oracle says of a packing, and of its total."""
    kept = kept_messages(packing, costs.system)
    found = oracle.faults(costs, budget_tokens, kept)
    if not found and total_tokens != costs.of(kept):
        found.append(f"says {total_tokens:,} tokens in place of {costs.of(kept):,}")
    return found
