"""The whole dashboard as people start it: `budgeteer serve` on a free port, over a data folder of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

START_SECONDS = 60
STOP_SECONDS = 20
_READY = re.compile(r"(http://\S+)/enter/\S+")
#: Settings of whoever runs the tests that would change what the dashboard is.
_OWN = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "ALLOWED_HOSTS")


@dataclass(frozen=True, slots=True)
class Stack:
    """A running dashboard. `sign_in_link` works once."""

    address: str
    sign_in_link: str
    data_dir: Path


@contextmanager
def running_stack(data_dir: Path, environ: Mapping[str, str] = os.environ) -> Iterator[Stack]:
    """Start the dashboard with web, workers and scheduler; stop all of it at the end."""
    settings = {key: value for key, value in environ.items() if key not in _OWN and not key.startswith("BUDGETEER_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "budgeteer.cli", "serve", "--port", "0", "--no-browser"],
        env={**settings, "BUDGETEER_DATA_DIR": str(data_dir), "BUDGETEER_LOG_LEVEL": "warning", "NO_COLOR": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    said: list[str] = []
    listener = threading.Thread(target=_listen, args=(process, said), daemon=True)
    listener.start()
    try:
        link, address = _wait_for_link(process, said)
        yield Stack(address, link, data_dir)
    finally:
        _stop(process)
        listener.join(timeout=5)
        if process.stdout:
            process.stdout.close()


def _listen(process: subprocess.Popen[str], said: list[str]) -> None:
    if process.stdout:
        said.extend(process.stdout)


def _wait_for_link(process: subprocess.Popen[str], said: list[str]) -> tuple[str, str]:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if found := _READY.search("".join(said)):
            return found.group(0), found.group(1)
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
