"""The Job row: the source of truth about a piece of work; brokers only carry its id."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from budgeteer.telemetry.tracing import PARENT_CHARS

LOG_LINES = 200


class JobState(models.TextChoices):
    """Where a job stands: queued → running → one of the last three."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


FINISHED = (JobState.SUCCEEDED, JobState.FAILED, JobState.CANCELLED)
UNFINISHED = (JobState.QUEUED, JobState.RUNNING)


class JobQuerySet(models.QuerySet["Job"]):
    """The conditional updates that keep two workers from both believing they hold a job."""

    def held(self, job_id: uuid.UUID, attempt: int) -> JobQuerySet:
        """The row while `attempt` is the one that runs; empty as soon as the claim is lost."""
        return self.filter(id=job_id, attempt=attempt, state=JobState.RUNNING)

    def claim(
        self, job_id: uuid.UUID, attempt: int, *, worker: str = "", kinds: Iterable[str] | None = None
    ) -> Job | None:
        """Take a queued job for this attempt; None where somebody else has it, it moved on, or is none of these kinds.

        `worker` is the name of the process that takes it. Every time of a row is read off the database's clock, since
        hosts whose clocks differ would take each other's jobs for lost.
        """
        now = Now()
        queued = self.filter(id=job_id, attempt=attempt, state=JobState.QUEUED)
        taken = (queued if kinds is None else queued.filter(kind__in=kinds)).update(
            state=JobState.RUNNING, worker=worker, claimed_at=now, started_at=now, heartbeat_at=now, error=None
        )
        return self.get(id=job_id) if taken else None

    def requeue(self, *, lost: int = 0) -> int:
        """Back to the queue under the next attempt number, unsent; the number of rows that moved.

        Args:
            lost: how many workers were lost over it just now (0 or 1).
        """
        return self.update(
            state=JobState.QUEUED,
            attempt=models.F("attempt") + 1,
            lost_workers=models.F("lost_workers") + lost,
            claimed_at=None,
            heartbeat_at=None,
            sent_at=None,
            sends=0,
        )


class Job(models.Model):
    """A piece of work for a worker.

    `attempt` is a fencing token: every write of a worker names the attempt it claimed, so one that
    was given up for dead cannot write after another has taken over.
    `arguments`, `result` and `error` are JSON; `error` is `{what, where, mend, sentence}`. A queued job has one while
    no worker is known that can do it (services.leave_to_newer).
    Of the jobs with `is_only_one`, one at most of a kind about a subject is unfinished at any time.
    `worker` is the process that claimed it last (see heartbeats.py).
    `subject` names what the job is about ("source:<id>").
    `request_id` is the id, in the logs, of the request that asked for it; "" where none did. `trace_parent` is the same
    for the traces.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=100)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="jobs")
    subject = models.CharField(max_length=200, blank=True, default="")
    queue = models.CharField(max_length=40, default="default")
    arguments = models.JSONField(default=dict)
    is_only_one = models.BooleanField(default=False, db_default=False)
    request_id = models.CharField(max_length=64, blank=True, default="", db_default="")
    trace_parent = models.CharField(max_length=PARENT_CHARS, blank=True, default="", db_default="")

    state = models.CharField(max_length=10, choices=JobState, default=JobState.QUEUED)
    done = models.BigIntegerField(default=0)
    total = models.BigIntegerField(default=0)
    unit = models.CharField(max_length=40, blank=True, default="")
    sentence = models.CharField(max_length=500, blank=True, default="")
    log = models.JSONField(default=list)
    result = models.JSONField(null=True)
    error = models.JSONField(null=True)

    attempt = models.PositiveIntegerField(default=1)
    worker = models.CharField(max_length=300, blank=True, default="", db_default="")
    lost_workers = models.PositiveIntegerField(default=0)
    sends = models.PositiveIntegerField(default=0)

    created_at = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True)
    claimed_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    objects = JobQuerySet.as_manager()

    class Meta:
        """Latest first; indexed for the reaper, for the next one of a queue and for "the latest job about this"."""

        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "subject"],
                condition=models.Q(is_only_one=True, state__in=["queued", "running"]),
                name="jobs_only_one_unfinished",
            )
        ]
        indexes = [
            models.Index(fields=["state", "heartbeat_at"], name="jobs_by_state"),
            models.Index(fields=["queue", "created_at"], condition=models.Q(state="queued"), name="jobs_waiting"),
            models.Index(fields=["subject", "-created_at"], name="jobs_by_subject"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id} ({self.state})"

    @property
    def is_finished(self) -> bool:
        return self.state in FINISHED


class ProcessPart(models.TextChoices):
    """A kind of process that serves jobs."""

    WORKER = "worker"
    SCHEDULER = "scheduler"


class Presence(models.Model):
    """A worker or scheduler process that is there; `heartbeats.py` writes it.

    `seen_at` is read off the database's clock, as is the age of a row, so that hosts whose clocks differ agree.
    `queues` are those it serves, separated by commas; a scheduler serves none.
    """

    name = models.CharField(max_length=300, unique=True)
    part = models.CharField(max_length=20, choices=ProcessPart)
    host = models.CharField(max_length=200)
    queues = models.CharField(max_length=200, blank=True, default="")
    version = models.CharField(max_length=40)
    seen_at = models.DateTimeField()

    class Meta:
        """By part, then by name; never counted apart from presences."""

        ordering = ["part", "name"]
        verbose_name, verbose_name_plural = "process", "processes"

    def __str__(self) -> str:
        return f"{self.part} {self.name}"


def log_line(sentence: str, *, at: datetime | None = None) -> dict[str, Any]:
    """One entry of a job's log: `{at, sentence}`, the time in ISO 8601."""
    return {"at": (at or timezone.now()).isoformat(), "sentence": sentence}


def appended(log: list[dict[str, Any]], sentence: str) -> list[dict[str, Any]]:
    """The log with one more line, its oldest lines cut at `LOG_LINES`."""
    return [*log, log_line(sentence)][-LOG_LINES:]
