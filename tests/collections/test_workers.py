"""Evaluations done by real worker processes that are killed in the middle: nothing is lost, nothing is doubled."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.files.storage import default_storage

from budgeteer.collections import chunks, runs, tasks
from budgeteer.collections.models import Collection, EvaluationChunk, EvaluationRun
from budgeteer.collections.row_search import segments_of_run
from budgeteer.collections.run_records import evaluation_of
from budgeteer.jobs import services as jobs
from budgeteer.jobs.execution import execute
from budgeteer.jobs.models import Job
from tests.collections.material import collected, evaluated, lines, named
from tests.jobs.workers import StartWorker, empty_the_broker, kill, workers
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def start_worker(transactional_db: None) -> Iterator[StartWorker]:
    empty_the_broker()
    with workers() as start:
        yield start


@pytest.fixture(autouse=True)
def _impatient(settings: object, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.JOB_STALE_SECONDS = 1.5  # type: ignore[attr-defined]
    settings.JOB_RESEND_SECONDS = 0.5  # type: ignore[attr-defined]
    monkeypatch.setattr(chunks, "CONVERSATIONS_A_CHUNK", 5)
    monkeypatch.setattr(chunks, "MESSAGES_A_CHUNK", 50)


def waited_for(run: EvaluationRun, true: Callable[[], object]) -> None:
    """Let lost jobs be found, as the scheduler does, until the condition holds."""

    def look() -> object:
        jobs.reap()
        run.refresh_from_db()
        return true()

    wait_until(look, what=lambda: f"{run.state} {run.error} {list(Job.objects.values_list('kind', 'state', 'error'))}")


def begun(collection: Collection) -> EvaluationRun:
    """An evaluation cut into chunks here, where they are small; its lanes wait for a worker."""
    run = runs.begin(collection, named("full", "newest"), owner=collection.owner)
    job = Job.objects.get(kind="collections.begin", state="queued")
    execute(job.pk, job.attempt)
    run.refresh_from_db()
    assert run.chunks.count() > 40
    return run


def done(run: EvaluationRun) -> int:
    """How many chunks are done."""
    return run.chunks.filter(is_done=True).count()


@pytest.mark.slow
def test_a_kill_of_each_worker_in_the_middle_loses_and_doubles_nothing(owner: User, start_worker: StartWorker) -> None:
    collection = collected(owner, {"many.jsonl": lines(range(300))})
    calm = evaluated(collection, "full", "newest")
    expected = evaluation_of(calm).to_json()
    sent = [one.by_config[1]["sent"] for one in segments_of_run(calm)]

    run = begun(collection)
    first = start_worker()
    waited_for(run, lambda: done(run) >= 2)
    second = start_worker()
    kill(first)
    at_first_kill = done(run)
    waited_for(run, lambda: done(run) > at_first_kill or run.state == EvaluationRun.State.DONE)
    kill(second)
    start_worker()
    waited_for(run, lambda: run.state == EvaluationRun.State.DONE)

    assert evaluation_of(run).to_json() == expected
    found = [one.by_config[1]["sent"] for one in segments_of_run(run)]
    assert np.concatenate(found).tolist() == np.concatenate(sent).tolist()
    assert not EvaluationChunk.objects.filter(run=run).exists()
    assert not Job.objects.filter(state="failed").exists()


def test_a_cancelled_evaluation_keeps_what_is_done_and_goes_on_from_there(
    owner: User, start_worker: StartWorker
) -> None:
    collection = collected(owner, {"many.jsonl": lines(range(300))})
    run = begun(collection)
    start_worker()
    waited_for(run, lambda: done(run) >= 1)
    runs.cancel(run)
    assert run.state == EvaluationRun.State.CANCELLED
    kept = set(run.chunks.filter(is_done=True).values_list("number", "rows"))
    assert all(default_storage.exists(rows) for _, rows in kept)
    runs.resume(run)
    waited_for(
        run, lambda: run.state == EvaluationRun.State.DONE or kept <= set(run.chunks.values_list("number", "rows"))
    )
    waited_for(run, lambda: run.state == EvaluationRun.State.DONE)
    assert evaluation_of(run).totals[0].conversations == 300


def test_a_chunk_is_claimed_by_one_job_and_kept_once(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.collections.material import run_jobs

    collection = collected(owner, {"many.jsonl": lines(range(20))})
    run = runs.begin(collection, named("full"), owner=owner, keeps_duplicates=False)
    (begun,) = run_jobs()
    assert begun.kind == "collections.begin"
    lane = Job.objects.get(kind="collections.evaluate")
    held = runs.claim(run.pk, lane.pk)
    assert held is not None
    again, other = runs.claim(run.pk, lane.pk), runs.claim(run.pk, begun.pk)
    assert again is not None
    assert other is not None
    assert again.number == held.number != other.number
    assert runs.keep(held, {}, "a")
    assert not runs.keep(again, {}, "b")
    stolen = EvaluationChunk(pk=other.pk, claimed_by=lane.pk)
    assert not runs.keep(stolen, {}, "c")
    assert tasks.LANE_SECONDS > 0
