"""Where items stand: the number, turn and source line of messages, the call of a result, and what they share.

One place numbers turns and messages for every view.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.inputs.history_index import HistoryIndex, index_of
from budgeteer.engine.packing.ledger import LETTERS, SECTIONS, Ledger
from budgeteer.engine.packing.pruning.message_ids import message_context_id
from budgeteer.engine.packing.result import Packing
from budgeteer.workbench.item_content.origins import Origins

type Ints = NDArray[np.int64]
type Mask = NDArray[np.bool_]

#: Filters of items by what they share, as an address writes them: `tool:Read`, `file:src/boats.py`, `turn:6`, `cat:U`,
#: `origin:K:git`; `next:6:message:m2` are six items in their order, from that one on.
TOOL, FILE, TURN, CATEGORY, ORIGIN, NEIGHBOURS = "tool:", "file:", "turn:", "cat:", "origin:", "next:"
KINDS = (TOOL, FILE, TURN, CATEGORY, ORIGIN, NEIGHBOURS)
#: Before the letter of a category: what of it has no group of a kind, as in `file:?X`.
REST = "?"


def turns_of(packing: Packing) -> Ints:
    """For each decision the turn it belongs to, counted from 1; 0 before the first, -1 for what is no message.

    A block belongs to the turn of the message behind it, which it stands for; a typed query begins a turn.
    """
    ledger, turn = packing.ledger, packing.bundle.history_measures.turn
    row = ledger.messages()
    found: Ints = np.where(row >= 0, turn[np.maximum(row, 0)], -1) if len(turn) else np.full(len(row), -1, np.int64)
    history = np.flatnonzero(ledger.section == SECTIONS.index("history"))
    known = history[found[history] >= 0]
    for at in history[found[history] < 0].tolist():
        behind = known[known > at]
        found[at] = found[behind[0]] if len(behind) else int(turn.max(initial=0))
    query = packing.bundle.query
    is_query = ledger.section == SECTIONS.index("query")
    found[is_query] = int(turn.max(initial=0)) + (1 if query is None or query.typed else 0)
    return found


def turn_name(turn: int) -> str:
    """How a turn is named: "turn 6"."""
    return f"turn {turn:,}" if turn else "before turn 1"


def message_names(packing: Packing) -> Callable[[int], str]:
    """The short ids of messages of the bundle's history, by row: `m111`.

    A message that brings its id along, where pruning read it, keeps it; the others are numbered.
    """
    if packing.pruned is None:
        return lambda row: message_context_id(row + 1)
    numbering = packing.pruned.facts.numbering
    named = numbering.named
    return lambda row: numbering.id_of(row) if named[row] else message_context_id(row + 1)


@dataclass(frozen=True, slots=True)
class ItemName:
    """The name of an item as views set it: of a result the tool apart from what it was given.

    Attributes:
        tool: the tool of a result, "" of any other item.
        text: what follows it, with the space between; of any other item its whole name.
    """

    tool: str
    text: str

    def __str__(self) -> str:
        return self.tool + self.text


@dataclass(frozen=True)
class Whereabouts:
    """Where the items of one packing stand."""

    packing: Packing
    index: HistoryIndex
    row: Ints
    turn: Ints
    name: Callable[[int], str]

    @classmethod
    def of(cls, packing: Packing) -> Whereabouts:
        """The whereabouts of a packing's items."""
        row = packing.ledger.messages()
        return cls(packing, index_of(packing.bundle), row, turns_of(packing), message_names(packing))

    @cached_property
    def origins(self) -> Origins:
        """Where the items of libraries come from, which the map alone asks for."""
        return Origins.of(self.packing)

    def of_item(self, at: int) -> tuple[str, ...]:
        """The id, turn and line of an item, as far as it has them: ("m112", "turn 6", "line 276")."""
        row = int(self.row[at])
        if row < 0:
            return (turn_name(int(self.turn[at])),) if self.turn[at] >= 0 else ()
        line = int(self.index.lines[row])
        return (self.name(row), turn_name(int(self.turn[at])), *((f"line {line:,}",) if line else ()))

    def file_of(self, at: int) -> str:
        """The file that the call of a result was given, "" where there is none."""
        row = int(self.row[at])
        place = int(self.index.subject[row]) if row >= 0 else -1
        return self.index.subjects[place].file if place >= 0 else ""

    def split(self, at: int, name: str) -> ItemName:
        """The name of an item with its tool apart, where the name is that of a call that was given something."""
        row = int(self.row[at])
        place = int(self.index.subject[row]) if row >= 0 else -1
        if place < 0 or not self.index.subjects[place].about or not name.startswith(self.index.subjects[place].tool):
            return ItemName("", name)
        tool = self.index.subjects[place].tool
        return ItemName(tool, name.removeprefix(tool))

    def linked(self, at: int) -> tuple[tuple[str, int], ...]:
        """The items that belong to one: of a result its call, of a call its results; (title, row of the history)."""
        row = int(self.row[at])
        if row < 0:
            return ()
        call = int(self.index.call_row[row])
        if call >= 0:
            return ((f"Call {self.name(call)}", call),)
        return tuple((f"Result {self.name(result)}", result) for result in self.index.answers_to(row))

    def keys(self, kind: str) -> list[str]:
        """For each item the filter of its group of one kind, "" where it has none."""
        ledger = self.packing.ledger
        if kind == TURN:
            return [
                f"{TURN}{turn}" if turn >= 0 else _rest(ledger, at, kind) for at, turn in enumerate(self.turn.tolist())
            ]
        if kind == ORIGIN:
            names = [origin_key(*named) for named in self.origins.names]
            places = enumerate(self.origins.of_item.tolist())
            return [names[place] if place >= 0 else _rest(ledger, at, kind) for at, place in places]
        subjects = [one.file if kind == FILE else one.tool for one in self.index.subjects]
        found = []
        for at, row in enumerate(self.row.tolist()):
            place = int(self.index.subject[row]) if row >= 0 else -1
            found.append(f"{kind}{subjects[place]}" if place >= 0 and subjects[place] else _rest(ledger, at, kind))
        return found

    def matching(self, key: str) -> Mask | None:
        """The items that a filter of this kind leaves, None where it is none."""
        kind = next((kind for kind in KINDS if key.startswith(kind)), "")
        if not kind:
            return None
        ledger = self.packing.ledger
        if kind == NEIGHBOURS:
            count, first = neighbours_of(key)
            start = ledger.find(first)
            places = np.arange(len(ledger))
            return (places >= start) & (places < start + count) if start is not None else places < 0
        if kind == CATEGORY:
            letter = key.removeprefix(CATEGORY)
            return np.asarray(ledger.category == (LETTERS.index(letter) if letter in LETTERS else -1))
        return np.array([own == key for own in self.keys(kind)], np.bool_)


def neighbours_key(first: str, count: int) -> str:
    """The filter of some items in their order, from the one of this id on."""
    return f"{NEIGHBOURS}{count}:{first}"


def neighbours_of(key: str) -> tuple[int, str]:
    """How many items such a filter leaves, and the id of the first."""
    count, _, first = key.removeprefix(NEIGHBOURS).partition(":")
    return (int(count) if count.isdecimal() and count.isascii() and len(count) < 9 else 0), first


def origin_key(letter: str, name: str) -> str:
    """The filter of the items of a category that come from one folder, service or document."""
    return f"{ORIGIN}{letter}:{name}"


def _rest(ledger: Ledger, at: int, kind: str) -> str:
    """The group of what has no group of its kind: its category."""
    return f"{kind}{REST}{LETTERS[int(ledger.category[at])]}"
