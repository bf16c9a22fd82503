"""The plan of a workspace: which steps make it fit, or bring back what limits leave out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from budgeteer.engine.analysis.fit_plan.fit_plan import FitPlan, FitSearch
from budgeteer.engine.analysis.fit_plan.steps import StepName
from budgeteer.engine.config.schema import BudgetConfig, dump_config
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.packing.allocation import tokenizer_of
from budgeteer.engine.packing.result import Packing
from budgeteer.lru import LruCache
from budgeteer.sources.loading import tokenizers_of
from budgeteer.workbench.config_form.merging import MARK_DIGITS
from budgeteer.workbench.deferred_results import StudyQuestion, Watch, digest_of, subject_of
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.preview import Packed, bundle_of
from budgeteer.workbench.workspace_inputs import links_of

#: In the address: no step is chosen. An empty text chooses those that are needed.
NO_STEP: Final = "none"
#: From so many messages on a single packing may take longer than a page waits, so that a worker makes the plan.
MANY_MESSAGES: Final = 2_000


KEPT_SEARCHES: Final = 4

_searches: LruCache[FitSearch] = LruCache(KEPT_SEARCHES)
"""Searches of short conversations by what they are about: another choice of steps packs only what is new."""


def has_plan(packing: Packing) -> bool:
    """Whether there may be something to make fit: it does not fit, or limits leave something out."""
    verdict = packing.verdict
    return verdict.level == "cannotFit" or verdict.counts["dropped"] > 0 or verdict.counts["summarised"] > 0


def chosen_steps(text: str) -> tuple[str, ...] | None:
    """The steps that an address chooses, in their order; None for those that are needed. Unknown names are left out."""
    if not text:
        return None
    named = set(text.split(","))
    return tuple(name.value for name in StepName if name.value in named)


def forget_searches() -> None:
    """Drop every search kept in this process (tests start from nothing)."""
    _searches.clear()


def steps_text(names: tuple[str, ...]) -> str:
    """The steps as an address names them."""
    return ",".join(names) or NO_STEP


def steps_mark(plan: FitPlan) -> str:
    """The name of the chosen steps and of what each sets, so that no others are applied than those that were shown."""
    told = json.dumps([[step.name.value, dict(step.settings)] for step in plan.chosen], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()[:MARK_DIGITS]


def fit_study(workspace: Workspace, packed: Packed, steps: str) -> StudyQuestion[FitPlan]:
    """The question what makes the workspace's prompt fit, with these steps chosen."""
    names = chosen_steps(steps)
    asked = "" if names is None else steps_text(names)
    data: Any = dump_config(packed.packing.config)
    is_long = len(packed.packing.bundle.history_measures) >= MANY_MESSAGES

    # Other models are offered only where there is something to make fit, and where their tokenizer has counted.
    counted = "" if packed.packing.fits else ",".join(_counted_by(workspace))

    def search() -> FitSearch:
        subject = subject_of(workspace, packed.packing)
        return FitSearch(replace(subject, recount=_recounting(workspace)))

    def find(watch: Watch) -> FitPlan:
        kept = search() if is_long else _searches.get(digest_of(packed, data, "fit", counted), search)
        return kept.plan(names, watch)

    return StudyQuestion(
        kind="workbench.fit",
        arguments={"steps": asked},
        digest=digest_of(packed, data, "fit", asked, counted),
        find=find,
        read=FitPlan.from_json,
        is_long=is_long,
    )


def _counted_by(workspace: Workspace) -> list[str]:
    """The tokenizers that every source of the workspace is counted by."""
    return sorted(tokenizers_of(link.source for link in links_of(workspace)))


def _recounting(workspace: Workspace) -> Callable[[BudgetConfig], Bundle | None]:
    """The workspace's inputs by another tokenizer; None where a source is not counted by it: none is counted here."""

    def recount(config: BudgetConfig) -> Bundle | None:
        links = links_of(workspace)
        if tokenizer_of(config) not in tokenizers_of(link.source for link in links):
            return None
        return bundle_of(workspace, config, links)[0]

    return recount
