"""`budgeteer calibrate`: what providers recorded of real requests, beside what is counted for them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from budgeteer.engine.analysis.calibration.calibration import Calibration
    from budgeteer.engine.config.schema import ModelCalibration

DONE = 0
NOTHING_RECORDED = 1


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILES...")
@click.option("--model", default="", metavar="NAME", help="Read names of models that are not known as this one.")
@click.option("--tokenizer", default="", metavar="NAME", help="Count with this tokenizer instead of each model's own.")
@click.option("--write", metavar="FILE", help="Keep what fits best in a file, for --calibration or a configuration.")
@click.option("--json", "as_json", is_flag=True, help="Print every figure as JSON.")
def command(files: tuple[str, ...], *, model: str, tokenizer: str, write: str | None, as_json: bool) -> int:
    """Hold counts against the tokens that providers recorded, for each model.

    FILES are sessions with recorded usage (Claude Code, Codex, Gemini CLI, pi), or folders of them, which are searched
    for every file inside. How much a request's input grew over the one before it is compared with what was added in
    between. 'fitted' is what fits best, tried on requests that it was not fitted to.

    Example: budgeteer calibrate ~/.claude/projects

    Exit status: 0 done, 1 the files record no request (with --write: nothing that could be kept), 2 bad input.
    """
    from budgeteer.cli.output.calibration_table import calibration_table, kept_text
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
    if write is None:
        return DONE if found else NOTHING_RECORDED
    kept = keep(found, write, files=read.files)
    click.echo(kept_text(kept, found, write), err=as_json)
    return DONE if kept else NOTHING_RECORDED


def keep(found: Sequence[Calibration], name: str, *, files: int) -> list[ModelCalibration]:
    """Write what a configuration can use into a file; an earlier calibration is replaced, any other file is not.

    Raises:
        ConfigError: another file is there, or none can be written.
    """
    from budgeteer.engine.config.calibration_file import calibration_document, read_calibrations
    from budgeteer.engine.errors import ConfigError

    made = datetime.now(UTC).date().isoformat()
    source = f"{files:,} {'file' if files == 1 else 'files'}"
    kept = [entry for one in found if (entry := one.kept(made=made, source=source)) is not None]
    if not kept:
        return []
    path = Path(name)
    try:
        if path.exists():
            read_calibrations(path.read_bytes().decode("utf-8", errors="replace"))
        path.write_text(json.dumps(calibration_document(kept), indent=2) + "\n", encoding="utf-8")
    except ConfigError as error:
        raise ConfigError("is there already and is no calibration", where=name, mend="Choose another name.") from error
    except OSError as error:
        raise ConfigError(f"cannot be written: {error.strerror}", where=name, mend="Check the path.") from error
    return kept
