"""Prove that an upgrade needs no pause: `python -m tests.upgrade [--from COMMIT] [--seconds 8]`.

The processes of COMMIT (by default the commit before the newest migration) and those of this checkout work side by side
over one PostgreSQL database while people upload and pack. Prints what they were answered; the status is 1 if anything
was wrong, 2 where this clone does not have the commit, or the packages that are installed do not run it.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import click

from tests.upgrade.side_by_side import NoHistory, NotStarted, before_the_newest_migration, upgrade


def main(arguments: list[str]) -> int:
    """Upgrade from the commit that is named while people work."""
    parser = argparse.ArgumentParser(prog="python -m tests.upgrade", description=__doc__)
    parser.add_argument("--from", dest="commit", help="the version that is upgraded from")
    parser.add_argument("--seconds", type=float, default=8.0, help="how long each moment lasts")
    options = parser.parse_args(arguments)
    folder = Path(tempfile.mkdtemp(prefix="budgeteer-upgrade-"))
    try:
        commit = options.commit or before_the_newest_migration()
        click.echo(f"from {commit}")
        figures = upgrade(commit, folder, seconds=options.seconds)
    except (NoHistory, NotStarted) as error:
        click.echo(str(error), err=True)
        shutil.rmtree(folder)
        return 2
    for name, number in figures["answers"].items():
        click.echo(f"  answers, {name:<32} {number:>6}")
    click.echo(f"  uploads {figures['uploads']}, jobs {figures['jobs by version']}, wrong {len(figures['wrong'])}")
    for one in figures["wrong"][:20]:
        click.echo(f"    {one}")
    if figures["wrong"]:
        click.echo(f"logs: {folder}")
        return 1
    shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
