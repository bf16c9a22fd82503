"""The two messages a worker understands: run this job, and look for lost ones."""

from __future__ import annotations

import uuid

from celery import signals

from budgeteer.celery import app
from budgeteer.jobs import services
from budgeteer.jobs.context import worker_stopping
from budgeteer.jobs.execution import execute


@app.task(name="jobs.run")  # type: ignore[untyped-decorator]  # celery ships no types
def run(job_id: str, attempt: int) -> None:
    """Do one attempt of one job."""
    execute(uuid.UUID(job_id), attempt)


@app.task(name="jobs.reap")  # type: ignore[untyped-decorator]  # celery ships no types
def reap() -> None:
    """Send again what nobody claimed, queue again what was lost."""
    services.reap()


@signals.worker_shutting_down.connect  # type: ignore[untyped-decorator]  # celery ships no types
def _give_jobs_back(**_kwargs: object) -> None:
    worker_stopping.set()


@signals.worker_ready.connect  # type: ignore[untyped-decorator]  # celery ships no types
def _pick_up_what_was_left(**_kwargs: object) -> None:
    """What an earlier worker handed back need not wait for the scheduler."""
    services.reap()
