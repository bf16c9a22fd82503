"""Search in the packed prompt: which of its parts hold a text, how often, and each place with the words around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from budgeteer.engine.rendering import PromptSpan
from budgeteer.workbench.item_content.snippets import Snippet, pattern_of, snippets

#: So many places of one part are shown.
MOST_SNIPPETS: Final = 5


@dataclass(frozen=True, slots=True)
class Match:
    """A part of the prompt that holds what is searched for: its place, how often, and the first places."""

    number: int
    count: int
    snippets: tuple[Snippet, ...]


def matches_in(spans: Sequence[PromptSpan], text: str) -> tuple[Match, ...]:
    """The parts that hold a text, whatever its case, in their order."""
    wanted = pattern_of(text)
    return tuple(
        Match(number, count, tuple(islice(snippets(wanted, span.text), MOST_SNIPPETS)))
        for number, span in enumerate(spans)
        if (count := sum(1 for _ in wanted.finditer(span.text)))
    )
