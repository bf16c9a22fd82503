"""Configurations as deltas: overlay one on another, set one path, find the smallest difference."""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping
from functools import cache
from typing import Any

from budgeteer.engine.config.schema import BudgetConfig, unknown_key, walk_schema
from budgeteer.engine.errors import ConfigError

#: The keys whose entries are names chosen by the user, so that their entries merge one by one.
_MAPS = frozenset({"skillsBudget.policies", "history.priorities", "history.keepWith"})


def merge(base: Mapping[str, Any], delta: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with every leaf of `delta` laid over it; objects merge, lists and values replace. Both stay untouched."""
    merged = {key: _laid_over(under, delta[key]) if key in delta else _copied(under) for key, under in base.items()}
    return merged | {key: _copied(value) for key, value in delta.items() if key not in base}


def set_path(data: Mapping[str, Any], path: str, value: object) -> dict[str, Any]:
    """A copy of `data` with `path` ("history.maxTokens", "skillsBudget.policies.NAME") set to `value`.

    Raises:
        ConfigError: the schema has no such path.
    """
    known = _known_paths()
    in_map = any(path.startswith(f"{map_path}.") for map_path in _MAPS)
    if path not in known and not in_map:
        raise _unknown_path(path, known)
    return _set(data, _steps(path), value)


@cache
def _known_paths() -> frozenset[str]:
    return frozenset(path for path, _ in walk_schema(BudgetConfig))


def _unknown_path(path: str, known: Collection[str]) -> ConfigError:
    steps = path.split(".")
    heads = (".".join(steps[:depth]) for depth in range(1, len(steps) + 1))
    return unknown_key(next(head for head in heads if head not in known))


def unset_path(data: Mapping[str, Any], path: str) -> dict[str, Any]:
    """A copy of `data` without `path`; objects left empty go too. A path that is not there changes nothing."""
    return _unset(data, _steps(path))


def _steps(path: str) -> list[str]:
    for map_path in _MAPS:
        if path.startswith(f"{map_path}."):
            return [*map_path.split("."), path.removeprefix(f"{map_path}.")]
    return path.split(".")


def delta_between(base: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    """The smallest delta with `merge(base, delta) == changed`, for `changed` that has every key of `base`."""
    delta: dict[str, Any] = {}
    for key, value in changed.items():
        if key not in base:
            delta[key] = _copied(value)
        elif isinstance(value, Mapping) and isinstance(base[key], Mapping):
            inner = delta_between(base[key], value)
            if inner:
                delta[key] = inner
        elif value != base[key] or isinstance(value, bool) is not isinstance(base[key], bool):
            delta[key] = _copied(value)
    return delta


def get_path(data: Mapping[str, Any], path: str) -> Any:
    """The value at `path`, or None where it is not set."""
    value: Any = data
    for step in path.split("."):
        if not isinstance(value, (dict, Mapping)) or step not in value:  # a dict is told several times as fast
            return None
        value = value[step]
    return value


def _laid_over(under: Any, value: Any) -> Any:
    return merge(under, value) if isinstance(under, Mapping) and isinstance(value, Mapping) else _copied(value)


def _copied(value: Any) -> Any:
    """A copy of JSON data all through, several times as fast as `copy.deepcopy`, which is left what is none."""
    match value:
        case dict():
            return {key: _copied(entry) for key, entry in value.items()}
        case list():
            return [_copied(entry) for entry in value]
        case str() | int() | float() | None:
            return value
        case _:
            return copy.deepcopy(value)


def _set(data: Mapping[str, Any], steps: list[str], value: object) -> dict[str, Any]:
    copied: dict[str, Any] = _copied(dict(data))
    place = copied
    for step in steps[:-1]:
        inner = place.get(step)
        place[step] = dict(inner) if isinstance(inner, Mapping) else {}
        place = place[step]
    place[steps[-1]] = value
    return copied


def _unset(data: Mapping[str, Any], steps: list[str]) -> dict[str, Any]:
    copied: dict[str, Any] = _copied(dict(data))
    if len(steps) == 1:
        copied.pop(steps[0], None)
        return copied
    inner = copied.get(steps[0])
    if isinstance(inner, Mapping):
        left = _unset(inner, steps[1:])
        if left:
            copied[steps[0]] = left
        else:
            del copied[steps[0]]
    return copied
