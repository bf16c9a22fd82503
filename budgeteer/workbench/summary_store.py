"""Summaries of older history: requested, written by a worker, used by previews, read and edited by their owner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import structlog
from django.conf import settings
from django.db.models import Count, Max
from django.utils import timezone

from budgeteer.engine.content.written_messages import SUMMARY_LINE
from budgeteer.engine.errors import InputError
from budgeteer.engine.packing.history.summary import (
    SummaryFailed,
    SummaryPending,
    SummaryRequest,
    extractive_summary,
    storable,
)
from budgeteer.jobs import services as jobs
from budgeteer.jobs.models import Job
from budgeteer.llm.summary import AuthoredSummary, EndpointFailed
from budgeteer.workbench.models import Summary, Workspace

EXTRACTIVE = "extractive"

log = structlog.get_logger(__name__)


def stored_summaries(owner_id: int) -> Callable[[SummaryRequest], str]:
    """A summariser that only looks up what was written before.

    Raises:
        SummaryPending: by the summariser, when there is nothing yet.
        SummaryFailed: by the summariser, when it was tried and could not be written.
    """

    def look_up(request: SummaryRequest) -> str:
        row = find(owner_id, request.key)
        if row is None:
            raise SummaryPending(request)
        if not row.text:
            raise SummaryFailed("this summary was tried before and could not be written")
        return row.text

    return look_up


def stored_or_extracted(owner_id: int) -> Callable[[SummaryRequest], str]:
    """The stored summaries of a person; an extract where one is not written yet.

    Where all that is stored are extracts, that is extraction itself: nothing is looked up, and a sweep knows between
    which limits an extract stays the same.
    """
    if not Summary.objects.filter(owner_id=owner_id).exclude(writer=EXTRACTIVE, edited_at__isnull=True).exists():
        return extractive_summary
    stored = stored_summaries(owner_id)

    def summarise(request: SummaryRequest) -> str:
        try:
            return stored(request)
        except SummaryPending:
            return extractive_summary(request)

    return summarise


def find(owner_id: int, key: str) -> Summary | None:
    """The owner's summary of that key."""
    if "\0" in key:  # no key has one, and PostgreSQL compares nothing with it
        return None
    return Summary.objects.filter(owner_id=owner_id, key=key).first()


def edition_of(owner_id: int) -> str:
    """Changes whenever any summary of the owner's does: part of the key of whatever is kept of a packing."""
    found = Summary.objects.filter(owner_id=owner_id).aggregate(count=Count("id"), last=Max("updated_at"))
    return f"{found['count']} {found['last']}"


def request_summary(workspace: Workspace, key: str, config: Mapping[str, Any] | None = None) -> Job | None:
    """The job that writes this summary: the one under way, the one that failed, else a new one.

    `config` is the configuration whose packing asks for it, canonical data; None for the workspace's own. None where a
    worker has finished it since the packing looked: it is only to be looked up again.
    """
    last = jobs.latest_for(_subject(workspace, key))
    if last is not None and last.state == "failed":
        return last
    try:
        return _enqueue(workspace, key, config, is_done=lambda: find(workspace.owner_id, key) is not None)
    except jobs.AlreadyDone:
        return None


def write_again(workspace: Workspace, key: str) -> Job:
    """The job that writes it anew in place of what stands there."""
    return _enqueue(workspace, key)


def edit(summary: Summary, text: str, *, max_chars: int) -> None:
    """Use the owner's wording, under the line that says that it is a summary.

    Raises:
        InputError: it is empty, or longer than `max_chars` with that line.
    """
    plain = storable(text.replace("\r\n", "\n").strip())
    if not plain:
        raise InputError("the summary is empty", mend="Write something, or let it be written again")
    whole = f"{SUMMARY_LINE}\n\n{plain}"
    if len(whole) > max_chars:
        over = len(whole) - max_chars
        mend = f"Take {over:,} away, or raise history.summaryMaxChars"
        raise InputError(f"the summary has {len(whole):,} characters and {max_chars:,} may be used", mend=mend)
    summary.text, summary.edited_at = whole, timezone.now()
    summary.save(update_fields=["text", "edited_at", "updated_at"])


def restore(summary: Summary) -> None:
    """Back to the text as it was written."""
    summary.text, summary.edited_at = summary.written_text, None
    summary.save(update_fields=["text", "edited_at", "updated_at"])


def wording(summary: Summary) -> str:
    """The text without the line above it: what there is to edit."""
    return summary.text.removeprefix(SUMMARY_LINE).lstrip("\n")


def write(
    request: SummaryRequest, *, keep_waiting: Callable[[], None], progress: Callable[[int, int], None]
) -> AuthoredSummary:
    """By the configured language model; by extraction where there is none, or where it gave no usable answer.

    `keep_waiting` is called while an answer is awaited and may raise to stop; `progress` is told (questions answered,
    questions there are).

    Raises:
        SummaryFailed: neither could write one.
    """
    written = _by_model(request, keep_waiting=keep_waiting, progress=progress)
    log.info(
        "summary written",
        writer=written.writer,
        messages=len(request.messages),
        chars=len(written.text),
        allowed_chars=request.max_chars,
        notes=len(written.notes),
    )
    return written


def _by_model(
    request: SummaryRequest, *, keep_waiting: Callable[[], None], progress: Callable[[int, int], None]
) -> AuthoredSummary:
    endpoint = settings.LLM_ENDPOINT
    if endpoint is None:
        return AuthoredSummary(extractive_summary(request), EXTRACTIVE)
    from budgeteer.llm.summarising import ModelSummariser  # the client takes most of a second to load

    try:
        with ModelSummariser(endpoint, keep_waiting=keep_waiting, progress=progress) as summariser:
            return summariser.write(request)
    except EndpointFailed as failure:
        log.warning("language model failed", reason=str(failure))
        note = f"{str(failure).rstrip('.')}. The summary was extracted instead, without a language model."
        return AuthoredSummary(extractive_summary(request), EXTRACTIVE, (note,))


def keep(owner_id: int, key: str, written: AuthoredSummary | None) -> None:
    """Store what was written; None says that it was tried in vain."""
    columns: dict[str, object] = {"text": "", "written_text": "", "writer": EXTRACTIVE, "notes": [], "edited_at": None}
    if written is not None:
        columns |= {"text": written.text, "written_text": written.text, "writer": written.writer[:64]}
        columns["notes"] = list(written.notes)
    Summary.objects.update_or_create(owner_id=owner_id, key=key, defaults=columns)


def _enqueue(
    workspace: Workspace,
    key: str,
    config: Mapping[str, Any] | None = None,
    *,
    is_done: Callable[[], bool] | None = None,
) -> Job:
    given = {} if config is None else {"config": dict(config)}
    return jobs.enqueue_once(
        "workbench.summarise",
        arguments={"workspace_id": str(workspace.id), "key": key, "again": is_done is None, **given},
        owner=workspace.owner,
        subject=_subject(workspace, key),
        is_done=is_done,
    )


def _subject(workspace: Workspace, key: str) -> str:
    return f"summary:{workspace.id}:{key[:40]}"
