"""Whose job is next: the queues are fair between people, and studies never take every worker.

A kind of job that this process does not know is left to a worker of a newer version. A job of nobody goes first. Of the
people who wait in a queue the one with the fewest running jobs has the turn, then the one who was served longest ago;
of that person's jobs the oldest that is no study. A study (`registry.job(…, is_study=True)`) answers a question of what
if: nobody's data waits for it. It waits while its owner has another one running, and while so many run that only one
worker is left for imports. Two workers that look at the same moment may both begin one; the next look keeps the bound
again.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from django.db import models
from django.db.models import Count, Max, Q

from budgeteer.jobs import heartbeats, registry
from budgeteer.jobs.models import Job, JobState, ProcessPart

type Turn = tuple[uuid.UUID, int]


def next_waiting(queues: Iterable[str]) -> Turn | None:
    """Id and attempt of the job to be done next, the first queue first; None where nothing may begin."""
    for queue in queues:
        waiting = Job.objects.filter(state=JobState.QUEUED, queue=queue, kind__in=registry.names())
        for owner in _in_turn(list(waiting.order_by().values_list("owner", flat=True).distinct())):
            if found := _next_of(owner, waiting):
                return found
    return None


def has_turn(job_id: uuid.UUID) -> bool:
    """Whether this job may begin now, whoever else waits; a job that is not there may."""
    row = Job.objects.filter(id=job_id).values_list("kind", "owner").first()
    return row is None or row[0] not in registry.studies() or _has_room_for_study(row[1])


def _in_turn(owners: list[int | None]) -> list[int | None]:
    if len(owners) < 2:
        return owners
    served = Job.objects.filter(owner__in=[owner for owner in owners if owner is not None], claimed_at__isnull=False)
    rows = (
        served.order_by()
        .values("owner")
        .annotate(running=Count("pk", filter=Q(state=JobState.RUNNING)), latest=Max("claimed_at"))
    )
    by_owner: dict[int | None, tuple[int, float]] = {
        row["owner"]: (row["running"], row["latest"].timestamp()) for row in rows
    }
    return sorted(owners, key=lambda owner: (owner is not None, by_owner.get(owner, (0, 0.0))))


def _next_of(owner: int | None, waiting: models.QuerySet[Job]) -> Turn | None:
    own = waiting.filter(owner=owner) if owner is not None else waiting.filter(owner__isnull=True)
    rows = own.order_by("created_at").values_list("id", "attempt")
    studies = registry.studies()
    found = rows.exclude(kind__in=studies).first()
    if found is None and (study := rows.filter(kind__in=studies).first()) and _has_room_for_study(owner):
        return study
    return found


def _has_room_for_study(owner: int | None) -> bool:
    running = Job.objects.filter(state=JobState.RUNNING, kind__in=registry.studies())
    if owner is not None and running.filter(owner=owner).exists():
        return False
    workers = sum(one.part is ProcessPart.WORKER and one.is_fresh for one in heartbeats.everybody())
    return running.count() < max(workers - 1, 1)
