"""A running web process whose database stops answering: it says so at once, and gets well again by itself."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit

import pytest

from budgeteer.operations.readiness import TRUSTED_SECONDS
from tests.own_servers import own_database
from tests.relay import Relay, relay_to
from tests.serve.running import ROOT, answers, wait_until
from tests.servers import free_port
from tests.waiting import PATIENCE_SECONDS

CONNECT_SECONDS = 5
"""How long an attempt to open a database that hangs lasts: `connect_timeout` of `settings.DATABASES`."""


@pytest.fixture
def relayed(postgres_url: str) -> Iterator[tuple[Relay, str]]:
    """A relay before PostgreSQL, and the address of an empty database behind it."""
    with ExitStack() as held:
        own = urlsplit(held.enter_context(own_database(postgres_url)))
        relay = held.enter_context(relay_to(own.port or 5432))
        account = own.netloc.rpartition("@")[0]
        yield relay, own._replace(netloc=f"{account}@127.0.0.1:{relay.port}").geturl()


def get(port: int, path: str) -> tuple[int, dict[str, object], float]:
    """Status, body and seconds."""
    started = time.monotonic()
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=20) as response:
            return response.status, json.load(response), time.monotonic() - started
    except HTTPError as refused:
        return refused.code, json.load(refused), time.monotonic() - started


@pytest.mark.slow
def test_a_database_that_hangs_makes_it_unready_without_waiting_and_ready_again_when_it_is_back(
    relayed: tuple[Relay, str], tmp_path: Path
) -> None:
    relay, address = relayed
    environment = os.environ | {"DATABASE_URL": address, "BUDGETEER_DATA_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "budgeteer.cli", "serve", "--only"]
    subprocess.run([*command, "migrate"], env=environment, cwd=ROOT, check=True, timeout=PATIENCE_SECONDS)
    port = free_port()
    web = subprocess.Popen([*command, "web", "--port", str(port)], env=environment, cwd=ROOT)
    try:
        wait_until(lambda: answers(port) or web.poll() is not None, what="the web part to answer")
        wait_until(lambda: get(port, "/ready/")[0] == 200, what="readiness", seconds=10)
        relay.freeze()
        asked: list[float] = []  # what it answered last counts for a while: a slow answer is no outage

        def is_away() -> bool:
            status, told, seconds = get(port, "/ready/")
            asked.append(seconds)
            return (status, told["status"]) == (503, "not ready")

        wait_until(is_away, what="the outage to be told", seconds=TRUSTED_SECONDS + PATIENCE_SECONDS)
        later = [get(port, "/ready/")[2] for _ in range(12)]
        # A busy machine may hold up any single answer; one that waits for the database takes as long as its timeout.
        assert statistics.median(later) < 2
        assert max(asked + later) < CONNECT_SECONDS
        status, told, seconds = get(port, "/health/")
        assert (status, told) == (200, {"status": "ok"})
        assert seconds < 1
        relay.thaw()
        wait_until(lambda: get(port, "/ready/")[0] == 200, what="readiness after the outage", seconds=15)
    finally:
        web.terminate()
        assert web.wait(timeout=PATIENCE_SECONDS) == 0
