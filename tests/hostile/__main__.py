"""Hostile uploads and strings over a running dashboard: `python -m tests.hostile [--every N] [--families F …]`.

Sends them by the pages, the API and the command line, prints a table of what was tried, refused, slowest and wrong, and
ends with status 1 if anything was wrong: an error of ours (5xx), markup that became active, a file outside its place,
words of another file, a formula in a table, a worker lost, an error in a log, or too much processor time.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click

from tests.hostile.uploads import FAMILIES

STACKS: Final = ("postgres", "sqlite")
SHOWN: Final = 40


def main(arguments: list[str]) -> int:
    """Run what the command line asks for; the status."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile", description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="of each family the first, and then each so many-th")
    parser.add_argument("--stack", choices=STACKS, default=STACKS[0])
    parser.add_argument("--families", nargs="+", default=(), choices=tuple(FAMILIES), help="of files; all by default")
    options = parser.parse_args(arguments)
    figures = run_stack(options.stack, every=options.every, families=options.families)
    for line in table(figures):
        click.echo(line)
    return 1 if wrong_of(figures) else 0


def run_stack(stack: str, *, every: int, families: Sequence[str] = ()) -> dict[str, Any]:
    """The figures of a run, in a process of its own.

    Raises:
        RuntimeError: the run itself broke off.
    """
    folder = Path(tempfile.mkdtemp(prefix="budgeteer-hostile-"))
    command = [sys.executable, "-m", "tests.hostile.run", stack, str(every), str(folder), *families]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the run on {stack} broke off; what it said stands above; {folder} is kept")
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if wrong_of(figures):
        click.echo(f"data and logs: {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return figures


def wrong_of(figures: dict[str, Any]) -> list[str]:
    """Everything that was wrong."""
    return [f"{row['way']}: {what}" for row in figures["rows"] for what in row["wrong"]]


def table(figures: dict[str, Any]) -> Iterator[str]:
    """The figures as lines for people."""
    yield f"{'way':<14}{'family':<20}{'tried':>7}{'answers':>9}{'refused':>9}{'wrong':>7}  slowest, s of processor time"
    for row in figures["rows"]:
        numbers = f"{row['tried']:>7}{row['answers']:>9}{row['refused']:>9}{len(row['wrong']):>7}"
        yield f"{row['way']:<14}{row['family']:<20}{numbers}  {row['slowest_seconds']:5.2f} {row['slowest'][:60]}"
    wrong = wrong_of(figures)
    tried, answers = (sum(row[name] for row in figures["rows"]) for name in ("tried", "answers"))
    yield from wrong[:SHOWN]
    yield f"{figures['stack']}: {tried:,} tried, {answers:,} answers, {len(wrong)} wrong, {figures['seconds']} s"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
