"""Messages of a pruned history, built on demand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, overload

import numpy as np

from budgeteer.engine.content.conversation import Message, Part, TextPart, ToolCallPart, ToolResultPart
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.packing.pruning.automatic import Strategy
from budgeteer.engine.packing.pruning.blocks import Block
from budgeteer.engine.packing.pruning.calls import Calls
from budgeteer.engine.packing.pruning.message_ids import Numbering, untagged
from budgeteer.engine.packing.pruning.minified import minified_message
from budgeteer.engine.packing.pruning.placeholders import FAILED_NOTE, REPEATED_NOTE, WRITTEN_NOTE, shortened
from budgeteer.engine.packing.pruning.shortening import Shortened

_NOTES: Final = {int(Strategy.PURGE_ERRORS): FAILED_NOTE, int(Strategy.SUPERSEDE_WRITES): WRITTEN_NOTE}


def block_message(block: Block) -> Message:
    """A block as it stands in the prompt: a message in the user's name that nobody typed."""
    return Message("user", (TextPart(block.text),), id=block.id, typed=False)


class Rewriter:
    """Gives each message of a history as it is sent, without its tag."""

    def __init__(self, history: Sequence[Message], numbering: Numbering, calls: Calls, done: Shortened) -> None:
        self._history = history
        self._own = numbering.own
        self._calls = calls
        self._done = done

    def message(self, row: int) -> Message:
        """The message at `row`, with a number for an id where it has none."""
        message = self._history[row]
        if self._own[row]:
            message, _ = untagged(message)
        if not message.id:
            message = replace(message, id=str(row + 1))
        if self._done.result[row]:
            return replace(message, parts=tuple(_noted(part) for part in message.parts))
        if self._done.strategy[row] == Strategy.MINIFY_RESULTS:
            return minified_message(message)
        return self._with_short_arguments(message, row) if self._done.strategy[row] else message

    def _with_short_arguments(self, message: Message, row: int) -> Message:
        first, stop = np.searchsorted(self._calls.call_row, [row, row + 1]).tolist()
        notes = {
            int(self._calls.position[at]): _NOTES[int(self._done.arguments[at])]
            for at in range(first, stop)
            if self._done.arguments[at]
        }
        parts: list[Part] = []
        position = 0
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                note = notes.get(position)
                parts.append(part if note is None else replace(part, arguments=shortened(part.arguments, note)))
                position += 1
            else:
                parts.append(part)
        return replace(message, parts=tuple(parts))


def _noted(part: Part) -> Part:
    return replace(part, content=(TextPart(REPEATED_NOTE),)) if isinstance(part, ToolResultPart) else part


class PrunedHistory(Sequence[Message]):
    """What is left of a history, blocks among it. `rows` are the messages' rows, -1 for the next of the blocks."""

    def __init__(self, rewriter: Rewriter, rows: Ints, blocks: Sequence[Block]) -> None:
        self._rewriter = rewriter
        self._rows = rows
        self._blocks = dict(zip(np.flatnonzero(rows < 0).tolist(), blocks, strict=True))

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | Sequence[Message]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(index)
        row = int(self._rows[at])
        return block_message(self._blocks[at]) if row < 0 else self._rewriter.message(row)
