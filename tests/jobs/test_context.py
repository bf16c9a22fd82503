"""Fencing: a worker that lost its claim can neither report nor commit nor finish."""

from __future__ import annotations

import time
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import Group, User
from django.db import OperationalError
from django.db.models import QuerySet
from django.utils import timezone

from budgeteer.jobs import registry, services
from budgeteer.jobs.context import ClaimLost, JobContext, Outage
from budgeteer.jobs.execution import execute, work_off
from budgeteer.jobs.models import Job
from budgeteer.jobs.registry import JobFunction, JobKind
from tests.jobs.claimed_writes import UnclaimedWriteError, watched_run

pytestmark = pytest.mark.django_db(transaction=True)


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


def job_of(run: JobFunction, monkeypatch: pytest.MonkeyPatch, **columns: object) -> Job:
    """A queued job that does `run`."""
    monkeypatch.setitem(registry._kinds, f"probe.{run.__name__}", JobKind(f"probe.{run.__name__}", "Probe", run))
    return Job.objects.create(kind=f"probe.{run.__name__}", **columns)


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

    monkeypatch.setitem(registry._kinds, "probe.stale", JobKind("probe.stale", "Stale", lose_the_claim))
    job = Job.objects.create(kind="probe.stale")
    execute(job.id, 1)
    job.refresh_from_db()
    assert (job.state, job.attempt, job.result) == ("running", 2, None)


def test_a_job_that_writes_without_holding_its_claim_fails_its_test(running: JobContext) -> None:
    """`claimed_writes.py` watches every job of ours that a test does itself."""

    def forgets(context: JobContext) -> None:
        context.progress(1, 2, sentence="The job's own row is no other's")
        User.objects.update(first_name="x")

    def remembers(context: JobContext) -> None:
        with context.committing():
            User.objects.update(first_name="x")

    with pytest.raises(UnclaimedWriteError, match=r"forgets writes to auth_user "):
        watched_run(forgets, [])(running)
    watched_run(remembers, [running])(running)


def test_a_cancelled_job_cannot_commit(running: JobContext) -> None:
    services.cancel(running.job)
    with pytest.raises(ClaimLost), running.committing():
        Group.objects.create(name="unwanted")
    assert not Group.objects.filter(name="unwanted").exists()


class Clock:
    """The seconds a job's context goes by, turned by the test."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = time.monotonic()
        monkeypatch.setattr("budgeteer.jobs.context.time", SimpleNamespace(monotonic=lambda: self.now))
        monkeypatch.setattr("budgeteer.jobs.execution.time", SimpleNamespace(monotonic=lambda: self.now))


def test_a_check_between_steps_notices_a_cancel_within_half_a_second(
    running: JobContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    running.check()
    services.cancel(running.job)
    clock.now += 0.5
    with pytest.raises(ClaimLost):
        running.check()


def test_progress_is_written_at_most_four_times_a_second(
    running: JobContext, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: object
) -> None:
    clock = Clock(monkeypatch)
    with django_assert_num_queries(4):  # type: ignore[operator]
        for done in range(2000):
            running.progress(done, 2000)
            clock.now += 1 / 2000


def test_progress_never_runs_backwards_under_one_sentence(running: JobContext, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    shown = []
    passes = [
        (0, 120, "Reading"),
        (100, 120, ""),
        (28, 120, ""),
        (7, 60, ""),
        (0, 0, ""),
        (119, 120, ""),
        (1, 9, "Next"),
    ]
    for done, total, sentence in passes:
        clock.now += 1
        running.progress(done, total, "lines", sentence)
        row = Job.objects.get(id=running.job.id)
        shown.append((row.done, row.total))
    assert shown == [(0, 120), (100, 120), (100, 120), (100, 120), (100, 120), (119, 120), (1, 9)]


def test_a_failure_inside_committing_leaves_nothing_behind(running: JobContext) -> None:
    def fail_half_way() -> None:
        with running.committing():
            Group.objects.create(name="half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    assert not Group.objects.filter(name="half").exists()


def test_what_a_job_leaves_and_its_ending_are_one_commit(running: JobContext) -> None:
    with running.finishing({"made": 1}):
        Group.objects.create(name="whole")
        assert Job.objects.get(id=running.job.id).state == "running"
    row = Job.objects.get(id=running.job.id)
    assert (row.state, row.result, running.finished) == ("succeeded", {"made": 1}, True)


def test_an_ending_that_cannot_be_written_takes_along_what_the_job_left(running: JobContext) -> None:
    with pytest.raises(TypeError), running.finishing({"when": object()}):
        Group.objects.create(name="half")
    assert not Group.objects.filter(name="half").exists()
    assert (Job.objects.get(id=running.job.id).state, running.finished) == ("running", False)


def test_a_job_that_finished_itself_is_not_finished_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    def finish(context: JobContext) -> dict[str, str]:
        with context.finishing({"from": "the commit"}):
            pass
        return {"from": "the return"}

    job = job_of(finish, monkeypatch)
    execute(job.id, 1)
    job.refresh_from_db()
    assert (job.state, job.result) == ("succeeded", {"from": "the commit"})


@pytest.mark.parametrize("trouble", [Outage("The storage did not answer"), OperationalError("gone")])
def test_an_outage_ends_the_attempt_and_not_the_job(trouble: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_off(context: JobContext) -> None:
        raise trouble

    job = job_of(break_off, monkeypatch)
    execute(job.id, 1)
    job.refresh_from_db()
    assert job.state == "running"
    assert job.log[-1]["sentence"].endswith("did not answer; it is tried again in a while.")
    Job.objects.update(heartbeat_at=timezone.now() - timedelta(minutes=5))
    assert services.reap() == 1
    job.refresh_from_db()
    assert (job.state, job.attempt, job.lost_workers) == ("queued", 2, 1)


def test_one_message_is_enough_for_everything_that_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def note(context: JobContext, *, name: str) -> None:
        done.append(name)

    for name, queue in (("large", "large"), ("first", "default"), ("second", "default"), ("elsewhere", "other")):
        job_of(note, monkeypatch, arguments={"name": name}, queue=queue)
    work_off(["default", "large"])
    assert done == ["first", "second", "large"]
    assert Job.objects.get(queue="other").state == "queued"


def test_a_long_queue_leaves_other_messages_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)

    def linger(context: JobContext) -> None:
        clock.now += 5.0

    for _ in range(3):
        job_of(linger, monkeypatch)
    assert work_off(["default"], seconds=2.0) is True
    assert Job.objects.filter(state="queued").count() == 2
    assert work_off(["default"]) is False
    assert not Job.objects.filter(state="queued").exists()


def test_an_owner_that_is_deleted_takes_the_jobs_along() -> None:
    owner = User.objects.create_user("gone")
    Job.objects.create(kind="probe.count", owner=owner)
    owner.delete()
    assert not Job.objects.exists()
