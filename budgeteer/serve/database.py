"""Prepare the database: migrate it, and remember that for a fast next start."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import django
from django.conf import settings

from budgeteer import __version__
from budgeteer.engine.errors import InputError
from budgeteer.logs import tell

if TYPE_CHECKING:
    from django.db.migrations.executor import MigrationExecutor

PACKAGE = Path(__file__).resolve().parent.parent


def was_left_current() -> bool:
    """Whether the last start left a SQLite file with these very migrations; decided without loading any app."""
    name = Path(settings.DATABASES["default"]["NAME"])
    try:
        return _is_sqlite() and name.stat().st_size > 0 and _stamp().read_text() == _migrations_digest()
    except FileNotFoundError:
        return False


def bring_up_to_date() -> None:
    """Run the migrations that are missing; nothing where there are none.

    Several processes may do so at once: one migrates, the others wait and find it done.

    Raises:
        InputError: the database cannot be opened, or a newer version has used it.
    """
    from django.core.management import call_command

    from budgeteer.serve import locking, sqlite_backup

    with _opened() as executor:
        _refuse_newer(executor)
        if not _missing(executor):
            _remember()
            return
    with locking.alone_on_database(), _opened() as executor:
        _refuse_newer(executor)
        if _missing(executor):
            tell("Preparing the database…")
            if executor.loader.applied_migrations and _is_sqlite():
                kept = sqlite_backup.keep_copy(Path(settings.DATABASES["default"]["NAME"]))
                tell(f"A copy of the database as it was is kept in {kept}")
            call_command("migrate", verbosity=0, interactive=False)
        _remember()


def refuse_unless_current() -> None:
    """Stop a part that would run over a database of another version.

    Raises:
        InputError: migrations are missing, a newer version has used the database, or it cannot be opened.
    """
    with _opened() as executor:
        _refuse_newer(executor)
        if missing := _missing(executor):
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise InputError(
                f"The database is not ready for Budgeteer {__version__}: it lacks {missing[0]}{more}",
                where=_place(),
                mend="Run `budgeteer serve --only migrate` once, then start this again",
            )


@contextmanager
def _opened() -> Iterator[MigrationExecutor]:
    """What is applied and what there is; a database that cannot be used is a sentence."""
    from django.db import OperationalError, connection
    from django.db.migrations.executor import MigrationExecutor

    try:
        yield MigrationExecutor(connection)
    except OperationalError as error:
        raise InputError(
            f"The database cannot be opened ({str(error).strip()})",
            where=_place(),
            mend="Check that it is running and that this account may use it",
        ) from None
    finally:
        connection.close()


def _missing(executor: MigrationExecutor) -> list[str]:
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{migration.app_label}.{migration.name}" for migration, _backwards in plan]


def _refuse_newer(executor: MigrationExecutor) -> None:
    """A migration that was applied and is not in this version came with a later one."""
    loader = executor.loader
    known = set(loader.disk_migrations or {})
    for migration in (loader.disk_migrations or {}).values():
        known |= set(migration.replaces)
    strange = sorted(
        f"{app}.{name}"
        for app, name in loader.applied_migrations
        if app in loader.migrated_apps and (app, name) not in known
    )
    if strange:
        raise InputError(
            f"A newer Budgeteer than {__version__} has used this database: it holds {strange[0]}, "
            "which this version does not know",
            where=_place(),
            mend="Start the newer version, or put back a copy of the database from before the upgrade",
        )


def _place() -> str:
    named = any(name in os.environ for name in ("DATABASE_URL", "DATABASE_URL_FILE"))
    return "DATABASE_URL" if named else str(settings.DATABASES["default"]["NAME"])


def _is_sqlite() -> bool:
    return str(settings.DATABASES["default"]["ENGINE"]).endswith("sqlite3")


def _remember() -> None:
    if _is_sqlite():
        _stamp().write_text(_migrations_digest())


def _stamp() -> Path:
    settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
    stamp: Path = settings.DATA_DIR / "migrated"
    return stamp


def _migrations_digest() -> str:
    """A digest of Django's version, the database's name and the names of all our migrations."""
    names = sorted(f"{path.parts[-3]}.{path.stem}" for path in PACKAGE.glob("*/migrations/*.py"))
    parts = [django.get_version(), str(settings.DATABASES["default"]["NAME"]), *names]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
