"""What the annotation of a configuration's field allows: its alternatives, and the bounds of a number."""

from __future__ import annotations

import types
import typing
from collections.abc import Sequence
from typing import Any


def alternatives(annotation: Any) -> list[Any]:
    """The members of a union, or the annotation itself; a named type is what it stands for."""
    plain = _unwrap(annotation)
    if typing.get_origin(plain) in {typing.Union, types.UnionType}:
        return [leaf for arg in typing.get_args(plain) for leaf in alternatives(arg)]
    return [plain]


def base_of(annotation: Any) -> Any:
    """The type without its constraints."""
    plain = _unwrap(annotation)
    return base_of(typing.get_args(plain)[0]) if typing.get_origin(plain) is typing.Annotated else plain


def bounds_of(annotation: Any, metadata: Sequence[Any]) -> tuple[float | None, float | None]:
    """The inclusive bounds of a number, None where it is open."""
    marks = list(metadata)
    for alternative in alternatives(annotation):
        if typing.get_origin(alternative) is typing.Annotated:
            for mark in typing.get_args(alternative)[1:]:
                marks.extend(getattr(mark, "metadata", [mark]))
    low = next((mark.ge for mark in marks if hasattr(mark, "ge")), None)
    high = next((mark.le for mark in marks if hasattr(mark, "le")), None)
    return low, high


def _unwrap(annotation: Any) -> Any:
    while isinstance(annotation, typing.TypeAliasType):
        annotation = annotation.__value__
    return annotation
