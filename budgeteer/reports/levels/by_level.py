"""A report's document with what its level lets through."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, assert_never

from budgeteer.reports.document import Document
from budgeteer.reports.models import Content


def at_level(
    document: Mapping[str, Any], content: str, *, redacted: Callable[[], Document], numbers: Callable[[], Document]
) -> Document:
    """The whole document, or what is made of it for the two levels that tell less; it says which level it is.

    Args:
        document: the full one.
        content: a value of models.Content.
        redacted: makes the document of that level.
        numbers: makes the document of that one.

    Raises:
        ValueError: there is no such level.
    """
    level = Content(content)
    match level:
        case Content.FULL:
            shown = dict(document)
        case Content.REDACTED:
            shown = redacted()
        case Content.NUMBERS:
            shown = numbers()
        case other:
            assert_never(other)
    return {**shown, "report": {**shown["report"], "content": str(level)}}
