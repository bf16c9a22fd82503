"""`budgeteer restore`: an installation as a backup has it."""

from __future__ import annotations

import os
from pathlib import Path

import click


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
def command(file: Path) -> int:
    """Restore what `budgeteer backup` wrote to FILE, into an installation without sources, workspaces and reports.

    It prepares the database where that has not been done. Everything is restored, or nothing. Everybody signs in anew.

    Example: BUDGETEER_DATA_DIR=/srv/budgeteer budgeteer restore budgeteer-2026-11-24.tar.gz

    Exit status: 0 done, 2 it cannot be restored.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "budgeteer.settings")
    import django

    django.setup()
    from budgeteer.operations.backups.restore import restore_backup
    from budgeteer.serve.database import bring_up_to_date

    bring_up_to_date()
    found = restore_backup(file)
    rows = sum(found.rows.values())
    click.echo(f"Restored {rows:,} rows and {found.files:,} files, as they were on {found.created}")
    return 0
