"""`make bench`: every comparison, then docs/performance.md, its picture and results.json.

    python -m benchmarks [--quick] [--only GROUP …] [--report]

`--quick` takes two minutes at most and writes nothing. `--only` measures some groups again and keeps the figures of
the others. `--report` writes the page anew from what was kept.
BUDGETEER_CORPUS names a folder of real conversations, which are measured as well.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

import click

from benchmarks.packers import goals, memory, plot, real, report
from benchmarks.packers.comparisons import CONVERSATION, FULL, GROWTH, QUICK, REAL, Plan, contenders_of
from benchmarks.packers.contenders import peers
from benchmarks.packers.race import Contender, Lap, Pace, WrongAnswerError, race
from benchmarks.packers.results import Added, Results

FOLDER = "BUDGETEER_CORPUS"
MEMORY = "memory"


def main(arguments: list[str]) -> int:
    """Measure, show, and write; status 1 where ours answers wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure beside other packers.")
    parser.add_argument("--quick", action="store_true", help="small sizes, short limits; print and write nothing")
    parser.add_argument("--only", nargs="+", default=(), metavar="GROUP", help="some of the groups, keeping the others")
    parser.add_argument("--report", action="store_true", help="write the page from the last results")
    options = parser.parse_args(arguments)
    if options.report:
        write(Results.load())
        return 0
    plan = QUICK if options.quick else FULL
    try:
        results = measured(plan, options.only)
    except WrongAnswerError as wrong:
        click.echo(f"Nothing is measured: {wrong}", err=True)
        return 1
    if options.quick:
        click.echo(report.generated(results))
        return 0
    if options.only:
        results = Results.load().updated(results)
    results.save()
    write(Results.load())
    return 0


def write(results: Results) -> None:
    """The page's generated part and the picture."""
    report.PLOT.write_text(plot.picture(results, CONVERSATION), encoding="utf-8")
    report.PART.write(report.generated(results))
    for one in goals.judged(results):
        click.echo(f"{'reached' if one.reached else 'MISSED '}  {one.goal}: {one.measured}")


def measured(plan: Plan, only: Collection[str]) -> Results:
    """Every group of the plan, or only some."""
    results = Results(plan.name, machine())
    if memory.is_measured() and (not only or MEMORY in only):
        results.memory.extend(_memory(plan))
    for group, sizes in plan.sizes.items():
        if not only or group in only:
            races = _races(group, sizes, plan.pace_of(group))
            results.laps[group] = [lap for laps in races for lap in laps]
    folder = os.environ.get(FOLDER)
    if folder and (not only or REAL in only):
        laps = (_run(REAL, contenders, plan.pace_of(REAL)) for contenders in real.races(Path(folder)))
        results.laps[REAL] = [lap for one in laps for lap in one]
    return results


def _races(group: str, sizes: tuple[int, ...], pace: Pace) -> Iterator[list[Lap]]:
    """One race a size, but one for all sizes where growth is asked for. Who was stopped does not try a larger size."""
    if group == GROWTH:
        yield _run(group, [one for size in sizes for one in contenders_of(group, size)], pace)
        return
    stopped: set[str] = set()
    for size in sizes:
        laps = _run(group, [one for one in contenders_of(group, size) if one.name not in stopped], pace)
        stopped |= {lap.name for lap in laps if lap.limit_seconds is not None}
        yield laps


def _run(group: str, contenders: list[Contender], pace: Pace) -> list[Lap]:
    begin = time.perf_counter()
    laps = race(contenders, pace)
    for lap in laps:
        took = report.duration(lap.median) if lap.median is not None else f"> {lap.limit_seconds:g} s"
        faults = f"  ({'; '.join(lap.faults)})" if lap.faults else ""
        click.echo(f"{group:13} {lap.size:>9,}  {lap.name:34} {took:>9}{faults}", err=True)
    click.echo(f"{group:13} took {time.perf_counter() - begin:.0f} s in all", err=True)
    return laps


def _memory(plan: Plan) -> Iterator[Added]:
    for group, size, name in plan.memory:
        megabytes = memory.added_megabytes(group, size, name, limit_seconds=plan.slow_pace.limit_seconds)
        took = "over the limit" if megabytes is None else f"{megabytes:.1f} MB"
        click.echo(f"{MEMORY:13} {size:>9,}  {name:34} {took}", err=True)
        yield Added(group, size, name, megabytes)


def machine() -> dict[str, str]:
    """What was measured on, without its name."""
    versions = {name: metadata.version(name) for name in peers.DISTRIBUTIONS}
    return {
        "measured": f"Measured on {datetime.now(UTC):%Y-%m-%d}",
        "system": f"{platform.system()} {platform.machine()}",
        "processors": f"{os.cpu_count()} processors",
        "python": f"Python {platform.python_version()}",
        **versions,
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
