"""The jobs of the workbench: a requested summary, and what takes longer than a page should wait."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils import timezone

from budgeteer.engine.analysis.calibration.calibration import calibrate
from budgeteer.engine.content.conversation import Conversation
from budgeteer.engine.errors import InputError
from budgeteer.engine.packing.allocation import tokenizer_of
from budgeteer.engine.packing.history.summary import SummaryFailed, SummaryRequest
from budgeteer.jobs.cleanup import sweep
from budgeteer.jobs.context import JobContext
from budgeteer.jobs.registry import ResultPage, job
from budgeteer.presets.models import PresetProposal
from budgeteer.sources.loading import contents_of
from budgeteer.sources.models import Source
from budgeteer.sources.services import UNDO_TIME
from budgeteer.workbench import calibrating, services, summary_store
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.deferred_results import Watch, result_of, within_study_time
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.panels.fit.study import fit_study
from budgeteer.workbench.panels.sweep.study import sweep_study
from budgeteer.workbench.panels.timeline.study import timeline_study
from budgeteer.workbench.policies.study import policies_study
from budgeteer.workbench.preset_editing.impact import digest_of_config, follower_ids, impact_on, part_of
from budgeteer.workbench.preview import Packed, forget_previews, pack_workspace
from budgeteer.workbench.state import PanelName, ViewState
from budgeteer.workbench.workspace_inputs import InputReadiness, links_of, readiness_of


def _panel_page(words: str, panel: PanelName) -> ResultPage:
    """The workspace with this panel open, as the page of a result."""
    return ResultPage(words, "workbench:detail", "workspace_id", ViewState(view=panel).query())


@job(
    "workbench.summarise",
    title="Summarise older history",
    made=ResultPage("Open workspace", "workbench:detail", "workspace_id"),
)
def summarise(
    context: JobContext,
    *,
    workspace_id: str,
    key: str,
    again: bool = False,
    config: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Write every summary that a packing of the workspace asks for, and keep it; `again` also where there is one.

    `config` is what is packed with, canonical data: a side of a comparison; None for the workspace's own.

    Raises:
        InputError: the workspace is gone, or its sources are not ready.
    """
    workspace, readiness = _ready(workspace_id)
    own = EditableConfig.of(workspace)
    current = own if config is None else own.holding(config)
    made: list[str] = []

    def summarise(request: SummaryRequest) -> str:
        asked = request.key
        known = summary_store.find(workspace.owner_id, asked)
        if known is not None and not (again and asked == key):
            if not known.text:
                raise SummaryFailed("this summary was tried before and could not be written")
            return known.text
        text = _write(context, workspace, request, key=asked)
        made.append(asked)
        return text

    if again:
        forget_previews()  # or a packing that was kept would ask for nothing
    pack_workspace(workspace, current, readiness=readiness, summarise=summarise)
    return {"workspace": workspace_id, "asked": key, "written": made}


def _write(context: JobContext, workspace: Workspace, request: SummaryRequest, *, key: str) -> str:
    """Write one summary and keep it, or keep that it could not be written.

    Raises:
        SummaryFailed: it could not.
    """
    count = len(request.messages)
    context.progress(0, count, "messages", f"Summarising {count:,} messages")

    def progress(done: int, total: int) -> None:
        context.progress(count * done // total, count, "messages")

    try:
        summary = summary_store.write(request, keep_waiting=context.check, progress=progress)
    except SummaryFailed:
        with context.committing():
            summary_store.keep(workspace.owner_id, key, None)
        raise
    with context.committing():
        summary_store.keep(workspace.owner_id, key, summary)
    for note in summary.notes:
        context.progress(count, count, "messages", note)
    context.progress(count, count, "messages", f"Wrote a summary of {len(summary.text):,} characters")
    return summary.text


@job(
    "workbench.sweep",
    title="Sweep a limit",
    is_study=True,
    made=_panel_page("Show sweep", PanelName.SWEEP),
)
def sweep_limit(context: JobContext, *, workspace_id: str, over: str, digest: str = "") -> dict[str, Any]:
    """Sweep a limit of the workspace as it stands, for a page that did not wait so long; `digest` names the question.

    Raises:
        InputError: the workspace is gone, or its sources are not ready.
        BudgeteerError: nothing can be swept.
    """
    del digest
    workspace, packed = _packed(workspace_id)
    return result_of(
        sweep_study(workspace, packed, over),
        _watch(context, "items", "Packing at every value at which something changes"),
    )


@job(
    "workbench.fit",
    title="Plan changes that make a prompt fit",
    is_study=True,
    made=_panel_page("Show fit plan", PanelName.FIT),
)
def plan_fit(context: JobContext, *, workspace_id: str, steps: str, digest: str = "") -> dict[str, Any]:
    """Make the plan of a workspace as it stands, for a page that did not wait so long; `digest` as above.

    Raises:
        InputError: the workspace is gone, or its sources are not ready.
        BudgeteerError: it cannot be packed.
    """
    del digest
    workspace, packed = _packed(workspace_id)
    return result_of(fit_study(workspace, packed, steps), _watch(context, "steps", "Packing with each step"))


@job(
    "workbench.calibrate",
    title="Calibrate token counts",
    made=_panel_page("Show calibration", PanelName.CONFIG),
)
def calibrate_counts(context: JobContext, *, workspace_id: str, source_ids: list[str]) -> dict[str, Any]:
    """Hold counts against the requests that sources of the workspace's owner recorded.

    Raises:
        InputError: the workspace is gone.
    """
    workspace = Workspace.objects.filter(id=workspace_id, deleted_at__isnull=True).first()
    if workspace is None:
        raise InputError("the workspace was deleted before its turn came", mend="Bring it back and open it again")
    chosen = list(Source.objects.visible_to(workspace.owner).filter(id__in=source_ids))
    read: list[Conversation] = []
    used = passed_over = 0
    for done, source in enumerate(chosen):
        context.progress(done, len(chosen), "sources", "Reading recorded requests")
        recorded = [one for one in contents_of(source).conversations() if one.recorded] if source.items else []
        read += recorded
        used += bool(recorded)
        passed_over += not recorded
    context.progress(len(chosen), len(chosen), "sources", "Counting what was recorded")
    found = calibrate(read, watch=context.check)
    made = timezone.now().date().isoformat()
    return calibrating.result_of(found, made=made, used=used, passed_over=passed_over)


@job(
    "workbench.write_block",
    title="Write the summary of a block",
    made=ResultPage("Open workspace", "workbench:detail", "workspace_id"),
)
def write_block(context: JobContext, *, workspace_id: str, first: int, last: int) -> dict[str, Any]:
    """Have a language model summarise the messages of these rows, for a compress range that somebody chose.

    Raises:
        InputError: the workspace is gone, its sources are not ready, or it has fewer messages by now.
        SummaryFailed: none could be written.
    """
    workspace, packed = _packed(workspace_id)
    bundle, limits = packed.packing.bundle, packed.packing.config.history
    if last >= len(bundle.history):
        raise InputError("the conversation is another one by now", mend="Choose the range again")
    chosen = tuple(bundle.history[row] for row in range(first, last + 1))
    request = SummaryRequest(chosen, limits.summary_max_chars, limits.topic_chars)
    _write(context, workspace, request, key=request.key)
    return {"workspace": workspace_id, "written": request.key}


@job(
    "workbench.replay",
    title="Replay a conversation",
    is_study=True,
    made=_panel_page("Show timeline", PanelName.TIMELINE),
)
def replay(context: JobContext, *, workspace_id: str, policy: str, digest: str = "") -> dict[str, Any]:
    """Replay the workspace's conversation as it stands, for a page that did not wait so long; `digest` as above.

    Raises:
        InputError: the workspace is gone, or its sources are not ready.
        BudgeteerError: it cannot be replayed.
    """
    del digest
    workspace, packed = _packed(workspace_id)
    return result_of(
        timeline_study(workspace, packed, policy),
        _watch(context, "requests", "Packing every request of the conversation"),
    )


@job(
    "workbench.policies",
    title="Compare policies",
    is_study=True,
    made=ResultPage("Show policies", "workbench:policies", "workspace_id"),
)
def compare_policies(context: JobContext, *, workspace_id: str, pause: str, digest: str = "") -> dict[str, Any]:
    """Replay the workspace's conversation under every policy; `pause` in seconds, `digest` as above.

    Raises:
        InputError: the workspace is gone, or its sources are not ready.
        BudgeteerError: it cannot be replayed.
    """
    del digest
    workspace, packed = _packed(workspace_id)
    return result_of(
        policies_study(workspace, packed, int(pause)),
        _watch(context, "requests", "Packing every request under every policy"),
    )


@job(
    "workbench.preset_impact",
    title="Try a preset on the workspaces that follow it",
    made=ResultPage("Open proposal", "workbench:proposal", "proposal_id"),
)
def preset_impact(context: JobContext, *, proposal_id: int, digest: str, part: int, parts: int) -> dict[str, Any]:
    """Pack one of `parts` parts of the followers of a preset, as they stand and on a proposed version.

    Raises:
        InputError: the proposal is gone, or says something else by now.
    """
    proposal = PresetProposal.objects.select_related("preset").filter(pk=proposal_id).first()
    if proposal is None or digest_of_config(proposal) != digest:
        raise InputError("the draft was changed before its turn came", mend="Try it again on the page of the draft")

    def watch(done: int, total: int) -> None:
        context.progress(done, total, "workspaces", "Packing the workspaces that follow it")

    return {"impact": impact_on(proposal, part_of(follower_ids(proposal), part, parts), watch).to_json()}


def _watch(context: JobContext, unit: str, sentence: str) -> Watch:
    """Report the progress of a study, and end one that has had its time: others wait for the worker."""
    return within_study_time(lambda done, total: context.progress(done, total, unit, sentence))


def _packed(workspace_id: str) -> tuple[Workspace, Packed]:
    """The workspace as it stands, packed.

    Raises:
        InputError: it is gone, or its sources are not ready.
    """
    workspace, readiness = _ready(workspace_id)
    summarise = summary_store.stored_or_extracted(workspace.owner_id)
    return workspace, pack_workspace(workspace, EditableConfig.of(workspace), readiness=readiness, summarise=summarise)


def _ready(workspace_id: str) -> tuple[Workspace, InputReadiness]:
    workspace = Workspace.objects.filter(id=workspace_id, deleted_at__isnull=True).first()
    if workspace is None:
        raise InputError("the workspace was deleted before its turn came", mend="Bring it back and open it again")
    readiness = readiness_of(links_of(workspace), tokenizer=tokenizer_of(EditableConfig.of(workspace).config))
    if readiness.jobs:
        raise InputError("a source is still being imported", where=workspace.name, mend="Try again when it is done")
    return workspace, readiness


@sweep("deleted workspaces")
def purge_deleted(now: datetime) -> int:
    """Workspaces that can no longer be taken back; their reports stay."""
    return services.purge(before=now - UNDO_TIME)
