"""Real worker processes on the test's own database and broker, whichever these are."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from budgeteer.celery import app
from budgeteer.jobs import services
from budgeteer.jobs.models import Job
from tests.jobs import probes  # noqa: F401 - registers the probes in this process
from tests.waiting import PATIENCE_SECONDS

ROOT = Path(__file__).parents[2]
START_WORKER = """
import os, sys, django
from datetime import timedelta
from django.utils import timezone
from budgeteer.serve.child import main
from budgeteer.serve.parts import begin_start
begin_start()
if skew := float(os.environ.get("TEST_CLOCK_SKEW_SECONDS", "0")):
    real_now = timezone.now
    timezone.now = lambda: real_now() + timedelta(seconds=skew)
django.setup()
import tests.jobs.probes
if hold := os.environ.get("TEST_HOLD_CALIBRATION", ""):
    tests.jobs.probes.hold_calibration(hold)
if os.environ.get("TEST_NEWER_VERSION"):
    tests.jobs.probes.know_newer_kind()
sys.exit(main(sys.argv[1:]))
"""
type StartWorker = Callable[..., subprocess.Popen[bytes]]


def database_url() -> str:
    """The address of the database the test runs on, for another process."""
    parts = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{parts['NAME']}"
    account = f"{quote(parts['USER'])}:{quote(parts['PASSWORD'])}" if parts["PASSWORD"] else quote(parts["USER"])
    return f"postgresql://{account}@{parts['HOST']}:{parts['PORT']}/{parts['NAME']}"


def same_servers() -> dict[str, str]:
    """The variables that lead another process to the test's own database and broker."""
    variables = {"DATABASE_URL": database_url()}
    return variables | {"REDIS_URL": app.conf.broker_url} if on_redis() else variables


def on_redis() -> bool:
    """Whether this run's broker is Redis rather than files."""
    return str(app.conf.broker_url).startswith("redis")


def empty_the_broker() -> None:
    """Lose every message, as a broker that was killed does."""
    if on_redis():
        from redis import Redis

        with Redis.from_url(app.conf.broker_url) as client:
            client.flushdb()
        return
    folder = Path(app.conf.broker_transport_options["data_folder_in"])
    shutil.rmtree(folder)
    folder.mkdir()


@contextmanager
def workers() -> Iterator[StartWorker]:
    """Yield what starts a worker process; every one is killed at the end."""
    started: list[subprocess.Popen[bytes]] = []
    environment = os.environ | same_servers() | {"BUDGETEER_JOB_HEARTBEAT_SECONDS": "0.2"}

    def start(queues: str = "default,large", **settings: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", START_WORKER, "worker", f"test{len(started)}", queues]
        process = subprocess.Popen(
            command, env=environment | settings, stdin=subprocess.PIPE, start_new_session=True, cwd=ROOT
        )
        started.append(process)
        return process

    yield start
    for process in started:
        kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL the worker and whatever it started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def enqueue(owner: User, kind: str = "probe.count", *, queue: str = "default", **arguments: object) -> Job:
    """Ask for a job as a request does."""
    with transaction.atomic():
        return services.enqueue(kind, arguments=arguments, owner=owner, queue=queue)


def wait_for(job: Job, *states: str, seconds: float = PATIENCE_SECONDS) -> Job:
    """The job once it is in one of the states; fails the test when that takes too long."""
    return wait_until(job, lambda: job.state in states, seconds=seconds)


def wait_until(job: Job, true: Callable[[], bool], *, seconds: float = PATIENCE_SECONDS) -> Job:
    """The job once the condition holds of its fresh row."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        job.refresh_from_db()
        if true():
            return job
        time.sleep(0.02)
    pytest.fail(f"after {seconds} s the job is still {job.state}: {job.sentence} {job.error} {job.log}")
