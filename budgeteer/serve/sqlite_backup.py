"""Back up the SQLite file before its migrations, so that an upgrade can be undone."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from budgeteer import __version__
from budgeteer.engine.errors import InputError

INFIX = ".before-"


def keep_copy(database: Path) -> Path:
    """Copy the database, whole and consistent, to `<name>.before-<version>`; an older such copy makes way.

    Raises:
        InputError: it cannot be written; nothing has been changed then.
    """
    kept = database.with_name(f"{database.name}{INFIX}{__version__}")
    unfinished = kept.with_name(f"{kept.name}.part")
    try:
        unfinished.unlink(missing_ok=True)
        with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(unfinished)) as target:
            source.backup(target)
        unfinished.replace(kept)
    except (OSError, sqlite3.Error) as error:
        unfinished.unlink(missing_ok=True)
        raise InputError(
            f"The database could not be copied before its upgrade ({error})",
            where=str(kept),
            mend="Make room or give this account the right to write there, then start again",
        ) from None
    for other in database.parent.glob(f"{database.name}{INFIX}*"):
        if other != kept:
            other.unlink()
    return kept
