"""A calibration whose worker is killed in the middle is done once, by another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from budgeteer.jobs import services as jobs
from budgeteer.jobs.models import Job
from budgeteer.workbench import calibrating
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.models import Workspace
from tests.formats.shapes import recorded_session
from tests.jobs.workers import StartWorker, empty_the_broker, kill, workers
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db(transaction=True)

FILES = (("one.jsonl", recorded_session(30).data), ("two.jsonl", recorded_session(24).data))


@pytest.fixture
def start_worker(transactional_db: None, settings: object) -> Iterator[StartWorker]:
    settings.JOB_STALE_SECONDS = 1.5  # type: ignore[attr-defined]
    settings.JOB_RESEND_SECONDS = 0.5  # type: ignore[attr-defined]
    empty_the_broker()
    with workers() as start:
        yield start


def started(workspace: Workspace) -> Job:
    offers = calibrating.calibration_view(workspace, EditableConfig.of(workspace)).offers
    job = calibrating.start(workspace, [offer.id for offer in offers])
    assert job is not None
    return job


def test_a_kill_in_the_middle_is_made_good_by_another_worker(
    open_over: Callable[..., Workspace], run_jobs: Callable[[], None], start_worker: StartWorker, tmp_path: Path
) -> None:
    workspace = open_over(*FILES)
    run_jobs()
    calm = started(workspace)
    run_jobs()
    calm.refresh_from_db()
    assert calm.state == "succeeded"

    hold = tmp_path / "hold"
    hold.touch()
    empty_the_broker()
    job = started(workspace)
    first = start_worker(TEST_HOLD_CALIBRATION=str(hold))
    wait_until(hold.with_suffix(".begun").exists, what="the middle of the calibration")
    kill(first)
    start_worker()

    def is_done() -> bool:
        jobs.reap()
        job.refresh_from_db()
        return job.state in {"succeeded", "failed"}

    wait_until(is_done, what=lambda: f"{job.state} {job.error} {job.log}")
    assert (job.state, job.lost_workers) == ("succeeded", 1), job.error
    assert [job.result[key] for key in ("models", "sources")] == [calm.result[key] for key in ("models", "sources")]
