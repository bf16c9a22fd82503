"""The job of this app: writing a summary that a preview asked for."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from budgeteer.engine.allocation import tokenizer_of
from budgeteer.engine.errors import InputError
from budgeteer.engine.history.summary import SummaryFailed, SummaryRequest, extractive_summary
from budgeteer.jobs.context import JobContext
from budgeteer.jobs.housekeeping import sweep
from budgeteer.jobs.registry import job
from budgeteer.sources.services import UNDO_TIME
from budgeteer.workbench import services
from budgeteer.workbench.assembling import links_of, readiness_of
from budgeteer.workbench.configuring import effective
from budgeteer.workbench.models import Summary, Workspace
from budgeteer.workbench.preview import pack_workspace


@job("workbench.summarise", title="Summarise older history")
def summarise(context: JobContext, *, workspace_id: str, key: str) -> dict[str, Any]:
    """Write every summary the workspace's packing asks for, and keep it.

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
    written: list[str] = []

    def write(request: SummaryRequest) -> str:
        known = Summary.objects.filter(owner_id=workspace.owner_id, key=request.key).first()
        if known is not None:
            return known.text
        count = len(request.messages)
        context.progress(0, count, "messages", f"Summarising {count:,} messages")
        try:
            text = extractive_summary(request)
        except SummaryFailed:
            _keep(context, workspace, key=request.key, text="")
            raise
        _keep(context, workspace, key=request.key, text=text)
        context.progress(count, count, "messages", f"Wrote a summary of {len(text):,} characters")
        written.append(request.key)
        return text

    pack_workspace(workspace, current, readiness=readiness, summarise=write)
    return {"workspace": workspace_id, "asked": key, "written": written}


def _keep(context: JobContext, workspace: Workspace, *, key: str, text: str) -> None:
    """Store a summary; an empty text says that it was tried in vain."""
    with context.committing():
        Summary.objects.update_or_create(
            owner_id=workspace.owner_id, key=key, defaults={"text": text, "writer": "extractive"}
        )


@sweep("deleted workspaces")
def purge_deleted(now: datetime) -> int:
    """Workspaces that can no longer be taken back; their reports stay."""
    return services.purge(before=now - UNDO_TIME)
