"""Conversations of an evaluation: those behind a bar or that change sides, and the largest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from budgeteer.collections.models import EvaluationRun
from budgeteer.collections.row_columns import RowName
from budgeteer.collections.row_search import (
    ConversationName,
    Revisions,
    count_rows,
    find_rows,
    names_of,
    prices_of,
    revisions_of,
)
from budgeteer.collections.run_state import RunState
from budgeteer.engine.analysis.evaluation.evaluation import Evaluation, PackedConversation, Totals
from budgeteer.engine.packing.verdict_text import Level, level_of
from budgeteer.presentation.header import LEVEL_ICONS, LEVEL_TONES
from budgeteer.presentation.labels import count_of
from budgeteer.sources.source_rows import Window, window

LEVEL_WORDS: Final[dict[Level, str]] = {
    "fits": "Fits",
    "limited": "Fits, with items left out",
    "cannotFit": "Does not fit",
}
LIST_ROWS: Final = 50


@dataclass(frozen=True, slots=True)
class ListedConversation:
    """One conversation of a list."""

    name: ConversationName
    messages: str
    requested: str
    sent: str
    dropped: str
    level: str
    icon: str
    tone: str


@dataclass(frozen=True, slots=True)
class ConversationList:
    """The conversations behind a bar, or that change sides."""

    title: str
    rows: tuple[ListedConversation, ...]
    window: Window
    query: str
    close_url: str


def conversation_list(run: EvaluationRun, found: Evaluation, state: RunState) -> ConversationList | None:
    """The conversations that the address asks for, a page of them; None where it asks for none."""
    wanted = state.wanted
    if wanted is None:
        return None
    total = count_rows(run, wanted)
    shown = window(state.page, total=total, rows=LIST_ROWS)
    rows = find_rows(run, wanted, start=max(shown.first - 1, 0), stop=shown.last)
    price = prices_of(found)[wanted.place]
    names = names_of([row.name for row in rows], revisions_of(run))
    packed = [row.segment.packed(row.row, wanted.place, price, name="") for row in rows]
    listed = [_listed_row(names[row.name], one) for row, one in zip(rows, packed, strict=True)]
    return ConversationList(
        _list_title(found, state, total),
        tuple(listed),
        shown,
        state.query(page=1).removeprefix("?"),
        state.query(low=-1, high=-1, before="", after="", page=1),
    )


def _list_title(found: Evaluation, state: RunState, total: int) -> str:
    many = count_of(total, "conversation")
    if state.before:
        names = tuple(found.totals[place].name for place in state.sides)
        before, after = (LEVEL_WORDS[level_of(level)] for level in (state.before, state.after))
        return f"{many}: {before} under {names[0]}, {after} under {names[1]}"
    size = f"{state.low:,}" if state.low == state.high else f"{state.low:,} to {state.high:,}"
    return f"{many} with {size} tokens {state.of} under {found.totals[state.config].name}"


def _listed_row(name: ConversationName, row: PackedConversation) -> ListedConversation:
    return ListedConversation(
        name,
        f"{row.messages:,}",
        f"{row.requested_tokens:,}",
        f"{row.sent_tokens:,}",
        f"{row.dropped:,}",
        LEVEL_WORDS[row.level],
        LEVEL_ICONS[row.level],
        LEVEL_TONES[row.level],
    )


def largest_conversations(totals: Totals, revisions: Revisions) -> tuple[ListedConversation, ...]:
    """The conversations that request the most under one configuration."""
    read = [RowName.read(row.name) for row in totals.largest]
    names = names_of(read, revisions)
    return tuple(_listed_row(names[name], row) for name, row in zip(read, totals.largest, strict=True))
