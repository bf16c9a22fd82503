"""The messages of a packing as columns, divided into turns and runs of dropped messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.packing.ledger import ADDED, DROPPED, SECTIONS, SUMMARISED, Ledger
from budgeteer.engine.packing.result import Packing
from budgeteer.workbench.compression.ranges import context_id
from budgeteer.workbench.item_content.whereabouts import turns_of
from budgeteer.workbench.preview import Packed

PAGE_LINES = 100
"""The most lines of one page: messages, turn heads and folded runs together."""
SCREEN_LINES = 32
"""As many of them as a large screen shows (workbench.css, `.screenful`)."""
FOLDED_FROM = 3
"""So many messages of one fate in a row, dropped or summarised, are folded."""

type Indices = NDArray[np.int64]
type Ints = NDArray[np.int64]
type Flags = NDArray[np.bool_]
type LineKind = Literal["message", "turn", "folded"]

KINDS: tuple[LineKind, ...] = ("message", "turn", "folded")
_MESSAGE, _TURN, _FOLDED = range(len(KINDS))


@dataclass(frozen=True, slots=True)
class MessageRun:
    """A line before it is written: positions in the table's columns; a turn's `last` is the message that opens it."""

    kind: LineKind
    first: int
    last: int

    @property
    def named(self) -> int:
        return self.last


@dataclass(frozen=True, slots=True)
class MessageTable:
    """The messages of a packing as columns: ledger index, turn (-1: none), history row (-1: no message of its).

    What is added belongs to the turn of the message behind it, as everywhere (`turns_of`).
    """

    ledger: Ledger
    index: Indices
    row: Ints
    turn: Ints
    running: Ints
    before_tokens: int
    name_of: Callable[[int], str]

    def __len__(self) -> int:
        return len(self.index)

    @property
    def fate(self) -> NDArray[np.int8]:
        fates: NDArray[np.int8] = self.ledger.fate[self.index]
        return fates


@dataclass(frozen=True, slots=True)
class MessageLines:
    """All lines of a list as columns, so that only those of one page become values; `kind` indexes KINDS."""

    kind: NDArray[np.int8]
    first: Indices
    last: Indices

    def __len__(self) -> int:
        return len(self.kind)

    def between(self, start: int, stop: int) -> list[MessageRun]:
        """The lines of a page."""
        columns = (self.kind[start:stop].tolist(), self.first[start:stop].tolist(), self.last[start:stop].tolist())
        return [MessageRun(KINDS[kind], first, last) for kind, first, last in zip(*columns, strict=True)]

    def line_of(self, at: int) -> int:
        """The line that a position of the table is in, from 0; 0 where it is in none."""
        found = np.flatnonzero((self.kind != _TURN) & (self.first <= at) & (at <= self.last))
        return int(found[0]) if len(found) else 0


def page_of(packed: Packed, decision_id: str) -> int:
    """The page of the unfiltered list on which a message stands, counted from 1; 1 where it is no message."""
    if decision_id not in packed.list_pages:
        packed.list_pages[decision_id] = _page_of(packed, decision_id)
    return packed.list_pages[decision_id]


def _page_of(packed: Packed, decision_id: str) -> int:
    index = packed.find(decision_id)
    if index is None:
        return 1
    table = table_of(packed.packing)
    lines = lines_of(table, np.arange(len(table)), folds=True, opened=index)
    return lines.line_of(int(np.searchsorted(table.index, index))) // PAGE_LINES + 1


def table_of(packing: Packing) -> MessageTable:
    """The history and the query of a packing, in prompt order."""
    ledger = packing.ledger
    history = ledger.section == SECTIONS.index("history")
    query = ledger.section == SECTIONS.index("query")
    index = np.flatnonzero(history | query)
    row, turn = ledger.messages()[index], turns_of(packing)[index]
    before = sum(ledger.total(name).tokens for name in SECTIONS if name not in {"history", "query"})
    sizes = ledger.after_tokens[index] + ledger.frame_tokens[index]
    return MessageTable(ledger, index, row, turn, before + np.cumsum(sizes), before, lambda at: context_id(packing, at))


def lines_of(table: MessageTable, chosen: Indices, *, folds: bool, opened: int | None) -> MessageLines:
    """Heads of turns, messages and folded runs, in order.

    Args:
        table: the messages.
        chosen: positions of those that are listed, in ascending order.
        folds: whether runs of what went are folded.
        opened: the index in the ledger of an item whose run is not; None for no item.
    """
    starts, ends = _runs(table, chosen)
    is_folded = _foldable(table, chosen[starts], chosen[ends], opened) if folds else np.zeros(len(starts), np.bool_)
    of_folded = np.repeat(is_folded, ends - starts + 1)
    heads = _heads(table.turn[chosen], ~of_folded)
    is_line = ~of_folded
    is_line[starts] = True
    # Where a message or a run stands; the head of its turn stands right before it.
    places = np.cumsum(is_line.astype(np.int64) + heads) - 1
    kind = np.zeros(int(places[-1]) + 1 if len(places) else 0, np.int8)
    first, last = np.empty(len(kind), np.int64), np.empty(len(kind), np.int64)
    first[places[is_line]] = last[places[is_line]] = chosen[is_line]
    folded = places[starts[is_folded]]
    kind[folded], last[folded] = _FOLDED, chosen[ends[is_folded]]
    above = places[heads] - 1
    kind[above], first[above], last[above] = _TURN, chosen[heads], _openings(table, chosen[heads])
    return MessageLines(kind, first, last)


def _runs(table: MessageTable, chosen: Indices) -> tuple[Indices, Indices]:
    """Where in `chosen` each stretch of neighbours with one fate begins and ends."""
    cuts = np.flatnonzero((np.diff(chosen) != 1) | (np.diff(table.fate[chosen]) != 0)) + 1
    starts = np.concatenate([np.zeros(min(len(chosen), 1), np.int64), cuts])
    return starts, np.append(starts[1:], len(chosen))[: len(starts)] - 1


def _foldable(table: MessageTable, first: Indices, last: Indices, opened: int | None) -> Flags:
    is_gone = np.isin(table.fate[first], (DROPPED, SUMMARISED))
    is_opened = False if opened is None else (table.index[first] <= opened) & (opened <= table.index[last])
    return np.asarray((last - first + 1 >= FOLDED_FROM) & is_gone & ~np.asarray(is_opened, np.bool_))


def _heads(turn: Ints, is_shown: Flags) -> Flags:
    """The messages that are shown as the first of their turn; what is folded has no head."""
    at = np.flatnonzero(is_shown & (turn >= 0))
    found = np.zeros(len(turn), np.bool_)
    found[at] = np.diff(turn[at], prepend=-1) != 0
    return found


def _openings(table: MessageTable, heads: Indices) -> Indices:
    """The first message of the turn of each of these, listed or not; itself where nothing but it is added there."""
    said = np.flatnonzero(table.fate != ADDED)
    numbers, first = np.unique(table.turn[said], return_index=True)
    if not len(numbers):
        return heads
    wanted = table.turn[heads]
    at = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
    return np.where(numbers[at] == wanted, said[first[at]], heads).astype(np.int64)
