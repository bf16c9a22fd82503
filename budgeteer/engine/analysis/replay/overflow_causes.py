"""Why the demand of a request is above the limit: its largest items."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from budgeteer.engine.packing.ledger import ADDED, SECTIONS
from budgeteer.engine.packing.result import Packing

#: So many of the largest items are named.
MOST_CULPRITS: Final = 5
_TALK: Final = ("history", "query")


@dataclass(frozen=True, slots=True)
class Culprit:
    """One large item: its tokens as it came, and its percent of everything that is asked for."""

    id: str
    section: str
    name: str
    tokens: int
    percent: float

    def to_json(self) -> dict[str, Any]:
        """`{id, section, name, tokens, percent}`."""
        return {
            "id": self.id,
            "section": self.section,
            "name": self.name,
            "tokens": self.tokens,
            "percent": self.percent,
        }


class Culprits:
    """The largest items of every request of a conversation, asked for in the order of the requests."""

    def __init__(self, whole: Packing) -> None:
        """`whole` is the whole conversation packed without pruning: its decisions name the items."""
        self._ledger = whole.ledger
        talk = np.isin(self._ledger.section, [SECTIONS.index(name) for name in _TALK]) & (self._ledger.fate != ADDED)
        rows = np.flatnonzero(talk)
        sizes = self._ledger.before_tokens
        self._talk = list(zip(sizes[rows].tolist(), rows.tolist(), strict=True))
        fixed = np.flatnonzero(~talk & (self._ledger.fate != ADDED))
        self._largest = heapq.nlargest(MOST_CULPRITS, zip(sizes[fixed].tolist(), fixed.tolist(), strict=True))
        self._read = 0
        self._names: dict[int, tuple[str, str, str]] = {}

    def up_to(self, end: int | None, asked_tokens: int) -> tuple[Culprit, ...]:
        """The largest items before the reply at row `end`, largest first."""
        end = len(self._talk) if end is None else end
        self._largest = heapq.nlargest(MOST_CULPRITS, [*self._largest, *self._talk[self._read : end]])
        self._read = max(self._read, end)
        return tuple(self._culprit(tokens, row, asked_tokens) for tokens, row in self._largest if tokens)

    def _culprit(self, tokens: int, row: int, asked_tokens: int) -> Culprit:
        if row not in self._names:
            decision = self._ledger.decision(row)
            self._names[row] = (decision.id, decision.section, decision.name)
        return Culprit(*self._names[row], tokens, round(tokens * 100 / max(asked_tokens, 1), 1))
