"""Enqueue, watch, cancel and retry jobs, and recover lost ones."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import structlog
from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, models, transaction
from django.db.models.functions import Now
from kombu.exceptions import KombuError
from kombu.exceptions import OperationalError as BrokerAway

from budgeteer import __version__
from budgeteer.engine.errors import InputError
from budgeteer.jobs import heartbeats, registry
from budgeteer.jobs.celery_app import app
from budgeteer.jobs.models import FINISHED, UNFINISHED, Job, JobState, appended
from budgeteer.logs import current_request_id
from budgeteer.telemetry.tracing import current_parent

log = structlog.get_logger(__name__)

QUEUES = ("default", "large")
# A job that waits its turn is sent again ever more seldom: its waiting time doubles this often at most.
DOUBLINGS = 5
# Finished jobs removed in one transaction.
FORGOTTEN_AT_ONCE = 500
# Messages about a job of a kind that nobody knows, after which it has failed: half an hour with the default settings.
UNKNOWN_SENDS = 10
# So many messages wake every worker there is; each then takes what waits from the rows.
MOST_NUDGES = 50


def enqueue(
    kind: str,
    *,
    arguments: Mapping[str, Any],
    owner: User | None,
    subject: str = "",
    queue: str = "default",
) -> Job:
    """Create a job in the caller's transaction; it is sent when that commits.

    Args:
        kind: the name it is registered under.
        arguments: JSON, passed by keyword; primary keys rather than contents.
        owner: who sees, cancels and retries it.
        subject: what it is about, "source:<id>".
        queue: "default", or "large" for work of more than some seconds.

    Raises:
        registry.UnknownKind: nothing is registered under that name.
        ValueError: another queue.
    """
    return _create(
        Job(
            kind=kind,
            arguments=dict(arguments),
            owner=owner,
            subject=subject,
            queue=queue,
            request_id=current_request_id(),
            trace_parent=current_parent(),
        )
    )


class AlreadyDone(Exception):
    """What a job was asked for is there."""


def enqueue_once(  # noqa: PLR0913 - what `enqueue` takes, and when nothing is left to do
    kind: str,
    *,
    arguments: Mapping[str, Any],
    owner: User | None,
    subject: str,
    queue: str = "default",
    is_done: Callable[[], bool] | None = None,
) -> Job:
    """As `enqueue`; but where such a job of that kind about the subject waits or runs, that one is returned.

    Two requests that ask at the same moment get the same job: the table takes only one. `is_done` tells whether what
    the job makes is there. It is asked once no other such job can be under way: one may have ended since the caller
    looked.

    Raises:
        AlreadyDone: it is there.
    """
    under_way = _under_way(kind, subject)
    while (job := under_way.first()) is None:
        new = Job(kind=kind, arguments=dict(arguments), owner=owner, subject=subject, queue=queue, is_only_one=True)
        new.request_id, new.trace_parent = current_request_id(), current_parent()
        try:
            with transaction.atomic():
                _create(new)
                if is_done is not None and is_done():
                    raise AlreadyDone
        except IntegrityError:
            continue  # another request was quicker; its job is there now, or has ended already
        return new
    return job


def _under_way(kind: str, subject: str) -> models.QuerySet[Job]:
    """The one unfinished job of that kind about the subject, where there is to be only one."""
    return Job.objects.filter(kind=kind, subject=subject, is_only_one=True, state__in=UNFINISHED)


def _create(job: Job) -> Job:
    """Save a new job, to be sent when the transaction commits.

    Raises:
        registry.UnknownKind: nothing is registered under its kind.
        ValueError: there is no such queue.
    """
    if job.queue not in QUEUES:
        raise ValueError(f"There is no queue {job.queue!r}; there are {', '.join(QUEUES)}")
    registry.find(job.kind)
    job.save(force_insert=True)
    _send_on_commit(job)
    return job


def latest_for(subject: str) -> Job | None:
    """The youngest job about that subject."""
    return Job.objects.filter(subject=subject).order_by("-created_at").first()


def latest_result(subject: str) -> dict[str, Any] | None:
    """What the youngest job about that subject gave that succeeded."""
    done = Job.objects.filter(subject=subject, state=JobState.SUCCEEDED).order_by("-created_at")
    found: dict[str, Any] | None = done.values_list("result", flat=True).first()
    return found


def cancel(job: Job) -> None:
    """Call the job off, at once: a worker that is busy with it can write nothing more; a finished one stays."""
    job.refresh_from_db()
    Job.objects.filter(id=job.id, state__in=(JobState.QUEUED, JobState.RUNNING)).update(
        state=JobState.CANCELLED,
        finished_at=Now(),
        sentence="Cancelled.",
        log=appended(job.log, "Cancelled."),
    )
    job.refresh_from_db()


def retry(job: Job) -> None:
    """Queue a failed or cancelled job again under the next attempt; any other stays as it is."""
    if job.is_only_one and _under_way(job.kind, job.subject).exists():
        return
    with transaction.atomic():
        stopped = Job.objects.filter(id=job.id, state__in=(JobState.FAILED, JobState.CANCELLED))
        if stopped.requeue():
            Job.objects.filter(id=job.id).update(
                lost_workers=0,
                error=None,
                finished_at=None,
                done=0,
                total=0,
                sentence="",
                log=appended(job.log, "Tried again."),
            )
        job.refresh_from_db()
        if job.state == JobState.QUEUED:
            _send_on_commit(job)


def reap() -> int:
    """Queue again what lost its worker, send again what nobody claimed, end what nobody can do; how many rows."""
    return _requeue_lost() + _end_unknown() + _resend_unclaimed()


def leave_to_newer(job_id: uuid.UUID, attempt: int) -> bool:
    """Leave a queued job whose kind this process does not know to a worker of a newer version; whether it is one.

    It stays queued and is sent again, ever more seldom. Its log says why, once.
    """
    queued = Job.objects.filter(id=job_id, attempt=attempt, state=JobState.QUEUED)
    job = queued.exclude(kind__in=registry.names()).first()
    if job is None:
        return False
    log.warning("job left to a newer worker", job_id=str(job.id), kind=job.kind, attempt=attempt)
    said = InputError(
        "The workers that have looked at this do not know this kind of work; it waits for one of a newer version",
        mend="Start the workers of the version that asked for it, or try again after the upgrade",
    )
    line = appended(job.log, said.sentence)
    queued.filter(error__isnull=True).update(error=said.to_json(), log=line)
    return True


def _end_unknown() -> int:
    """Fail the jobs that no worker knows, after so many messages about each and while no other version is there."""
    unknown = Job.objects.filter(state=JobState.QUEUED, sends__gte=UNKNOWN_SENDS, error__isnull=False)
    unknown = unknown.exclude(kind__in=registry.names())
    if not unknown.exists() or any(seen.is_fresh and seen.version != __version__ for seen in heartbeats.everybody()):
        return 0
    ended = 0
    for job in unknown:
        log.warning("job that no worker knows ended", job_id=str(job.id), kind=job.kind, attempt=job.attempt)
        sentence = str((job.error or {})["sentence"])
        ended += unknown.filter(id=job.id, attempt=job.attempt).update(
            state=JobState.FAILED, sentence=sentence[:500], finished_at=Now()
        )
    return ended


def _requeue_lost() -> int:
    silent_since = Now() - timedelta(seconds=settings.JOB_STALE_SECONDS)
    lost = list(Job.objects.filter(state=JobState.RUNNING, heartbeat_at__lt=silent_since))
    return sum(_take_from_lost_worker(job) for job in lost)


def _take_from_lost_worker(job: Job) -> int:
    """End or requeue one running row whose heartbeat is still the one that was seen."""
    # Not "equal": SQLite compares times as texts, and writes its own with fewer digits than it is asked for.
    seen = Job.objects.held(job.id, job.attempt).filter(heartbeat_at__lte=job.heartbeat_at)
    log.warning("worker lost", job_id=str(job.id), kind=job.kind, attempt=job.attempt)
    if job.lost_workers + 1 >= settings.JOB_MAX_ATTEMPTS:
        what = f"The process doing this stopped answering, or was cut off, {job.lost_workers + 1} times"
        mend = "Try again; if it ends so again, try a smaller input, and let an admin look into the workers' log."
        # An attempt that met an outage has said so itself.
        error = job.error or {"what": what, "where": "", "mend": mend, "sentence": f"{what}. {mend}"}
        return seen.update(
            state=JobState.FAILED,
            error=error,
            sentence=error["sentence"][:500],
            log=appended(job.log, error["sentence"]),
            finished_at=Now(),
        )
    with transaction.atomic():
        if not seen.requeue(lost=1):
            return 0
        line = "Tried again." if job.error else "The process doing this stopped; the work starts over."
        Job.objects.filter(id=job.id).update(log=appended(job.log, line), error=None)
        job.refresh_from_db()
        _send_on_commit(job)
    return 1


def _resend_unclaimed() -> int:
    """Send anew, oldest first, what waits longer than it should; a worker that is woken does the rest as well."""
    touched = 0
    for queue in QUEUES:
        waiting = Job.objects.filter(state=JobState.QUEUED, queue=queue).order_by("created_at")
        for job in waiting.annotate(now=Now())[:MOST_NUDGES]:
            patience = timedelta(seconds=settings.JOB_RESEND_SECONDS * 2 ** min(max(job.sends - 1, 0), DOUBLINGS))
            if job.sent_at is None or job.sent_at < job.now - patience:  # type: ignore[attr-defined]  # annotated above
                _send(job)
                touched += 1
    return touched


def nudge() -> None:
    """Send the oldest waiting job of every queue, however lately it was sent: a worker has come that may not know."""
    for queue in QUEUES:
        waiting = Job.objects.filter(state=JobState.QUEUED, queue=queue, kind__in=registry.names())
        job = waiting.order_by("created_at").first()
        if job is not None:
            _send(job)


def _send_on_commit(job: Job) -> None:
    transaction.on_commit(partial(_send, job), robust=True)


def _send(job: Job) -> None:
    """Hand the id to the broker; where the broker is away, the reaper tries again later."""
    try:
        app.send_task("jobs.run", args=(str(job.id), job.attempt), queue=job.queue)
    except (BrokerAway, KombuError, OSError) as error:
        log.warning("job not sent", job_id=str(job.id), reason=str(error))
        return
    Job.objects.filter(id=job.id, attempt=job.attempt, state=JobState.QUEUED).update(
        sent_at=Now(), sends=models.F("sends") + 1
    )


def forget_finished(*, before: datetime) -> int:
    """Remove jobs that ended before that time, some hundred in a transaction; how many."""
    forgotten = 0
    old = Job.objects.filter(state__in=FINISHED, finished_at__lt=before).order_by("pk").values_list("pk", flat=True)
    while pks := list(old[:FORGOTTEN_AT_ONCE]):
        # A job that was tried again since it was listed is not finished any more.
        forgotten += Job.objects.filter(pk__in=pks, state__in=FINISHED, finished_at__lt=before).delete()[0]
    return forgotten
