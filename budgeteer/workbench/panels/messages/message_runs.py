"""The messages of a packing as columns, divided into turns and runs of dropped messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.packing.ledger import DROPPED, SECTIONS, SUMMARISED, Ledger
from budgeteer.engine.packing.result import Packing
from budgeteer.workbench.compression.ranges import context_id
from budgeteer.workbench.item_content.whereabouts import turns_of
from budgeteer.workbench.preview import Packed

PAGE_LINES = 105
"""The most lines of one page: messages, turn heads and folded runs together."""
FOLDED_FROM = 3
"""So many messages of one fate in a row, dropped or summarised, are folded."""

type Indices = NDArray[np.int64]
type Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class MessageRun:
    """A line before it is written: positions in the table's columns; a turn's `last` is the message that opens it."""

    kind: Literal["message", "turn", "folded"]
    first: int
    last: int

    @property
    def named(self) -> int:
        return self.last


@dataclass(frozen=True, slots=True)
class MessageTable:
    """The messages of a packing as columns: ledger index, turn (-1: none), history row (-1: no message of its)."""

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


def page_of(packed: Packed, decision_id: str) -> int:
    """The page of the unfiltered list on which a message stands, counted from 1; 1 where it is no message."""
    index = packed.find(decision_id)
    table = table_of(packed.packing)
    if index is None:
        return 1
    entries = entries_of(table, np.arange(len(table)), folds=True, opened=index)
    at = int(np.searchsorted(table.index, index))
    for number, entry in enumerate(entries):
        if entry.kind != "turn" and entry.first <= at <= entry.last:
            return number // PAGE_LINES + 1
    return 1


def table_of(packing: Packing) -> MessageTable:
    """The history and the query of a packing, in prompt order."""
    ledger = packing.ledger
    history = ledger.section == SECTIONS.index("history")
    query = ledger.section == SECTIONS.index("query")
    index = np.flatnonzero(history | query)
    row = ledger.messages()[index]
    turn = np.where((row >= 0) | query[index], turns_of(packing)[index], -1)
    before = sum(ledger.total(name).tokens for name in SECTIONS if name not in {"history", "query"})
    sizes = ledger.after_tokens[index] + ledger.frame_tokens[index]
    return MessageTable(ledger, index, row, turn, before + np.cumsum(sizes), before, lambda at: context_id(packing, at))


def entries_of(table: MessageTable, chosen: Indices, *, folds: bool, opened: int | None) -> list[MessageRun]:
    """Heads of turns, messages and folded runs, in order."""
    found: list[MessageRun] = []
    turn = -1
    for first, last in _runs(table, chosen):
        if folds and _is_folded(table, first, last, opened):
            found.append(MessageRun("folded", first, last))
            continue
        for at in chosen[(chosen >= first) & (chosen <= last)] if first != last else (first,):
            now = int(table.turn[at])
            if now >= 0 and now != turn:
                turn = now
                found.append(MessageRun("turn", int(at), int(np.argmax(table.turn == turn))))
            found.append(MessageRun("message", int(at), int(at)))
    return found


def _runs(table: MessageTable, chosen: Indices) -> list[tuple[int, int]]:
    """First and last of each stretch of chosen neighbours with one fate."""
    if not len(chosen):
        return []
    fate = table.fate[chosen]
    cut = np.flatnonzero((np.diff(chosen) != 1) | (np.diff(fate) != 0)) + 1
    starts = np.concatenate([[0], cut])
    ends = np.concatenate([cut, [len(chosen)]]) - 1
    return [(int(chosen[start]), int(chosen[end])) for start, end in zip(starts, ends, strict=True)]


def _is_folded(table: MessageTable, first: int, last: int, opened: int | None) -> bool:
    if last - first + 1 < FOLDED_FROM or int(table.fate[first]) not in {DROPPED, SUMMARISED}:
        return False
    return opened is None or not int(table.index[first]) <= opened <= int(table.index[last])
