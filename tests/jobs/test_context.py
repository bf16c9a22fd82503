"""Fencing: a worker that lost its claim can neither report nor commit nor finish."""

from __future__ import annotations

import time

import pytest
from django.contrib.auth.models import Group, User
from django.db.models import QuerySet

from budgeteer.jobs import registry
from budgeteer.jobs.context import ClaimLost, JobCancelled, JobContext
from budgeteer.jobs.execution import execute
from budgeteer.jobs.models import Job
from budgeteer.jobs.registry import Kind

pytestmark = [pytest.mark.stack, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def running() -> JobContext:
    job = Job.objects.create(kind="probe.count", arguments={"steps": 1})
    claimed = Job.objects.claim(job.id, 1)
    assert claimed is not None
    return JobContext(claimed)


def take_over(job: Job) -> None:
    """What the reaper and another worker do to a row whose heartbeat stopped."""
    held: QuerySet[Job] = Job.objects.held(job.id, job.attempt)
    held.requeue()  # type: ignore[attr-defined]
    assert Job.objects.claim(job.id, job.attempt + 1) is not None


def test_a_row_is_claimed_once(running: JobContext) -> None:
    assert Job.objects.claim(running.job.id, 1) is None
    assert Job.objects.claim(running.job.id, 2) is None


def test_a_worker_that_lost_its_claim_cannot_report_progress(running: JobContext) -> None:
    take_over(running.job)
    with pytest.raises(ClaimLost):
        running.progress(5, 10)
    assert Job.objects.get(id=running.job.id).done == 0


def test_a_worker_that_lost_its_claim_cannot_commit(running: JobContext) -> None:
    take_over(running.job)
    with pytest.raises(ClaimLost), running.committing():
        Group.objects.create(name="stale")
    assert not Group.objects.filter(name="stale").exists()


def test_a_worker_that_lost_its_claim_cannot_finish(monkeypatch: pytest.MonkeyPatch) -> None:
    def lose_the_claim(context: JobContext) -> dict[str, str]:
        take_over(context.job)
        return {"from": "the stale worker"}

    monkeypatch.setitem(registry._kinds, "probe.stale", Kind("probe.stale", "Stale", lose_the_claim))
    job = Job.objects.create(kind="probe.stale")
    execute(job.id, 1)
    job.refresh_from_db()
    assert (job.state, job.attempt, job.result) == ("running", 2, None)


def test_a_cancelled_job_cannot_commit(running: JobContext) -> None:
    Job.objects.filter(id=running.job.id).update(cancel_requested=True)
    with pytest.raises(JobCancelled), running.committing():
        Group.objects.create(name="unwanted")
    assert not Group.objects.filter(name="unwanted").exists()


def test_a_check_between_steps_notices_a_cancel_within_a_second(running: JobContext) -> None:
    Job.objects.filter(id=running.job.id).update(cancel_requested=True)
    deadline = time.monotonic() + 1.0

    def check_every_step() -> None:
        while time.monotonic() < deadline:
            running.check()
            time.sleep(0.01)

    with pytest.raises(JobCancelled):
        check_every_step()


def test_progress_is_written_at_most_four_times_a_second(
    running: JobContext, django_assert_max_num_queries: object
) -> None:
    with django_assert_max_num_queries(3):  # type: ignore[operator]
        for done in range(2000):
            running.progress(done, 2000)


def test_a_failure_inside_committing_leaves_nothing_behind(running: JobContext) -> None:
    def fail_half_way() -> None:
        with running.committing():
            Group.objects.create(name="half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    assert not Group.objects.filter(name="half").exists()


def test_an_owner_that_is_deleted_takes_the_jobs_along() -> None:
    owner = User.objects.create_user("gone")
    Job.objects.create(kind="probe.count", owner=owner)
    owner.delete()
    assert not Job.objects.exists()
