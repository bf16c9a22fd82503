"""SIGKILLs at random moments over both stacks: `python -m tests.kills [--kills 60] [--seed N]`.

Prints what was killed, what was looked at afterwards and what was found wrong; the status is 1 if anything was.
"""

from __future__ import annotations

import argparse
import json
import secrets
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

STACKS = ("sqlite", "postgres")
WRONG = ("lost", "doubled", "stuck", "failed", "half_written", "wrong_totals")


def main(arguments: list[str]) -> int:
    """Run both stacks one after the other, each in a process of its own."""
    parser = argparse.ArgumentParser(prog="python -m tests.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=60, help="in all; half of them on each stack")
    parser.add_argument(
        "--seed", type=int, default=None, help="of the plan and the uploads; drawn and printed if absent"
    )
    parser.add_argument("--stack", choices=STACKS, action="append", help="only this one")
    parser.add_argument("--keep", action="store_true", help="keep the folder with data and logs")
    options = parser.parse_args(arguments)
    seed = secrets.randbelow(10**6) if options.seed is None else options.seed
    stacks = options.stack or STACKS
    click.echo(f"seed {seed}")
    found = []
    for stack in stacks:
        found.append(run_stack(stack, kills=options.kills // len(stacks), seed=seed, keep=options.keep))
        click.echo(table(found[-1]))
    wrong = sum(len(figures[name]) for figures in found for name in WRONG)
    click.echo(f"{sum(figures['kills'] for figures in found)} kills, {wrong} wrong, seed {seed}")
    return 1 if wrong else 0


def run_stack(stack: str, *, kills: int, seed: int, keep: bool = False) -> dict[str, Any]:
    """The figures of one stack.

    Raises:
        RuntimeError: the run itself broke off.
    """
    folder = Path(tempfile.mkdtemp(prefix=f"budgeteer-kills-{stack}-"))
    command = [sys.executable, "-m", "tests.kills.run", stack, str(kills), str(seed), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the run on {stack} broke off (seed {seed}; {folder} is kept): {done.stderr[-4000:]}")
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if keep or any(figures[name] for name in WRONG):
        click.echo(f"data and logs of {stack}: {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return figures


def table(figures: dict[str, Any]) -> str:
    """The figures as lines for people."""
    lines = [f"{figures['stack']}: {figures['kills']} kills in {figures['seconds']} s"]
    lines += [
        f"  killed at {moment:<12} {kills:>3}   in the middle of it {hits:>3}"
        for moment, (kills, hits) in figures["by moment (kills, hits)"].items()
    ]
    if figures["ended by themselves"]:
        lines.append(f"  started again by the supervisor: {figures['ended by themselves']}")
    lines.append(f"  seed {figures['seed']}")
    lines += [f"  looked at {name:<24} {number:>5}" for name, number in figures["checked"].items()]
    for name in WRONG:
        lines.append(f"  {name.replace('_', ' '):<24} {len(figures[name]):>15}")
        lines += [f"    {each}" for each in figures[name][:10]]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
