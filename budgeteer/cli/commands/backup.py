"""`budgeteer backup`: everything that an installation holds, in one file."""

from __future__ import annotations

import os
from pathlib import Path

import click


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def command(file: Path) -> int:
    """Write accounts, presets, sources with their files, workspaces, reports and jobs to FILE, while everything runs.

    A name that ends in .gz is compressed. The file holds everybody's texts; only its owner may read it. The secret key
    and passwords of services are not in it.

    Example: budgeteer backup budgeteer-2026-11-24.tar.gz

    Exit status: 0 done, 2 it cannot be written.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "budgeteer.settings")
    import django

    django.setup()
    from budgeteer.operations.backups.backup import write_backup
    from budgeteer.serve.database import refuse_unless_current

    refuse_unless_current()
    made = write_backup(file)
    rows = sum(made.rows.values())
    click.echo(f"{file}: {rows:,} rows and {made.files:,} files of Budgeteer {made.version}")
    for name in made.gone:
        click.echo(f"Not in the storage any more, and not in the backup: {name}", err=True)
    return 0
