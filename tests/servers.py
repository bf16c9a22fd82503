"""Real servers for tests: PostgreSQL and Redis on private ports of the loopback, thrown away afterwards.

A server is started by whoever asks for it first and dies with the process that started it, even when that process
is killed (on Linux). Where `DATABASE_URL` or `REDIS_URL` already names a server, that one is used and left alone; so
is one of `TEST_DATABASE_URL` and `TEST_REDIS_URL`, which Budgeteer itself does not look at.
A server that cannot be had is an error, never a skipped test.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

START_SECONDS = 120.0
STOP_SECONDS = 10.0
REDIS_DATABASES = 64  # enough for all that tests hold at the same time
PR_SET_PDEATHSIG = 1  # Linux, prctl(2)
POSTGRES_FOLDERS = ("/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt", "/usr/local/pgsql")
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM_APPLICATIONS = (
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)


class ServerMissing(RuntimeError):
    """A program the tests need is not on this machine; the sentence says how to get it."""


class ServerFailed(RuntimeError):
    """A server did not start; the sentence ends with what it last wrote."""


def free_port() -> int:
    """Return a port of the loopback that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def postgres_program(name: str) -> Path | None:
    """Find a server program of PostgreSQL, newest version first: on the PATH or where packages put it."""
    found = [Path(on_path)] if (on_path := shutil.which(name)) else []
    for folder in POSTGRES_FOLDERS:
        found += sorted(Path(folder).glob(f"*/bin/{name}"), key=_version, reverse=True)
    return next((path for path in found if path.exists()), None)


def _version(program: Path) -> float:
    digits = "".join(sign for sign in program.parent.parent.name if sign.isdigit() or sign == ".")
    return float(digits) if digits.count(".") < 2 and digits.strip(".") else 0.0


def redis_program() -> Path | None:
    """Find the Redis (or Valkey) server."""
    found = shutil.which("redis-server") or shutil.which("valkey-server")
    return Path(found) if found else None


def chromium_program(environ: Mapping[str, str] = os.environ) -> Path | None:
    """Find Chromium: the `CHROMIUM` variable first, then the PATH, then the usual folders of macOS."""
    if named := environ.get("CHROMIUM"):
        return Path(named) if Path(named).exists() else None
    found = [shutil.which(name) for name in CHROMIUM_NAMES]
    present = [*filter(None, found), *(path for path in CHROMIUM_APPLICATIONS if Path(path).exists())]
    return Path(present[0]) if present else None


@contextmanager
def postgres(environ: Mapping[str, str] = os.environ) -> Iterator[str]:
    """Yield the address of a PostgreSQL server whose one role may create databases.

    Raises:
        ServerMissing: the server programs are not installed.
        ServerFailed: the server did not answer within 30 seconds.
    """
    given = environ.get("TEST_DATABASE_URL") or environ.get("DATABASE_URL", "")
    if given.startswith(("postgres://", "postgresql://")):
        yield given
        return
    with postgres_cluster() as cluster, _running(cluster, ready=postgres_answers) as port:
        yield f"postgresql://budgeteer@127.0.0.1:{port}/postgres"


@dataclass(frozen=True, slots=True)
class Program:
    """A server that can be started, and started again: its command on a port, its folder and account."""

    arguments: Callable[[int], Sequence[str]]
    folder: Path
    owner: str | None = None

    def start(self, port: int, output: IO[str]) -> subprocess.Popen[bytes]:
        """Start it; it dies with this process (on Linux)."""
        return subprocess.Popen(
            self.arguments(port),
            stdout=output,
            stderr=subprocess.STDOUT,
            user=self.owner,
            cwd=self.folder,
            preexec_fn=partial(die_with_parent, signal.SIGINT),  # noqa: PLW1509 - it makes one system call
        )


@contextmanager
def postgres_cluster() -> Iterator[Program]:
    """Yield a PostgreSQL server with an empty cluster, not started yet.

    Raises:
        ServerMissing: the server programs are not installed.
        ServerFailed: the cluster could not be made.
    """
    initdb, server = postgres_program("initdb"), postgres_program("postgres")
    if initdb is None or server is None:
        raise ServerMissing("PostgreSQL is not installed. Run `make deps`, or let DATABASE_URL name a server.")
    owner = _unprivileged_account()
    with _folder("postgres", owner=owner) as folder:
        data = folder / "data"
        command = [str(initdb), "-D", str(data), "-U", "budgeteer", "-A", "trust", "-E", "UTF8"]
        command += ["--locale=C", "--no-sync"]
        made = subprocess.run(command, capture_output=True, text=True, check=False, user=owner, cwd=folder)
        if made.returncode:
            raise ServerFailed(f"initdb failed: {made.stderr.strip()[-600:]}")

        def arguments(port: int) -> list[str]:
            options = ["listen_addresses=127.0.0.1", f"unix_socket_directories={folder}", "fsync=off"]
            options += ["synchronous_commit=off", "full_page_writes=off", "max_connections=200"]
            return [str(server), "-D", str(data), "-p", str(port), *(f"-c{option}" for option in options)]

        yield Program(arguments, folder, owner)


@contextmanager
def redis(environ: Mapping[str, str] = os.environ) -> Iterator[str]:
    """Yield the address of a Redis server that keeps nothing on disk.

    Raises:
        ServerMissing: the server is not installed.
        ServerFailed: the server did not answer within 30 seconds.
    """
    if given := environ.get("TEST_REDIS_URL") or environ.get("REDIS_URL"):
        yield given
        return
    with redis_in_memory() as program, _running(program, ready=redis_answers) as port:
        yield f"redis://127.0.0.1:{port}/0"


@contextmanager
def redis_in_memory() -> Iterator[Program]:
    """Yield a Redis server that keeps nothing on disk, not started yet.

    Raises:
        ServerMissing: the server is not installed.
    """
    server = redis_program()
    if server is None:
        raise ServerMissing("Redis is not installed. Run `make deps`, or let REDIS_URL name a server.")
    with _folder("redis") as folder:
        options = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)]
        options += ["--databases", str(REDIS_DATABASES)]
        yield Program(lambda port: [str(server), "--port", str(port), *options], folder)


def _unprivileged_account() -> str | None:
    """PostgreSQL refuses to run as root; Debian's package brings the account `postgres` for that."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    raise ServerMissing("PostgreSQL refuses to run as root and there is no account `postgres` to run it as.")


@contextmanager
def _folder(purpose: str, *, owner: str | None = None) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix=f"budgeteer-{purpose}-"))
    if owner:
        shutil.chown(folder, user=owner)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _running(program: Program, *, ready: Callable[[int], bool]) -> Iterator[int]:
    """Start a server on a free port, wait until it answers, yield the port, stop it.

    Another process may take the port between our look and the server's start, so three ports are tried.
    """
    said = ""
    for _ in range(3):
        port = free_port()
        log = program.folder / f"{port}.log"
        with log.open("w") as output:
            process = program.start(port, output)
        try:
            if wait_until_ready(process, port, ready):
                yield port
                return
        finally:
            _stop(process)
        said = log.read_text(errors="replace").strip()[-600:]
    raise ServerFailed(f"{Path(program.arguments(0)[0]).name} did not start: {said}")


def die_with_parent(number: int = signal.SIGTERM) -> None:
    """For `preexec_fn`: the new process gets this signal when the one that started it dies (on Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number)


def wait_until_ready(process: subprocess.Popen[bytes], port: int, ready: Callable[[int], bool]) -> bool:
    """Whether a server answers on the port before it ends or the time for a start is over."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if ready(port):
            return True
        time.sleep(0.05)
    return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def postgres_answers(port: int) -> bool:
    """Whether PostgreSQL takes connections there."""
    import psycopg

    try:
        psycopg.connect(f"postgresql://budgeteer@127.0.0.1:{port}/postgres", connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


def redis_answers(port: int) -> bool:
    """Whether Redis answers there."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
    except OSError:
        return False
