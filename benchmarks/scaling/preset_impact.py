"""How long a preset's next version is tried on all who follow, with the two workers of `budgeteer serve`.

    python -m benchmarks.scaling.preset_impact [--workspaces 1000] [--sources 40]

Every workspace has a question of its own over one of so many agent sessions, so that each is put together and packed
for itself, twice; every third has changes of its own. The clock runs from the commit that asks for the jobs until the
last of them has ended. Prints the figure, and ends with status 1 when it is above the goal.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import click

from benchmarks.documents import ROOT

GOAL_SECONDS: Final = 30.0
WAIT_SECONDS: Final = 600.0
TIGHT: Final = {"history": {"strategy": "newestFirst", "maxTokens": 9_000}}


@dataclass(frozen=True, slots=True)
class ImpactTime:
    """What was measured: how many workspaces, over how many sources, in how many jobs, and what came of it."""

    workspaces: int
    sources: int
    jobs: int
    seconds: float
    sentence: str


def main(arguments: list[str]) -> int:
    """Measure once and print it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling.preset_impact", description=__doc__)
    parser.add_argument("--workspaces", type=int, default=1000)
    parser.add_argument("--sources", type=int, default=40)
    options = parser.parse_args(arguments)
    found = measured(options.workspaces, options.sources)
    click.echo(
        f"{found.workspaces:,} workspaces over {found.sources} agent sessions, {found.jobs} jobs, two workers: "
        f"{found.seconds:.1f} s (goal {GOAL_SECONDS:.0f} s). {found.sentence}"
    )
    return 0 if found.seconds <= GOAL_SECONDS else 1


def measured(workspaces: int, sources: int) -> ImpactTime:
    """Start a dashboard of its own, fill it, and measure in a process over the same data."""
    from tests.browser.stack import running_stack

    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        data.mkdir()
        with running_stack(data) as stack:
            code = f"from benchmarks.scaling.preset_impact import run; print(run({workspaces}, {sources}))"
            done = subprocess.run(
                [sys.executable, "manage.py", "shell", "--no-imports", "-c", code],
                cwd=ROOT,
                env={**os.environ, **stack.variables},
                capture_output=True,
                text=True,
                check=False,
            )
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:])
    return ImpactTime(**json.loads(done.stdout.splitlines()[-1]))


def run(workspaces: int, sources: int) -> str:
    """Fill the dashboard that runs over this data, try a version on all, and say how long that took, as JSON."""
    from budgeteer.accounts.services import local_user
    from budgeteer.jobs.models import Job
    from budgeteer.presets import proposals
    from budgeteer.presets.models import Preset
    from budgeteer.workbench.preset_editing.impact_view import KIND, impact_view, start_impact

    user = local_user()
    _fill(workspaces, sources)
    preset = Preset.objects.get(slug="agent-default")
    proposal = proposals.propose(user, TIGHT, proposals.ProposalWords("Measured"), preset=preset)
    started = time.monotonic()
    start_impact(proposal, user)
    seconds = _wait(started)
    view = impact_view(proposal, user, here="/")
    count = Job.objects.filter(kind=KIND).count()
    return json.dumps(asdict(ImpactTime(workspaces, sources, count, seconds, view.sentence)))


def _fill(workspaces: int, sources: int) -> None:
    """Import the sources and open the workspaces over them by turns."""
    import io

    from django.core.files.base import File

    from budgeteer import samples
    from budgeteer.accounts.services import local_user
    from budgeteer.sources import services as stored
    from budgeteer.workbench import services

    user = local_user()
    taken = []
    for number in range(sources):
        files = [
            (name, data.replace(b" the ", f" the {number} ".encode())) for name, data in samples.read("agent-session")
        ]
        taken.append(
            [stored.receive_upload(user, name=name, content=File(io.BytesIO(data), name)) for name, data in files]
        )
    _wait(time.monotonic())
    for number in range(workspaces):
        workspace = services.open_with_sources(user, taken[number % sources], preset_slug="agent-default")
        workspace.query_text = f"Question {number}: what has to be done next?"
        workspace.config_delta = {"outputReserve": 5_000 + number} if number % 3 == 0 else {}
        workspace.named_model = ""  # as a sample is opened: on the model that its sources are counted for
        workspace.save()
    _wait(time.monotonic())


def _wait(started: float) -> float:
    """Until no job waits or runs; the seconds since `started`."""
    from budgeteer.jobs.models import UNFINISHED, Job

    while Job.objects.filter(state__in=UNFINISHED).exists():
        if time.monotonic() - started > WAIT_SECONDS:
            raise RuntimeError("The jobs did not end.")
        time.sleep(0.05)
    if failed := list(Job.objects.filter(state="failed").values_list("kind", "error")):
        raise RuntimeError(str(failed))
    return time.monotonic() - started


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
