"""Kinds of values of an allow-list: numbers, booleans, words of closed sets, and objects and lists of them.

A value that is not of its kind is withheld where a page can be drawn without it, and an error where it cannot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from budgeteer.engine.errors import FormatError
from budgeteer.reports import vocabulary as words

type ValueKind = Callable[[Any], Any]
"""Reads a value: gives it, or what stands in its place."""
type ObjectShape = Mapping[str, ValueKind]
"""The keys that an object may have, with the kind of each value."""


def number(value: Any) -> Any:
    """A number, or None."""
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    raise wrong_kind("a number")


def flag(value: Any) -> bool:
    """A boolean."""
    if isinstance(value, bool):
        return value
    raise wrong_kind("true or false")


def word_of(known: words.Words) -> ValueKind:
    """One word of a closed set; OTHER in the place of any other."""
    return lambda value: value if isinstance(value, str) and value in known else words.OTHER


def known_word(known: words.Words) -> ValueKind:
    """One word of a closed set that a page cannot be drawn without."""

    def read(value: Any) -> str:
        if isinstance(value, str) and value in known:
            return value
        raise wrong_kind("one of a closed set of words")

    return read


def known_words(known: words.Words) -> ValueKind:
    """A list of words of a closed set; any other word is left out."""
    return lambda value: [word for word in value if word in known] if isinstance(value, list) else []


def matching(pattern: re.Pattern[str]) -> ValueKind:
    """A text of one pattern; "" in the place of any other."""
    return lambda value: value if isinstance(value, str) and pattern.fullmatch(value) else ""


def constant(value: Any) -> ValueKind:
    """The same value in the place of any other."""
    return lambda _given: value


def object_of(shape: ObjectShape) -> ValueKind:
    """An object with the keys of a shape that are there, in the shape's order; None stays None."""

    def read(value: Any) -> Any:
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise wrong_kind("an object")
        return {key: kind(value[key]) for key, kind in shape.items() if key in value}

    return read


def list_of(shape: ObjectShape) -> ValueKind:
    """A list of objects of one shape."""
    one = object_of(shape)

    def read(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise wrong_kind("a list")
        return [one(entry) for entry in value]

    return read


def wrong_kind(wanted: str) -> FormatError:
    """The error of a value that is not of its kind."""
    return FormatError(
        f"a report of numbers only may hold {wanted} here, and something else was found", mend="Share it again"
    )


SIZE: Final = object_of({"tokens": number, "chars": number})
COUNTED: Final = object_of({"items": number, "tokens": number, "chars": number})
