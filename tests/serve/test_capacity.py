"""Past its capacity a web process refuses at once, says when to try again, and still answers probes."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import pytest

from budgeteer.serve.capacity import Threads
from budgeteer.serve.gateway import Gateway
from tests.own_servers import own_database
from tests.serve import coroutines
from tests.serve.running import PROGRAM, ROOT, answers
from tests.servers import die_with_parent, free_port
from tests.waiting import PATIENCE_SECONDS, wait_until

PROBE = "/health/"


class Application:
    """A WSGI application that answers nobody but probes until it is let go."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.asked: list[str] = []

    def __call__(self, environ: dict[str, Any], start: Callable[..., object]) -> Iterable[bytes]:
        self.asked.append(environ["PATH_INFO"])
        if environ["PATH_INFO"] != PROBE:
            self.go.wait(PATIENCE_SECONDS)
        start("200 OK", [("Content-Type", "text/plain")])
        return [b"done"]


@dataclass
class Heard:
    """What a client of the gateway was answered."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.body += message["body"]


async def ask(gateway: Gateway, path: str, method: str = "GET") -> Heard:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "http_version": "1.1"}
    heard = Heard()
    await gateway({**scope, "scheme": "http", "headers": [(b"host", b"here")]}, receive, heard.send)
    return heard


async def full(gateway: Gateway, places: int, path: str = "/w/") -> tuple[list[asyncio.Task[Heard]], list[Heard]]:
    """Ask until requests are refused: those that are still to be answered, and what three refused ones heard."""
    tasks = {asyncio.create_task(ask(gateway, path)) for _ in range(places + 3)}
    refused: list[Heard] = []
    while len(refused) < 3:
        done, tasks = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        refused += [task.result() for task in done]
    return list(tasks), refused


def test_one_request_too_many_is_refused_at_once_and_the_others_are_answered() -> None:
    async def run() -> None:
        application = Application()
        gateway = Gateway(application, Threads(2, waiting=3), probes=[PROBE])
        try:
            inside, refused = await full(gateway, 5)
            assert len(inside) == 5
            assert {heard.status for heard in refused} == {503}
            assert {heard.headers["retry-after"] for heard in refused} == {"5"}
            assert {heard.headers["x-content-type-options"] for heard in refused} == {"nosniff"}
            assert {heard.headers["x-frame-options"] for heard in refused} == {"DENY"}
            assert b"The server is busy" in refused[0].body
            head = await ask(gateway, "/w/", "HEAD")
            assert (head.status, head.body) == (503, b"")
            probe = await ask(gateway, PROBE)
            assert (probe.status, probe.body) == (200, b"done")
        finally:
            application.go.set()
        assert [heard.status for heard in await asyncio.gather(*inside)] == [200] * 5
        assert application.asked.count("/w/") == 5
        assert (await ask(gateway, "/w/")).status == 200

    coroutines.run(run())


def test_programs_are_told_by_a_problem_document() -> None:
    async def run() -> None:
        application = Application()
        gateway = Gateway(application, Threads(1, waiting=0))
        try:
            _, refused = await full(gateway, 1, "/api/v1/me")
        finally:
            application.go.set()
        assert refused[0].headers["content-type"] == "application/problem+json"
        document = json.loads(refused[0].body)
        assert (document["type"], document["status"]) == ("/api/#overloaded", 503)
        assert document["hint"]

    coroutines.run(run())


def test_who_has_waited_too_long_is_refused_and_nothing_is_done_for_them() -> None:
    async def run() -> None:
        application = Application()
        application.go.set()
        late = await ask(Gateway(application, Threads(1, waiting=5, wait_seconds=-1.0)), "/w/")
        assert (late.status, late.headers["retry-after"], application.asked) == (503, "5", [])

    coroutines.run(run())


def get(port: int, path: str, cookie: str = "") -> tuple[int, str | None, str]:
    """Status, `Retry-After` and text."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    try:
        connection.request("GET", path, headers={"Cookie": cookie})
        answer = connection.getresponse()
        return answer.status, answer.headers["Retry-After"], answer.read().decode()
    finally:
        connection.close()


@pytest.mark.slow
def test_a_dashboard_whose_threads_all_wait_for_the_database_refuses_and_goes_on_afterwards(
    postgres_url: str, tmp_path: Path
) -> None:
    with ExitStack() as held:
        address, port = held.enter_context(own_database(postgres_url)), free_port()
        environment = os.environ | {
            "DATABASE_URL": address,
            "BUDGETEER_DATA_DIR": str(tmp_path),
            "BUDGETEER_WEB_THREADS": "1",
            "BUDGETEER_WEB_WAITING": "1",
        }
        command = [sys.executable, "-c", PROGRAM, "serve", "--only"]
        subprocess.run([*command, "migrate"], env=environment, cwd=ROOT, check=True, timeout=PATIENCE_SECONDS)
        web = subprocess.Popen(
            [*command, "web", "--port", str(port)],
            env=environment,
            cwd=ROOT,
            preexec_fn=die_with_parent,  # noqa: PLW1509 - it makes one system call
        )
        try:
            wait_until(lambda: answers(port) or web.poll() is not None, what="the web part to answer")
            heard: list[tuple[int, str | None, str]] = []

            def visit() -> None:
                heard.append(get(port, "/w/", "budgeteer_session=of-nobody"))

            with psycopg.connect(address) as lock:
                lock.execute("LOCK TABLE django_session IN ACCESS EXCLUSIVE MODE")
                visitors = [threading.Thread(target=visit) for _ in range(6)]
                for visitor in visitors:
                    visitor.start()
                wait_until(lambda: len(heard) == 4, what="four refusals")
                assert {status for status, _, _ in heard} == {503}
                assert {after for _, after, _ in heard} == {"5"}
                assert "The server is busy" in heard[0][2]
                assert get(port, "/health/")[0] == 200
            for visitor in visitors:
                visitor.join(PATIENCE_SECONDS)
            assert sorted(status for status, _, _ in heard) == [302, 302, 503, 503, 503, 503]
            assert get(port, "/help/")[0] == 200
        finally:
            web.terminate()
            assert web.wait(timeout=PATIENCE_SECONDS) == 0
