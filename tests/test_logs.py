"""What processes really write: every line of the JSON form is one JSON object, whoever wrote it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest

from tests import servers
from tests.own_servers import own_servers
from tests.serve.running import answers, children_of
from tests.waiting import PATIENCE_SECONDS, wait_until

ROOT = Path(__file__).parent.parent


@dataclass
class Part:
    """A process of the dashboard whose standard error goes to a file."""

    process: subprocess.Popen[bytes]
    log: Path

    @property
    def lines(self) -> list[dict[str, Any]]:
        """Every whole line, parsed; a line that is no JSON object fails the test."""
        whole = self.log.read_text().rpartition("\n")[0]
        return [self._parsed(line) for line in whole.splitlines()]

    @staticmethod
    def _parsed(line: str) -> dict[str, Any]:
        try:
            value = json.loads(line)
        except ValueError:
            pytest.fail(f"no JSON: {line}")
        assert isinstance(value, dict)
        assert {"event", "level", "timestamp", "logger"} <= set(value), line
        return value

    def wait_for(self, true: Callable[[dict[str, Any]], bool], *, seconds: float = PATIENCE_SECONDS) -> dict[str, Any]:
        """The first line that is true; fails the test when none comes."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if found := next(filter(true, self.lines), None):
                return found
            time.sleep(0.1)
        pytest.fail(f"no such line: {self.log.read_text()[-3000:]}")


type Start = Callable[..., Part]


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    with own_servers() as variables:
        own = {"BUDGETEER_DATA_DIR": str(tmp_path / "data"), "BUDGETEER_LOG_FORMAT": "json", "PYTHONUNBUFFERED": "1"}
        yield os.environ | variables | own


@pytest.fixture
def start(environment: dict[str, str], tmp_path: Path) -> Iterator[Start]:
    with _starting(environment, tmp_path) as start:
        yield start


@contextmanager
def _starting(environment: dict[str, str], folder: Path) -> Iterator[Start]:
    started: list[Part] = []

    def run(part: str, *options: str, **variables: str) -> Part:
        log = folder / f"{len(started)}-{part}.log"
        with log.open("wb") as file:
            command = [sys.executable, "-m", "budgeteer.cli", "serve", "--only", part, *options]
            process = subprocess.Popen(
                command, env=environment | variables, cwd=ROOT, stderr=file, stdout=subprocess.DEVNULL
            )
        started.append(Part(process, log))
        return started[-1]

    yield run
    for part in started:
        part.process.terminate()
    for part in started:
        part.process.wait(timeout=PATIENCE_SECONDS)
        assert part.lines is not None  # farewells are lines as well


def browse(port: int, environment: dict[str, str]) -> Callable[..., tuple[str, str]]:
    """Sign in by a one-time link; what fetches a page and returns its text and its request's id."""
    opener = build_opener(HTTPCookieProcessor(CookieJar()))

    def fetch(address: str, form: dict[str, str] | None = None) -> tuple[str, str]:
        request = Request(address if "://" in address else f"http://127.0.0.1:{port}{address}")
        if form is not None:
            request.data = urlencode(form).encode()
        with opener.open(request, timeout=PATIENCE_SECONDS) as response:
            return response.read().decode(), response.headers["X-Request-ID"]

    command = [sys.executable, "-m", "budgeteer.cli", "link"]
    link = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    fetch(re.sub(r":\d+/", f":{port}/", link.strip()))
    return fetch


@pytest.mark.slow
def test_every_line_of_every_part_is_a_json_object_and_a_job_names_the_request_that_asked_for_it(
    start: Start, environment: dict[str, str]
) -> None:
    migrated = start("migrate")
    assert migrated.process.wait(timeout=PATIENCE_SECONDS) == 0
    assert [line["event"] for line in migrated.lines][:1] == ["Preparing the database…"]
    port = servers.free_port()
    web, worker, scheduler = start("web", "--port", str(port)), start("worker"), start("scheduler")
    web.wait_for(lambda line: line["event"] == "part started")
    wait_until(lambda: answers(port), what="the web server to answer")
    fetch = browse(port, environment)
    page, _ = fetch("/sources/")
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert token
    text = "User: Does the ferry to Skarholm run on Sundays?\nAssistant: It does, at noon.\n"
    fetch("/sources/upload/", {"csrfmiddlewaretoken": token[1], "text": text})
    asked = web.wait_for(lambda line: line["event"] == "request" and line["method"] == "POST")
    assert (asked["process"], asked["status"], asked["user_id"]) == ("web", 302, 1)
    done = worker.wait_for(lambda line: line["event"] == "job finished")
    assert done["request_id"] == asked["request_id"]
    assert (done["process"], done["kind"], done["attempt"]) == ("worker worker", "sources.import", 1)
    assert len(done["job_id"]) == 36
    assert scheduler.wait_for(lambda line: line["event"] == "part started")
    for part in (web, worker, scheduler):
        assert "Skarholm" not in part.log.read_text()
        assert "/enter/<token>/" in part.log.read_text() or part is not web


@pytest.mark.slow
def test_a_web_process_that_is_killed_is_a_line_of_its_server(
    start: Start, environment: dict[str, str], tmp_path: Path
) -> None:
    assert start("migrate").process.wait(timeout=PATIENCE_SECONDS) == 0
    port = servers.free_port()
    web = start("web", "--port", str(port))
    wait_until(lambda: answers(port), what="the web server to answer")
    [answering] = children_of(web.process.pid)
    os.kill(answering, signal.SIGKILL)
    line = web.wait_for(lambda line: line["logger"] == "_granian")
    assert (line["level"], line["process"]) == ("error", "web")


@pytest.mark.slow
def test_a_worker_that_loses_its_broker_says_so_in_json(tmp_path: Path, environment: dict[str, str]) -> None:
    with _starting(environment, tmp_path) as start:
        assert start("migrate").process.wait(timeout=PATIENCE_SECONDS) == 0
        with servers.redis({}) as address:
            worker, scheduler = start("worker", REDIS_URL=address), start("scheduler", REDIS_URL=address)
            for part in (worker, scheduler):
                part.wait_for(lambda line: line["event"] == "part started")
            time.sleep(3)
        lost = worker.wait_for(lambda line: line["logger"].startswith("celery") and line["level"] != "info")
        assert lost["process"] == "worker worker"
        assert scheduler.wait_for(lambda line: line["level"] == "error")["process"] == "scheduler"


@pytest.mark.slow
@pytest.mark.parametrize("where", ["main", "thread"])
def test_an_exception_nobody_caught_is_a_line_with_its_traceback(where: str) -> None:
    script = f"""
import threading, warnings, django
django.setup()
warnings.warn("old way")
def fall():
    text = "what somebody wrote"
    raise LookupError("no ferry")
if {where!r} == "main":
    fall()
thread = threading.Thread(target=fall)
thread.start()
thread.join()
"""
    variables = {"BUDGETEER_LOG_FORMAT": "json"}
    done = subprocess.run(
        [sys.executable, "-W", "default", "-c", script],
        env=os.environ | variables,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    warned, fallen = map(json.loads, done.stderr.splitlines())
    assert warned["logger"] == "py.warnings"
    assert (fallen["event"], fallen["level"]) == ("unhandled exception", "critical")
    [error] = fallen["exception"]
    assert (error["exc_type"], error["exc_value"]) == ("LookupError", "no ferry")
    assert error["frames"][-1]["name"] == "fall"
    assert "somebody" not in done.stderr


def test_the_console_of_local_mode_shows_no_requests_unless_everything_is_shown() -> None:
    from budgeteer.logs import ACCESS, logging_config

    levels = [logging_config(form="console", level=level, quiet=True)["loggers"][ACCESS]["level"] for level in LEVELS]
    assert levels == ["NOTSET", "WARNING", "WARNING", "WARNING"]


LEVELS = ("debug", "info", "warning", "error")
