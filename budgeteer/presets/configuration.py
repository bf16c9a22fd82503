"""A preset's configuration: the engine's defaults, and the smallest delta over them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from budgeteer.engine.config.overlay import delta_between, merge
from budgeteer.engine.config.schema import BudgetConfig, config_errors, dump_config, load_config
from budgeteer.engine.config.size_limits import text_size_error
from budgeteer.engine.errors import ConfigError
from budgeteer.engine.models.registry import model


def engine_defaults() -> dict[str, Any]:
    """The engine's own defaults as canonical JSON data."""
    return dump_config(BudgetConfig())


def full_config(delta: Mapping[str, Any]) -> dict[str, Any]:
    """A delta laid over the engine's defaults, as canonical JSON data.

    Raises:
        ConfigError: if a key or a value cannot be used.
    """
    return dump_config(load_config(merge(engine_defaults(), delta)))


def smallest_delta(config: Mapping[str, Any]) -> dict[str, Any]:
    """The smallest delta over the engine's defaults that says the same as `config`.

    Raises:
        ConfigError: if a key or a value cannot be used, or the model is not known.
    """
    loaded = load_config(merge(engine_defaults(), config))
    model(loaded.model)
    return delta_between(engine_defaults(), dump_config(loaded))


def read_object(text: str) -> dict[str, Any]:
    """The JSON object somebody typed; nothing typed is an empty one.

    Raises:
        ConfigError: where the text is too long, not JSON (with line and column), not an object, or says a key twice.
    """
    if refused := text_size_error(text):
        raise refused
    try:
        data = json.loads(text.strip() or "{}", object_pairs_hook=_without_repeats)
    except json.JSONDecodeError as error:
        raise ConfigError(
            f"not JSON: {error.msg}",
            where=f"line {error.lineno}, column {error.colno}",
            mend="Keys and texts stand in double quotes, and no comma follows the last entry.",
        ) from error
    except ValueError as error:
        raise ConfigError("a number in it has too many digits to be read", mend="No setting needs one.") from error
    except RecursionError as error:
        raise ConfigError("nested too deeply to read", mend="A configuration is three levels deep.") from error
    if not isinstance(data, dict):
        raise ConfigError("a configuration is a JSON object", mend='For example {"model": "gpt-4o"}.')
    return data


class UnusableDelta(Exception):
    """A typed configuration cannot be used; `problems` has every mistake in it."""

    def __init__(self, problems: Sequence[ConfigError]) -> None:
        self.problems = tuple(problems)
        super().__init__(" ".join(each.sentence for each in self.problems))


def read_delta(text: str) -> dict[str, Any]:
    """The smallest delta over the engine's defaults that a typed configuration says.

    Raises:
        UnusableDelta: with every mistake at once.
    """
    try:
        data = read_object(text)
        problems = config_errors(data)
        if not problems:
            return smallest_delta(data)
    except ConfigError as error:
        problems = [error]
    raise UnusableDelta(problems)


def config_text(config: Mapping[str, Any]) -> str:
    """A configuration as indented JSON, as people edit it."""
    return json.dumps(config, indent=2, ensure_ascii=False)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise ConfigError(f"the key {twice!r} stands twice in one object", mend="Keep one of the two.")
    return data
