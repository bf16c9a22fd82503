"""The database before the first request: migrated, and remembered to be so for a quick next start."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import click
import django
from django.conf import settings

from budgeteer.engine.errors import InputError

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

    Raises:
        InputError: the database cannot be opened.
    """
    from django.core.management import call_command
    from django.db import OperationalError, connection
    from django.db.migrations.executor import MigrationExecutor

    try:
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            click.echo("Preparing the database…", err=True)
            call_command("migrate", verbosity=0, interactive=False)
        _stamp().write_text(_migrations_digest())
    except OperationalError as error:
        raise InputError(
            f"The database cannot be opened ({str(error).strip()})",
            where="DATABASE_URL" if "DATABASE_URL" in os.environ else str(settings.DATABASES["default"]["NAME"]),
            mend="Check that it is running and that this account may use it",
        ) from None
    finally:
        connection.close()


def _is_sqlite() -> bool:
    return str(settings.DATABASES["default"]["ENGINE"]).endswith("sqlite3")


def _stamp() -> Path:
    settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
    stamp: Path = settings.DATA_DIR / "migrated"
    return stamp


def _migrations_digest() -> str:
    """A digest of Django's version, the database's name and the names of all our migrations."""
    names = sorted(f"{path.parts[-3]}.{path.stem}" for path in PACKAGE.glob("*/migrations/*.py"))
    parts = [django.get_version(), str(settings.DATABASES["default"]["NAME"]), *names]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
