"""The page that lays policies side by side, as one frozen object: everything its template prints."""

from __future__ import annotations

from dataclasses import dataclass, replace

from budgeteer.engine.analysis.cost_and_usage import money
from budgeteer.engine.analysis.replay.policies import PolicyTotals, cheapest_policy, policy_of
from budgeteer.engine.errors import BudgeteerError
from budgeteer.jobs.job_view import JobCard, job_card
from budgeteer.jobs.models import Job
from budgeteer.presentation.labels import count_of
from budgeteer.presentation.setting_values import choice_text
from budgeteer.workbench.config_form.apply import error_parts
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.deferred_results import answered
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.policies.agents import AgentTable, agent_table
from budgeteer.workbench.policies.drawing import DrawnPolicy, PolicyDrawing, draw_policies, has_prices
from budgeteer.workbench.policies.study import PolicyComparison, policies_study
from budgeteer.workbench.policies.table import (
    PoliciesState,
    PolicyTable,
    alike_over,
    left_out_text,
    policy_table,
    shown_policy,
)
from budgeteer.workbench.policies.tools import ToolTable, tool_table
from budgeteer.workbench.preview import preview

NOTHING = "There is no conversation to replay. Add one as a source: each of its model requests is packed here."


@dataclass(frozen=True, slots=True)
class PoliciesPage:
    """The page: its table and chart, the jobs that make them, or the sentence why there are none.

    Attributes:
        about: which cache is simulated, and what is assumed of it. unit: what the chart draws.
        breaks: how often the prefix of the line that stands out broke, in words, "" where no cache is simulated.
    """

    state: PoliciesState
    model: str
    sentence: str = ""
    jobs: tuple[JobCard, ...] = ()
    problem: str = ""
    table: PolicyTable | None = None
    drawings: tuple[PolicyDrawing, ...] = ()
    about: str = ""
    unit: str = ""
    shown: str = ""
    agents: AgentTable | None = None
    tools: ToolTable | None = None
    breaks: str = ""


def policies_page(workspace: Workspace, current: EditableConfig, state: PoliciesState, *, here: str) -> PoliciesPage:
    """The page of a workspace at the address `here`; what takes long is left to a worker."""
    page = PoliciesPage(state, current.config.model)
    try:
        previewed = preview(workspace, current)
        if previewed.jobs:
            return replace(page, jobs=_cards(previewed.jobs, here))
        if previewed.packed is None or not len(previewed.packed.packing.bundle.history):
            return replace(page, problem=NOTHING)
        found = answered(policies_study(workspace, previewed.packed, state.pause), workspace)
    except BudgeteerError as error:
        return replace(page, problem=error_parts(error)["sentence"])
    if isinstance(found, Job):
        return replace(page, jobs=_cards((found,), here))
    if found is None or not found.found[0].requests:
        return replace(page, problem=NOTHING)
    return _filled(page, found, current)


def _filled(page: PoliciesPage, compared: PolicyComparison, current: EditableConfig) -> PoliciesPage:
    found, state, own = compared.found, page.state, policy_of(current.config)
    shown = shown_policy(found, state, own=own)
    drawn = [
        DrawnPolicy(
            one,
            state.query(line=one.policy.name),
            one.policy.name == shown,
            own is not None and one.policy.name == own.name,
        )
        for one in found
    ]
    breaks = next(one.breaks for one in found if one.policy.name == shown)
    return replace(
        page,
        sentence=_sentence(compared),
        table=policy_table(found, state, own=own),
        drawings=draw_policies(drawn),
        about=_about(compared),
        unit="cost" if has_prices(found) else "tokens",
        shown=choice_text(shown),
        agents=agent_table(compared.agents),
        tools=tool_table(compared.tools),
        breaks="" if breaks is None else f"Its cached prefix broke {count_of(breaks, 'time')}",
    )


def _sentence(compared: PolicyComparison) -> str:
    requests = f"{count_of(compared.found[0].requests, 'request')} under each of {len(compared.found)} strategies"
    if (over := alike_over(compared.found)) is not None:
        requests += f"; {count_of(over, 'request')} {'exceeds' if over == 1 else 'exceed'} the limit before packing"
    cheapest = cheapest_policy(compared.found)
    if cheapest is None:
        return f"{requests}."
    fullest = min((one for one in compared.found if not one.failing), key=lambda one: one.left_out_tokens)
    least = f"Least cost: {_trade(cheapest)}"
    most = "" if fullest is cheapest else f". Most sent: {_trade(fullest)}"
    return f"{requests}. {least}{most}."


def _trade(one: PolicyTotals) -> str:
    """A policy with what it costs and what it does not send."""
    cost = "" if one.paid is None else f"{money(one.paid, 'USD')}, "
    return f"{choice_text(one.policy.name)}, {cost}{left_out_text(one)} not sent"


def _about(compared: PolicyComparison) -> str:
    if not compared.rules:
        return "No cache rules are known for this model: costs are without a cache."
    assumed = f" Assumed: {compared.assumed}." if compared.assumed else ""
    return f"Simulated prompt cache: {compared.rules}.{assumed}"


def _cards(found: tuple[Job, ...], here: str) -> tuple[JobCard, ...]:
    return tuple(job_card(job, then=here) for job in found)
