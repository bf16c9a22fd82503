"""Messages in another order: each where the slot of another begins or in a slot of its own, or left out."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from budgeteer.engine.content.conversation import Message
from budgeteer.formats.messages.outlines import OutlineList

LEFT_OUT: Final = -1
"""The slot of a message that is left out."""


def in_slots(messages: Sequence[Message], slots: array[int], *, moved: Collection[int] = ()) -> Sequence[Message]:
    """The messages by their slots, in order within each; the same sequence where that changes nothing.

    Args:
        messages: in the order of the file.
        slots: for each the place of the message that its slot begins with, or `LEFT_OUT`.
        moved: the places of those that are marked as moved.
    """
    if not messages:
        return messages
    numbers = np.frombuffer(slots, dtype=np.int64)
    if not moved and numbers[0] >= 0 and (np.diff(numbers) >= 0).all():
        return messages
    order = np.argsort(numbers, kind="stable")[int((numbers < 0).sum()) :]

    def sorted_messages() -> Iterator[Message]:
        for at in map(int, order):
            yield replace(messages[at], moved=True) if at in moved else messages[at]

    return (
        OutlineList(messages.keep, sorted_messages()) if isinstance(messages, OutlineList) else tuple(sorted_messages())
    )
