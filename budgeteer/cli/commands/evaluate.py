"""`budgeteer evaluate`: what configurations do to a collection of conversations."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from budgeteer.engine.analysis.evaluation.chunk import NamedConfig

DONE = 0
TOO_MANY_OVERFLOW = 1


class OverflowShare(click.ParamType[float]):
    """A share as a percent (`5%`) or as a number from 0 to 1 (`0.05`)."""

    name = "share"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The share from 0 to 1; a usage error for anything else."""
        written = str(value).strip()
        try:
            share = float(written.removesuffix("%")) / (100 if written.endswith("%") else 1)
        except ValueError:
            share = -1.0
        if not 0 <= share <= 1:
            self.fail(f"{written!r} is no share; write 5% or 0.05", param, ctx)
        return share


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="FILES...")
@click.option("--config", "configs", metavar="FILE", multiple=True, help="A configuration; may be repeated to compare.")
@click.option("--model", metavar="M", help="The model, over what the configurations say.")
@click.option(
    "--set", "assignments", metavar="PATH=VALUE", multiple=True, help="One configuration value; may be repeated."
)
@click.option("--calibration", metavar="FILE", help="Count as recorded: a file of 'budgeteer calibrate --write'.")
@click.option(
    "--sessions", is_flag=True, help="Replay every request too, with the provider's cache; ten times as long."
)
@click.option("--csv", "csv_path", metavar="FILE", help="Write one row a conversation as CSV.")
@click.option("--parquet", "parquet_path", metavar="FILE", help="Write one row a conversation as Parquet (pyarrow).")
@click.option(
    "--max-overflow", type=OverflowShare(), metavar="SHARE", help="Exit 1 where more than this share overflows: 5%."
)
@click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Processes; by default one a core.")
@click.option("--json", "as_json", is_flag=True, help="Print every figure as JSON.")
def command(  # noqa: PLR0913 - each parameter is an option
    files: tuple[str, ...],
    *,
    configs: tuple[str, ...],
    model: str | None,
    assignments: tuple[str, ...],
    calibration: str | None,
    sessions: bool,
    csv_path: str | None,
    parquet_path: str | None,
    max_overflow: float | None,
    workers: int | None,
    as_json: bool,
) -> int:
    """Pack every conversation of FILES under one or several configurations, and sum up.

    FILES are files of conversations, or folders of them; each file may hold many. Shown are percentiles of the tokens
    requested and sent, the shares of conversations that overflow and of messages that are dropped, money, where tokens
    go, the largest requests, and between two configurations who changes sides. What cannot be read is listed. With
    --sessions also what all requests of each conversation cost, and which share of them the provider's cache answers.

    A conversation overflows where it requests more than may be sent, or cannot be made to fit.

    Example: budgeteer evaluate sessions/ --config a.json --config b.json --max-overflow 5%

    Exit status: 0 done, 1 more than --max-overflow overflow under a configuration, 2 bad input.
    """
    from budgeteer.cli.evaluation_run import EvaluationTask, evaluate_files
    from budgeteer.cli.output.evaluation_table import evaluation_table
    from budgeteer.cli.output.progress import progress_bar
    from budgeteer.engine.errors import InputError
    from budgeteer.presentation.evaluation_rows import csv_rows, parquet_rows

    if csv_path and parquet_path:
        raise click.UsageError("give --csv or --parquet, not both")
    named = named_configs(configs, model=model, assignments=assignments, calibration=calibration)
    names = [one.name for one in named]
    with contextlib.ExitStack() as opened:
        write = None
        if csv_path:
            write = opened.enter_context(csv_rows(csv_path, names))
        elif parquet_path:
            write = opened.enter_context(parquet_rows(parquet_path, names))
        progress = opened.enter_context(progress_bar("Evaluating, bytes"))
        task = EvaluationTask(files, named, workers or os.cpu_count() or 1, write, sessions)
        found = evaluate_files(task, progress=progress)
    if not found.files:
        reasons = "; ".join(f"{one.where}: {one.why}" for one in found.not_read[:3])
        raise InputError(
            f"hold no conversation ({reasons or 'no files'})", where=", ".join(files), mend="Check the path"
        )
    if as_json:
        more = {"files": found.files, "branchesLeftOut": found.branches}
        not_read = [one.to_json() for one in found.not_read]
        click.echo(json.dumps({**more, "notRead": not_read, **found.evaluation.to_json()}, ensure_ascii=False))
    else:
        click.echo(evaluation_table(found))
    if max_overflow is None:
        return DONE
    over = [one for one in found.evaluation.totals if one.overflow_rate > max_overflow]
    for one in over:
        click.echo(f"{one.name}: {one.overflow_rate:.1%} overflow, {max_overflow:.1%} may.", err=True)
    return TOO_MANY_OVERFLOW if over else DONE


def named_configs(
    paths: Sequence[str], *, model: str | None, assignments: tuple[str, ...], calibration: str | None
) -> list[NamedConfig]:
    """The configurations, by the names of their files; the defaults where none is given.

    Raises:
        ConfigError: one of them cannot be read or is not valid.
    """
    from budgeteer.cli.configuration import assemble
    from budgeteer.engine.analysis.evaluation.chunk import NamedConfig
    from budgeteer.engine.packing.ledger import unique

    names = unique([Path(path).stem for path in paths]) if paths else ["defaults"]
    given: list[str | None] = [*paths] if paths else [None]
    return [
        NamedConfig(name, assemble(path, model, assignments, calibration))
        for name, path in zip(names, given, strict=True)
    ]
