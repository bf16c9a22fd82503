"""A preset's configuration: defaults, the smallest delta, and the differences between two versions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from budgeteer.engine.config.overlay import delta_between, merge
from budgeteer.engine.config.schema import BudgetConfig, config_errors, dump_config, load_config
from budgeteer.engine.config.size_limits import text_size_error
from budgeteer.engine.errors import ConfigError
from budgeteer.engine.models.registry import model


@dataclass(frozen=True, slots=True)
class ValueChange:
    """One leaf that differs. `before` and `after` are JSON text, "" where the leaf does not stand on that side."""

    path: str
    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ChangeGroup:
    """The changes under one part of the configuration, e.g. `skillsBudget.limits`."""

    title: str
    changes: tuple[ValueChange, ...]


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


def changes_between(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[ChangeGroup, ...]:
    """Every leaf in which two configurations differ, grouped by the part it stands in, in the order of `after`."""
    old, new = dict(_leaves(before)), dict(_leaves(after))
    paths = [path for path in [*new, *(path for path in old if path not in new)] if old.get(path) != new.get(path)]
    changes = [_change(path, old, new) for path in paths]
    return tuple(
        ChangeGroup(title=title, changes=tuple(members))
        for title, members in groupby(changes, key=lambda change: ".".join(change.path.split(".")[:-1]))
    )


def differences_from_defaults(delta: Mapping[str, Any]) -> tuple[ChangeGroup, ...]:
    """What a delta changes in the engine's defaults."""
    return changes_between(engine_defaults(), full_config(delta))


def _change(path: str, old: Mapping[str, str], new: Mapping[str, str]) -> ValueChange:
    return ValueChange(path=path, name=path.rsplit(".", 1)[-1], before=old.get(path, ""), after=new.get(path, ""))


def _leaves(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for key, inner in value.items():
        path = f"{prefix}.{key}" if prefix else key
        if isinstance(inner, Mapping) and inner:
            yield from _leaves(inner, path)
        else:
            yield path, json.dumps(inner, ensure_ascii=False)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise ConfigError(f"the key {twice!r} stands twice in one object", mend="Keep one of the two.")
    return data
