"""Messages too many to hold: read when they are looked at, a stretch at a time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import overload

from budgeteer.engine.content.conversation import Message


class LazyMessages(Sequence[Message]):
    """A conversation whose messages are read when they are looked at.

    Attributes:
        outlines: the messages without their texts, held in memory: a text that says something is "…", any other "".
            Roles, parts, ids, calls and answers are there: all that pairing them up looks at.
    """

    outlines: Sequence[Message]


def outlines_of(messages: Sequence[Message]) -> Sequence[Message]:
    """The outlines of messages that are far, else the messages themselves: for what looks at no text."""
    return messages.outlines if isinstance(messages, LazyMessages) else messages


class ConcatenatedMessages(Sequence[Message]):
    """The messages of several conversations, one conversation's after the other's; only what is asked for is read."""

    def __init__(self, conversations: Sequence[Sequence[Message]]) -> None:
        self._conversations = conversations
        self._starts = [0, *accumulate(map(len, conversations))]

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | Sequence[Message]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            return self._stretch(start, stop)[::step] if step > 0 else [self[at] for at in range(start, stop, step)]
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(index)
        number = bisect_right(self._starts, at) - 1
        return self._conversations[number][at - self._starts[number]]

    def _stretch(self, start: int, stop: int) -> list[Message]:
        found: list[Message] = []
        number = bisect_right(self._starts, start) - 1
        while number < len(self._conversations) and self._starts[number] < stop:
            begin = self._starts[number]
            found.extend(self._conversations[number][max(start - begin, 0) : stop - begin])
            number += 1
        return found
