"""The table of the seed's first document (token limit error, combined token budget): every component before and after.

Before: nothing is limited, every feature spec is loaded, and the block stands before the user's first message. After:
the packing as it is. Both columns are sums of a ledger, so each adds up to the total of a request.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from budgeteer.engine.packing.ledger import DROPPED, SECTIONS, SUMMARISED, Ledger, Size
from budgeteer.engine.packing.pack import pack_unlimited
from budgeteer.engine.packing.result import Packing

_IN_BLOCK: Final = {"dedicated": "system message", "user": "message of its own", "prepended": "first user message"}
_OF_BLOCK: Final = ("system", "skills", "features", "retrieval")

#: Title, section, and which of the section's decisions: the components of the seed's table, and what it leaves out.
_COMPONENTS: Final[tuple[tuple[str, str, Callable[[str], bool]], ...]] = (
    ("System text", "system", lambda key: key.startswith("system:")),
    ("Spec files", "system", lambda key: key.startswith("spec:")),
    ("Workspace context", "system", lambda key: key == "workspace"),
    ("Skills", "skills", bool),
    ("Tool definitions", "tools", bool),
    ("Feature files", "features", bool),
    ("Retrieved chunks", "retrieval", bool),
    ("Conversation history", "history", bool),
    ("Current user message", "query", bool),
)
_REST: Final = "Headers, rules and frames"


@dataclass(frozen=True, slots=True)
class Side:
    """One component on one side: where it is sent, how many items are sent, and its size."""

    where: str
    items: int
    size: Size

    def to_json(self) -> dict[str, Any]:
        """`{where, items, tokens, chars}`."""
        return {"where": self.where, "items": self.items, **self.size.to_json()}


@dataclass(frozen=True, slots=True)
class Component:
    """One row of the table. Sections other than `system` have their own overhead in their row."""

    name: str
    before: Side
    after: Side

    def to_json(self) -> dict[str, Any]:
        """As in the command line's contract."""
        return {"name": self.name, "before": self.before.to_json(), "after": self.after.to_json()}


def before_after(packing: Packing, unlimited: Packing | None = None) -> list[Component]:
    """Every component that either side has, in prompt order; each column's sum is the total of its request.

    `unlimited` is the packing with nothing limited, where it is at hand.
    """
    before, after = _sides(unlimited or pack_unlimited(packing)), _sides(packing)
    return [
        Component(name, before[name], after[name])
        for name in before
        if before[name].size != Size() or after[name].size != Size()
    ]


def _sides(packing: Packing) -> dict[str, Side]:
    ledger, block = packing.ledger, _IN_BLOCK[packing.config.system.placement]
    sides = {}
    for name, section, belongs in _COMPONENTS:
        where = block if section in _OF_BLOCK else "tools" if section == "tools" else "messages"
        items, size = _decided(ledger, section, belongs)
        sides[name] = Side(where, items, size if section == "system" else ledger.total(section))
    rest = sum((entry.size for entry in ledger.overhead if entry.section == "system"), Size())
    return {**sides, _REST: Side(block, 0, rest)}


def _decided(ledger: Ledger, section: str, belongs: Callable[[str], bool]) -> tuple[int, Size]:
    """The items that are sent, and what they come to without overhead."""
    mine = ledger.section == SECTIONS.index(section)
    sent = mine & (ledger.fate != DROPPED) & (ledger.fate != SUMMARISED)
    if section == "system":
        for index in mine.nonzero()[0]:
            rows, row = ledger.place(int(index))
            sent[index] &= belongs(rows.ids[row])
    return int(sent.sum()), Size(int(ledger.after_tokens[sent].sum()), int(ledger.after_chars[sent].sum()))
