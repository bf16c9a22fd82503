"""The result of one packing in a sweep: every item's fate, the tokens sent in total and by section, the verdict.

Two packings with the same answer send the same items. Sentences, limits and demand are no part of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from budgeteer.engine.packing.ledger import ADDED, DROPPED, FATES, SECTIONS, SUMMARISED, Ledger, LedgerRows, Size
from budgeteer.engine.packing.pack import Fitted

#: The fates of items that are not sent.
_GONE: Final = (SUMMARISED, DROPPED)


@dataclass(frozen=True, slots=True)
class SectionAnswer:
    """One section: its items that are sent (whole or in part), and what it takes, overhead and added texts included."""

    name: str
    kept: int
    size: Size

    def to_json(self) -> dict[str, int]:
        """`{tokens, kept}`."""
        return {"tokens": self.size.tokens, "kept": self.kept}


@dataclass(frozen=True, slots=True)
class PackingAnswer:
    """What one packing answers.

    Attributes:
        fits: whether it is within the budget; else what cannot shrink is over.
        size: everything that is sent.
        sections: those that hold anything, in prompt order.
        fates: one byte an item (an index into ledger.FATES), in the order of `item_ids`; added texts are no items.
    """

    fits: bool
    size: Size
    sections: tuple[SectionAnswer, ...]
    fates: bytes

    @property
    def kept(self) -> int:
        """How many items are sent, whole or in part."""
        return sum(section.kept for section in self.sections)

    def to_json(self) -> dict[str, Any]:
        """`{tokens, kept, fits, sections: {name: {tokens, kept}}}`."""
        return {
            "tokens": self.size.tokens,
            "kept": self.kept,
            "fits": self.fits,
            "sections": {section.name: section.to_json() for section in self.sections},
        }


def answer_of(ledger: Ledger, fitted: Fitted, *, fits: bool) -> PackingAnswer:
    """The answer of a ledger and the fits behind it."""
    kept: dict[str, int] = {}
    for part in ledger.parts:
        sent = len(part) - sum(map(part.count, (*_GONE, ADDED)))
        kept[part.section] = kept.get(part.section, 0) + sent
    sections = tuple(
        SectionAnswer(name, kept.get(name, 0), ledger.total(name))
        for name in SECTIONS
        if name in kept or ledger.total(name) != Size()
    )
    return PackingAnswer(fits, ledger.total(), sections, _fates(ledger, fitted))


def item_ids(ledger: Ledger, fitted: Fitted) -> tuple[str, ...]:
    """The decision id of every item, section by section; libraries in the order they were given."""
    found: list[str] = []
    for part in _items(ledger, fitted):
        given = list(part.ids)
        for place, row in enumerate(_rows_of(part, fitted)):
            given[row] = part.ids[place]
        found += given
    return tuple(found)


def item_slice(ledger: Ledger, fitted: Fitted, section: str) -> slice:
    """Where a section's items stand in an answer's fates."""
    start = 0
    for part in _items(ledger, fitted):
        if part.section == section:
            return slice(start, start + len(part))
        start += len(part)
    return slice(start, start)


def fates_by_id(ids: Sequence[str], answer: PackingAnswer) -> dict[str, str]:
    """The fate of every item by its decision id."""
    return {one: FATES[fate] for one, fate in zip(ids, answer.fates, strict=True)}


def _fates(ledger: Ledger, fitted: Fitted) -> bytes:
    found = []
    for part in _items(ledger, fitted):
        fates = part.fate
        rows = _rows_of(part, fitted)
        if not isinstance(rows, range):
            fates = np.empty(len(part), np.int8)
            fates[np.array(rows, np.int64)] = part.fate
        found.append(fates.tobytes())
    return b"".join(found)


def _items(ledger: Ledger, fitted: Fitted) -> list[LedgerRows]:
    """The ledger's parts but the row of a summary, which comes before the rest of the history."""
    parts = list(ledger.parts)
    if fitted.history.summary is not None:
        del parts[next(at for at, part in enumerate(parts) if part.section == "history")]
    return parts


def _rows_of(part: LedgerRows, fitted: Fitted) -> Sequence[int]:
    """The row, in the order given, of each decision of a section."""
    libraries = fitted.libraries
    sequences: dict[str, Sequence[int]] = {
        "tools": libraries.tools.sequence,
        "skills": libraries.skills.sequence,
        "features": libraries.features.sequence,
        "retrieval": libraries.retrieval.sequence,
    }
    return sequences.get(part.section, range(len(part)))
