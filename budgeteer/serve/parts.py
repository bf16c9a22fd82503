"""The parts of the dashboard (web, worker, scheduler), each a function that runs as long as its process."""

from __future__ import annotations

import atexit
import copy
import gc
import os
import signal
import socket
import tempfile
import threading
import warnings
from collections.abc import Iterable
from typing import Any

from budgeteer.logs import name_process

#: Connections that one web process holds beside those whose requests it answers or lets wait.
QUIET_CONNECTIONS = 1024

#: The longest the scheduler sleeps without looking whether it is to end, in seconds.
SCHEDULER_WAKES_SECONDS = 2


def begin_start() -> None:
    """Look for no garbage while modules are read: a fifth of their time. A part that has started looks again."""
    gc.disable()


def end_start() -> None:
    """Look for garbage again, but not among what the start left, which stays."""
    gc.freeze()
    gc.enable()


def run_web(host: str, port: int, *, grace_seconds: float) -> int:
    """Serve requests until SIGTERM or SIGINT; one that is not answered `grace_seconds` later is cut off."""
    from django.conf import settings
    from granian import Granian
    from granian.constants import HTTPModes, Interfaces
    from granian.log import LogLevels

    name_process("web")
    if settings.WEB_PROCESSES > 1:
        _count_together()
    # One that is told to stop before it serves would hear nothing through the handler it inherits, and be killed late.
    os.register_at_fork(after_in_child=lambda: signal.signal(signal.SIGTERM, signal.SIG_DFL))
    end_start()  # of this process; those that answer begin with wsgi.py
    Granian(
        "budgeteer.asgi:application",
        address=host,
        port=port,
        interface=Interfaces.ASGINL,
        # A proxy speaks HTTP/1.1 to us, and a browser without TLS too; nothing here uses web sockets.
        http=HTTPModes.http1,
        websockets=False,
        workers=settings.WEB_PROCESSES,
        # Of each process: those that it answers, those that wait, and connections that say nothing or move slowly.
        backpressure=settings.WEB_THREADS + settings.WEB_WAITING + QUIET_CONNECTIONS,
        # One of several that dies is replaced; a single one ends the part, and whoever runs the part sees it.
        respawn_failed_workers=settings.WEB_PROCESSES > 1,
        log_level=LogLevels.error,
        log_dictconfig=copy.deepcopy(settings.LOGGING),
        workers_kill_timeout=int(grace_seconds),
        process_name=None,
    ).serve()
    return 0


def _count_together() -> None:
    """Let the web processes of this part count requests in one folder, which goes when the part ends."""
    folder = tempfile.TemporaryDirectory(prefix="budgeteer-metrics-")
    atexit.register(folder.cleanup)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder.name


def run_worker(name: str, queues: Iterable[str], *, grace_seconds: float) -> int:
    """Do jobs until SIGTERM; the one at hand goes back to the queue at its next step.

    A job that takes no step within `grace_seconds` ends with the process, and the reaper queues it again.
    """
    from celery import signals
    from celery.platforms import SecurityWarning

    from budgeteer.celery import app

    # Celery warns an administrator's account about pickled messages; ours are JSON only.
    warnings.filterwarnings("ignore", category=SecurityWarning)

    def leave_in_time(**_kwargs: object) -> None:
        deadline = threading.Timer(grace_seconds, os._exit, (0,))
        deadline.daemon = True
        deadline.start()

    signals.worker_shutting_down.connect(leave_in_time, weak=False)
    signals.worker_ready.connect(lambda **_kwargs: end_start(), weak=False)
    from budgeteer.jobs import liveness, memory

    memory.bound_this_process()
    own_queue = liveness.serve_own_queue(app.amqp.queues)
    worker = app.Worker(
        hostname=f"{name}@{socket.gethostname()}",
        # One job at a time in a thread: the main thread stays free to hear SIGTERM.
        pool_cls="threads",
        concurrency=1,
        queues=",".join((*queues, own_queue)),
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        quiet=True,
        loglevel="WARNING",
    )
    worker.start()
    if liveness.is_starting_anew:
        return liveness.BROKEN_STATUS
    return int(worker.exitcode or 0)


def run_scheduler() -> int:
    """Ask for the periodic work until SIGTERM; one at a time is enough, a second one does no harm."""
    from celery import platforms
    from celery.apps.beat import Beat

    from budgeteer.celery import app

    class LeanBeat(Beat):  # type: ignore[misc]  # celery ships no types
        """It sends names only, so it imports nobody's tasks."""

        def init_loader(self) -> None:
            self.app.finalize()

        def install_sync_handler(self, service: Any) -> None:
            """End on a signal, also where Python swallows the exception: one raised while an object is freed, say."""

            def end(_signal: int, _frame: object) -> None:
                service.stop()
                raise SystemExit

            platforms.signals.update(SIGTERM=end, SIGINT=end)

    end_start()
    # The schedule has intervals only, so it is kept in memory rather than in a file.
    beat = LeanBeat(
        app=app,
        scheduler="celery.beat:Scheduler",
        max_interval=SCHEDULER_WAKES_SECONDS,
        loglevel="WARNING",
        quiet=True,
    )
    beat.run()
    return 0
