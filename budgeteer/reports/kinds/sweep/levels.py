"""What of a sweep each level lets through: all of its figures at every level, names of files above numbers only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from budgeteer.reports import vocabulary as words
from budgeteer.reports.document import Document
from budgeteer.reports.kinds.workspace_parts import with_names
from budgeteer.reports.levels.by_level import at_level
from budgeteer.reports.redaction import numbers_only
from budgeteer.reports.shapes import flag, known_word, list_of, number, object_of


def _sections(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: number(tokens) for name, tokens in given.items() if name in words.SECTION_NAMES}


_SWEEP: Final = object_of(
    {
        "path": known_word(words.SWEPT),
        "unit": known_word(words.UNITS),
        **dict.fromkeys(("first", "last", "knee", "current"), number),
        "steps": list_of({"at": number, "tokens": number, "kept": number, "fits": flag, "sections": _sections}),
    }
)


def reduce(document: Document, content: str, message_texts: Iterable[str]) -> Document:
    """The sweep with what its level lets through.

    Raises:
        FormatError: a value is not of its kind.
    """
    return at_level(
        document,
        content,
        redacted=lambda: with_names(_numbers(document), document, message_texts),
        numbers=lambda: _numbers(document),
    )


def _numbers(document: Document) -> Document:
    return {**numbers_only(document), "sweep": _SWEEP(document["sweep"])}
