"""Evaluations under way: chunks that jobs take one after the other, until all are done and merged.

A job is a *lane*: it claims a chunk, does it, commits it, takes the next one, and after some seconds makes room for
whoever waits by requesting another lane behind them. As many lanes run as there are workers. A chunk is committed by
the job that holds it and only once; what a worker that was killed held is done anew by the same job's next attempt.

Some evaluations are worked on at a time, the others wait without a job (`turns.py`).
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from budgeteer.collections import turns
from budgeteer.collections.models import Collection, EvaluationChunk, EvaluationRun, stored_files
from budgeteer.engine.analysis.evaluation.chunk import NamedConfig
from budgeteer.engine.config.schema import dump_config
from budgeteer.jobs import heartbeats
from budgeteer.jobs import services as jobs
from budgeteer.jobs.models import UNFINISHED, Job, JobState, ProcessPart

#: Configurations of one evaluation: their pairs are compared, and a table of them is still read.
MOST_CONFIGS: Final = 6
#: Chunks among which a lane chooses where others were quicker.
CONTESTED: Final = 32
#: Evaluations that a collection keeps; the oldest makes room.
MOST_RUNS: Final = 20

_AT_WORK: Final = (EvaluationRun.State.WAITING, EvaluationRun.State.RUNNING)
_UNDER_WAY: Final = (EvaluationRun.State.QUEUED, *_AT_WORK)


@transaction.atomic
def begin(
    collection: Collection,
    configs: Sequence[NamedConfig],
    *,
    owner: User,
    keeps_duplicates: bool = False,
    replays_sessions: bool = False,
) -> EvaluationRun:
    """Evaluate a collection under these configurations; jobs do it, when its turn comes. The options are the row's.

    Raises:
        TooManyEvaluations: the owner, or everybody together, has as many under way as may be.
    """
    turns.check_room(owner)
    run = EvaluationRun.objects.create(
        collection=collection,
        owner=owner,
        configs=[{"name": one.name, "config": dump_config(one.config)} for one in configs],
        keeps_duplicates=keeps_duplicates,
        replays_sessions=replays_sessions,
    )
    give_turns()
    run.refresh_from_db()
    for old in collection.runs.exclude(state__in=_UNDER_WAY).order_by("-created_at")[MOST_RUNS - 1 :]:
        remove(old)
    return run


def give_turns() -> None:
    """Begin with the evaluations whose turn it is; to be called where one was added or has ended, in a transaction."""
    for run in turns.next_ones():
        is_begun = run.started_at is not None
        state = EvaluationRun.State.RUNNING if is_begun else EvaluationRun.State.WAITING
        waiting = EvaluationRun.objects.filter(pk=run.pk, state=EvaluationRun.State.QUEUED)
        if not waiting.update(state=state, turn_at=timezone.now()):
            continue  # it was cancelled meanwhile
        run.state = state
        if is_begun:
            run.chunks.filter(is_done=False).update(claimed_by=None)
            request_lanes(run)
        else:
            _prepare(run)


def remove(run: EvaluationRun) -> None:
    """Delete a run with everything it found; it is called off first, so that no lane requests another."""
    cancel(run)
    with transaction.atomic():
        names = stored_files(run)
        run.delete()
        for name in names:
            # Should storage be away now, the sweep of orphans finds the file later.
            transaction.on_commit(partial(default_storage.delete, name), robust=True)


def _prepare(run: EvaluationRun) -> None:
    jobs.enqueue(
        "collections.begin", arguments={"run_id": str(run.pk)}, owner=run.owner, subject=run.subject, queue="large"
    )


def start(run: EvaluationRun, chunks: Sequence[EvaluationChunk], *, left_out: Mapping[str, int]) -> None:
    """Save the chunks of a run and request its lanes; to be called in the transaction of the job that made them."""
    row = EvaluationRun.objects.select_for_update().get(pk=run.pk)
    if row.state != EvaluationRun.State.WAITING:
        return
    row.chunks.all().delete()
    EvaluationChunk.objects.bulk_create(chunks, batch_size=100)
    row.state = EvaluationRun.State.RUNNING
    row.conversations = sum(chunk.conversations for chunk in chunks)
    row.left_out = dict(left_out)
    row.started_at = timezone.now()
    row.save()
    request_lanes(row)


def request_lanes(run: EvaluationRun, *, ending: uuid.UUID | None = None) -> None:
    """Request as many lanes as there are workers and chunks that nobody holds, or the merge where all are done.

    To be called in a transaction that holds the run's row; `ending` is a lane that is about to end.
    """
    left = run.chunks.filter(is_done=False)
    if not left.exists():
        jobs.enqueue_once(
            "collections.merge", arguments={"run_id": str(run.pk)}, owner=run.owner, subject=f"{run.subject}:merge"
        )
        return
    lanes = Job.objects.filter(kind="collections.evaluate", subject=run.subject, state__in=UNFINISHED)
    others = lanes.count() if ending is None else lanes.exclude(pk=ending).count()
    free = left.filter(claimed_by=None).count()
    for _ in range(min(free, workers()) - others):
        jobs.enqueue("collections.evaluate", arguments={"run_id": str(run.pk)}, owner=run.owner, subject=run.subject)


def workers() -> int:
    """How many worker processes there are, on all machines; at least one."""
    return max(sum(one.part is ProcessPart.WORKER and one.is_fresh for one in heartbeats.everybody()), 1)


def claim(run_id: uuid.UUID, job_id: uuid.UUID) -> EvaluationChunk | None:
    """The next chunk for a job: one that an earlier attempt of it held, else the first that nobody holds.

    Where others take that one first, the job tries another of the next ones: lanes that claim at the same moment do not
    meet again and again.
    """
    left = EvaluationChunk.objects.filter(run_id=run_id, is_done=False)
    if (own := left.filter(claimed_by=job_id).order_by("number").first()) is not None:
        return own
    free = left.filter(claimed_by=None)
    tries = 0
    while waiting := list(free.order_by("number").values_list("pk", flat=True)[:CONTESTED]):
        at = (job_id.int + tries) % len(waiting) if tries else 0
        if free.filter(pk=waiting[at]).update(claimed_by=job_id):
            return EvaluationChunk.objects.get(pk=waiting[at])
        tries += 1
    return None


def keep(chunk: EvaluationChunk, record: Mapping[str, Any], rows: str) -> bool:
    """Write what a chunk came to; False where it is not the job's any more. In the transaction of a job's claim."""
    held = EvaluationChunk.objects.filter(pk=chunk.pk, claimed_by=chunk.claimed_by, is_done=False)
    return bool(held.update(is_done=True, record=dict(record), rows=rows))


def is_wanted(run_id: uuid.UUID) -> bool:
    """Whether somebody still waits for the run."""
    return EvaluationRun.objects.filter(pk=run_id, state=EvaluationRun.State.RUNNING).exists()


def cancel(run: EvaluationRun) -> None:
    """Call the run off with all of its jobs; a finished one stays. What is done is kept, for `resume`."""
    EvaluationRun.objects.filter(pk=run.pk, state__in=_UNDER_WAY).update(state=EvaluationRun.State.CANCELLED)
    for job in _unfinished(run):
        jobs.cancel(job)
    with transaction.atomic():
        give_turns()
    run.refresh_from_db()


@transaction.atomic
def resume(run: EvaluationRun) -> None:
    """Go on with a run that was cancelled or has stopped, where it ended, when its turn comes; others stay as they are.

    Raises:
        TooManyEvaluations: as `begin`.
    """
    row = EvaluationRun.objects.select_for_update().get(pk=run.pk)
    if row.state not in (EvaluationRun.State.CANCELLED, EvaluationRun.State.STOPPED):
        return
    turns.check_room(row.owner)
    for job in _unfinished(row):
        jobs.cancel(job)
    row.error, row.state, row.queued_at = {}, EvaluationRun.State.QUEUED, timezone.now()
    row.save(update_fields=["state", "error", "queued_at"])
    give_turns()
    run.refresh_from_db()


def _unfinished(run: EvaluationRun) -> list[Job]:
    return list(Job.objects.filter(subject__in=(run.subject, f"{run.subject}:merge"), state__in=UNFINISHED))


def refresh_state(run: EvaluationRun) -> EvaluationRun:
    """A run whose jobs have all ended without finishing it has stopped, or was cancelled, as the last of them says."""
    if run.state not in _AT_WORK:
        return run
    with transaction.atomic():
        row = EvaluationRun.objects.select_for_update().get(pk=run.pk)
        mine = Job.objects.filter(subject__in=(row.subject, f"{row.subject}:merge"))
        if row.state in _AT_WORK and not mine.filter(state__in=UNFINISHED).exists():
            failed = mine.filter(state=JobState.FAILED).order_by("-finished_at").first()
            is_failed = failed is not None and failed.error is not None
            row.state = EvaluationRun.State.STOPPED if is_failed else EvaluationRun.State.CANCELLED
            row.error = failed.error if failed is not None and failed.error is not None else {}
            row.save(update_fields=["state", "error"])
            give_turns()
    run.refresh_from_db()
    return run


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is, in conversations; `seconds_left` is None while nothing can be told."""

    done: int
    total: int
    seconds_left: float | None


def progress_of(run: EvaluationRun, *, now: datetime) -> RunProgress:
    """How far a run is, and how long the rest takes at the pace that it has had."""
    done: int = run.chunks.filter(is_done=True).aggregate(done=Sum("conversations"))["done"] or 0
    if not done or run.started_at is None or run.state != EvaluationRun.State.RUNNING:
        return RunProgress(done, run.conversations, None)
    spent = (now - run.started_at).total_seconds()
    return RunProgress(done, run.conversations, spent / done * (run.conversations - done))
