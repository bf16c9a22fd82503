"""`budgeteer fit`: the steps that make a prompt fit, and what each saves, loses and costs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from budgeteer.cli.options.sources import SourceOptions, check_something_is_given, source_options

DONE = 0
CANNOT_FIT = 1


@click.command()
@source_options
@click.option(
    "--step",
    "steps",
    multiple=True,
    metavar="NAME",
    help="Apply this step, and no others but those named so. Without it, the steps that are needed.",
)
@click.option(
    "--write",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the configuration with the steps applied, for --config.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the plan as JSON.")
def command(steps: tuple[str, ...], write: Path | None, **written: Any) -> int:
    """Propose ranked changes of the configuration that make a prompt fit, or bring back what limits leave out.

    Every figure is the difference of two packings, each step on top of those before it. Steps that lose least come
    first; x marks those that are applied. A step that does not help is not shown.

    Example: budgeteer fit --conversation session.jsonl --model gpt-4o --write fitted.json

    Exit status: 0 done, 1 it does not fit with the steps applied either, 2 bad input.
    """
    as_json = written.pop("as_json")
    options = SourceOptions(**written)
    check_something_is_given(options)
    from budgeteer.cli.output.fit_table import fit_table
    from budgeteer.cli.output.progress import progress_bar
    from budgeteer.cli.packing_run import subject_of
    from budgeteer.engine.analysis.fit_plan.fit_plan import fit_plan, with_settings
    from budgeteer.engine.config.schema import dump_config

    subject = subject_of(options)
    with progress_bar("Packing with each step") as progress:
        plan = fit_plan(subject, chosen=steps or None, progress=progress)
    if write is not None:
        data = dump_config(with_settings(subject.config, plan.settings))
        write.write_text(json.dumps(data, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    click.echo(json.dumps(plan.to_json(), ensure_ascii=False) if as_json else fit_table(plan))
    return DONE if plan.final.fits else CANNOT_FIT
