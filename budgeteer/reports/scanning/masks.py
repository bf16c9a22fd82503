"""Mask values in a report: wherever they stand in its strings and keys, and recorded by kind in the report itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from budgeteer.reports.document import Document
from budgeteer.scanning.mask_words import mask_of

_LEAST_TAIL: Final = 4
"""A name that is cut within a value keeps so much of it, or more, before it is masked too."""
_LONGEST_NAME: Final = 500
"""Longer strings are no names; they are not cut off within a value."""


def masked(document: Mapping[str, Any], values: Mapping[str, str]) -> Document:
    """A copy in which each value (kind by value) is `[masked: kind]`, everywhere; `masks` tells how many of each kind.

    Names are cut from texts: one that ends within a value loses that end too.
    """
    longest_first = {value: values[value] for value in sorted(values, key=len, reverse=True)}
    counts: Counter[str] = Counter()
    copy: Document = _masked(dict(document), longest_first, counts)
    earlier = {each["kind"]: each["places"] for each in document.get("masks", ())}
    kinds = dict.fromkeys((*earlier, *counts))
    copy["masks"] = [{"kind": kind, "places": earlier.get(kind, 0) + counts[kind]} for kind in kinds]
    return copy


def covered(text: str, values: Mapping[str, str]) -> str:
    """One text with each value (kind by value) masked."""
    return _without(text, values, Counter())


def _masked(value: Any, values: Mapping[str, str], counts: Counter[str]) -> Any:
    if isinstance(value, str):
        return _without(value, values, counts)
    if isinstance(value, Mapping):
        return {_without(key, values, counts): _masked(inner, values, counts) for key, inner in value.items()}
    if isinstance(value, list):
        return [_masked(inner, values, counts) for inner in value]
    return value


def _without(text: str, values: Mapping[str, str], counts: Counter[str]) -> str:
    for value, kind in values.items():
        if value in text:
            counts[kind] += text.count(value)
            text = text.replace(value, mask_of(kind))
    return text if len(text) > _LONGEST_NAME else _without_tail(text, values, counts)


def _without_tail(text: str, values: Mapping[str, str], counts: Counter[str]) -> str:
    """A name without the beginning of a value at its end, before the mark of what was cut."""
    whole = text.rstrip("…")
    if whole == text:
        return text
    for value, kind in values.items():
        if value[:_LEAST_TAIL] not in whole:
            continue
        for chars in range(min(len(value) - 1, len(whole)), _LEAST_TAIL - 1, -1):
            if whole.endswith(value[:chars]):
                counts[kind] += 1
                return f"{whole[:-chars]}{mask_of(kind)}…"
    return text
