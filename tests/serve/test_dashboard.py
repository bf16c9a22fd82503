"""`budgeteer serve` as a person meets it: an address, a link, Ctrl+C, and nothing left running."""

from __future__ import annotations

import http.client
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

import pytest

from tests.servers import free_port

ROOT = Path(__file__).parents[2]
PROGRAM = "import sys; from budgeteer.cli.program import main; main(sys.argv[1:])"


@dataclass
class Dashboard:
    """A `budgeteer serve` that runs, and what it has said so far."""

    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)

    @property
    def said(self) -> str:
        return "".join(self.lines)

    def listen(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self.lines.append(line)

    def find(self, pattern: str) -> str:
        """What the pattern's group matched, once it is said."""
        wait_until(lambda: re.search(pattern, self.said) or self.process.poll() is not None, what=pattern)
        found = re.search(pattern, self.said)
        assert found, self.said
        return found[1]

    @property
    def port(self) -> int:
        return int(self.find(r"ready at http://127\.0\.0\.1:(\d+)/"))

    def wait_for_children(self, count: int) -> list[int]:
        """The process ids of everything below the dashboard, once it has so many direct children."""
        wait_until(lambda: len(children_of(self.process.pid)) == count, what=f"{count} children")
        return descendants_of(self.process.pid)


def wait_until(true: Callable[[], object], *, what: str, seconds: float = 40.0) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            pytest.fail(f"not within {seconds} s: {what}")
        time.sleep(0.05)


def children_of(parent: int) -> list[int]:
    listing = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,stat="], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in listing.splitlines()]
    return [int(row[0]) for row in rows if int(row[1]) == parent and not row[2].startswith("Z")]


def descendants_of(parent: int) -> list[int]:
    found = children_of(parent)
    return found + [below for child in found for below in descendants_of(child)]


def alive(process_ids: list[int]) -> list[int]:
    return [number for number in process_ids if Path(f"/proc/{number}").exists() and not is_zombie(number)]


def is_zombie(process_id: int) -> bool:
    try:
        return Path(f"/proc/{process_id}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


@dataclass(frozen=True)
class Answer:
    """What the web server said to one request."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


def get(port: int, path: str, cookie: str = "") -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("GET", path, headers={"Cookie": cookie} if cookie else {})
        response = connection.getresponse()
        return Answer(response.status, response.headers, response.read())
    finally:
        connection.close()


@contextmanager
def serving(folder: Path, *options: str, **variables: str) -> Iterator[Dashboard]:
    environment = os.environ | {"BUDGETEER_DATA_DIR": str(folder), "PYTHONUNBUFFERED": "1"} | variables
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "serve", "--no-browser", *options],
        env=environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    dashboard = Dashboard(process)
    listener = Thread(target=dashboard.listen, daemon=True)
    listener.start()
    try:
        yield dashboard
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=20)
        listener.join(timeout=5)
        process.communicate()


def refused(folder: Path, *options: str) -> str:
    with serving(folder, *options) as dashboard:
        assert dashboard.process.wait(timeout=30) == 2
        wait_until(lambda: dashboard.said, what="a sentence")
        assert "Traceback" not in dashboard.said
        return dashboard.said


def test_it_answers_signs_in_by_its_link_and_stops_everything_on_ctrl_c(tmp_path: Path) -> None:
    with serving(tmp_path, "--port", "0") as dashboard:
        port = dashboard.port
        assert get(port, "/health/").body == b'{"status": "ok"}'
        assert get(port, "/").status == 302
        path = dashboard.find(r"Sign in here .*http://127\.0\.0\.1:\d+(/enter/\S+)")
        entered = get(port, path)
        assert entered.status == 302
        cookie = "; ".join(given.split(";")[0] for given in entered.headers.get_all("Set-Cookie", []))
        assert get(port, "/sign-in/", cookie).headers["Location"] == "/"
        assert get(port, path).status == 410

        processes = dashboard.wait_for_children(4)
        dashboard.process.send_signal(signal.SIGINT)
        assert dashboard.process.wait(timeout=15) == 0
        assert alive(processes) == []
    assert "Traceback" not in dashboard.said
    assert "Stopped." in dashboard.said


def test_the_second_start_takes_less_than_five_seconds(tmp_path: Path) -> None:
    """Counted in processor time of web server and supervisor one after the other: other tests share the clock."""
    seconds = []
    for _start in range(2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with serving(tmp_path, "--port", "0", "--no-worker") as dashboard:
            dashboard.find(r"(Sign in here)")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert seconds[1] < 5.0, seconds


def test_nothing_outlives_a_dashboard_that_is_killed(tmp_path: Path) -> None:
    with serving(tmp_path, "--port", "0") as dashboard:
        assert dashboard.port
        processes = dashboard.wait_for_children(4)
        dashboard.process.kill()
        wait_until(lambda: not alive(processes), what="every child to stop", seconds=15)


def test_a_child_that_dies_is_started_again(tmp_path: Path) -> None:
    with serving(tmp_path, "--port", "0", "--no-worker") as dashboard:
        port = dashboard.port
        [web] = children_of(dashboard.process.pid)
        os.kill(web, signal.SIGKILL)
        assert dashboard.find(r"(The web server stopped by itself \(status -9\))")
        wait_until(lambda: answers(port), what="the web server to answer again")


def answers(port: int) -> bool:
    try:
        return get(port, "/health/").status == 200
    except OSError:
        return False


def test_without_worker_there_is_only_the_web_server(tmp_path: Path) -> None:
    with serving(tmp_path, "--port", "0", "--no-worker") as dashboard:
        assert dashboard.port
        time.sleep(1.0)
        assert len(children_of(dashboard.process.pid)) == 1


def test_a_port_in_use_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", free_port()))
        taken.listen()
        port = taken.getsockname()[1]
        said = refused(tmp_path, "--port", str(port))
    assert f"--port: Port {port} of 127.0.0.1 is already in use. Stop what uses it, or choose another one" in said


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_local_mode_listens_on_the_loopback_only(tmp_path: Path, host: str) -> None:
    said = refused(tmp_path, "--host", host)
    assert f"--host: {host} is not a loopback address, and local mode serves this computer only" in said
    assert "BUDGETEER_MODE=team" in said


def test_a_database_that_cannot_be_opened_is_a_sentence(tmp_path: Path) -> None:
    with serving(tmp_path, DATABASE_URL="postgresql://nobody@127.0.0.1:1/none") as dashboard:
        assert dashboard.process.wait(timeout=30) == 2
        wait_until(lambda: dashboard.said, what="a sentence")
    assert "DATABASE_URL: The database cannot be opened" in dashboard.said
    assert "Traceback" not in dashboard.said
