"""Summaries of compress ranges: extracted at once, or written by a worker with a language model."""

from __future__ import annotations

import json

from django.conf import settings

from budgeteer.engine.errors import InputError
from budgeteer.engine.packing.history.summary import SummaryFailed, SummaryRequest, extractive_summary
from budgeteer.jobs import services as jobs
from budgeteer.jobs.models import Job
from budgeteer.workbench import summary_store
from budgeteer.workbench.models import Workspace


def generated(workspace: Workspace, request: SummaryRequest, *, rows: tuple[int, int]) -> str | Job:
    """A summary of these messages, or the job that writes it; one that was written before is used again.

    Raises:
        InputError: there is nothing in the messages that a summary could be made of.
    """
    if settings.LLM_ENDPOINT is not None:
        known = summary_store.find(workspace.owner_id, request.key)
        if known is None:
            try:
                return jobs.enqueue_once(
                    "workbench.write_block",
                    arguments={"workspace_id": str(workspace.pk), "first": rows[0], "last": rows[1]},
                    owner=workspace.owner,
                    subject=f"block:{workspace.pk}:{json.dumps(rows)}:{request.key[:24]}",
                    is_done=lambda: summary_store.find(workspace.owner_id, request.key) is not None,
                )
            except jobs.AlreadyDone:
                known = summary_store.find(workspace.owner_id, request.key)
        if known is not None and known.text:
            return known.text
    try:
        return extractive_summary(request)
    except SummaryFailed as failure:
        raise InputError(f"No summary can be made of these messages: {failure}", mend="Write one yourself") from None
