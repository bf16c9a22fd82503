"""The sweep panel: its chart, the job that computes it, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from budgeteer.engine.errors import BudgeteerError
from budgeteer.jobs.job_view import JobCard, job_card
from budgeteer.workbench.config_form.apply import error_parts
from budgeteer.workbench.deferred_results import answered
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.panels.sweep.drawing import AxisChoice, SweepView, sweep_choices, sweep_view
from budgeteer.workbench.panels.sweep.study import SweptLimit, sweep_study
from budgeteer.workbench.preview import Packed
from budgeteer.workbench.state import ViewState


@dataclass(frozen=True, slots=True)
class SweepPanel:
    """One of `view`, `job` and `sentence`, what else could be swept, and the state that choosing it keeps.

    `table_query` asks for the figures of the view.
    """

    choices: tuple[AxisChoice, ...]
    carried: tuple[tuple[str, Any], ...]
    view: SweepView | None = None
    job: JobCard | None = None
    sentence: str = ""
    table_query: str = ""


def sweep_shown(workspace: Workspace, packed: Packed, state: ViewState, *, no_job: str = "") -> SweepPanel:
    """The sweep that the address asks for; where `no_job` says why, no job is started and it is shown."""
    choices = sweep_choices(packed.packing, state)
    carried = state.pairs(over="")
    over = next(choice.path for choice in choices if choice.is_chosen)
    try:
        found = answered(sweep_study(workspace, packed, over), workspace, draft=bool(no_job))
    except BudgeteerError as error:
        return SweepPanel(choices, carried, sentence=error_parts(error)["sentence"])
    if found is None:
        return SweepPanel(choices, carried, sentence=no_job)
    if isinstance(found, SweptLimit):
        query = ViewState(over=over).query()
        return SweepPanel(choices, carried, view=sweep_view(packed.packing, found), table_query=query)
    return SweepPanel(choices, carried, job=job_card(found, then=state.address(workspace.get_absolute_url())))
