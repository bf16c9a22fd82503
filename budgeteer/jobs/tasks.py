"""The Celery tasks of a worker: run a job, recover lost jobs, clean up; what a worker does as it starts and stops."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

import structlog
from celery import signals
from django.conf import settings

from budgeteer.jobs import cleanup, liveness, memory, registry, services
from budgeteer.jobs.celery_app import app
from budgeteer.jobs.cleanup import sweep
from budgeteer.jobs.context import worker_stopping
from budgeteer.jobs.execution import execute, work_off
from budgeteer.jobs.turns import has_turn, next_waiting

log = structlog.get_logger(__name__)


@contextmanager
def _at_work() -> Iterator[None]:
    """What every task stands in: the worker is busy, and ends itself if the task ends as no Exception does.

    Celery never acknowledges the message of such a task, and the worker would wait for ever with its one place taken.
    """
    try:
        with liveness.own.at_work():
            yield
    except Exception:
        raise
    except BaseException:
        log.exception("a task broke off")
        liveness.end_process()


@app.task(name="jobs.run")  # type: ignore[untyped-decorator]  # celery ships no types
def run(job_id: str, attempt: int) -> None:
    """Do what waits in this worker's queues, for a while at a time: first the job whose turn it is, mostly this one."""
    with _at_work():
        waiting = [queue for queue in app.amqp.queues.consume_from if queue in services.QUEUES]
        if worker_stopping.is_set():
            return  # the row stays queued, and is sent again
        if turn := next_waiting(waiting):
            execute(*turn)
        elif has_turn(uuid.UUID(job_id)):
            execute(uuid.UUID(job_id), attempt)
        if work_off(waiting, seconds=settings.JOB_REAP_SECONDS):
            services.nudge()
    if memory.is_swollen():
        liveness.start_anew("its memory was not given back")


@app.task(name="jobs.ping")  # type: ignore[untyped-decorator]  # celery ships no types
def ping() -> None:
    """Show that this worker takes messages and handles them."""
    liveness.own.handled()


@app.task(name="jobs.reap")  # type: ignore[untyped-decorator]  # celery ships no types
def reap() -> None:
    """Send again what nobody claimed, queue again what was lost."""
    with _at_work():
        services.reap()


@app.task(name="jobs.clean_up")  # type: ignore[untyped-decorator]  # celery ships no types
def clean_up(*, pace: cleanup.Pace) -> None:
    """Sweep what has had its time, in every app."""
    with _at_work():
        cleanup.clean_up(pace=pace)


@sweep("finished jobs")
def forget_finished(now: datetime) -> int:
    """Jobs that ended BUDGETEER_JOBS_DAYS ago; what they did stays."""
    return services.forget_finished(before=now - timedelta(days=settings.JOBS_DAYS))


@signals.worker_shutting_down.connect  # type: ignore[untyped-decorator]  # celery ships no types
def _give_jobs_back(**_kwargs: object) -> None:
    worker_stopping.set()


@signals.worker_ready.connect  # type: ignore[untyped-decorator]  # celery ships no types
def _pick_up_what_was_left(**_kwargs: object) -> None:
    """What waited while nobody was there need not wait for the scheduler."""
    liveness.start()
    services.reap()
    services.nudge()
    threading.Thread(target=registry.prepare, name="prepare", daemon=True).start()
