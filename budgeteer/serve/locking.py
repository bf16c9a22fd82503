"""A lock between processes, for work that must not run twice at once: migrating a database."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from budgeteer.logs import tell

# Any number will do, so long as nothing else that uses the database takes it: "budgetee" in ASCII.
LOCK_NUMBER = int.from_bytes(b"budgetee")
WAITING = "Another process is preparing the database; waiting for it…"


@contextmanager
def alone_on_database() -> Iterator[None]:
    """Wait until no other process is in here for the same database; the lock ends with its process."""
    from django.db import connection

    if connection.vendor == "postgresql":
        with _advisory_lock():
            yield
    else:
        with _file_lock(Path(f"{connection.settings_dict['NAME']}.lock")):
            yield


@contextmanager
def _advisory_lock() -> Iterator[None]:
    """PostgreSQL's own lock, held by a connection of ours until that is closed."""
    from django.db import connection

    ours = connection.copy()
    try:
        with ours.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [LOCK_NUMBER])
            if not cursor.fetchone()[0]:
                tell(WAITING)
                cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK_NUMBER])
            yield
    finally:
        ours.close()


@contextmanager
def _file_lock(path: Path) -> Iterator[None]:
    """A lock on a file beside the database's; SQLite's own locks end with each migration's transaction."""
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell(WAITING)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
