"""Build a configuration on the command line: a file, then `--model`, then each `--set`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from budgeteer.cli.json_positions import key_lines, line_of
from budgeteer.engine.config.calibration_file import read_calibrations
from budgeteer.engine.config.overlay import set_path
from budgeteer.engine.config.schema import MOST_CALIBRATIONS, BudgetConfig, config_errors, load_config
from budgeteer.engine.config.size_limits import text_size_error
from budgeteer.engine.errors import ConfigError
from budgeteer.engine.packing.allocation import calibration_of, tokenizer_of


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A configuration file as read: its data, and the line of every key."""

    name: str
    data: Mapping[str, Any]
    lines: Mapping[str, int]

    def placed(self, error: ConfigError) -> ConfigError:
        """The same error, its place named by file, line and path."""
        line = line_of(error.where, dict(self.lines))
        place = f"{self.name}:{line}" if line else self.name
        return ConfigError(error.what, where=f"{place}: {error.where}" if error.where else place, mend=error.mend)


def read_config_file(name: str) -> ConfigFile:
    """Read a JSON configuration.

    Raises:
        ConfigError: the file cannot be read, or is not JSON (with the line where it stops being JSON).
    """
    text = _text_of(name, "A configuration is a JSON file")
    if refused := text_size_error(text):
        raise ConfigError(refused.what, where=name, mend=refused.mend)
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigError(f"is not JSON: {error.msg}", where=f"{name}:{error.lineno}", mend="Mend that line") from error
    except ValueError as error:
        raise ConfigError("has a number of too many digits", where=name, mend="No setting needs one") from error
    except RecursionError as error:
        raise ConfigError(
            "is nested too deeply", where=name, mend="'budgeteer config schema' shows the shape"
        ) from error
    if not isinstance(data, dict):
        raise ConfigError("a configuration is a JSON object", where=name, mend='For example {"model": "gpt-4o"}')
    return ConfigFile(name, data, key_lines(text))


def _text_of(name: str, mend: str) -> str:
    """The text of a file.

    Raises:
        ConfigError: it cannot be read, or is no text; `mend` says what it should be.
    """
    try:
        return Path(name).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", where=name, mend="Check the path") from error
    except UnicodeDecodeError as error:
        raise ConfigError("is not UTF-8 text", where=name, mend=mend) from error


def file_errors(file: ConfigFile) -> list[ConfigError]:
    """Everything in the file that cannot be used, each with its line."""
    return [file.placed(error) for error in config_errors(file.data)]


def parse_assignment(assignment: str) -> tuple[str, object]:
    """`path=value` as path and value: JSON where it is JSON, else a string.

    Raises:
        ConfigError: there is no `=`.
    """
    path, equals, written = assignment.partition("=")
    if not equals or not path:
        mend = "For example --set skillsBudget.enabled=true"
        raise ConfigError("needs the form path=value", where=f"--set {assignment}", mend=mend)
    try:
        return path, json.loads(written)
    except ValueError:
        return path, written


def assemble(
    config: str | None, model: str | None, assignments: Sequence[str], calibration: str | None = None
) -> BudgetConfig:
    """The configuration of a run; later sources win. `calibration` is a file whose calibrations come after its own.

    Raises:
        ConfigError: something cannot be used; names the file and line, or the `--set` it came from.
    """
    data: dict[str, Any] = {}
    if config is not None:
        file = read_config_file(config)
        for error in file_errors(file):
            raise error
        data = dict(file.data)
    if model is not None:
        data = set_path(data, "model", model)
    for assignment in assignments:
        data = _assigned(data, assignment)
    assembled = load_config(data)
    return assembled if calibration is None else _calibrated(assembled, calibration)


def _calibrated(config: BudgetConfig, name: str) -> BudgetConfig:
    """The configuration with the calibrations of a file, one of which is for its model and tokenizer.

    Raises:
        ConfigError: the file cannot be used, or none of it is for them; names the file.
    """
    try:
        read = read_calibrations(_text_of(name, "A calibration is a JSON file"))
    except ConfigError as error:
        where = f"{name}: {error.where}" if error.where else name
        raise ConfigError(error.what, where=where, mend=error.mend) from error
    if calibration_of(config.model_copy(update={"calibrations": list(read)})) is None:
        held = ", ".join(f"{one.model} with {one.tokenizer}" for one in read)
        what = f"holds nothing for {config.model} with {tokenizer_of(config)}"
        raise ConfigError(what, where=name, mend=f"It is for {held}.")
    both = [*config.calibrations, *read][-MOST_CALIBRATIONS:]
    return config.model_copy(update={"calibrations": both})


def _assigned(data: Mapping[str, Any], assignment: str) -> dict[str, Any]:
    path, value = parse_assignment(assignment)
    try:
        changed = set_path(data, path, value)
    except ConfigError as error:
        raise ConfigError(error.what, where=f"--set {path}", mend=error.mend) from error
    for problem in config_errors(changed):
        raise ConfigError(problem.what, where=f"--set {problem.where}", mend=problem.mend)
    return changed
