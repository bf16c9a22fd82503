"""`budgeteer sweep`: what every value of a limit lets in."""

from __future__ import annotations

import json
from typing import Any

import click

from budgeteer.cli.options.sources import SourceOptions, check_something_is_given, source_options

DONE = 0
CANNOT_FIT = 1


@click.command()
@source_options
@click.option(
    "--over",
    metavar="LIMIT",
    required=True,
    help="The limit: a configuration path, its last step (maxSkillsPromptChars), contextWindow or inputBudget.",
)
@click.option("--from", "low", type=float, metavar="VALUE", help="Only values from here on.")
@click.option("--to", "high", type=float, metavar="VALUE", help="Only values up to here.")
@click.option("--all", "every", is_flag=True, help="Show every breakpoint, not a selection of them.")
@click.option("--json", "as_json", is_flag=True, help="Print every breakpoint as JSON.")
def command(over: str, low: float | None, high: float | None, **written: Any) -> int:
    """Show every breakpoint of a limit: where the answer changes, and what is sent from there on.

    Between two breakpoints the same items are sent, whatever the value. 'current' marks the value in force, 'knee'
    where more of the limit begins to bring less.

    Example: budgeteer sweep --conversation session.jsonl --set history.strategy=newestFirst --over history.maxTokens

    Exit status: 0 done, 1 no value in the interval makes it fit, 2 bad input.
    """
    every, as_json = written.pop("every"), written.pop("as_json")
    options = SourceOptions(**written)
    check_something_is_given(options)
    from budgeteer.cli.output.progress import progress_bar
    from budgeteer.cli.output.sweep_table import sweep_table
    from budgeteer.cli.packing_run import subject_of
    from budgeteer.engine.analysis.sweep.axes import full_path
    from budgeteer.engine.analysis.sweep.sweep import sweep

    path = full_path(over)
    subject = subject_of(options)
    with progress_bar("Sweeping, items let in") as progress:
        swept = sweep(subject, path, between=(low, high), progress=progress)
    if as_json:
        click.echo(json.dumps(swept.breakpoints_to_json()))
    else:
        click.echo(sweep_table(swept, every=every))
    return DONE if any(step.answer.fits for step in swept.steps) else CANNOT_FIT
