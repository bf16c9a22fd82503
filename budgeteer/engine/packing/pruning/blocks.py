"""Blocks: what replaces compress ranges, and how they nest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from budgeteer.engine.content.written_messages import BLOCK_HEADER
from budgeteer.engine.counting.library_measures import Ints

#: What the id of a block's row in the ledger begins with.
BLOCK_PREFIX: Final = "block:"


@dataclass(frozen=True, slots=True)
class Block:
    """What stands in the place of a range.

    Attributes:
        number: as in its id. topic: its batch's.
        body: the summary with every placeholder expanded to the body of its block.
        tokens: of `text`, without a tag or a frame.
        anchor: the row before which it stands.
        rows: the messages it covers itself, those of blocks within it not included.
        children: the numbers of the blocks within it, in prompt order; `given` those that were read back.
        depth: 1, or one more than the deepest block within it.
        open: whether its messages and blocks are shown in its place.
    """

    number: int
    topic: str
    body: str
    tokens: int
    anchor: int
    rows: Ints
    children: tuple[int, ...]
    depth: int
    open: bool

    @property
    def id(self) -> str:
        """As its tag shows it."""
        return f"b{self.number}"

    @property
    def decision_id(self) -> str:
        """The id of its row in the ledger."""
        return f"{BLOCK_PREFIX}{self.id}"

    @property
    def text(self) -> str:
        """As it stands in the prompt."""
        return block_text(self.body)


def block_id(decision_id: str) -> str:
    """The id of the block whose row in the ledger has this id, "" where it is that of another item."""
    return decision_id.removeprefix(BLOCK_PREFIX) if decision_id.startswith(BLOCK_PREFIX) else ""


def block_text(body: str) -> str:
    """A block's text: the header, then what it says."""
    return f"{BLOCK_HEADER}\n\n{body}"


@dataclass(frozen=True, slots=True)
class Compressed:
    """Every block, and those that stand in the prompt when all are closed.

    Attributes:
        blocks: by number.
        top: the numbers of those that are inside no other.
        tokens: what the summaries take together, blocks that were read back included.
        earlier: how many ranges were applied in an earlier packing.
    """

    blocks: Mapping[int, Block]
    top: tuple[int, ...]
    tokens: int
    earlier: int

    def standing(self) -> Iterator[Block]:
        """The blocks that are shown: closed ones with nothing closed around them."""
        waiting = list(self.top)
        while waiting:
            block = self.blocks[waiting.pop()]
            if block.open:
                waiting += [number for number in block.children if number in self.blocks]
            else:
                yield block

    def covered(self, block: Block) -> Ints:
        """Every message a block stands for, through all blocks within it."""
        inner = [self.covered(self.blocks[number]) for number in block.children if number in self.blocks]
        return np.sort(np.concatenate([block.rows, *inner]))
