"""Put results that stand apart from their calls in a request back beside them, for no provider takes them there."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from budgeteer.engine.content.conversation import Message, TextPart, calls_of, results_of
from budgeteer.engine.content.pairing import has_name
from budgeteer.formats.messages.message_order import in_slots


class SeparatedResults:
    """The results of a request that stand apart from their calls, found as its messages come.

    A result stands apart where somebody else speaks between the two. Of several results of one call the first is its
    answer; every other one stays where it is, and so does one whose call is not before it.
    """

    def __init__(self) -> None:
        self._slots = array("q")
        self._moved: set[int] = set()
        self._waiting: dict[str, int] = {}
        self._last = -1
        self._before = -1

    def see(self, at: int, message: Message) -> None:
        """Look at the message at a place; places ascend."""
        parts = message.parts
        if not parts or (len(parts) == 1 and parts[0].__class__ is TextPart):
            return
        if self._before < at - 1:
            self._last = at - 1  # a text stands between
        self._before = at
        results = results_of(message)
        slot = self._waiting.pop(results[0].call_id, None) if results else None
        if slot is None:
            slot = self._last = at
            self._waiting |= {call.id: at for call in calls_of(message) if has_name(call)}
        elif slot != self._last:
            self._moved.add(at)
        self._slots.extend(range(len(self._slots), at + 1))
        self._slots[at] = slot

    def put_back(self, messages: Sequence[Message]) -> Sequence[Message]:
        """All the messages that were seen, each result that stands apart put back beside its call, and marked so."""
        if not self._moved:
            return messages
        self._slots.extend(range(len(self._slots), len(messages)))
        return in_slots(messages, self._slots, moved=self._moved)
