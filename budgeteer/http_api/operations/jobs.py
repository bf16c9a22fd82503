"""Background jobs: how one stands, and cancelling it."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest
from ninja import Router

from budgeteer.http_api.routing import ApiSchema, owner_of, route
from budgeteer.jobs import services
from budgeteer.jobs.job_view import title_of
from budgeteer.jobs.models import Job
from budgeteer.tokens.scopes import Scope

router = Router()


class ErrorOut(ApiSchema):
    """Why something failed."""

    what: str
    where: str
    hint: str

    @classmethod
    def of(cls, error: dict[str, Any]) -> ErrorOut:
        """From an error as rows keep it."""
        return cls(what=error.get("what", ""), where=error.get("where", ""), hint=error.get("mend", ""))


class JobOut(ApiSchema):
    """A job. `done` of `total` counts in `unit`; both are 0 while nobody knows."""

    id: UUID
    kind: str
    title: str
    state: str
    is_finished: bool
    done: int
    total: int
    unit: str
    sentence: str
    error: ErrorOut | None
    created_at: datetime
    finished_at: datetime | None

    @classmethod
    def of(cls, job: Job) -> JobOut:
        """A row as it is answered."""
        return cls(
            id=job.id,
            kind=job.kind,
            title=title_of(job.kind),
            state=job.state,
            is_finished=job.is_finished,
            done=job.done,
            total=job.total,
            unit=job.unit,
            sentence=job.sentence,
            error=ErrorOut.of(job.error) if job.error else None,
            created_at=job.created_at,
            finished_at=job.finished_at,
        )


@route(router, "GET", "/jobs/{uuid:job_id}", scope=Scope.JOBS_READ, response=JobOut)
def get_job(request: HttpRequest, job_id: UUID) -> JobOut:
    """Read how a job stands."""
    return JobOut.of(_job(request, job_id))


@route(router, "POST", "/jobs/{uuid:job_id}/cancel", scope=Scope.JOBS_WRITE, response=JobOut, is_keyed=True)
def cancel_job(request: HttpRequest, job_id: UUID) -> JobOut:
    """Call a job off. One that has ended stays as it is."""
    job = _job(request, job_id)
    services.cancel(job)
    return JobOut.of(job)


def _job(request: HttpRequest, job_id: UUID) -> Job:
    job = Job.objects.filter(id=job_id, owner=owner_of(request)).first()
    if job is None:
        raise Http404
    return job
