"""A place in a text where something that is searched for stands, with the words around it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from budgeteer.engine.packing.result import Packing
from budgeteer.workbench.item_content.texts import text_of_item

#: So many characters stand before and after a match.
AROUND_CHARS: Final = 80
#: In one line of a list, the match must be seen: few stand before it.
BEFORE_CHARS: Final = 24


@dataclass(frozen=True, slots=True)
class Snippet:
    """One match with the text around it."""

    before: str
    match: str
    after: str


def pattern_of(text: str) -> re.Pattern[str]:
    """What finds a text whatever its case."""
    return re.compile(re.escape(text), re.IGNORECASE)


def snippets(wanted: re.Pattern[str], text: str, *, before_chars: int = AROUND_CHARS) -> Iterator[Snippet]:
    """Every match, in order."""
    for found in wanted.finditer(text):
        start, end = max(found.start() - before_chars, 0), min(found.end() + AROUND_CHARS, len(text))
        yield Snippet(
            f"{'…' if start else ''}{text[start : found.start()]}",
            found[0],
            f"{text[found.end() : end]}{'…' if end < len(text) else ''}",
        )


def found_in_items(packing: Packing, names: Sequence[tuple[int, str]], text: str) -> dict[int, Snippet]:
    """By item, the first place of a text in it; of items whose name says it already, nothing.

    Args:
        packing: what the items are of.
        names: their indices and what a list calls them.
        text: what is searched for, "" for nothing.
    """
    if not text.strip():
        return {}
    wanted = pattern_of(text.strip())
    found: dict[int, Snippet] = {}
    for index, name in sorted(names):
        if wanted.search(name):
            continue
        text_of = text_of_item(packing, index)
        if (first := next(snippets(wanted, text_of, before_chars=BEFORE_CHARS), None)) is not None:
            found[index] = first
    return found
