"""Checks of the database: it answers, has our tables, and agrees with this host on the time."""

from __future__ import annotations

import functools
import time
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import Error as AnyDatabaseError
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from budgeteer.operations.findings import Finding, failed, ok, warning

SKEW = timedelta(seconds=1)
"""More than this between two clocks is no network delay."""

RUNNING = "Check that it is running, that DATABASE_URL is right, and that this account may use it"
MIGRATE = "Run: django-admin migrate --settings budgeteer.settings"


def database() -> Iterator[Finding]:
    """Whether it answers, which one it is, and whether it is set up as it should be."""
    if connection.vendor == "sqlite" and not _sqlite_file().exists():
        yield failed("database", f"There is no database yet at {_sqlite_file()}.", mend="Run: budgeteer serve")
        return
    started = time.monotonic()
    try:
        connection.ensure_connection()
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except AnyDatabaseError as error:
        yield failed("database", f"It cannot be opened: {reason(error)}", mend=RUNNING)
        return
    elapsed_ms = (time.monotonic() - started) * 1000
    version = ".".join(map(str, connection.get_database_version()))
    yield ok("database", f"{connection.display_name} {version} answers in {elapsed_ms:.0f} ms.")
    if connection.vendor == "sqlite":
        yield from _sqlite_setup()
    else:
        yield _clock()


def migrations() -> Iterator[Finding]:
    """Whether every migration of this version has run, and none of a later one."""
    try:
        applied = set(MigrationRecorder(connection).applied_migrations())
    except AnyDatabaseError as error:
        yield failed("migrations", f"They cannot be read: {reason(error)}", mend=RUNNING)
        return
    ours, squashed = _migrations_of_this_version()
    if pending := ours - applied:
        have = "has" if len(pending) == 1 else "have"
        yield failed("migrations", f"{_counted(pending)} {have} not run yet, {_named(pending)}.", mend=MIGRATE)
    elif later := {key for key in applied - ours - squashed if key[0] in {app for app, _ in ours}}:
        yield warning(
            "migrations",
            f"A later version has run {_counted(later)} that this one has not, {_named(later)}.",
            mend="Install that version here as well",
        )
    else:
        yield ok("migrations", f"All {len(ours)} have run.")


def reason(error: Exception) -> str:
    """A database's complaint as one line."""
    return " ".join(str(error).split()).rstrip(".") + "."


def _counted(migrations: AbstractSet[tuple[str, str]]) -> str:
    return "1 migration" if len(migrations) == 1 else f"{len(migrations)} migrations"


def _named(migrations: AbstractSet[tuple[str, str]]) -> str:
    return "the first " + ".".join(min(migrations))


@functools.cache
def _migrations_of_this_version() -> tuple[frozenset[tuple[str, str]], frozenset[tuple[str, str]]]:
    """Those that have run in a database that is up to date, and those that stand for several in an empty one."""
    found = MigrationLoader(None, ignore_no_migrations=True).disk_migrations or {}
    squashed = frozenset(key for key, migration in found.items() if migration.replaces)
    return frozenset(found) - squashed, squashed


def _sqlite_file() -> Path:
    return Path(settings.DATABASES["default"]["NAME"])


def _sqlite_setup() -> Iterator[Finding]:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA journal_mode")
        [mode] = cursor.fetchone()
    if mode != "wal":
        yield warning(
            "journal",
            f"SQLite's journal is {mode!r}: readers and writers wait for each other.",
            mend="Put the file on a local disk; network file systems cannot do write-ahead logging",
        )
    if settings.BUDGETEER_MODE == "team":
        yield warning("database kind", "SQLite serves one machine only.", mend="Set DATABASE_URL to a PostgreSQL")


def _clock() -> Finding:
    """The difference between the database's clock and ours.

    No job depends on it: their silence is measured with the database's alone. Log lines and shown times do.
    """
    before = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')")
        told = parse_datetime(cursor.fetchone()[0])
    middle = before + (timezone.now() - before) / 2
    assert told is not None  # noqa: S101 — PostgreSQL's answer in the form we asked for
    skew = abs(told - middle)
    sentence = f"The database's clock and this host's differ by {skew.total_seconds():.1f} s."
    mend = "Let both hosts keep time by NTP"
    return warning("clock", sentence, mend=mend) if skew > SKEW else ok("clock", sentence)
