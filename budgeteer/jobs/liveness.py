"""Liveness of this worker, judged by the work it does and not by a thread of its own.

A worker that has nothing at hand sends itself a message through the broker, into a queue that nobody else serves, and
has to handle it. While it has a task at hand it is alive as long as the task takes a step now and then. A worker that
does neither is no longer announced (heartbeats.py), so that its health check fails, and then ends itself: whoever
supervises it starts it again, and the reaper gives its job to another.

A worker's process asks for its queue before Django is set up, so nothing here needs an app at import.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Never

import structlog
from django.conf import settings
from kombu.entity import Exchange, Queue
from kombu.exceptions import KombuError

from budgeteer.jobs.celery_app import app

log = structlog.get_logger(__name__)

#: The exit status of a worker that ends itself: EX_SOFTWARE of sysexits.h.
BROKEN_STATUS: Final = 70

#: A worker looks at itself so often within the time in which it has to answer.
LOOKS: Final = 12


def own_queue() -> Queue:
    """The queue that only this process serves.

    It has no exchange, so that a broker keeps nothing of it but a message that was not taken.
    """
    queue = Queue(f"ping.{socket.gethostname()}.{os.getpid()}", exchange=Exchange("", type="direct"), no_declare=True)  # type: ignore[no-untyped-call]
    queue.routing_key = queue.name
    return queue


@dataclass
class Liveness:
    """What one worker did lately.

    Time is counted in looks of its own thread, so that a process that was stopped for an hour is not taken for dead
    when it goes on.

    Attributes:
        send: sends the ping; raises where the broker is away, which is no fault of the worker.
        end: ends the process.
    """

    send: Callable[[], None]
    end: Callable[[], object]
    _silent_seconds: float = 0.0
    _step_seconds: float = 0.0
    _tasks: int = 0
    _is_asked: bool = False
    _looked_at: float = field(default_factory=time.monotonic)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_alive(self) -> bool:
        """Whether it did something within half the time after which it ends itself."""
        with self._lock:
            return not self._is_overdue(0.5)

    def handled(self) -> None:
        """Note that a message came through."""
        with self._lock:
            self._silent_seconds, self._is_asked = 0.0, False

    def stepped(self) -> None:
        """Note that the task at hand went on."""
        self._step_seconds = 0.0

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """A task is at hand while the body runs."""
        with self._lock:
            self._tasks += 1
            self._step_seconds = 0.0
        try:
            yield
        finally:
            with self._lock:
                self._tasks -= 1
            self.handled()

    def look(self) -> None:
        """Count the time since the last look, ask for a sign of life where none is asked for, end what is broken."""
        now = time.monotonic()
        with self._lock:
            # A late look counts as two at most: then it was the process that stood still.
            passed = min(now - self._looked_at, 2 * look_seconds())
            self._looked_at = now
            if self._tasks:
                self._step_seconds += passed
            elif self._is_asked:
                self._silent_seconds += passed
            is_broken, asks = self._is_overdue(1.0), not self._tasks
        if is_broken:
            self.end()
        elif asks:
            self._ask()

    def _is_overdue(self, share: float) -> bool:
        if self._tasks:
            return self._step_seconds > settings.JOB_STEP_SECONDS * share
        return self._silent_seconds > settings.WORKER_SILENT_SECONDS * share

    def _ask(self) -> None:
        """Send a ping; again at every look until one was handled, since a broker may lose messages."""
        try:
            self.send()
        except (KombuError, OSError) as error:
            log.debug("ping not sent", reason=str(error))
            return
        with self._lock:
            self._is_asked = True


def look_seconds() -> float:
    """How long a worker waits between two looks at itself."""
    return float(settings.WORKER_SILENT_SECONDS) / LOOKS


def _send_ping() -> None:
    app.send_task("jobs.ping", queue=own_queue(), expires=settings.WORKER_SILENT_SECONDS)


def end_process() -> Never:
    """End this worker, which cannot work any more; its supervisor starts another one."""
    from budgeteer.jobs import heartbeats

    log.critical("worker cannot work any more and ends itself", name=heartbeats.own_name())
    heartbeats.leave()
    os._exit(BROKEN_STATUS)


def start_anew(reason: str) -> None:
    """End this worker as SIGTERM does, but with a status that tells its supervisor to start another one."""
    global is_starting_anew  # noqa: PLW0603 - one process, one worker
    is_starting_anew = True
    log.warning("worker starts anew", reason=reason)
    os.kill(os.getpid(), signal.SIGTERM)


is_starting_anew = False

#: This process's own, once it is a worker.
own = Liveness(_send_ping, end_process)


def start() -> None:
    """Look after this worker from now on."""
    own.handled()
    threading.Thread(target=_look_for_ever, name="liveness", daemon=True).start()


def _look_for_ever() -> Never:
    while True:
        time.sleep(look_seconds())
        own.look()


def serve_own_queue(queues: Any) -> str:
    """Add this process's own queue to Celery's table of queues; its name."""
    queue = own_queue()
    dict.__setitem__(queues, queue.name, queue)  # Celery's own way puts an exchange in
    name: str = queue.name
    return name
