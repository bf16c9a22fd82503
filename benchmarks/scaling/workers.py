"""One worker beside the two of `budgeteer serve` over the same forty files.

    python -m benchmarks.scaling.workers FOLDER [--rounds 3] [--stack postgres|sqlite]

Every round starts from nothing (an empty database, nothing counted before), with one worker and then with two; the
clock runs from the commit that asks for all imports until the last of them has ended. Prints each round, the medians
and their ratio, and ends with status 1 when that is above the goal.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import click

from tests.kills import parts

FILES = 40
GOAL = 0.6
LARGEST_BYTES = 5_000_000
WAIT_SECONDS = 300.0


def main(arguments: list[str]) -> int:
    """Measure both ways in turn."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling.workers", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--stack", choices=("sqlite", "postgres"), default="postgres")
    options = parser.parse_args(arguments)
    seconds: dict[int, list[float]] = {1: [], 2: []}
    for number in range(1, options.rounds + 1):
        for workers, measured in seconds.items():
            measured.append(_in_own_process(options.stack, workers, options.folder))
        click.echo(f"round {number}: one worker {seconds[1][-1]:6.2f} s   two workers {seconds[2][-1]:6.2f} s")
    one, two = median(seconds[1]), median(seconds[2])
    click.echo(f"{options.stack}, {FILES} files, medians: {one:.2f} s and {two:.2f} s, ratio {two / one:.2f}")
    return 0 if two / one <= GOAL else 1


def _in_own_process(stack: str, workers: int, folder: Path) -> float:
    command = [sys.executable, "-m", "benchmarks.scaling.workers_run", stack, str(workers), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:])
    return float(json.loads(done.stdout.splitlines()[-1])["seconds"])


def chosen_files(folder: Path) -> list[Path]:
    """The forty largest files that can be imported, of at most 5 MB each, in the order of their names.

    Raises:
        ValueError: the folder holds fewer.
    """
    from budgeteer.engine.errors import InputError
    from budgeteer.formats.detect import import_bytes

    found: list[Path] = []
    sized = sorted((path for path in folder.rglob("*") if path.is_file()), key=lambda path: -path.stat().st_size)
    for path in sized:
        if path.stat().st_size > LARGEST_BYTES:
            continue
        try:
            import_bytes(path.read_bytes(), name=path.name)
        except InputError:
            continue
        found.append(path)
        if len(found) == FILES:
            return sorted(found)
    raise ValueError(f"{folder} holds {len(found)} files that can be imported; {FILES} are needed")


def measure(stack_kind: str, workers: int, folder: Path) -> float:
    """Seconds from asking for all imports until all have ended, with so many workers on a fresh stack.

    Raises:
        RuntimeError: an import failed or did not end.
    """
    files = chosen_files(folder)
    with tempfile.TemporaryDirectory() as place, parts.prepared(stack_kind, Path(place)) as stack:
        os.environ.clear()
        os.environ.update(stack.environment)
        import django

        django.setup()
        from django.contrib.auth.models import User
        from django.core.files.base import File
        from django.core.management import call_command
        from django.db import transaction
        from django.db.models import Max
        from django.utils import timezone

        from budgeteer.jobs.models import FINISHED, Job, Presence
        from budgeteer.sources import services as sources

        call_command("migrate", verbosity=0, interactive=False)
        owner = User.objects.create_user("somebody")
        parts.start_workers(stack, workers)
        _wait(lambda: Presence.objects.filter(part="worker").count() == workers)
        time.sleep(2.0)  # they have said that they are there; let them finish starting
        with transaction.atomic():
            for path in files:
                with path.open("rb") as opened:
                    sources.receive_upload(owner, name=path.name, content=File(opened, path.name))
            started = timezone.now()
        # The rows say when each ended; looking more often would only take a processor away from the workers.
        _wait(lambda: not Job.objects.exclude(state__in=FINISHED).exists(), every_seconds=0.5)
        elapsed: float = (Job.objects.aggregate(last=Max("finished_at"))["last"] - started).total_seconds()
        if failed := list(Job.objects.exclude(state="succeeded")):
            raise RuntimeError(f"{len(failed)} imports failed: {failed[0].error}")
        return elapsed


def _wait(true: Callable[[], bool], *, every_seconds: float = 0.05) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not true():
        if time.monotonic() > deadline:
            raise RuntimeError(f"not within {WAIT_SECONDS:g} s")
        time.sleep(every_seconds)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
