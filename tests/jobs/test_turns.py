"""Queues that are fair between people, and studies that leave room for imports."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from budgeteer.jobs import registry, tasks
from budgeteer.jobs.context import JobContext
from budgeteer.jobs.models import Job, JobState, Presence, ProcessPart
from budgeteer.jobs.registry import JobKind
from budgeteer.jobs.turns import has_turn, next_waiting
from tests import people

pytestmark = pytest.mark.django_db
QUEUES = ["default"]


@pytest.fixture(autouse=True)
def _kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(_context: JobContext) -> None:
        """A job that is done at once."""

    for name, is_study in (("probe.import", False), ("probe.study", True)):
        monkeypatch.setitem(registry._kinds, name, JobKind(name, "Probe", nothing, is_study=is_study))


def workers(count: int) -> None:
    for number in range(count):
        Presence.objects.create(name=f"w{number}", part=ProcessPart.WORKER, version="1", seen_at=timezone.now())


def job(owner: User | None, kind: str = "probe.import", *, minute: int = 0, **columns: object) -> Job:
    created = timezone.now() - timedelta(hours=1) + timedelta(minutes=minute)
    return Job.objects.create(kind=kind, owner=owner, created_at=created, **columns)


def order_of_work() -> list[uuid.UUID]:
    """Take one job after the other, as a single worker does."""
    done = []
    while turn := next_waiting(QUEUES):
        assert Job.objects.claim(*turn) is not None
        Job.objects.filter(id=turn[0]).update(state=JobState.SUCCEEDED)
        done.append(turn[0])
    return done


def test_one_upload_does_not_wait_behind_hundreds_of_somebody_else() -> None:
    ada, bob = people.editor("ada"), people.editor("bob")
    many = [job(ada, minute=minute) for minute in range(5)]
    one = job(bob, minute=9)
    place = order_of_work().index(one.id)
    assert place <= 1
    assert len(many) == 5


def test_who_has_fewest_jobs_running_has_the_turn() -> None:
    ada, bob = people.editor("ada"), people.editor("bob")
    job(ada, state=JobState.RUNNING, claimed_at=timezone.now() - timedelta(hours=2))
    Job.objects.create(kind="probe.import", owner=bob, state=JobState.SUCCEEDED, claimed_at=timezone.now())
    job(ada, minute=1)
    late = job(bob, minute=2)
    assert next_waiting(QUEUES) == (late.id, 1)


def test_of_one_person_an_import_goes_before_a_study_and_the_oldest_first() -> None:
    ada = people.editor("ada")
    study = job(ada, "probe.study", minute=0)
    second, first = job(ada, minute=2), job(ada, minute=1)
    assert order_of_work() == [first.id, second.id, study.id]


def test_one_person_has_one_study_running() -> None:
    ada, bob = people.editor("ada"), people.editor("bob")
    workers(4)
    job(ada, "probe.study", state=JobState.RUNNING)
    waiting, other = job(ada, "probe.study", minute=1), job(bob, "probe.study", minute=2)
    assert next_waiting(QUEUES) == (other.id, 1)
    assert not has_turn(waiting.id)
    assert has_turn(other.id)


@pytest.mark.parametrize(("present", "runs"), [(1, False), (2, False), (3, True)])
def test_studies_leave_one_worker_to_imports(present: int, runs: bool) -> None:
    workers(present)
    job(people.editor("ada"), "probe.study", state=JobState.RUNNING)
    waiting = job(people.editor("bob"), "probe.study", minute=1)
    assert has_turn(waiting.id) is runs
    assert (next_waiting(QUEUES) == (waiting.id, 1)) is runs


def test_a_message_of_a_study_that_has_no_turn_begins_nothing_and_one_of_another_job_does() -> None:
    ada = people.editor("ada")
    running = job(ada, "probe.study", state=JobState.RUNNING, heartbeat_at=timezone.now())
    waiting = job(ada, "probe.study", minute=1)
    tasks.run(str(waiting.id), 1)
    waiting.refresh_from_db()
    assert waiting.state == JobState.QUEUED
    imported = job(ada, minute=2)
    tasks.run(str(waiting.id), 1)
    imported.refresh_from_db()
    assert imported.state == JobState.SUCCEEDED
    Job.objects.filter(id=running.id).update(state=JobState.SUCCEEDED)
    tasks.run(str(waiting.id), 1)
    waiting.refresh_from_db()
    assert waiting.state == JobState.SUCCEEDED


def test_a_job_of_nobody_waits_for_nobody() -> None:
    ada = people.editor("ada")
    job(ada)
    own = job(None, minute=5)
    assert next_waiting(QUEUES) == (own.id, 1)
