"""The conversation while batches of ranges are applied: replaced messages and the position of each.

Blocks are numbered in the order of the ranges, from b1; numbers of blocks that a conversation brings along are left
out. A conversation that brings ids along has been packed before: a range whose ends are not both left was applied then,
or what it shows (where it is open) was left out then.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from budgeteer.engine.config.schema import CompressRange
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.packing.pruning.blocks import Block, Compressed, block_text
from budgeteer.engine.packing.pruning.shape import HistoryShape

#: How a summary names a block within its range. Source: the seed's tool description (dynamic context pruning).
PLACEHOLDER: Final = re.compile(r"\((b[1-9][0-9]*)\)")
#: Above the blocks that a recorded summary does not name.
ALSO_HERE: Final = "Summaries of earlier compressions within this section:"


@dataclass(frozen=True, slots=True)
class StageSpan:
    """A range between two keys of the prompt's order, ends included: 2 × row for a block, one more for a message."""

    at: int
    asked: CompressRange
    start: int
    end: int


@dataclass
class Stage:
    """The conversation while batches are applied. `cover` is the number of the block that stands for a message."""

    shape: HistoryShape
    count: Callable[[str], int]
    cover: Ints
    blocks: dict[int, Block] = field(default_factory=dict)
    top: list[int] = field(default_factory=list)
    next_number: int = 1
    earlier: int = 0

    def make(self, topic: str, spans: Sequence[StageSpan | None]) -> None:
        """Make the blocks of a checked batch; None is a range that was applied in an earlier packing."""
        for span in spans:
            self._make(topic, span)

    def compressed(self) -> Compressed:
        """Everything that was made."""
        top = tuple(sorted(self.top, key=lambda number: self.blocks[number].anchor))
        return Compressed(self.blocks, top, self.summary_tokens(), self.earlier)

    def is_earlier(self, asked: CompressRange) -> bool:
        """Whether the range was applied in an earlier packing of the same conversation."""
        ends = (asked.start_id, asked.end_id)
        return self.shape.numbering.read_back and not all(self._knows(one) for one in ends)

    def _knows(self, context_id: str) -> bool:
        made = context_id[0] == "b" and int(context_id[1:]) in self.blocks
        return made or self.shape.numbering.row_of(context_id) is not None

    def _make(self, topic: str, span: StageSpan | None) -> None:
        number = self.next_number
        if span is None:
            self.next_number, self.earlier = number + 1, self.earlier + 1
            return
        while number in self.shape.numbering.blocks:
            number += 1
        self.next_number = number + 1
        rows, inside = self.contents(span)
        made = [one for one in inside if one in self.blocks]
        bodies = {f"b{one}": self.body(one) for one in inside}
        body = _expanded(span.asked, bodies)
        starts = [*rows[:1].tolist(), *(self.blocks[one].anchor for one in made), span.start // 2]
        anchor = min(starts[:-1] or starts)
        depth = 1 + max((self.depth(one) for one in inside), default=0)
        self.blocks[number] = Block(
            number, topic, body, self.count(block_text(body)), anchor, rows, tuple(inside), depth, span.asked.open
        )
        for one in made:
            self.top.remove(one)
            self.cover[self.cover == one] = number
        self.cover[rows] = number
        self.top.append(number)

    def contents(self, span: StageSpan) -> tuple[Ints, list[int]]:
        """The messages a range covers itself, and the blocks within it in prompt order."""
        rows = np.arange(span.start // 2, (span.end + 1) // 2)
        rows = rows[(self.cover[rows] == 0) & ~self.shape.stays[rows]]
        given = {row: number for number, row in self.shape.numbering.blocks.items() if row >= 0}
        inside = [(2 * self.blocks[one].anchor, one) for one in self.top]
        inside = [one for one in inside if span.start <= one[0] <= span.end]
        inside += [(2 * row + 1, given[row]) for row in rows.tolist() if row in given] if given else []
        return rows, [number for _, number in sorted(inside)]

    def body(self, number: int) -> str:
        """What a block says under its header, one that was read back included."""
        return self.blocks[number].body if number in self.blocks else self.shape.bodies[number]

    def depth(self, number: int) -> int:
        """How deep blocks are nested in a block; of one that was read back only itself is known."""
        return self.blocks[number].depth if number in self.blocks else 1

    def summary_tokens(self) -> int:
        """What all summaries in the prompt take."""
        given = [number for number, row in self.shape.numbering.blocks.items() if row >= 0 and not self.cover[row]]
        read = sum(self.count(block_text(self.shape.bodies[number])) for number in given)
        return read + sum(self.blocks[number].tokens for number in self.top)

    def key(self, context_id: str) -> int | None:
        """Where a block or message that can be seen stands in the prompt's order, None for any other id."""
        number = int(context_id[1:])
        if context_id[0] == "b" and number in self.blocks:
            return 2 * self.blocks[number].anchor if number in self.top else None
        row = self.shape.numbering.row_of(context_id)
        return None if row is None or self.cover[row] else 2 * row + 1

    def cover_of(self, context_id: str) -> int:
        """The block that stands for a message or block, 0 where there is none."""
        number = int(context_id[1:])
        if context_id[0] == "b" and number in self.blocks:
            return next((one for one in self.top if self._holds(one, number)), 0)
        row = self.shape.numbering.row_of(context_id)
        return 0 if row is None else int(self.cover[row])

    def _holds(self, outer: int, number: int) -> bool:
        inner = self.blocks[outer].children if outer in self.blocks else ()
        return number in inner or any(self._holds(one, number) for one in inner)

    def neighbour(self, key: int, *, step: int) -> tuple[int, str] | None:
        """The next thing to be seen after a key (`step` 1) or before it (-1): its key and its id."""
        rows = np.flatnonzero((self.cover == 0) & self.shape.numbering.named)
        keys = {2 * self.blocks[one].anchor: f"b{one}" for one in self.top}
        beyond = [one for one in keys if (one - key) * step > 0]
        place = int(np.searchsorted(2 * rows + 1, key, side="right" if step > 0 else "left"))
        place = place if step > 0 else place - 1
        if 0 <= place < len(rows):
            row = int(rows[place])
            row = int(self.shape.opener[row]) if row < self.shape.opener[row] else row
            beyond.append(2 * row + 1)
            keys[2 * row + 1] = self.shape.numbering.id_of(row)
        found = min(beyond, key=lambda one: abs(one - key), default=None)
        return None if found is None else (found, keys[found])


def _expanded(asked: CompressRange, bodies: Mapping[str, str]) -> str:
    """A summary with what each block within its range says, in the place of its first placeholder.

    Other placeholders stay as they are. A block that has none stands before the summary where the range begins with it,
    behind it where the range ends with it, and else under a line of its own. Only summaries that a session recorded
    come to that: others name each block once.
    """
    left = dict(bodies)
    body = PLACEHOLDER.sub(lambda match: left.pop(match[1], match[0]), asked.summary)
    first, last = left.pop(asked.start_id, ""), left.pop(asked.end_id, "")
    body = "\n\n".join(piece for piece in (first, body, last) if piece)
    if left:
        body += f"\n\n{ALSO_HERE}" + "".join(f"\n### ({name})\n{text}" for name, text in left.items())
    return body
