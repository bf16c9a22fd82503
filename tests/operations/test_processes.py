"""What the doctor says of workers, schedulers, jobs and accounts."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.utils import timezone

from budgeteer import __version__
from budgeteer.jobs.models import Job, JobState, Presence, ProcessPart
from budgeteer.operations import processes
from budgeteer.operations.findings import Finding
from tests.people import admin, editor

pytestmark = pytest.mark.django_db


def there(name: str, part: str, *, queues: str = "", version: str = __version__, silent_seconds: float = 0) -> None:
    seen_at = Now() - timedelta(seconds=silent_seconds)
    Presence.objects.create(name=name, part=part, host="h", queues=queues, version=version, seen_at=seen_at)


def told(findings: Iterable[Finding]) -> dict[str, tuple[str, str]]:
    return {finding.name: (finding.state.value, finding.sentence) for finding in findings}


def test_workers_are_named_with_what_they_serve() -> None:
    there("all@h:1", ProcessPart.WORKER, queues="default,large")
    there("small@h:2", ProcessPart.WORKER, queues="default")
    assert told(processes.workers()) == {
        "worker": ("ok", "2 workers: all@h:1 (default, large), small@h:2 (default)."),
    }


def test_a_queue_nobody_serves_fails() -> None:
    there("small@h:2", ProcessPart.WORKER, queues="default")
    state, sentence = told(processes.workers())["queues"]
    assert (state, sentence) == ("failed", "Nobody serves the queue 'large': its jobs wait for ever.")


def test_no_worker_fails_and_one_that_fell_silent_is_named() -> None:
    there("all@h:1", ProcessPart.WORKER, queues="default,large", silent_seconds=180)
    found = told(processes.workers())
    assert found["worker"][0] == "failed"
    assert found["silent"] == ("warning", "all@h:1 stopped without a goodbye 3 min ago.")
    assert "queues" not in found


def test_a_worker_of_another_version_is_a_warning() -> None:
    there("all@h:1", ProcessPart.WORKER, queues="default,large", version="0.0.9")
    assert told(processes.workers())["version"] == ("warning", f"all@h:1 runs version 0.0.9, this is {__version__}.")


def test_one_scheduler_is_right_two_are_a_warning_none_fails() -> None:
    assert told(processes.scheduler())["scheduler"][0] == "failed"
    there("one@h:1", ProcessPart.SCHEDULER)
    assert told(processes.scheduler()) == {"scheduler": ("ok", "one@h:1.")}
    there("two@h:2", ProcessPart.SCHEDULER)
    assert told(processes.scheduler())["scheduler"][0] == "warning"


def make_job(state: str, **fields: Any) -> None:
    Job.objects.create(kind="sources.import", owner=editor(f"ada{Job.objects.count()}"), state=state, **fields)


def test_jobs_in_good_order_are_counted() -> None:
    now = timezone.now()
    make_job(JobState.QUEUED)
    make_job(JobState.RUNNING, heartbeat_at=now)
    make_job(JobState.FAILED, finished_at=now - timedelta(days=2))
    assert told(processes.jobs()) == {"jobs": ("ok", "1 waiting, 1 running.")}


def test_a_job_that_waits_for_long_is_a_warning() -> None:
    make_job(JobState.QUEUED, created_at=timezone.now() - timedelta(minutes=6))
    assert told(processes.jobs())["waiting"] == ("warning", "1 job waiting for more than 5 minutes.")


def test_a_job_without_a_sign_of_life_that_nobody_took_away_fails() -> None:
    make_job(JobState.RUNNING, heartbeat_at=timezone.now() - timedelta(minutes=5))
    assert told(processes.jobs())["lost"][0] == "failed"


def test_failures_of_a_day_are_counted_by_kind_and_their_texts_left_out() -> None:
    error = {"what": "x", "where": "secret-file.txt", "mend": "", "sentence": "secret-file.txt: x"}
    for _ in range(3):
        make_job(JobState.FAILED, finished_at=timezone.now() - timedelta(hours=3), error=error)
    assert told(processes.jobs())["failures"] == ("warning", "3 jobs failed within a day: sources.import 3.")


def test_team_mode_needs_somebody_who_lets_others_in(settings: Any) -> None:
    assert told(processes.accounts())["accounts"][0] == "ok"
    settings.BUDGETEER_MODE = "team"
    User.objects.create_superuser("gone", is_active=False)
    editor("ada")
    assert told(processes.accounts())["accounts"][0] == "failed"
    admin("root")
    assert told(processes.accounts()) == {"accounts": ("ok", "1 active administrator.")}
