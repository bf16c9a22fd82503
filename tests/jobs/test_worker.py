"""Jobs done by real worker processes that are cancelled, stopped and killed."""

from __future__ import annotations

import signal
import subprocess
import time

import pytest
from django.contrib.auth.models import Group, User

from budgeteer.celery import app
from budgeteer.jobs import heartbeats, liveness, services
from budgeteer.jobs.job_view import job_card
from budgeteer.jobs.models import Job, Presence
from tests.jobs.probes import NEWER_KIND
from tests.jobs.workers import StartWorker, empty_the_broker, enqueue, kill, wait_for, wait_until
from tests.waiting import PATIENCE_SECONDS

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _impatient(settings: object) -> None:
    settings.JOB_STALE_SECONDS = 1.5  # type: ignore[attr-defined]
    settings.JOB_RESEND_SECONDS = 0.5  # type: ignore[attr-defined]


def begin(owner: User, start_worker: StartWorker, **arguments: object) -> tuple[Job, subprocess.Popen[bytes]]:
    worker = start_worker()
    job = enqueue(owner, **arguments)
    wait_until(job, lambda: job.state == "running" and job.done > 0)
    return job, worker


def test_every_way_a_job_may_end_is_told_and_leaves_the_worker_to_the_next_one(
    owner: User, start_worker: StartWorker
) -> None:
    worker = start_worker()
    job = wait_for(enqueue(owner, steps=3, leave="done"), "succeeded")
    assert job.result == {"steps": 3, "attempt": 1}
    assert (job.done, job.total, job.unit) == (3, 3, "steps")
    assert [line["sentence"] for line in job.log] == ["Step 1", "Step 2", "Step 3", "Counted"]
    assert job.error is None
    assert job.started_at is not None
    assert job.finished_at is not None

    refused = wait_for(enqueue(owner, "probe.refuse"), "failed")
    assert refused.error == {
        "what": "not JSON",
        "where": "session.jsonl line 214",
        "mend": "Download the bad lines",
        "sentence": "session.jsonl line 214: not JSON. Download the bad lines",
    }

    unexpected = "The work stopped on an unexpected error; it was recorded under"
    crashed = wait_for(enqueue(owner, "probe.crash"), "failed")
    assert crashed.error["sentence"].startswith(f"{unexpected} {crashed.id}.")
    assert "secret detail" not in str(crashed.error)

    broken = wait_for(enqueue(owner, "probe.panic"), "failed")  # what is no `Exception`
    assert broken.error["sentence"].startswith(unexpected)
    assert "secret detail" not in str(broken.error)
    assert (broken.attempt, broken.lost_workers) == (1, 0)

    nonsense = wait_for(enqueue(owner, "probe.nonsense"), "failed")  # a result that is no JSON
    assert nonsense.attempt == 1

    wait_for(enqueue(owner, steps=1), "succeeded")
    assert worker.poll() is None


def test_a_running_job_that_is_cancelled_makes_room_for_the_next_one(owner: User, start_worker: StartWorker) -> None:
    job, _ = begin(owner, start_worker, steps=10_000, pause_seconds=0.1, leave="never")
    services.cancel(job)
    assert job.state == "cancelled"
    wait_for(enqueue(owner, steps=1), "succeeded")
    job.refresh_from_db()
    assert job.state == "cancelled"
    assert not Group.objects.filter(name="never").exists()


def test_a_queued_job_that_is_cancelled_is_done_only_when_it_is_tried_again(
    owner: User, start_worker: StartWorker
) -> None:
    never = enqueue(owner, steps=1, leave="never")
    services.cancel(never)
    assert never.state == "cancelled"
    late = enqueue(owner, steps=1, leave="late")
    services.cancel(late)
    services.retry(late)
    start_worker()
    wait_for(late, "succeeded")
    assert late.result == {"steps": 1, "attempt": 2}
    wait_for(enqueue(owner, steps=1), "succeeded")
    never.refresh_from_db()
    assert never.state == "cancelled"
    assert not Group.objects.filter(name="never").exists()


def test_a_job_whose_worker_is_killed_is_done_exactly_once_by_another(owner: User, start_worker: StartWorker) -> None:
    job, worker = begin(owner, start_worker, steps=20, pause_seconds=0.1, leave="once")
    kill(worker)
    start_worker()
    wait_until(job, lambda: services.reap() > 0 and job.attempt >= 1)
    wait_for(job, "succeeded")
    assert job.attempt == 2
    assert Group.objects.filter(name="once").count() == 1
    assert "The process doing this stopped; the work starts over." in [line["sentence"] for line in job.log]


def test_a_second_delivery_does_nothing(owner: User, start_worker: StartWorker) -> None:
    job = enqueue(owner, steps=5, pause_seconds=0.1, leave="single")
    for _ in range(3):
        app.send_task("jobs.run", args=(str(job.id), 1), queue="default")
    start_worker()
    start_worker()
    wait_for(job, "succeeded")
    after = enqueue(owner, steps=1)
    wait_for(after, "succeeded")
    job.refresh_from_db()
    assert (job.state, job.attempt) == ("succeeded", 1)
    assert Group.objects.filter(name="single").count() == 1


def test_a_kind_that_a_worker_does_not_know_is_left_to_a_newer_one(owner: User, start_worker: StartWorker) -> None:
    job = Job.objects.create(kind=NEWER_KIND, owner=owner)
    app.send_task("jobs.run", args=(str(job.id), 1), queue="default")
    older = start_worker()
    wait_until(job, lambda: job.error is not None)
    wait_for(enqueue(owner, steps=1), "succeeded")  # it stands in nobody's way
    services.reap()
    wait_for(enqueue(owner, steps=1), "succeeded")
    job.refresh_from_db()
    assert (job.state, job.attempt, len(job.log)) == ("queued", 1, 1)
    assert "waits for one of a newer version" in job_card(job).sentence
    start_worker(TEST_NEWER_VERSION="yes")
    wait_until(job, lambda: Presence.objects.filter(part="worker").count() == 2)
    # Which of two gets a message is chance, and after some the job is given up: both say that they are of one version.
    kill(older)
    wait_until(job, lambda: services.reap() >= 0 and job.state == "succeeded")
    assert (job.result, job.error, job.lost_workers) == ({"attempt": 1}, None, 0)


def test_a_message_the_broker_lost_is_sent_again(owner: User, start_worker: StartWorker) -> None:
    job = enqueue(owner, steps=1, leave="found")
    empty_the_broker()
    time.sleep(0.6)
    assert services.reap() == 1  # before a worker is there, which asks for what waits by itself
    start_worker()
    wait_for(job, "succeeded")
    assert job.attempt == 1


@pytest.mark.slow
def test_a_worker_that_is_told_to_stop_hands_its_job_back(owner: User, start_worker: StartWorker) -> None:
    job, worker = begin(owner, start_worker, steps=30, pause_seconds=0.1, leave="handed on")
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(timeout=PATIENCE_SECONDS) == 0
    job.refresh_from_db()
    assert (job.state, job.attempt, job.lost_workers) == ("queued", 2, 0)
    start_worker()
    services.reap()
    wait_for(job, "succeeded")
    assert Group.objects.filter(name="handed on").count() == 1


@pytest.mark.slow
def test_a_long_silent_call_is_not_taken_for_a_dead_worker(
    owner: User, start_worker: StartWorker, settings: object
) -> None:
    settings.JOB_STALE_SECONDS = 5.0  # type: ignore[attr-defined]
    start_worker()
    job = enqueue(owner, "probe.silent", seconds=7.0)
    wait_for(job, "running")
    while job.state == "running":
        assert services.reap() == 0
        time.sleep(0.1)
        job.refresh_from_db()
    assert (job.state, job.attempt) == ("succeeded", 1)


@pytest.mark.slow
def test_a_task_that_ends_the_process_ends_the_worker_and_another_does_the_job(
    owner: User, start_worker: StartWorker
) -> None:
    worker = start_worker()
    job = enqueue(owner, "probe.leave")
    assert worker.wait(timeout=PATIENCE_SECONDS) == liveness.BROKEN_STATUS
    assert heartbeats.everybody() == []
    job.refresh_from_db()
    assert job.state == "running"  # until its silence is noticed


@pytest.mark.slow
def test_a_worker_whose_one_place_is_taken_up_for_ever_says_so_and_ends_itself(
    owner: User, start_worker: StartWorker
) -> None:
    worker = start_worker(BUDGETEER_WORKER_SILENT_SECONDS="4")
    wait_for(enqueue(owner, steps=1), "succeeded")
    app.send_task("probe.wedge", queue="default")
    assert worker.wait(timeout=PATIENCE_SECONDS) == liveness.BROKEN_STATUS
    assert heartbeats.everybody() == []
    start_worker()
    wait_for(enqueue(owner, steps=1), "succeeded")


@pytest.mark.slow
def test_a_job_that_needs_more_memory_than_there_is_fails_with_a_sentence_and_the_next_one_is_done(
    owner: User, start_worker: StartWorker
) -> None:
    worker = start_worker(BUDGETEER_WORKER_MEMORY_MB="600")
    job = wait_for(enqueue(owner, "probe.swell", megabytes=100_000), "failed")
    assert job.error["what"] == "The work needs more memory than one job may use"
    assert "BUDGETEER_WORKER_MEMORY_MB" in job.error["mend"]
    assert (job.attempt, job.lost_workers) == (1, 0)
    wait_for(enqueue(owner, steps=1), "succeeded")
    assert worker.poll() is None


@pytest.mark.slow
def test_a_worker_whose_memory_is_not_given_back_starts_anew_after_its_job(
    owner: User, start_worker: StartWorker
) -> None:
    worker = start_worker(BUDGETEER_WORKER_MEMORY_MB="1000")
    wait_for(enqueue(owner, "probe.keep", megabytes=500), "succeeded")
    assert worker.wait(timeout=PATIENCE_SECONDS) == liveness.BROKEN_STATUS
    assert heartbeats.everybody() == []


@pytest.mark.slow
@pytest.mark.parametrize("skew_seconds", ["-3600", "3600"])
def test_a_worker_whose_clock_is_wrong_keeps_its_job_and_a_dead_one_loses_it(
    owner: User, start_worker: StartWorker, settings: object, skew_seconds: str
) -> None:
    settings.JOB_STALE_SECONDS = 5.0  # type: ignore[attr-defined]
    worker = start_worker(TEST_CLOCK_SKEW_SECONDS=skew_seconds)
    job = enqueue(owner, "probe.silent", seconds=600)
    wait_for(job, "running")
    for _ in range(10):
        assert services.reap() == 0
        time.sleep(0.1)
    kill(worker)
    wait_until(job, lambda: services.reap() > 0)
    job.refresh_from_db()
    assert (job.state, job.attempt, job.lost_workers) == ("queued", 2, 1)


@pytest.mark.slow
def test_a_worker_that_works_or_waits_is_left_alone_however_long(owner: User, start_worker: StartWorker) -> None:
    worker = start_worker(BUDGETEER_WORKER_SILENT_SECONDS="4", BUDGETEER_JOB_STEP_SECONDS="4")
    wait_for(enqueue(owner, steps=70, pause_seconds=0.1), "succeeded")
    time.sleep(5)
    wait_for(enqueue(owner, steps=1), "succeeded")
    assert worker.poll() is None


def test_a_job_that_takes_no_step_any_more_ends_its_worker(owner: User, start_worker: StartWorker) -> None:
    worker = start_worker(BUDGETEER_JOB_STEP_SECONDS="1", BUDGETEER_WORKER_SILENT_SECONDS="6")
    enqueue(owner, "probe.silent", seconds=600)
    assert worker.wait(timeout=PATIENCE_SECONDS) == liveness.BROKEN_STATUS


def test_large_jobs_leave_a_worker_for_small_ones(owner: User, start_worker: StartWorker) -> None:
    start_worker("default,large")
    start_worker("default")
    large = [enqueue(owner, queue="large", steps=10_000, pause_seconds=0.1) for _ in range(3)]
    wait_until(large[0], lambda: large[0].state == "running")
    wait_for(enqueue(owner, steps=2), "succeeded")
    for job in large:
        job.refresh_from_db()
    assert [job.state for job in large].count("running") == 1
