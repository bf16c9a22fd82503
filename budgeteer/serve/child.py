"""What each child process of the dashboard runs: `python -m budgeteer.serve.child web|worker|scheduler …`."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from typing import Never

GRACE_SECONDS = 6.0
WEB_THREADS = 8


def main(arguments: list[str]) -> int:
    """Run one part until it is told to stop or its parent is gone."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "budgeteer.settings")
    # Django's checks read every URL and template; they are for the tests, not for every start.
    os.environ.setdefault("CELERY_SKIP_CHECKS", "1")
    # Ctrl+C is the parent's to handle, also where a terminal sends it to everybody.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_stop_with_parent, name="watch-parent", daemon=True).start()
    parts: dict[str, Callable[..., int]] = {"web": _web, "worker": _worker, "scheduler": _scheduler}
    part, *rest = arguments
    return parts[part](*rest)


def _stop_with_parent() -> Never:
    """Our standard input is a pipe nobody writes to: it ends when the parent does."""
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_SECONDS)
    os.killpg(0, signal.SIGKILL)
    raise SystemExit


def _web(host: str, port: str) -> int:
    from granian import Granian
    from granian.constants import Interfaces
    from granian.log import LogLevels

    Granian(
        "budgeteer.wsgi:application",
        address=host,
        port=int(port),
        interface=Interfaces.WSGI,
        blocking_threads=WEB_THREADS,
        log_level=LogLevels.error,
        workers_kill_timeout=2,
        process_name=None,
    ).serve()
    return 0


def _worker(name: str, queues: str) -> int:
    from celery.platforms import SecurityWarning

    from budgeteer.celery import app

    # Celery warns an administrator's account about pickled messages; ours are JSON only.
    warnings.filterwarnings("ignore", category=SecurityWarning)
    worker = app.Worker(
        hostname=f"{name}@localhost",
        # One job at a time in a thread: the main thread stays free to hear SIGTERM.
        pool_cls="threads",
        concurrency=1,
        queues=queues,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        quiet=True,
        loglevel="WARNING",
    )
    worker.start()
    return int(worker.exitcode or 0)


def _scheduler() -> int:
    from celery.apps.beat import Beat

    from budgeteer.celery import app

    class LeanBeat(Beat):  # type: ignore[misc]  # celery ships no types
        """It sends names only, so it imports nobody's tasks."""

        def init_loader(self) -> None:
            self.app.finalize()

    # The schedule has intervals only, so it is kept in memory rather than in a file.
    LeanBeat(app=app, scheduler="celery.beat:Scheduler", loglevel="WARNING", quiet=True).run()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
