"""Budgeteer as adapters of ctxbench, a harness that measures packers of conversations and lists of skills.

In the harness's folder, once `make bench` has made .venv-bench, with CHECKOUT for where this checkout lies:

    PYTHONPATH=CHECKOUT CHECKOUT/.venv-bench/bin/python -m ctxbench.compare --module benchmarks.ctxbench_adapter
        --kind trim --size 1000 --adapters limit-cold,budgeteer-cold,budgeteer-warm
    PYTHONPATH=CHECKOUT:CHECKOUT/benchmarks .venv/bin/python -m ctxbench.run --module ctxbench_adapter
        --kind trim --sizes 1000 --only budgeteer-cold

(`ctxbench.run` starts a process for each cell, and that one finds no module whose name has a dot.)

`budgeteer-cold` counts everything in the call, `budgeteer-warm` has counted before, and `budgeteer-answer` has counted
nothing before and counts only what stays. The harness writes lists of skills
in a form of its own; what fits of them is found from the sizes of its entries, counted by us.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from ctxbench import workloads as harness
from ctxbench.adapters import Adapter
from ctxbench.workloads import Result, Workload

if TYPE_CHECKING:
    from benchmarks.packers.counted import Counted


class Cold(Adapter):  # type: ignore[misc]  # the harness has no types
    """Everything is counted in the call."""

    name = "budgeteer-cold"
    kinds: ClassVar[set[str]] = {"trim", "skills", "sweep"}
    python = str(Path(__file__).parent.parent / ".venv-bench")

    def prepare(self, workload: Workload) -> None:
        """Our own types, and the vocabulary."""
        from benchmarks.packers.counted import conversation_of_chat, load_vocabulary

        load_vocabulary()
        self.conversation = conversation_of_chat(workload.messages)
        self.fixed = (harness.SKILLS_HEAD, harness.SKILLS_TAIL)

    def pack(self, workload: Workload) -> Result:
        """Counted and answered."""
        return self.answered(workload, self.counted(workload))

    def counted(self, workload: Workload) -> Counted:
        """Every message and every entry counted."""
        from benchmarks.packers.counted import Counted

        entries = [harness.skill_entry(skill) for skill in workload.skills]
        return Counted.of(self.conversation, entries, self.fixed, in_chars=workload.unit == "chars")

    def answered(self, workload: Workload, counted: Counted) -> Result:
        """The harness's kind of answer."""
        if workload.kind == "trim":
            return Result(counted.messages_within(workload.budget))
        if workload.kind == "skills":
            return Result(list(range(counted.skills_within(workload.budget))))
        starts, kept = counted.sweep(workload.budgets, share_percent=10)
        return Result([], sweep=starts, sweep_skills=kept)


class Warm(Cold):
    """Everything was counted before, as it is in a preview."""

    name = "budgeteer-warm"
    warm = True

    def prepare(self, workload: Workload) -> None:
        """As cold, and counted."""
        super().prepare(workload)
        self.ready = self.counted(workload)

    def pack(self, workload: Workload) -> Result:
        """Only answered."""
        return self.answered(workload, self.ready)


class Answer(Cold):
    """Counted from the newest message until the budget is full, in the call."""

    name = "budgeteer-answer"
    kinds: ClassVar[set[str]] = {"trim"}

    def prepare(self, workload: Workload) -> None:
        """As cold, with the places of system texts, which an importer knows."""
        from benchmarks.packers.counted import systems_in

        super().prepare(workload)
        self.systems = systems_in(self.conversation)

    def pack(self, workload: Workload) -> Result:
        """Only what stays."""
        from benchmarks.packers.counted import messages_within

        return Result(messages_within(self.conversation, self.systems, workload.budget))
