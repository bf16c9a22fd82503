"""Asking for work: sent on commit, never lost with the broker, given up after enough lost workers."""

from __future__ import annotations

import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from budgeteer.celery import app
from budgeteer.jobs import registry, services
from budgeteer.jobs.models import LOG_LINES, Job, Presence, appended
from tests.jobs.workers import enqueue

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What was handed to the broker: (job id, attempt, queue)."""
    messages: list[tuple[Any, ...]] = []
    monkeypatch.setattr(app, "send_task", lambda _name, args, queue: messages.append((*args, queue)))
    return messages


def aged(job: Job, **columns: Any) -> Job:
    Job.objects.filter(id=job.id).update(**columns)
    job.refresh_from_db()
    return job


def test_a_job_is_sent_when_its_transaction_commits_and_not_before(owner: User, sent: list[Any]) -> None:
    with transaction.atomic():
        job = services.enqueue("probe.count", arguments={"steps": 1}, owner=owner, queue="large")
        assert sent == []
    assert sent == [(str(job.id), 1, "large")]


def test_a_job_whose_transaction_fails_is_never_sent(owner: User, sent: list[Any]) -> None:
    def fail_after_asking() -> None:
        with transaction.atomic():
            services.enqueue("probe.count", arguments={"steps": 1}, owner=owner)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_after_asking()
    assert sent == []
    assert not Job.objects.exists()


def test_a_kind_nobody_registered_is_refused_where_it_is_asked_for(owner: User) -> None:
    with pytest.raises(registry.UnknownKind, match=r"probe\.cuont"):
        services.enqueue("probe.cuont", arguments={}, owner=owner)


def test_a_queue_nobody_serves_is_refused(owner: User) -> None:
    with pytest.raises(ValueError, match="default, large"):
        services.enqueue("probe.count", arguments={}, owner=owner, queue="huge")


def test_a_broker_that_is_away_loses_nothing(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_args: object, **_options: object) -> None:
        raise OperationalError("connection refused")

    with monkeypatch.context() as broken:
        broken.setattr(app, "send_task", away)
        job = enqueue(owner, steps=1)
        assert (job.state, job.sent_at) == ("queued", None)
    assert services.reap() == 1
    job.refresh_from_db()
    assert job.sent_at is not None


@pytest.mark.slow
def test_a_job_that_waits_its_turn_is_sent_again_ever_more_seldom(owner: User, sent: list[Any]) -> None:
    job = enqueue(owner, steps=1)
    sends = 0
    for _second in range(600):
        waited = Job.objects.get(id=job.id).sent_at
        aged(job, sent_at=waited - timedelta(seconds=1))
        sends += services.reap()
    assert 3 <= sends <= 6


def test_a_running_job_whose_heartbeat_is_fresh_is_left_alone(owner: User, sent: list[Any]) -> None:
    job = enqueue(owner, steps=1)
    Job.objects.claim(job.id, 1)
    assert services.reap() == 0


def test_a_job_that_loses_every_worker_fails_with_a_sentence(owner: User, sent: list[Any], settings: Any) -> None:
    job = enqueue(owner, steps=1)
    for attempt in range(1, settings.JOB_MAX_ATTEMPTS + 1):
        assert Job.objects.claim(job.id, attempt) is not None
        aged(job, heartbeat_at=timezone.now() - timedelta(minutes=5))
        services.reap()
    job.refresh_from_db()
    assert job.state == "failed"
    assert job.error["sentence"] == (
        f"The process doing this stopped answering, or was cut off, {settings.JOB_MAX_ATTEMPTS} times. "
        "Try again; if it ends so again, try a smaller input, and let an admin look into the workers' log."
    )


def test_a_job_that_no_worker_knows_fails_once_it_was_sent_often_and_no_other_version_is_there(
    owner: User, sent: list[Any]
) -> None:
    job = Job.objects.create(kind="probe.newer", owner=owner)
    known = enqueue(owner, steps=1)
    aged(known, sends=services.UNKNOWN_SENDS, sent_at=timezone.now())
    aged(job, sends=services.UNKNOWN_SENDS, sent_at=timezone.now())
    services.reap()
    job.refresh_from_db()
    assert job.state == "queued", "no worker has looked at it"
    assert services.leave_to_newer(job.id, 1)
    assert not services.leave_to_newer(known.id, 1)
    upgraded = Presence.objects.create(name="new", part="worker", host="h", version="99.0", seen_at=timezone.now())
    services.reap()
    job.refresh_from_db()
    assert job.state == "queued", "a worker of another version may know it"
    upgraded.delete()
    aged(job, sends=services.UNKNOWN_SENDS - 1)
    services.reap()
    job.refresh_from_db()
    assert job.state == "queued", "it has not waited long enough"
    aged(job, sends=services.UNKNOWN_SENDS)
    services.reap()
    job.refresh_from_db()
    known.refresh_from_db()
    assert (job.state, known.state) == ("failed", "queued")
    assert "do not know this kind of work" in job.sentence
    services.retry(job)
    assert (job.state, job.attempt, job.error) == ("queued", 2, None)


def test_a_lost_job_that_was_cancelled_stays_cancelled(owner: User, sent: list[Any]) -> None:
    job = enqueue(owner, steps=1)
    Job.objects.claim(job.id, 1)
    services.cancel(job)
    assert (job.state, job.sentence) == ("cancelled", "Cancelled.")
    aged(job, heartbeat_at=timezone.now() - timedelta(minutes=5))
    services.reap()
    job.refresh_from_db()
    assert (job.state, job.attempt) == ("cancelled", 1)


def test_a_job_that_runs_or_succeeded_is_not_tried_again(owner: User, sent: list[Any]) -> None:
    job = enqueue(owner, steps=1)
    Job.objects.claim(job.id, 1)
    services.retry(job)
    assert (job.state, job.attempt) == ("running", 1)


def test_the_latest_job_about_a_subject_is_found(owner: User, sent: list[Any]) -> None:
    for steps in (1, 2):
        services.enqueue("probe.count", arguments={"steps": steps}, owner=owner, subject="source:7")
    latest = services.latest_for("source:7")
    assert latest is not None
    assert latest.arguments == {"steps": 2}
    assert services.latest_for("source:8") is None


def test_a_log_keeps_its_latest_lines() -> None:
    log: list[dict[str, Any]] = []
    for number in range(LOG_LINES + 50):
        log = appended(log, f"line {number}")
    assert len(log) == LOG_LINES
    assert log[-1]["sentence"] == f"line {LOG_LINES + 49}"


def test_work_that_is_wanted_once_is_asked_for_once(owner: User, sent: list[Any]) -> None:
    asked = {"arguments": {"steps": 1}, "owner": owner, "subject": "source:1:o200k_base"}
    first = services.enqueue_once("probe.count", **asked)
    assert services.enqueue_once("probe.count", **asked) == first
    assert Job.objects.claim(first.id, 1) is not None
    assert services.enqueue_once("probe.count", **asked) == first
    services.cancel(first)
    second = services.enqueue_once("probe.count", **asked)
    assert second != first
    services.retry(first)
    assert (first.state, Job.objects.count()) == ("cancelled", 2)


def test_work_that_ended_since_somebody_looked_is_not_done_again(owner: User, sent: list[Any]) -> None:
    asked = {"arguments": {"steps": 1}, "owner": owner, "subject": "summary:1"}
    made: list[str] = []

    def is_done() -> bool:
        return bool(made)

    first = services.enqueue_once("probe.count", is_done=is_done, **asked)
    assert services.enqueue_once("probe.count", is_done=is_done, **asked) == first
    Job.objects.filter(id=first.id).update(state="succeeded", result={"made": 1})
    made.append("it")
    sent.clear()
    with pytest.raises(services.AlreadyDone):
        services.enqueue_once("probe.count", is_done=is_done, **asked)
    assert (Job.objects.count(), sent) == (1, [])
    assert services.latest_result("summary:1") == {"made": 1}
    made.clear()
    second = services.enqueue_once("probe.count", is_done=is_done, **asked)
    assert second != first
    assert services.latest_result("summary:1") == {"made": 1}


def test_requests_at_the_same_moment_get_the_same_job(owner: User) -> None:
    ready = threading.Barrier(4)

    def ask(_number: int) -> uuid.UUID:
        try:
            ready.wait()
            return services.enqueue_once("probe.count", arguments={}, owner=owner, subject="report:1").id
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(ask, range(4)))) == 1
    assert Job.objects.count() == 1
