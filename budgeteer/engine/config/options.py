"""The configuration as a list of fields: what a form and a help page read."""

from __future__ import annotations

import functools
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic.fields import FieldInfo

from budgeteer.engine.config.annotations import alternatives, base_of, bounds_of
from budgeteer.engine.config.overlay import get_path
from budgeteer.engine.config.schema import BudgetConfig, dump_config, walk_schema

type FieldKind = Literal["int", "percentOrInt", "number", "bool", "choice", "text", "list", "map"]


@dataclass(frozen=True, slots=True)
class Field:
    """One leaf of the configuration.

    Attributes:
        path: where it stands, e.g. "skillsBudget.limits.maxSkillsPromptChars".
        kind: what a form offers for it.
        choices: the values of a choice.
        default: the schema's default.
        minimum, maximum: inclusive bounds of a number, None when open.
        nullable: whether null is a value of its own ("the model's row decides", "as given").
        group: the first step of the path, "" for a leaf at the top.
    """

    path: str
    kind: FieldKind
    choices: tuple[str, ...]
    default: Any
    minimum: float | None
    maximum: float | None
    nullable: bool
    group: str


@functools.cache
def fields() -> tuple[Field, ...]:
    """Every leaf of the configuration, in schema order."""
    defaults = dump_config(BudgetConfig())
    leaves = []
    for path, info in walk_schema(BudgetConfig):
        default = get_path(defaults, path)
        if not (isinstance(default, Mapping) and default):
            leaves.append(_field(path, info, default))
    return tuple(leaves)


def _field(path: str, info: FieldInfo, default: Any) -> Field:
    kind, choices, nullable = _kind(info.annotation)
    low, high = bounds_of(info.annotation, info.metadata)
    return Field(
        path=path,
        kind=kind,
        choices=choices,
        default=default,
        minimum=low,
        maximum=high,
        nullable=nullable,
        group=path.rpartition(".")[0].split(".")[0],
    )


def _kind(annotation: Any) -> tuple[FieldKind, tuple[str, ...], bool]:
    offered = alternatives(annotation)
    nullable = type(None) in offered
    bases = [base_of(alternative) for alternative in offered if alternative is not type(None)]
    if int in bases and str in bases:
        return "percentOrInt", (), nullable
    first = bases[0]
    if typing.get_origin(first) is Literal:
        return "choice", tuple(typing.get_args(first)), nullable
    plain: dict[Any, FieldKind] = {bool: "bool", int: "int", float: "number", str: "text", list: "list", dict: "map"}
    return plain[typing.get_origin(first) or first], (), nullable
