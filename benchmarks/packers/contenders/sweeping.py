"""One conversation and one library under many budgets at once, the skills within a share of each or within a limit."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.inputs.workloads import Entry
from benchmarks.packers import oracle
from benchmarks.packers.contenders import ours, peers
from benchmarks.packers.oracle import Costs, Room
from benchmarks.packers.race import Contender, Work
from budgeteer.engine.analysis.sweep.packing_answer import PackingAnswer
from budgeteer.engine.analysis.sweep.probe import Subject
from budgeteer.engine.analysis.sweep.sweep import sweep_at
from budgeteer.engine.config.schema import BudgetConfig
from budgeteer.engine.content.conversation import Conversation
from budgeteer.engine.content.library import Skill
from budgeteer.engine.inputs.bundle import Bundle, Inputs, build_bundle
from budgeteer.engine.packing.ledger import FATES
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing

WARM = "Budgeteer, every budget, warm"
COLD = "Budgeteer, every budget, cold"
ONE = "Budgeteer, one budget, warm"
LANGCHAIN = f"{peers.LANGCHAIN}, one trim a budget"

#: A tenth of each budget for the skills, or one limit for all of them, in tokens.
SHARE = "10%"
LIMIT = 2_000


@dataclass(frozen=True)
class Sweeping:
    """The workload: budgets in tokens, ascending, and what limits the skills: SHARE or LIMIT."""

    costs: Costs
    skills: tuple[Entry, ...]
    budgets: tuple[int, ...]
    skills_limit: str | int

    @functools.cached_property
    def rooms(self) -> list[Room]:
        """The right answers."""
        limits = [self._limit(budget) for budget in self.budgets]
        return oracle.rooms_of(self.costs, self.skills, ours.INSTALL_ROOT, self.budgets, limits)

    def _limit(self, budget_tokens: int) -> int:
        """The tokens that the skills may take of a budget."""
        limit = self.skills_limit
        return limit if isinstance(limit, int) else budget_tokens * int(limit.rstrip("%")) // 100

    @functools.cached_property
    def config(self) -> BudgetConfig:
        """The limit of the skills and the budget, no other limit."""
        return self._config(self.budgets[-1])

    def _config(self, budget_tokens: int) -> BudgetConfig:
        limits = {**ours.NO_LIMITS, "maxSkillsPromptTokens": self.skills_limit}
        more = {"skillsBudget": {"enabled": True, "limits": limits, "installRoot": ours.INSTALL_ROOT}}
        return ours.budgeted(budget_tokens, more)

    def contenders(self) -> list[Contender]:
        """Ours, warm and cold, one packing of the same, and a trim for each budget."""
        size, conversation, skills = len(self.costs.messages), self._conversation, self._skills

        def bundle() -> Bundle:
            return build_bundle(Inputs(conversation=conversation, skills=skills), counter=ours.counter())

        def answers(ready: Bundle, turn: int) -> list[PackingAnswer]:
            budgets = [budget - turn % ours.BUDGETS_IN_TURN for budget in self.budgets]
            return sweep_at(Subject(ready, self.config, ours.counter()), "inputBudget", budgets)

        def warm() -> Work:
            ready = bundle()
            return lambda turn: answers(ready, turn)

        def cold() -> Work:
            return lambda turn: answers(bundle(), turn)

        def one() -> Work:
            ready, middle = bundle(), self.budgets[len(self.budgets) // 2]
            configs = [self._config(middle - turn) for turn in range(ours.BUDGETS_IN_TURN)]
            return lambda turn: pack(ready, configs[turn % ours.BUDGETS_IN_TURN], counter=ours.counter())

        return [
            Contender(WARM, size, warm, self.faults, ours=True),
            Contender(ONE, size, one, self._faults_of_one, ours=True),
            Contender(COLD, size, cold, self.faults, ours=True),
            Contender(LANGCHAIN, size, self._langchain, self._faults_of_trims, is_peer=True),
        ]

    @functools.cached_property
    def _conversation(self) -> Conversation:
        return ours.conversation_of(self.costs.messages)

    @functools.cached_property
    def _skills(self) -> tuple[Skill, ...]:
        return ours.skills_of(self.skills)

    def _langchain(self) -> Work:
        """Conversations only: each budget less what the skills take of it."""
        trim = peers.langchain(self.costs)
        rooms = [
            budget - room.system_tokens + self.costs.tokens[0]
            for budget, room in zip(self.budgets, self.rooms, strict=True)
        ]
        return lambda turn: [trim(room - turn).kept for room in rooms]

    def faults(self, answers: Sequence[PackingAnswer]) -> list[str]:
        """How many of the answers are not the oracle's, in total, in skills or in messages."""
        wrong = sum(not self._is(answer, room) for answer, room in zip(answers, self.rooms, strict=True))
        return [f"{wrong:,} of {len(self.rooms):,} budgets are answered wrong"] if wrong else []

    def _is(self, answer: PackingAnswer, room: Room) -> bool:
        kept = [place for place, fate in enumerate(answer.fates) if FATES[fate] == "kept"]
        skills = len(self.skills)
        right = [0, *range(1, 1 + room.skills), *(place + skills for place in room.messages[1:])]
        return kept == right and answer.size.tokens == room.total_tokens

    def _faults_of_one(self, packing: Packing) -> list[str]:
        room = self.rooms[len(self.budgets) // 2]
        kept = ours.kept_messages(packing, self.costs.system)
        right = kept == list(room.messages) and packing.total.tokens == room.total_tokens
        return [] if right else ["another answer than the oracle's"]

    def _faults_of_trims(self, kept: Sequence[Sequence[int]]) -> list[str]:
        wrong = sum(list(one) != list(room.messages) for one, room in zip(kept, self.rooms, strict=True))
        return [f"{wrong:,} of {len(self.rooms):,} budgets are answered wrong"] if wrong else []
