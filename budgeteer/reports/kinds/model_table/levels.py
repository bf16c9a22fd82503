"""What of a table of models each level lets through: every figure at every level, names of files above numbers only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from budgeteer.reports import vocabulary as words
from budgeteer.reports.document import Document
from budgeteer.reports.kinds.workspace_parts import with_names
from budgeteer.reports.levels.by_level import at_level
from budgeteer.reports.redaction import numbers_only
from budgeteer.reports.shapes import word_of

_SIDE_KEYS: Final = ("model", "preset", "config", "configSha256", "bar", "packing")
_NAME: Final = word_of(words.MODEL_NAMES)
WITHHELD_PROBLEM: Final = "The configuration cannot be used with this model."
"""What stands below full in the place of a sentence that may name what it is about."""


def reduce(document: Document, content: str, message_texts: Iterable[str]) -> Document:
    """The table with what its level lets through.

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
    safe = [None if each["problem"] else numbers_only({**document, **each}) for each in document["models"]]
    first = next(each for each in safe if each is not None)
    return {
        "report": first["report"],
        "inputs": first["inputs"],
        "models": [_model(given, each) for given, each in zip(document["models"], safe, strict=True)],
        "prompt": None,
    }


def _model(given: Mapping[str, Any], safe: Document | None) -> dict[str, Any]:
    name = _NAME(given["name"])
    if safe is None:
        return {"name": name, "problem": WITHHELD_PROBLEM}
    return {"name": name, "problem": "", **{key: safe[key] for key in _SIDE_KEYS}}
