"""The processes of a dashboard, each of which can be killed and started again: web, workers, scheduler, servers."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tests import servers

ROOT = Path(__file__).parents[2]
START_SECONDS = 240.0


@dataclass
class Part:
    """One process in a group of its own.

    Attributes:
        name: "web", "worker all", …
        launch: starts it, with standard output and error to the file given.
        answers: whether it is ready; None for a part that nobody connects to.
    """

    name: str
    launch: Callable[[IO[str]], subprocess.Popen[bytes]]
    log: Path
    answers: Callable[[], bool] | None = None
    process: subprocess.Popen[bytes] | None = None
    own_ends: int = 0

    def start(self) -> None:
        """Start it and wait until it answers."""
        with self.log.open("a") as output:
            self.process = self.launch(output)
        deadline = time.monotonic() + START_SECONDS
        while self.answers is not None and not self.answers():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise RuntimeError(f"{self.name} did not start: {self.log.read_text()[-2000:]}")
            time.sleep(0.02)

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def signal_all(self, number: int) -> None:
        """Send a signal to it and to every process it started, whatever group they are in."""
        if self.process is not None:
            for process in (self.process.pid, *started_by(self.process.pid)):
                with suppress(ProcessLookupError):
                    os.kill(process, number)

    def kill(self, number: int = signal.SIGKILL) -> None:
        """End it and everything in its group, at once."""
        if self.process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)
        self.process.wait()
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)


@dataclass
class Stack:
    """A dashboard under test.

    Attributes:
        kind: "sqlite" (with the file broker) or "postgres" (with Redis).
        environment: what its processes and this one run in.
        root: the checkout whose processes they are.
        servers, parts: by name; `servers` are started before and stopped after the parts.
    """

    kind: str
    folder: Path
    environment: dict[str, str]
    port: int
    root: Path = ROOT
    servers: dict[str, Part] = field(default_factory=dict)
    parts: dict[str, Part] = field(default_factory=dict)

    def start_again_what_ended(self) -> None:
        """What a supervisor does: whoever ended by itself is started again, and counted."""
        for part in self.parts.values():
            if not part.is_running:
                part.own_ends += 1
                part.start()

    def part_of(self, worker: str) -> Part | None:
        """The part whose process a job row names (`label@host:pid`)."""
        process_id = int(worker.rpartition(":")[2] or 0)
        return next((part for part in self.parts.values() if part.process and part.process.pid == process_id), None)


@contextmanager
def prepared(kind: str, folder: Path) -> Iterator[Stack]:
    """A stack whose servers run; its own parts are added and started by `start_parts`. All are killed at the end."""
    with ExitStack() as closing:
        made = Stack(kind, folder, {}, servers.free_port())
        closing.callback(lambda: [part.kill() for part in [*made.parts.values(), *made.servers.values()]])
        addresses = {}
        if kind == "postgres":
            addresses["DATABASE_URL"] = _serve(
                made, "postgres", closing.enter_context(servers.postgres_cluster()), servers.postgres_answers
            )
            addresses["REDIS_URL"] = _serve(
                made, "redis", closing.enter_context(servers.redis_in_memory()), servers.redis_answers
            )
        made.environment = _environment(folder, addresses)
        yield made


def _serve(stack: Stack, name: str, program: servers.Program, ready: Callable[[int], bool]) -> str:
    port = servers.free_port()
    part = Part(
        name, lambda output: _in_own_group(program, port, output), stack.folder / f"{name}.log", lambda: ready(port)
    )
    stack.servers[name] = part
    part.start()
    return {
        "postgres": f"postgresql://budgeteer@127.0.0.1:{port}/postgres",
        "redis": f"redis://127.0.0.1:{port}/0",
    }[name]


def _in_own_group(program: servers.Program, port: int, output: IO[str]) -> subprocess.Popen[bytes]:
    # What was committed must outlive the kill, as with the server's own default.
    durable = ["-csynchronous_commit=on"] if "postgres" in program.arguments(port)[0] else []
    return subprocess.Popen(
        [*program.arguments(port), *durable],
        stdout=output,
        stderr=subprocess.STDOUT,
        user=program.owner,
        cwd=program.folder,
        start_new_session=True,
    )


def _environment(folder: Path, addresses: Mapping[str, str]) -> dict[str, str]:
    own = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "ALLOWED_HOSTS")
    kept = {key: value for key, value in os.environ.items() if key not in own and not key.startswith("BUDGETEER_")}
    impatient = {
        # Everything as by default but ten times as fast, so that sixty recoveries fit into minutes.
        "BUDGETEER_JOB_HEARTBEAT_SECONDS": "0.3",
        "BUDGETEER_JOB_STALE_SECONDS": "3",
        "BUDGETEER_JOB_RESEND_SECONDS": "1",
        "BUDGETEER_JOB_REAP_SECONDS": "0.5",
    }
    data = {"BUDGETEER_DATA_DIR": str(folder / "data"), "DJANGO_SETTINGS_MODULE": "budgeteer.settings"}
    return kept | impatient | data | {"NO_COLOR": "1"} | dict(addresses)


def start_parts(stack: Stack) -> None:
    """Start web, two workers and the scheduler as an operator does: `budgeteer serve --only …`."""
    commands = {
        "web": ["web", "--port", str(stack.port)],
        "worker all": ["worker", "--name", "all", "--queues", "large,default"],
        "worker small": ["worker", "--name", "small", "--queues", "default"],
        "scheduler": ["scheduler"],
    }
    for name, arguments in commands.items():
        _start(stack, name, arguments)


def start_workers(stack: Stack, count: int) -> None:
    """Start the first one or both of the two workers that `budgeteer serve` starts, and nothing else."""
    for name, queues in (("all", "large,default"), ("small", "default"))[:count]:
        _start(stack, f"worker {name}", ["worker", "--name", name, "--queues", queues])


def _start(stack: Stack, name: str, arguments: list[str]) -> None:
    answers = (lambda: _web_answers(stack.port)) if name == "web" else None
    log = stack.folder / f"{name.replace(' ', '-')}.log"
    stack.parts[name] = Part(name, _launcher(stack, arguments), log, answers)
    stack.parts[name].start()


def _launcher(stack: Stack, arguments: list[str]) -> Callable[[IO[str]], subprocess.Popen[bytes]]:
    def launch(output: IO[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "budgeteer.cli", "serve", "--only", *arguments],
            env={**stack.environment, "PYTHONPATH": str(stack.root)},
            cwd=stack.root,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    return launch


def started_by(process: int) -> list[int]:
    """The processes below one, by Linux's own list."""
    found: list[int] = []
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            listed = children.read_text().split()
        except (FileNotFoundError, ProcessLookupError):
            continue  # that thread has ended since
        for child in map(int, listed):
            found += [child, *started_by(child)]
    return found


def _web_answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/health/")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
