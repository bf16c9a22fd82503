"""The timeline panel: its chart, the job that computes it, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from budgeteer.engine.errors import BudgeteerError
from budgeteer.jobs.job_view import JobCard, job_card
from budgeteer.workbench.config_form.apply import error_parts
from budgeteer.workbench.deferred_results import answered
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.panels.timeline.drawing import TimelineView, timeline_view
from budgeteer.workbench.panels.timeline.one_request import RequestChoice, request_choice
from budgeteer.workbench.panels.timeline.study import Timeline, timeline_study
from budgeteer.workbench.preview import Packed
from budgeteer.workbench.state import ViewState

NOTHING = "There is no conversation to replay. Add one as a source: each of its model requests becomes a step here."


@dataclass(frozen=True, slots=True)
class TimelinePanel:
    """One of `view`, `job` and `sentence`.

    With a view, `choice` chooses one of its requests and `table_query` asks for its figures.
    """

    view: TimelineView | None = None
    job: JobCard | None = None
    sentence: str = ""
    table_query: str = ""
    choice: RequestChoice | None = None


def timeline_shown(workspace: Workspace, packed: Packed, state: ViewState, *, no_job: str = "") -> TimelinePanel:
    """The replay of the workspace's conversation; where `no_job` says why, no job is started and it is shown."""
    try:
        question = timeline_study(workspace, packed, state.replaying)
        found = answered(question, workspace, draft=bool(no_job))
    except BudgeteerError as error:
        return TimelinePanel(sentence=error_parts(error)["sentence"])
    if found is None:
        return TimelinePanel(sentence=no_job)
    if not isinstance(found, Timeline):
        return TimelinePanel(job=job_card(found, then=state.address(workspace.get_absolute_url())))
    if not found.asked or not len(packed.packing.bundle.history):
        return TimelinePanel(sentence=NOTHING)
    query = ViewState(replaying=state.replaying).query()
    choice = request_choice(workspace, packed, found, state)
    view = timeline_view(packed, found, state, digest=question.digest)
    return TimelinePanel(view=view, table_query=query, choice=choice)
