"""The timeline panel: its chart, the job that computes it, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from budgeteer.engine.errors import BudgeteerError
from budgeteer.jobs.job_view import JobCard, job_card
from budgeteer.workbench.config_form.apply import error_parts
from budgeteer.workbench.deferred_results import answered
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.panels.timeline.drawing import TimelineView, timeline_view
from budgeteer.workbench.panels.timeline.study import Timeline, timeline_study
from budgeteer.workbench.preview import Packed
from budgeteer.workbench.state import ViewState

NOTHING = "There is no conversation to replay. Add one as a source: each of its model requests becomes a step here."


@dataclass(frozen=True, slots=True)
class TimelineShown:
    """One of `view`, `job` and `sentence`."""

    view: TimelineView | None = None
    job: JobCard | None = None
    sentence: str = ""


def timeline_shown(workspace: Workspace, packed: Packed, state: ViewState, *, draft: bool = False) -> TimelineShown:
    """The replay of the workspace's conversation; for a draft no job is started."""
    try:
        found = answered(timeline_study(workspace, packed, state.replaying), workspace, draft=draft)
    except BudgeteerError as error:
        return TimelineShown(sentence=error_parts(error)["sentence"])
    if found is None:
        return TimelineShown(sentence="The timeline follows when the value is let go.")
    if not isinstance(found, Timeline):
        return TimelineShown(job=job_card(found, then=state.address(workspace.get_absolute_url())))
    if not found.asked or not len(packed.packing.bundle.history):
        return TimelineShown(sentence=NOTHING)
    return TimelineShown(view=timeline_view(packed, found, state))
