"""Two configurations, value by value, and every mixture of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from budgeteer.engine.config.overlay import set_path, unset_path
from budgeteer.engine.config.schema import BudgetConfig, dump_config, load_config

#: What stands for a value that is not there (a policy that only one side has).
ABSENT: Final = None
#: Maps whose keys are items: one that only one side has is not there on the other.
_MAPS_OF_ITEMS: Final = ("skillsBudget.policies.", "history.priorities.", "history.keepWith.")


@dataclass(frozen=True, slots=True)
class Difference:
    """One value in which two configurations differ; a policy that one side does not have is None there."""

    path: str
    a: Any
    b: Any

    def to_json(self) -> dict[str, Any]:
        """`{path, a, b}`."""
        return {"path": self.path, "a": self.a, "b": self.b}


def differences(a: BudgetConfig, b: BudgetConfig) -> tuple[Difference, ...]:
    """Every value that differs, in the order of the schema; each skill's policy is one."""
    return tuple(_differences(dump_config(a), dump_config(b), ""))


def mixed(a: BudgetConfig, changes: Sequence[Difference]) -> BudgetConfig:
    """`a` with the values that `b` has in these differences.

    Raises:
        ConfigError: the mixture cannot be used, though both sides can.
    """
    data = dump_config(a)
    for change in changes:
        gone = change.b is ABSENT and change.path.startswith(_MAPS_OF_ITEMS)
        data = unset_path(data, change.path) if gone else set_path(data, change.path, change.b)
    return load_config(data)


def _differences(a: Mapping[str, Any], b: Mapping[str, Any], prefix: str) -> Iterator[Difference]:
    for key in dict.fromkeys((*a, *b)):
        mine, theirs = a.get(key, ABSENT), b.get(key, ABSENT)
        if isinstance(mine, Mapping) and isinstance(theirs, Mapping):
            yield from _differences(mine, theirs, f"{prefix}{key}.")
        elif mine != theirs:
            yield Difference(f"{prefix}{key}", mine, theirs)
