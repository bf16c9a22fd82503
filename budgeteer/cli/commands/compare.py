"""`budgeteer compare`: two configurations on the same sources."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import click

from budgeteer.cli.options.sources import SourceOptions, check_something_is_given, source_options_without_config

DONE = 0
CANNOT_FIT = 1


@click.command()
@click.argument("a", metavar="A.json")
@click.argument("b", metavar="B.json")
@source_options_without_config
@click.option("--all", "every", is_flag=True, help="Show every item that moved, not only the largest.")
@click.option("--json", "as_json", is_flag=True, help="Print both sides, every difference and every item that moved.")
def command(a: str, b: str, **written: Any) -> int:
    """Compare two configurations on the same sources: what moved, and which difference moved it.

    A difference is named for an item only where it alone moves it, found by packing with it alone; else the smallest
    combination found is named. --model and --set hold for both sides.

    Example: budgeteer compare before.json after.json --conversation session.jsonl --skills skills.zip

    Exit status: 0 both fit, 1 one cannot be made to fit, 2 bad input.
    """
    every, as_json = written.pop("every"), written.pop("as_json")
    options = SourceOptions(**written)
    check_something_is_given(options)
    from budgeteer.cli.configuration import assemble
    from budgeteer.cli.output.compare_table import compare_table
    from budgeteer.cli.output.progress import progress_bar
    from budgeteer.cli.packing_run import bundle_maker
    from budgeteer.engine.analysis.compare.compare import compare

    sides = [replace(options, config=name) for name in (a, b)]
    first, second = (assemble(side.config, side.model, side.assignments, side.calibration) for side in sides)
    with progress_bar("Comparing, items that moved") as progress:
        found = compare(bundle_maker(options), first, second, progress=progress)
    click.echo(json.dumps(found.to_json(), ensure_ascii=False) if as_json else compare_table(found, every=every))
    return DONE if found.a.fits and found.b.fits else CANNOT_FIT
