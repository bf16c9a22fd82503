"""The job of this app: writing a summary that a preview asked for."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from budgeteer.engine.allocation import tokenizer_of
from budgeteer.engine.errors import InputError
from budgeteer.engine.history.summary import SummaryFailed, SummaryRequest
from budgeteer.jobs.context import JobContext
from budgeteer.jobs.housekeeping import sweep
from budgeteer.jobs.registry import job
from budgeteer.sources.services import UNDO_TIME
from budgeteer.workbench import services, sweeping, written
from budgeteer.workbench.assembling import links_of, readiness_of
from budgeteer.workbench.configuring import effective
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.preview import forget_previews, pack_workspace


@job("workbench.summarise", title="Summarise older history")
def summarise(context: JobContext, *, workspace_id: str, key: str, again: bool = False) -> dict[str, Any]:
    """Write every summary the workspace's packing asks for, and keep it; `again` also where there is one.

    Raises:
        InputError: the workspace is gone, or its sources are not ready.
    """
    workspace = Workspace.objects.filter(id=workspace_id, deleted_at__isnull=True).first()
    if workspace is None:
        raise InputError("the workspace was deleted before its turn came", mend="Bring it back and open it again")
    current = effective(workspace)
    readiness = readiness_of(links_of(workspace), tokenizer=tokenizer_of(current.config))
    if readiness.jobs:
        raise InputError("a source is still being imported", where=workspace.name, mend="Try again when it is done")
    made: list[str] = []

    def summarise(request: SummaryRequest) -> str:
        asked = request.key
        known = written.find(workspace.owner_id, asked)
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
        summary = written.write(request, keep_waiting=context.check, progress=progress)
    except SummaryFailed:
        with context.committing():
            written.keep(workspace.owner_id, key, None)
        raise
    with context.committing():
        written.keep(workspace.owner_id, key, summary)
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
    workspace = Workspace.objects.filter(id=workspace_id, deleted_at__isnull=True).first()
    if workspace is None:
        raise InputError("the workspace was deleted before its turn came", mend="Bring it back and open it again")
    current = effective(workspace)
    readiness = readiness_of(links_of(workspace), tokenizer=tokenizer_of(current.config))
    if readiness.jobs:
        raise InputError("a source is still being imported", where=workspace.name, mend="Try again when it is done")
    summarise = sweeping.known_or_extractive(workspace.owner_id)
    packed = pack_workspace(workspace, current, readiness=readiness, summarise=summarise)

    def progress(done: int, total: int) -> None:
        context.progress(done, total, "items", "Packing at every value at which something changes")

    found = sweeping.sweep_now(workspace, packed.packing, over, progress=progress)
    return {"digest": sweeping.digest_of(packed, over), "sweep": found.to_json()}


@sweep("deleted workspaces")
def purge_deleted(now: datetime) -> int:
    """Workspaces that can no longer be taken back; their reports stay."""
    return services.purge(before=now - UNDO_TIME)
