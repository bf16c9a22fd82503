"""The whole dashboard as people start it: `budgeteer serve` on a free port, over a data folder of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.own_servers import own_servers
from tests.servers import die_with_parent

START_SECONDS = 600
"""A wheel that was just installed is compiled at its first start, for minutes on a busy machine."""
STOP_SECONDS = 20
CHECKOUT = (sys.executable, "-m", "budgeteer.cli")
_READY = re.compile(r"ready at (http://[^\s/]+)/")
_LINK = re.compile(r"http://\S+/enter/\S+")
#: Settings of whoever runs the tests that would change what the dashboard is.
_OWN = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "PYTHONPATH")


@dataclass(frozen=True, slots=True)
class Stack:
    """A running dashboard; `variables` are its environment, for other commands over the same data.

    In local mode `sign_in_link` works once; in team mode an administrator has the name and password of `account`.
    `said` is what it has printed, and grows.
    """

    address: str
    sign_in_link: str
    data_dir: Path
    variables: Mapping[str, str]
    account: tuple[str, str] = ("", "")
    said: Sequence[str] = ()


def environment(data_dir: Path) -> dict[str, str]:
    """The environment a dashboard over this folder runs in, free of what the caller's own says about one."""
    own = {name + suffix for name in _OWN for suffix in ("", "_FILE")}
    kept = {key: value for key, value in os.environ.items() if key not in own and not key.startswith("BUDGETEER_")}
    return kept | {"BUDGETEER_DATA_DIR": str(data_dir), "BUDGETEER_LOG_LEVEL": "warning", "NO_COLOR": "1"}


@contextmanager
def production_stack() -> Iterator[Stack]:
    """Start the parts as docker-compose.yml does, over a database and broker of its own on the servers of this run."""
    from tests.deployment.by_hand import ADMIN, running_by_hand

    with own_servers() as servers_of_its_own, running_by_hand(servers_of_its_own) as byhand:
        yield Stack(byhand.address, "", byhand.folder / "data", byhand.environment("web"), ADMIN)
        statuses = byhand.down()
        assert set(statuses.values()) == {0}, f"not everything ended well when it was told to: {statuses}"


@contextmanager
def running_stack(data_dir: Path, *, program: Sequence[str] = CHECKOUT, **changed: str) -> Iterator[Stack]:
    """Start the dashboard with web, workers and scheduler; stop all of it at the end.

    On the servers of this run it gets a database and a broker of its own; without any, SQLite and files.

    Args:
        data_dir: its data folder; it starts in the folder above.
        program: the words that stand for `budgeteer`.
        changed: variables of its environment, e.g. BUDGETEER_MODE="team".
    """
    with own_servers() as servers_of_its_own:
        variables = environment(data_dir) | servers_of_its_own | changed
        process = subprocess.Popen(
            [*program, "serve", "--port", "0", "--no-browser"],
            env=variables,
            cwd=data_dir.parent,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=die_with_parent,  # noqa: PLW1509 - it makes one system call
        )
        with _ended_well(process) as said:
            with_link = changed.get("BUDGETEER_MODE", "local") == "local"
            address, link = _wait_until_ready(process, said, with_link=with_link)
            yield Stack(address, link, data_dir, variables, said=said)


@contextmanager
def _ended_well(process: subprocess.Popen[str]) -> Iterator[list[str]]:
    """Yield what the dashboard says, as it grows; stop the dashboard at the end."""
    said: list[str] = []
    listener = threading.Thread(target=_listen, args=(process, said), daemon=True)
    listener.start()
    try:
        yield said
    finally:
        _stop(process)
        listener.join(timeout=5)
        if process.stdout:
            process.stdout.close()


def _listen(process: subprocess.Popen[str], said: list[str]) -> None:
    if process.stdout:
        said.extend(process.stdout)


def _wait_until_ready(process: subprocess.Popen[str], said: list[str], *, with_link: bool) -> tuple[str, str]:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        text = "".join(said)
        ready, link = _READY.search(text), _LINK.search(text)
        if ready and (link or not with_link):
            return ready.group(1), link.group(0) if link else ""
        time.sleep(0.05)
    raise RuntimeError("The dashboard did not start. It said:\n" + "".join(said))


def _stop(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
