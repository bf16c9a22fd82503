"""Checks of the processes: workers, scheduler, waiting jobs, and whether an administrator exists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import Error as AnyDatabaseError
from django.db.models.functions import Now

from budgeteer import __version__
from budgeteer.jobs import heartbeats
from budgeteer.jobs.models import Job, JobState, ProcessPart
from budgeteer.operations.database import MIGRATE, RUNNING, reason
from budgeteer.operations.findings import Finding, failed, ok, warning

LONG_WAIT = timedelta(minutes=5)
"""Longer than a queue in good order makes a job wait; an import of the largest upload takes less."""

START = {
    ProcessPart.WORKER: "Start one: budgeteer serve --only worker (budgeteer serve runs all parts)",
    ProcessPart.SCHEDULER: "Start one: budgeteer serve --only scheduler (budgeteer serve runs all parts)",
}


def workers() -> Iterator[Finding]:
    """Which workers there are, and which queues nobody serves."""
    from budgeteer.jobs.services import QUEUES  # it needs a broker folder that can be made

    seen = heartbeats.everybody()
    there = [one for one in seen if one.part is ProcessPart.WORKER and one.is_fresh]
    if not there:
        yield failed(
            "worker", "No worker is there: nothing is imported, counted or packed.", mend=START[ProcessPart.WORKER]
        )
    else:
        yield ok("worker", f"{_counted(len(there), 'worker')}: {', '.join(_described(one) for one in there)}.")
        served = {queue for one in there for queue in one.queues}
        for queue in QUEUES:
            if queue not in served:
                mend = "Start a worker that takes it"
                yield failed("queues", f"Nobody serves the queue {queue!r}: its jobs wait for ever.", mend=mend)
    yield from _other_versions(there)
    yield from _fallen_silent(seen, ProcessPart.WORKER)


def scheduler() -> Iterator[Finding]:
    """Whether somebody looks for lost jobs."""
    seen = heartbeats.everybody()
    there = [one for one in seen if one.part is ProcessPart.SCHEDULER and one.is_fresh]
    if not there:
        yield failed("scheduler", "No scheduler is there: lost jobs stay lost.", mend=START[ProcessPart.SCHEDULER])
    elif len(there) > 1:
        names = ", ".join(one.name for one in there)
        yield warning("scheduler", f"{len(there)} schedulers do the work of one: {names}.", mend="Stop all but one")
    else:
        yield ok("scheduler", f"{there[0].name}.")
    yield from _other_versions(there)
    yield from _fallen_silent(seen, ProcessPart.SCHEDULER)


def own_worker() -> Iterator[Finding]:
    """Whether a worker of this very host is alive: a container's health check."""
    yield _own(ProcessPart.WORKER)


def own_scheduler() -> Iterator[Finding]:
    """Whether the scheduler of this very host is alive: a container's health check."""
    yield _own(ProcessPart.SCHEDULER)


def jobs() -> Iterator[Finding]:
    """Jobs that wait too long, that nobody looks after, or that failed lately."""
    now = Now()
    counts = Counter(Job.objects.order_by().values_list("state", flat=True))
    yield ok("jobs", f"{counts[JobState.QUEUED]:,} waiting, {counts[JobState.RUNNING]:,} running.")
    late = Job.objects.filter(state=JobState.QUEUED, created_at__lt=now - LONG_WAIT)
    if number := late.count():
        minutes = LONG_WAIT.total_seconds() / 60
        sentence = f"{_counted(number, 'job')} waiting for more than {minutes:.0f} minutes."
        yield warning("waiting", sentence, mend="Start another worker, or see worker above")
    unattended = Now() - timedelta(seconds=settings.JOB_STALE_SECONDS + 3 * settings.JOB_REAP_SECONDS)
    if number := Job.objects.filter(state=JobState.RUNNING, heartbeat_at__lt=unattended).count():
        sentence = f"{_counted(number, 'job')} running without a sign of life, and not given to another worker."
        yield failed("lost", sentence, mend="See scheduler and worker above: nobody looks for lost jobs")
    recent = Job.objects.filter(state=JobState.FAILED, finished_at__gt=now - timedelta(days=1))
    if kinds := Counter(recent.order_by().values_list("kind", flat=True)):
        named = ", ".join(f"{kind} {number:,}" for kind, number in kinds.most_common(5))
        sentence = f"{_counted(kinds.total(), 'job')} failed within a day: {named}."
        yield warning("failures", sentence, mend="Look at them under /admin/jobs/job/?state__exact=failed")


def accounts() -> Iterator[Finding]:
    """Somebody has to be able to let others in."""
    if settings.BUDGETEER_MODE == "local":
        yield ok("accounts", "Local mode: one user, signed in by a link.")
        return
    administrators = get_user_model().objects.filter(is_active=True, is_staff=True).count()
    if administrators:
        yield ok("accounts", f"{_counted(administrators, 'active administrator')}.")
    else:
        mend = "Run: django-admin createsuperuser --settings budgeteer.settings"
        yield failed("accounts", "There is no active administrator, so nobody can let others in.", mend=mend)


def _own(part: ProcessPart) -> Finding:
    host = heartbeats.own_host()
    try:
        mine = [one for one in heartbeats.everybody() if one.part is part and one.host == host]
    except AnyDatabaseError as error:
        return failed(part, f"The database cannot say: {reason(error)}", mend=f"{RUNNING}. {MIGRATE}")
    if not mine:
        return failed(part, f"No {part} of this host ({host}) is there.", mend=START[part])
    latest = min(mine, key=lambda one: one.silent_seconds)
    sentence = f"{latest.name} was last heard {latest.silent_seconds:.0f} s ago."
    return ok(part, sentence) if latest.is_fresh else failed(part, sentence, mend="Start it again")


def _other_versions(there: list[heartbeats.Seen]) -> Iterator[Finding]:
    for one in there:
        if one.version != __version__:
            sentence = f"{one.name} runs version {one.version}, this is {__version__}."
            yield warning("version", sentence, mend="Start it again with this version")


def _fallen_silent(seen: list[heartbeats.Seen], part: ProcessPart) -> Iterator[Finding]:
    for one in seen:
        if one.part is part and not one.is_fresh:
            sentence = f"{one.name} stopped without a goodbye {one.silent_seconds / 60:.0f} min ago."
            yield warning("silent", sentence, mend="Look why: was it killed, or out of memory?")


def _described(one: heartbeats.Seen) -> str:
    return f"{one.name} ({', '.join(one.queues)})"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
