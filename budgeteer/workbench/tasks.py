"""The jobs of the workbench: a requested summary, and what takes longer than a page should wait."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from budgeteer.engine.errors import InputError
from budgeteer.engine.packing.allocation import tokenizer_of
from budgeteer.engine.packing.history.summary import SummaryFailed, SummaryRequest
from budgeteer.jobs.cleanup import sweep
from budgeteer.jobs.context import JobContext
from budgeteer.jobs.registry import job
from budgeteer.sources.services import UNDO_TIME
from budgeteer.workbench import services, summary_store
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.deferred_results import known_or_extractive, result_of
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.panels.sweep.study import sweep_study
from budgeteer.workbench.panels.timeline.study import timeline_study
from budgeteer.workbench.preview import Packed, forget_previews, pack_workspace
from budgeteer.workbench.workspace_inputs import InputReadiness, links_of, readiness_of


@job("workbench.summarise", title="Summarise older history")
def summarise(context: JobContext, *, workspace_id: str, key: str, again: bool = False) -> dict[str, Any]:
    """Write every summary the workspace's packing asks for, and keep it; `again` also where there is one.

    Raises:
        InputError: the workspace is gone, or its sources are not ready.
    """
    workspace, readiness = _ready(workspace_id)
    current = EditableConfig.of(workspace)
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


@job("workbench.sweep", title="Sweep a limit")
def sweep_limit(context: JobContext, *, workspace_id: str, over: str) -> dict[str, Any]:
    """Sweep a limit of the workspace as it stands, for a page that did not wait so long.

    Raises:
        InputError: the workspace is gone, or its sources are not ready.
        BudgeteerError: nothing can be swept.
    """
    workspace, packed = _packed(workspace_id)

    def watch(done: int, total: int) -> None:
        context.progress(done, total, "items", "Packing at every value at which something changes")

    return result_of(sweep_study(workspace, packed, over), watch)


@job("workbench.write_block", title="Write the summary of a block")
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


@job("workbench.replay", title="Replay a conversation")
def replay(context: JobContext, *, workspace_id: str, policy: str) -> dict[str, Any]:
    """Replay the workspace's conversation as it stands, for a page that did not wait so long.

    Raises:
        InputError: the workspace is gone, or its sources are not ready.
        BudgeteerError: it cannot be replayed.
    """
    workspace, packed = _packed(workspace_id)

    def watch(done: int, total: int) -> None:
        context.progress(done, total, "requests", "Packing every request of the conversation")

    return result_of(timeline_study(workspace, packed, policy), watch)


def _packed(workspace_id: str) -> tuple[Workspace, Packed]:
    """The workspace as it stands, packed.

    Raises:
        InputError: it is gone, or its sources are not ready.
    """
    workspace, readiness = _ready(workspace_id)
    summarise = known_or_extractive(workspace.owner_id)
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
