"""Entry point of each child process: `python -m budgeteer.serve.child web|worker|scheduler …`."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Never

from budgeteer.serve import parts

GRACE_SECONDS = 6.0
WEB_GRACE_SECONDS = 2.0


def main(arguments: list[str]) -> int:
    """Run one part until it is told to stop or its parent is gone."""
    parts.begin_start()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "budgeteer.settings")
    # Django's checks read every URL and template; they are for the tests, not for every start.
    os.environ.setdefault("CELERY_SKIP_CHECKS", "1")
    # Ctrl+C is the parent's to handle, also where a terminal sends it to everybody.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_stop_with_parent, name="watch-parent", daemon=True).start()
    known: dict[str, Callable[..., int]] = {"web": _web, "worker": _worker, "scheduler": parts.run_scheduler}
    part, *rest = arguments
    return known[part](*rest)


def _stop_with_parent() -> Never:
    """Our standard input is a pipe nobody writes to: it ends when the parent does."""
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_SECONDS)
    os.killpg(0, signal.SIGKILL)
    raise SystemExit


def _web(host: str, port: str) -> int:
    return parts.run_web(host, int(port), grace_seconds=WEB_GRACE_SECONDS)


def _worker(name: str, queues: str) -> int:
    return parts.run_worker(name, queues.split(","), grace_seconds=GRACE_SECONDS)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
