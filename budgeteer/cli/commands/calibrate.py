"""`budgeteer calibrate`: what providers recorded of real requests, beside what is counted for them."""

from __future__ import annotations

import json

import click

DONE = 0
NOTHING_RECORDED = 1


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILES...")
@click.option("--model", default="", metavar="NAME", help="Read names of models that are not known as this one.")
@click.option("--tokenizer", default="", metavar="NAME", help="Count with this tokenizer instead of each model's own.")
@click.option("--json", "as_json", is_flag=True, help="Print every figure as JSON.")
def command(files: tuple[str, ...], *, model: str, tokenizer: str, as_json: bool) -> int:
    """Hold counts against the tokens that providers recorded, for each model.

    FILES are sessions with recorded usage (Claude Code, Codex, Gemini CLI, pi), or folders of them, which are searched
    for every file inside. How much a request's input grew over the one before it is compared with what was added in
    between. 'fitted' is what fits best, tried on requests that it was not fitted to.

    Example: budgeteer calibrate ~/.claude/projects

    Exit status: 0 done, 1 the files record no request, 2 bad input.
    """
    from budgeteer.cli.output.calibration_table import calibration_table
    from budgeteer.cli.source_files import read_recorded
    from budgeteer.engine.analysis.calibration.calibration import calibrate
    from budgeteer.engine.counting.tokenizers import counter_for
    from budgeteer.engine.models.registry import model as model_row

    if model:
        model_row(model)
    if tokenizer:
        counter_for(tokenizer)
    read = read_recorded(files)
    found = calibrate(read.conversations, model=model, tokenizer=tokenizer)
    if as_json:
        models = [one.to_json() for one in found]
        click.echo(json.dumps({"files": read.files, "filesPassedOver": read.passed_over, "models": models}))
    else:
        click.echo(calibration_table(found, files=read.files, passed_over=read.passed_over))
    return DONE if found else NOTHING_RECORDED
