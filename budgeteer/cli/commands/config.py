"""`budgeteer config`: show, validate or describe a configuration."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import click

from budgeteer.cli.configuration import ConfigFile, assemble, file_errors, parse_assignment, read_config_file
from budgeteer.cli.output.tables import table
from budgeteer.cli.output.terminal import complain
from budgeteer.engine.config.options import fields
from budgeteer.engine.config.overlay import get_path
from budgeteer.engine.config.schema import BudgetConfig, config_schema, dump_config, load_config
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.errors import ConfigError
from budgeteer.engine.models.registry import model
from budgeteer.engine.packing.allocation import allowance, tokenizer_of

BAD_INPUT = 2


@click.group(name="config")
def command() -> None:
    """Show, validate or describe a configuration."""


@command.command()
def schema() -> None:
    """Print the JSON Schema of a configuration."""
    click.echo(json.dumps(config_schema(), indent=2, ensure_ascii=False))


@command.command()
@click.argument("file", required=False)
@click.option("--model", "model_name", metavar="M", help="The model, over what the file says.")
@click.option("--set", "assignments", metavar="PATH=VALUE", multiple=True, help="One value, over what the file says.")
@click.option("--json", "as_json", is_flag=True, help="Print the canonical configuration, every key.")
def show(*, file: str | None, model_name: str | None, assignments: tuple[str, ...], as_json: bool) -> None:
    """Print the values in effect and where each comes from: FILE (with its line), --set, the model, or the default."""
    config = assemble(file, model_name, assignments)
    if as_json:
        click.echo(json.dumps(dump_config(config), indent=2, ensure_ascii=False))
        return
    read = read_config_file(file) if file else None
    given = {parse_assignment(one)[0] for one in assignments} | ({"model"} if model_name else set())
    click.echo(table(("path", "value", "from"), list(_rows(config, read, given))))


@command.command()
@click.argument("file")
def validate(*, file: str) -> int:
    """Check FILE: every key and value that cannot be used, with its line and what was probably meant."""
    read = read_config_file(file)
    errors = file_errors(read) or _unusable(read)
    for error in errors:
        complain(error.sentence)
    if errors:
        return BAD_INPUT
    click.echo(f"{file}: {len(read.lines)} keys, all usable.")
    return 0


def _unusable(file: ConfigFile) -> list[ConfigError]:
    """What is spelt right and still cannot be used: an unknown model."""
    try:
        model(load_config(file.data).model)
    except ConfigError as error:
        return [file.placed(error)]
    return []


def _rows(config: BudgetConfig, file: ConfigFile | None, given: set[str]) -> Iterator[Sequence[str]]:
    data = dump_config(config)
    from_model = _model_values(config)
    for field in fields():
        value = get_path(data, field.path)
        if field.path in given or any(path.startswith(f"{field.path}.") for path in given):
            origin = "--model" if field.path == "model" and "model" in given else "--set"
        elif file and field.path in file.lines:
            origin = f"{file.name}:{file.lines[field.path]}"
        else:
            origin = "default"
        if value in (None, "auto") and field.path in from_model:
            value, origin = from_model[field.path], f"{origin}, then model {config.model}"
        yield field.path, json.dumps(value, ensure_ascii=False), origin


def _model_values(config: BudgetConfig) -> dict[str, Any]:
    """What null and "auto" come to for this model."""
    allowed = allowance(config, counter_for(tokenizer_of(config)))
    return {
        "contextWindow": allowed.window,
        "outputReserve": allowed.output_reserve,
        "tokenizer": allowed.tokenizer,
        "safetyMarginPercent": allowed.safety_margin_percent,
    }
