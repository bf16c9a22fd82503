"""Health and readiness: what they say, that they answer whatever is broken, and that they tell nobody too much."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.db.models.functions import Now
from django.test import Client

from budgeteer.jobs.models import Presence, ProcessPart
from budgeteer.operations import readiness, views
from budgeteer.operations.checks import CHECKS, DoctorCheck
from budgeteer.operations.findings import Finding, FindingState
from tests.servers import free_port
from tests.silent_server import silent_server

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """No answer is kept from another test."""
    monkeypatch.setattr(views, "readers", readiness.Readers())


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts that work are waited for as long as a busy machine takes."""
    monkeypatch.setattr(readiness, "ANSWER_SECONDS", 60.0)


def ask(client: Client, **headers: str) -> tuple[int, dict[str, Any]]:
    response = client.get("/ready/", headers=headers)
    return response.status_code, response.json()


@pytest.mark.usefixtures("patient")
def test_all_is_ready(client: Client) -> None:
    status, told = ask(client)
    assert status == 200
    assert told["status"] == "ready"
    assert told["needs"] == {"database": "ok", "migrations": "ok", "broker": "ok", "storage": "ok"}


@pytest.mark.usefixtures("patient")
def test_jobs_that_nobody_does_are_told_but_pages_are_ready_all_the_same(client: Client) -> None:
    status, told = ask(client)
    assert (status, told["jobs"]) == (200, {"worker": "failed", "scheduler": "failed"})


@pytest.mark.usefixtures("patient")
def test_a_worker_and_a_scheduler_are_told(client: Client) -> None:
    for part, queues in ((ProcessPart.WORKER, "default,large"), (ProcessPart.SCHEDULER, "")):
        Presence.objects.create(name=part, part=part, host="h", queues=queues, version="0.1.0", seen_at=Now())
    assert ask(client)[1]["jobs"] == {"worker": "ok", "scheduler": "ok"}


def test_a_redis_that_is_gone_is_not_ready(client: Client, settings: Any) -> None:
    settings.REDIS_URL = f"redis://:secret-word@127.0.0.1:{free_port()}/0"
    response = client.get("/ready/")
    assert response.status_code == 503
    assert response.json()["needs"]["broker"] == "failed"
    assert "secret" not in response.content.decode()
    assert "127.0.0.1" not in response.content.decode()


def test_a_redis_that_hangs_is_not_waited_for(client: Client, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("budgeteer.operations.broker.ANSWER_SECONDS", 60)
    monkeypatch.setattr(readiness, "ANSWER_SECONDS", 5.0)  # what a busy machine needs for the others
    with silent_server() as port:
        settings.REDIS_URL = f"redis://127.0.0.1:{port}/0"
        started = time.monotonic()
        status, told = ask(client)
        assert time.monotonic() - started < 30
    assert (status, told["needs"]["broker"], told["needs"]["database"]) == (503, "failed", "ok")


def test_a_storage_that_cannot_be_written_is_not_ready(client: Client, settings: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way of a folder")
    settings.MEDIA_ROOT = tmp_path / "file"
    assert ask(client)[1]["needs"]["storage"] == "failed"


def test_a_database_that_lacks_a_migration_is_not_ready(client: Client) -> None:
    last = "SELECT max(id) FROM django_migrations WHERE app = 'jobs' AND name NOT LIKE '%%squashed%%'"
    with connection.cursor() as cursor:
        cursor.execute(last)
        [number] = cursor.fetchone()
        cursor.execute("UPDATE django_migrations SET app = 'jobs away' WHERE id = %s", [number])
    try:
        status, told = ask(client)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("UPDATE django_migrations SET app = 'jobs' WHERE id = %s", [number])
    assert (status, told["needs"]["migrations"]) == (503, "failed")


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """How often the broker was looked at."""
    looks: list[float] = []
    real = DoctorCheck.look

    def look(check: DoctorCheck) -> Any:
        if check.part == "broker":
            looks.append(time.monotonic())
        return real(check)

    monkeypatch.setattr(DoctorCheck, "look", look)
    return lambda: len(looks)


@pytest.mark.usefixtures("patient")
def test_whoever_asks_all_the_time_costs_one_look_a_second(client: Client, counted: Callable[[], int]) -> None:
    started = time.monotonic()
    for _ in range(30):
        assert ask(client)[0] == 200
    assert counted() <= 1 + (time.monotonic() - started) / readiness.KEEP_SECONDS["broker"]


def test_a_part_that_is_slow_stays_what_it_was_until_it_answers_or_that_is_too_long_ago(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    released, real = threading.Event(), DoctorCheck.look
    slow: list[str] = []

    def look(check: DoctorCheck) -> Any:
        if check.part in slow:
            released.wait()
        return real(check)

    monkeypatch.setattr(DoctorCheck, "look", look)
    monkeypatch.setattr(readiness, "KEEP_SECONDS", dict.fromkeys(readiness.KEEP_SECONDS, 0.0))
    monkeypatch.setattr(readiness, "TRUSTED_SECONDS", 600.0)
    monkeypatch.setattr(readiness, "ANSWER_SECONDS", 60.0)
    assert ask(client)[0] == 200
    try:
        slow.append("broker")
        views.readers._probes["broker"].begin()
        monkeypatch.setattr(readiness, "ANSWER_SECONDS", 0.2)
        assert views.readers._probes["broker"].answer()[0].state == "ok"
        monkeypatch.setattr(readiness, "TRUSTED_SECONDS", 0.0)
        assert views.readers._probes["broker"].answer()[0].state == "failed"
    finally:
        released.set()


@pytest.mark.parametrize("part", readiness.KEEP_SECONDS)
def test_a_part_whose_answers_are_kept_long_is_trusted_past_that(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    released, now, looks = threading.Event(), [1000.0], [0]

    def look(_check: DoctorCheck) -> list[Finding]:
        looks[0] += 1
        if looks[0] > 1:
            released.wait()
        return [Finding(part, FindingState.OK, "It answers.")]

    monkeypatch.setattr(DoctorCheck, "look", look)
    monkeypatch.setattr(readiness, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(readiness, "ANSWER_SECONDS", 60.0)
    probe = readiness.Probe(next(check for check in CHECKS if check.part == part))
    try:
        assert probe.answer()[0].state is FindingState.OK
        monkeypatch.setattr(readiness, "ANSWER_SECONDS", 0.2)
        now[0] += readiness.KEEP_SECONDS[part] + 0.1
        assert probe.answer()[0].state is FindingState.OK
        assert looks == [2]
        now[0] += readiness.TRUSTED_SECONDS
        assert probe.answer()[0].state is not FindingState.OK
    finally:
        released.set()


def test_a_part_that_fails_is_told_at_once_though_it_answered_before(
    client: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(readiness, "ANSWER_SECONDS", 60.0)
    monkeypatch.setattr(readiness, "KEEP_SECONDS", dict.fromkeys(readiness.KEEP_SECONDS, 0.0))
    assert ask(client)[0] == 200
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    assert ask(client)[1]["needs"]["broker"] == "failed"


def test_what_hangs_is_looked_at_once_however_often_it_is_asked_for(
    client: Client, counted: Callable[[], int], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("budgeteer.operations.broker.ANSWER_SECONDS", 60)
    monkeypatch.setattr(readiness, "GIVE_UP_SECONDS", 60.0)
    with silent_server() as port:
        settings.REDIS_URL = f"redis://127.0.0.1:{port}/0"
        started = time.monotonic()
        for _ in range(5):
            assert ask(client)[0] == 503
        assert time.monotonic() - started < 30
        assert counted() == 1


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("address", ["/health/", "/ready/"])
@pytest.mark.parametrize("host", ["127.0.0.1:8000", "10.0.0.7", "[::1]", "attacker.example.org", "not a host"])
def test_a_supervisor_asks_by_whatever_address_it_has(client: Client, address: str, host: str) -> None:
    response = client.get(address, headers={"Host": host})
    assert response.status_code == 200
    assert host not in response.content.decode()
    assert "Location" not in response
    assert not response.cookies


@pytest.mark.parametrize("address", ["/health/", "/ready/"])
def test_the_answer_is_kept_by_nobody_and_carries_the_security_headers(client: Client, address: str) -> None:
    response = client.get(address)
    assert "no-store" in response["Cache-Control"]
    assert response["Content-Type"] == "application/json"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in response["Content-Security-Policy"]


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("address", ["/health/", "/ready/"])
def test_it_is_not_redirected_to_https_nor_asked_to_sign_in(client: Client, settings: Any, address: str) -> None:
    settings.SECURE_SSL_REDIRECT = True
    assert client.get(address).status_code == 200
    assert client.get("/sources/").status_code == 301


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("address", ["/health/", "/ready/"])
def test_it_can_only_be_read(client: Client, address: str) -> None:
    assert client.head(address).status_code == 200
    assert client.post(address).status_code == 405


def test_health_asks_nothing_of_the_database(client: Client, django_assert_num_queries: Any) -> None:
    client.force_login(User.objects.create_user("ada"))
    with django_assert_num_queries(0):
        assert client.get("/health/").json() == {"status": "ok"}


def test_other_pages_are_still_refused_by_their_host(client: Client) -> None:
    assert client.get("/sign-in/", headers={"Host": "attacker.example.org"}).status_code == 400
