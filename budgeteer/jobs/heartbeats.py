"""Heartbeats of worker and scheduler processes: a row every few seconds, removed at shutdown.

A worker says so only while it works (liveness.py). A process that is killed says no goodbye: its row grows old, is no
longer counted, and is swept by the others.
"""

from __future__ import annotations

import atexit
import os
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from django.db import Error as AnyDatabaseError
from django.db import connection
from django.db.models.functions import Now

from budgeteer import __version__
from budgeteer.jobs.models import Presence, ProcessPart

SAY_SECONDS = 4.0
FRESH_SECONDS = 20.0
"""Five missed words: a database that is busy for a moment is no death."""

SWEEP_SECONDS = 15 * 60.0
GOODBYE_SECONDS = 1.0
"""How long the end of a process waits for its row to go; a database that hangs must not hold it up."""


@dataclass
class Announcer:
    """Writes one process's row from a thread of its own until it is told to leave.

    Attributes:
        label: what the process is called among those of its host ("all"); "" for its part alone.
        queues: the queues it serves.
        is_alive: whether the process does its work; while it does not, it is silent.
    """

    part: ProcessPart
    label: str = ""
    queues: Sequence[str] = ()
    is_alive: Callable[[], bool] = lambda: True
    _leaving: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    @property
    def name(self) -> str:
        return f"{self.label or self.part}@{own_host()}:{os.getpid()}"

    def start(self) -> None:
        """Begin; the first word is said at once."""
        # A daemon: a process never waits for it longer than `leave` does.
        self._thread = threading.Thread(target=self._say_until_leaving, name="presence", daemon=True)
        self._thread.start()

    def leave(self) -> None:
        """Say goodbye; at most `GOODBYE_SECONDS`, and nothing the second time."""
        self._leaving.set()
        if self._thread is not None:
            self._thread.join(GOODBYE_SECONDS)

    def _say_until_leaving(self) -> None:
        try:
            while True:
                if self.is_alive():
                    self._try(self._say)
                if self._leaving.wait(SAY_SECONDS):
                    self._try(self._say_goodbye)
                    return
        finally:
            connection.close()

    def _try(self, word: Callable[[], None]) -> None:
        try:
            word()
        except AnyDatabaseError:
            # Away for a moment, or not migrated yet: the next word tries again, on a new connection.
            connection.close()

    def _say(self) -> None:
        row = Presence(
            name=self.name,
            part=self.part,
            host=own_host(),
            queues=",".join(self.queues),
            version=__version__,
            seen_at=Now(),
        )
        told = ["part", "host", "queues", "version", "seen_at"]
        Presence.objects.bulk_create([row], update_conflicts=True, unique_fields=["name"], update_fields=told)
        Presence.objects.filter(seen_at__lt=Now() - timedelta(seconds=SWEEP_SECONDS)).delete()

    def _say_goodbye(self) -> None:
        Presence.objects.filter(name=self.name).delete()


_announcers: list[Announcer] = []


def announce(
    part: str, *, label: str = "", queues: Sequence[str] = (), is_alive: Callable[[], bool] = lambda: True
) -> None:
    """Say that this process, a `ProcessPart`, is there, from now until it ends, as long as `is_alive` says so."""
    announcer = Announcer(part=ProcessPart(part), label=label, queues=tuple(queues), is_alive=is_alive)
    _announcers.append(announcer)
    announcer.start()


def own_name() -> str:
    """What this process calls itself, announced or not."""
    return _announcers[0].name if _announcers else f"{own_host()}:{os.getpid()}"


def leave() -> None:
    """Say goodbye for this process."""
    while _announcers:
        _announcers.pop().leave()


atexit.register(leave)


@dataclass(frozen=True, slots=True)
class Seen:
    """One process as the table knows it; `silent_seconds` since it last said anything."""

    name: str
    part: ProcessPart
    host: str
    queues: tuple[str, ...]
    version: str
    silent_seconds: float

    @property
    def is_fresh(self) -> bool:
        return self.silent_seconds < FRESH_SECONDS


def everybody() -> list[Seen]:
    """Every process that said something lately, those fallen silent included."""
    return [
        Seen(
            name=row.name,
            part=ProcessPart(row.part),
            host=row.host,
            queues=tuple(filter(None, row.queues.split(","))),
            version=row.version,
            silent_seconds=(row.database_now - row.seen_at).total_seconds(),
        )
        for row in Presence.objects.annotate(database_now=Now())
    ]


def own_host() -> str:
    """This host's name; in a container, the container's."""
    return socket.gethostname()
