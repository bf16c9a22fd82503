"""What a limit would let in at every value: swept while the page waits, or by a worker where that takes too long."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from budgeteer.engine.history.summary import SummaryPending, SummaryRequest, extractive_summary
from budgeteer.engine.overlay import get_path, set_path
from budgeteer.engine.result import Packing
from budgeteer.engine.tokens import counter_for
from budgeteer.engine.whatif.probing import Subject
from budgeteer.engine.whatif.sweep import sweep
from budgeteer.jobs import services as jobs
from budgeteer.jobs.models import Job
from budgeteer.sources.kept import Kept
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.preview import Packed
from budgeteer.workbench.written import stored_summaries

PATIENCE_SECONDS = 0.3
"""How long a page sweeps before it leaves that to a worker (the design, interactions)."""
MOST_STEPS = 600
"""As many steps are kept of a sweep: more cannot be told apart in a picture."""
KEPT_SWEEPS = 16


def _has_skills(packing: Packing) -> bool:
    return packing.config.skills_budget.enabled and bool(len(packing.bundle.skills))


#: What may be swept here, and when it limits anything: a section that holds something, and a test of the configuration.
AXES: Mapping[str, tuple[str, Callable[[Packing], bool]]] = {
    "inputBudget": ("Input budget", lambda _packing: True),
    "history.maxTokens": ("History tokens", lambda p: p.config.history.strategy == "newestFirst"),
    "history.maxChars": ("Summarise over", lambda p: p.config.history.strategy == "summarizeOlder"),
    "history.keepUserTurns": ("Kept turns", lambda p: p.config.history.strategy == "summarizeOlder"),
    "history.maxHistoryMessages": ("Older messages", lambda p: p.config.history.strategy == "recentExchange"),
    "skillsBudget.limits.maxSkillsPromptChars": ("Skill characters", _has_skills),
    "skillsBudget.limits.maxSkillsInPrompt": ("Number of skills", _has_skills),
    "skillsBudget.limits.maxToolDefinitionChars": (
        "Tool characters",
        lambda p: p.config.skills_budget.enabled and bool(len(p.bundle.tools)),
    ),
    "retrieval.searchTopK": ("Retrieved chunks", lambda p: bool(len(p.bundle.chunks))),
    "features.topK": ("Found specs", lambda p: p.config.features.mode == "search" and bool(len(p.bundle.features))),
}


class _TooLong(Exception):
    """The page has waited long enough."""


@dataclass(frozen=True, slots=True)
class SweptStep:
    """From the value `at` on: tokens sent, items kept, whether it fits, and tokens by section."""

    at: float
    tokens: int
    kept: int
    fits: bool
    sections: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SweptLimit:
    """One sweep as it is drawn. `last` is the widest value that was looked at; `knee` is a value, None without one."""

    path: str
    unit: str
    first: float
    last: float
    knee: float | None
    steps: tuple[SweptStep, ...]

    def step_at(self, value: float) -> SweptStep:
        """What holds at a value."""
        reached = self.steps[0]
        for step in self.steps:
            if step.at > value:
                break
            reached = step
        return reached

    def to_json(self) -> dict[str, Any]:
        """As a job keeps it."""
        return {
            "path": self.path,
            "unit": self.unit,
            "first": self.first,
            "last": self.last,
            "knee": self.knee,
            "steps": [[s.at, s.tokens, s.kept, s.fits, dict(s.sections)] for s in self.steps],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> SweptLimit:
        """The inverse of to_json."""
        steps = tuple(SweptStep(*row) for row in data["steps"])
        return cls(data["path"], data["unit"], data["first"], data["last"], data["knee"], steps)


_sweeps: Kept[SweptLimit] = Kept(KEPT_SWEEPS)


def axes_of(packing: Packing) -> dict[str, str]:
    """What of this packing may be swept, by path: its title."""
    return {path: title for path, (title, limits) in AXES.items() if limits(packing)}


def swept(workspace: Workspace, packed: Packed, over: str, *, draft: bool = False) -> SweptLimit | Job | None:
    """The sweep, or the job that makes it; None for a draft that would need one.

    Raises:
        BudgeteerError: nothing can be swept.
    """
    digest = digest_of(packed, over)
    try:
        return _sweeps.get(digest, lambda: sweep_now(workspace, packed.packing, over, seconds=PATIENCE_SECONDS))
    except _TooLong:
        pass
    subject = f"sweep:{workspace.pk}:{over}"
    last = jobs.latest_for(subject)
    result = last.result if last is not None and last.state == "succeeded" else None
    if result and result.get("digest") == digest:
        found = SweptLimit.from_json(result["sweep"])
        return _sweeps.get(digest, lambda: found)
    if draft:
        return None
    arguments = {"workspace_id": str(workspace.pk), "over": over}
    return jobs.enqueue_once("workbench.sweep", arguments=arguments, owner=workspace.owner, subject=subject)


def sweep_now(
    workspace: Workspace,
    packing: Packing,
    over: str,
    *,
    seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SweptLimit:
    """Sweep; longer than `seconds` is given up.

    Raises:
        BudgeteerError: nothing can be swept.
    """
    deadline = None if seconds is None else time.monotonic() + seconds

    def watch(done: int, total: int) -> None:
        if deadline is not None and time.monotonic() > deadline:
            raise _TooLong
        if progress is not None:
            progress(done, total)

    subject = Subject(
        packing.bundle,
        packing.config,
        counter_for(packing.bundle.tokenizer),
        known_or_extractive(workspace.owner_id),
        packing.profile,
    )
    found = sweep(subject, over, progress=watch)
    steps = [
        SweptStep(step.at, a.size.tokens, a.kept, a.fits, {one.name: one.size.tokens for one in a.sections})
        for step, a in ((step, step.answer) for step in found.steps)
    ]
    knee = None if found.knee is None else found.steps[found.knee].at
    return SweptLimit(over, found.unit, found.first, found.last, knee, _thinned(steps, keep=knee))


def known_or_extractive(owner_id: int) -> Callable[[SummaryRequest], str]:
    """A summariser for questions of what if: what was written where there is anything, else what needs no model."""
    known = stored_summaries(owner_id)

    def summarise(request: SummaryRequest) -> str:
        try:
            return known(request)
        except SummaryPending:
            return extractive_summary(request)

    return summarise


def digest_of(packed: Packed, over: str) -> str:
    """What a sweep depends on: everything but the value that is swept."""
    data: Any = packed.packing.config.model_dump(mode="json", by_alias=True)
    path = "contextWindow" if over == "inputBudget" else over
    if get_path(data, path) is not None:
        data = set_path(data, path, None)
    told = json.dumps([packed.inputs_key, packed.packing.profile, over, data], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()


def forget_sweeps() -> None:
    """Drop every sweep kept in this process (tests start from nothing)."""
    _sweeps.clear()


def _thinned(steps: list[SweptStep], *, keep: float | None) -> tuple[SweptStep, ...]:
    """At most MOST_STEPS of them, evenly; the first, the last and the knee stay."""
    if len(steps) <= MOST_STEPS:
        return tuple(steps)
    stride = len(steps) / MOST_STEPS
    chosen = {int(number * stride) for number in range(MOST_STEPS)} | {len(steps) - 1}
    chosen |= {at for at, step in enumerate(steps) if step.at == keep}
    return tuple(steps[at] for at in sorted(chosen))
