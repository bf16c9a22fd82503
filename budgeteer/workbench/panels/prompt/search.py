"""Search in the packed prompt: which of its parts hold a text, how often, and each place with the words around it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from budgeteer.engine.rendering import PromptSpan

#: So many characters stand before and after a match.
AROUND_CHARS: Final = 80
#: So many places of one part are shown.
MOST_SNIPPETS: Final = 5


@dataclass(frozen=True, slots=True)
class Snippet:
    """One match with the text around it."""

    before: str
    match: str
    after: str


@dataclass(frozen=True, slots=True)
class Match:
    """A part of the prompt that holds what is searched for: its place, how often, and the first places."""

    number: int
    count: int
    snippets: tuple[Snippet, ...]


def matches_in(spans: Sequence[PromptSpan], text: str) -> tuple[Match, ...]:
    """The parts that hold a text, whatever its case, in their order."""
    wanted = re.compile(re.escape(text), re.IGNORECASE)
    return tuple(
        Match(number, count, tuple(islice(_snippets(wanted, span.text), MOST_SNIPPETS)))
        for number, span in enumerate(spans)
        if (count := sum(1 for _ in wanted.finditer(span.text)))
    )


def _snippets(wanted: re.Pattern[str], text: str) -> Iterator[Snippet]:
    for found in wanted.finditer(text):
        start, end = max(found.start() - AROUND_CHARS, 0), min(found.end() + AROUND_CHARS, len(text))
        yield Snippet(
            f"{'…' if start else ''}{text[start : found.start()]}",
            found[0],
            f"{text[found.end() : end]}{'…' if end < len(text) else ''}",
        )
