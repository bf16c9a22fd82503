"""The outline of a packed prompt: its instructions, tools and turns with their sizes, and where each begins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from budgeteer.engine.packing.ledger import DRAWN, DROPPED, OVERHEAD_LETTER, SECTIONS, SUMMARISED
from budgeteer.presentation.labels import count_of
from budgeteer.workbench.item_content.whereabouts import turn_name, turns_of
from budgeteer.workbench.panels.prompt.parts import PromptParts
from budgeteer.workbench.preview import Packed

#: The most turns that have a row each; more are taken together, so many to a row that this many rows do.
MOST_ROWS: Final = 40
BAR_WIDTH: Final = 72
_OF_MESSAGES: Final = (SECTIONS.index("history"), SECTIONS.index("query"))


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """One row: what it is, its tokens, and the part it begins with (None where nothing of it is in the prompt).

    `bar` is its share of the largest row in pixels of BAR_WIDTH; `left_out` says what of it is not sent.
    """

    letter: str
    title: str
    tokens: str
    bar: int
    left_out: str
    part: int | None


@dataclass(frozen=True, slots=True)
class _Measured:
    letter: str
    title: str
    tokens: int
    left_out: int
    part: int | None


def outline_of(packed: Packed, prompt: PromptParts) -> tuple[OutlineRow, ...]:
    """The rows in prompt order; their tokens add up to the packing's total."""
    rows = [*_before_messages(packed, prompt), *_turns(packed, prompt)]
    if prompt.overhead:
        rows.append(_Measured(OVERHEAD_LETTER, DRAWN[OVERHEAD_LETTER], prompt.overhead, 0, None))
    most = max((row.tokens for row in rows), default=0) or 1
    return tuple(
        OutlineRow(
            letter=row.letter,
            title=row.title,
            tokens=f"{row.tokens:,}",
            bar=max(round(BAR_WIDTH * row.tokens / most), 1) if row.tokens > 0 else 0,
            left_out=f"{row.left_out:,} left out" if row.left_out else "",
            part=row.part,
        )
        for row in rows
    )


def _before_messages(packed: Packed, prompt: PromptParts) -> Iterator[_Measured]:
    section = packed.packing.ledger.section
    for part in prompt.parts:
        span = part.span
        if part.is_placeholder and section[span.gone[0]] not in _OF_MESSAGES:
            yield _Measured("", span.text[:1].upper() + span.text[1:], 0, part.gone_tokens, part.number)
        elif part.index < 0 and not part.is_placeholder:
            is_tools = span.role == "tools"
            title = count_of(span.count, "tool definition") if is_tools else "Instructions"
            yield _Measured("T" if is_tools else "S", title, part.tokens, 0, part.number)


def _turns(packed: Packed, prompt: PromptParts) -> Iterator[_Measured]:
    ledger, turns = packed.packing.ledger, turns_of(packed.packing)
    wanted = np.isin(ledger.section, _OF_MESSAGES) & (turns >= 0)
    if not wanted.any():
        return
    part_of: dict[int, int] = {}
    for part in prompt.parts:
        for index in (part.index,) if part.index >= 0 else part.span.gone:
            part_of[index] = part.number
    numbers = np.unique(turns[wanted])
    stride = -(-len(numbers) // MOST_ROWS)
    is_gone = np.isin(ledger.fate, [DROPPED, SUMMARISED])
    for at in range(0, len(numbers), stride):
        first, last = int(numbers[at]), int(numbers[min(at + stride, len(numbers)) - 1])
        own = np.flatnonzero(wanted & (turns >= first) & (turns <= last))
        yield _Measured(
            letter="",  # a turn holds messages of several kinds
            title=_named(first, last),
            tokens=int(ledger.after_tokens[own].sum()),
            left_out=int(ledger.before_tokens[own][is_gone[own]].sum()),
            part=next((part_of[index] for index in own.tolist() if index in part_of), None),
        )


def _named(first: int, last: int) -> str:
    name = turn_name(first) if first == last else f"turns {max(first, 1):,}–{last:,}"
    return name[:1].upper() + name[1:]
