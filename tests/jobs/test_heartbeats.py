"""Processes that say they are there: real ones that stop, are killed, and lose their database for a while."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.db import connection, connections
from django.db.models.functions import Now

from budgeteer import __version__
from budgeteer.jobs import heartbeats
from budgeteer.jobs.models import Presence, ProcessPart
from tests.jobs.workers import ROOT, StartWorker, kill, same_servers
from tests.waiting import PATIENCE_SECONDS, wait_until

pytestmark = pytest.mark.django_db(transaction=True)


def doctor(part: str) -> tuple[int, dict[str, str]]:
    """The exit status and the finding of a container's health check on this test's database."""
    done = subprocess.run(
        [sys.executable, "-m", "budgeteer.cli", "doctor", "--json", "--only", part],
        env=os.environ | same_servers(),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    [finding] = [found for found in json.loads(done.stdout)["checks"] if found["name"] == part]
    return done.returncode, finding


@pytest.mark.slow
def test_a_worker_says_that_it_is_there_and_goodbye(start_worker: StartWorker) -> None:
    worker = start_worker("default")
    wait_until(heartbeats.everybody, what="a heartbeat")
    [seen] = heartbeats.everybody()
    assert seen.name == f"test0@{heartbeats.own_host()}:{worker.pid}"
    assert (seen.part, seen.host, seen.queues) == (ProcessPart.WORKER, heartbeats.own_host(), ("default",))
    assert (seen.version, seen.is_fresh) == (__version__, True)
    status, finding = doctor("worker")
    assert (status, finding["state"]) == (0, "ok")
    assert doctor("scheduler")[0] == 1
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(timeout=PATIENCE_SECONDS) == 0
    assert heartbeats.everybody() == []
    assert doctor("worker")[0] == 1


@pytest.mark.slow
def test_a_scheduler_says_that_it_is_there_and_goodbye() -> None:
    scheduler = subprocess.Popen(
        [sys.executable, "-m", "budgeteer.serve.child", "scheduler"],
        env=os.environ | same_servers(),
        cwd=ROOT,
        stdin=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        wait_until(heartbeats.everybody, what="a heartbeat")
        [seen] = heartbeats.everybody()
        assert (seen.part, seen.queues) == (ProcessPart.SCHEDULER, ())
        assert doctor("scheduler")[0] == 0
        scheduler.send_signal(signal.SIGTERM)
        assert scheduler.wait(timeout=PATIENCE_SECONDS) == 0
        assert heartbeats.everybody() == []
    finally:
        kill(scheduler)


def test_a_worker_that_is_killed_grows_old_and_its_health_check_fails(start_worker: StartWorker) -> None:
    worker = start_worker()
    wait_until(heartbeats.everybody, what="a heartbeat")
    kill(worker)
    Presence.objects.update(seen_at=Now() - timedelta(seconds=heartbeats.FRESH_SECONDS + 1))
    [seen] = heartbeats.everybody()
    assert not seen.is_fresh
    status, finding = doctor("worker")
    assert (status, finding["state"]) == (1, "failed")
    heard = re.fullmatch(r".* was last heard (\d+) s ago\.", finding["sentence"])
    assert heard is not None
    assert int(heard[1]) > heartbeats.FRESH_SECONDS
    assert finding["mend"] == "Start it again"


def test_the_process_of_another_host_does_not_make_this_one_healthy() -> None:
    Presence.objects.create(name="w@elsewhere:1", part=ProcessPart.WORKER, host="elsewhere", version="1", seen_at=Now())
    status, finding = doctor("worker")
    assert status == 1
    assert f"No worker of this host ({heartbeats.own_host()}) is there." in finding["sentence"]


@pytest.fixture
def announcer(monkeypatch: pytest.MonkeyPatch) -> Iterator[heartbeats.Announcer]:
    """One of this process that speaks often."""
    monkeypatch.setattr(heartbeats, "SAY_SECONDS", 0.05)
    announcer = heartbeats.Announcer(part=ProcessPart.WORKER, label="here", queues=("default",))
    announcer.start()
    yield announcer
    announcer.leave()


def spoken_since(moment: object) -> bool:
    return Presence.objects.filter(seen_at__gt=moment).exists()


def test_it_goes_on_after_the_database_was_away(announcer: heartbeats.Announcer) -> None:
    wait_until(heartbeats.everybody, what="a heartbeat")
    with connection.schema_editor() as editor:
        editor.alter_db_table(Presence, "jobs_presence", "jobs_presence_away")
    time.sleep(0.5)
    with connection.schema_editor() as editor:
        editor.alter_db_table(Presence, "jobs_presence_away", "jobs_presence")
    [last] = Presence.objects.values_list("seen_at", flat=True)
    wait_until(lambda: spoken_since(last), what=heartbeats.everybody)


def test_it_writes_one_row_however_often_it_speaks(announcer: heartbeats.Announcer) -> None:
    wait_until(heartbeats.everybody, what="a heartbeat")
    [first] = Presence.objects.values_list("seen_at", flat=True)
    wait_until(lambda: spoken_since(first), what=heartbeats.everybody)
    assert Presence.objects.count() == 1


def test_it_sweeps_whoever_has_been_silent_for_long(announcer: heartbeats.Announcer) -> None:
    wait_until(heartbeats.everybody, what="a heartbeat")
    long_ago, lately = (Now() - timedelta(seconds=heartbeats.SWEEP_SECONDS + more) for more in (5, -60))
    Presence.objects.create(name="old", part=ProcessPart.WORKER, host="h", version="1", seen_at=long_ago)
    Presence.objects.create(name="silent", part=ProcessPart.WORKER, host="h", version="1", seen_at=lately)
    wait_until(lambda: not Presence.objects.filter(name="old").exists(), what=heartbeats.everybody)
    assert Presence.objects.filter(name="silent").exists()


def test_leaving_does_not_wait_for_a_database_that_hangs(
    announcer: heartbeats.Announcer, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs, is_over = threading.Event(), threading.Event()

    def hang(_self: heartbeats.Announcer) -> None:
        hangs.wait(60)
        is_over.set()

    wait_until(heartbeats.everybody, what="a heartbeat")
    monkeypatch.setattr(heartbeats.Announcer, "_say_goodbye", hang)
    announcer.leave()
    assert not is_over.is_set()
    hangs.set()


def test_a_process_that_does_not_work_is_silent_until_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeats, "SAY_SECONDS", 0.05)
    is_alive = threading.Event()
    asked: list[bool] = []

    def works() -> bool:
        asked.append(is_alive.is_set())
        return asked[-1]

    announcer = heartbeats.Announcer(part=ProcessPart.WORKER, is_alive=works)
    announcer.start()
    wait_until(lambda: len(asked) > 3, what="a fourth try")
    assert heartbeats.everybody() == []
    is_alive.set()
    wait_until(heartbeats.everybody, what="a heartbeat")
    announcer.leave()


def test_it_leaves_no_connection_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[str] = []
    real = type(connections["default"]).close

    def close(wrapper: object) -> None:
        closed.append(heartbeats.threading.current_thread().name)
        real(wrapper)

    monkeypatch.setattr(type(connections["default"]), "close", close)
    announcer = heartbeats.Announcer(part=ProcessPart.SCHEDULER)
    announcer.start()
    wait_until(heartbeats.everybody, what="a heartbeat")
    announcer.leave()
    assert "presence" in closed
    assert heartbeats.everybody() == []
