"""`budgeteer serve` as a process that tests watch: what it says, what it starts, and that nothing of it stays."""

from __future__ import annotations

import http.client
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

from tests.own_servers import own_servers
from tests.servers import die_with_parent
from tests.waiting import PATIENCE_SECONDS, wait_until

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
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    try:
        connection.request("GET", path, headers={"Cookie": cookie} if cookie else {})
        response = connection.getresponse()
        return Answer(response.status, response.headers, response.read())
    finally:
        connection.close()


def answers(port: int) -> bool:
    try:
        return get(port, "/health/").status == 200
    except OSError:
        return False


@contextmanager
def serving(folder: Path, *options: str, **variables: str) -> Iterator[Dashboard]:
    with own_servers() as servers_of_its_own:
        environment = os.environ | {"BUDGETEER_DATA_DIR": str(folder), "PYTHONUNBUFFERED": "1"}
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, "serve", "--no-browser", *options],
            env=environment | servers_of_its_own | variables,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=die_with_parent,  # noqa: PLW1509 - it makes one system call
        )
        with listened_to(Dashboard(process)) as dashboard:
            yield dashboard


@contextmanager
def listened_to(dashboard: Dashboard) -> Iterator[Dashboard]:
    """The dashboard while it is read; stopped at the end."""
    process = dashboard.process
    listener = Thread(target=dashboard.listen, daemon=True)
    listener.start()
    try:
        yield dashboard
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=PATIENCE_SECONDS)
        listener.join(timeout=5)
        process.communicate()
