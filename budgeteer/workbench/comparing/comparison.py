"""The comparison of two sides on a workspace's sources, kept in memory while nothing changes."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from budgeteer.engine.analysis.compare.compare import Comparison, compare
from budgeteer.engine.config.schema import BudgetConfig
from budgeteer.engine.errors import BudgeteerError, InputError
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.packing.allocation import tokenizer_of
from budgeteer.jobs.models import Job
from budgeteer.lru import LruCache
from budgeteer.workbench.comparing.sides import Comparable, ComparedSide
from budgeteer.workbench.config_form.apply import error_parts
from budgeteer.workbench.models import Workspace, WorkspaceSource
from budgeteer.workbench.preview import bundle_key, bundle_of, preview
from budgeteer.workbench.summary_store import edition_of, stored_or_extracted
from budgeteer.workbench.workspace_inputs import links_of, readiness_of

KEPT_COMPARISONS: Final = 6


@dataclass(frozen=True, slots=True)
class Compared:
    """Two sides, and what comparing them came to.

    Attributes:
        a, b: the sides.
        found: None while something is missing.
        jobs: what has to be done first: counting with the other tokenizer, a summary.
        problem: why they cannot be compared, "" where they can.
    """

    a: ComparedSide
    b: ComparedSide
    found: Comparison | None
    jobs: tuple[Job, ...] = ()
    problem: str = ""


_comparisons: LruCache[Comparison] = LruCache(KEPT_COMPARISONS)


def compare_sides(given: Comparable, a: ComparedSide, b: ComparedSide) -> Compared:
    """Pack both sides; where a side needs a job first, start it and say so."""
    workspace = given.workspace
    try:
        jobs = [job for side in (a, b) for job in preview(workspace, side.config).jobs]
        if jobs:
            return Compared(a, b, None, tuple({job.pk: job for job in jobs}.values()))
        links = _ready_links(workspace, a)
        configs = (a.config.config, b.config.config)
        data = json.dumps([dict(a.config.data), dict(b.config.data)], sort_keys=True)
        inputs = "|".join(bundle_key(workspace, config, links) for config in configs)
        key = f"{inputs}|{data}|{edition_of(workspace.owner_id)}"

        def make() -> Comparison:
            # Both sides' summaries are stored; a mixture of the two, which is never sent, may get an extract.
            return compare(_bundles_of(workspace, links), *configs, summarise=stored_or_extracted(workspace.owner_id))

        return Compared(a, b, _comparisons.get(key, make))
    except BudgeteerError as error:
        return Compared(a, b, None, problem=error_parts(error)["sentence"])


def compare_frozen(
    workspace: Workspace, links: Sequence[WorkspaceSource], a: BudgetConfig, b: BudgetConfig
) -> Comparison:
    """Compare two configurations on the sources of a snapshot: for a worker, which writes what summary is needed.

    Raises:
        BudgeteerError: a source is not counted for both sides any more, or one of them cannot be packed.
    """
    waiting = [one for config in (a, b) for one in readiness_of(links, tokenizer=tokenizer_of(config)).jobs]
    if waiting:
        raise InputError("a source is still being counted", mend="Share it again when its job is done")
    ready = readiness_of(links, tokenizer=tokenizer_of(a)).ready
    return compare(_bundles_of(workspace, ready), a, b, summarise=stored_or_extracted(workspace.owner_id))


def _ready_links(workspace: Workspace, side: ComparedSide) -> list[WorkspaceSource]:
    return readiness_of(links_of(workspace), tokenizer=tokenizer_of(side.config.config)).ready


def _bundles_of(workspace: Workspace, links: list[WorkspaceSource]) -> Callable[[BudgetConfig], Bundle]:
    def of(config: BudgetConfig) -> Bundle:
        return bundle_of(workspace, config, links)[0]

    return of
