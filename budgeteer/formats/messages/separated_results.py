"""Put results that stand apart from their calls in a request back beside them, for no provider takes them there."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from budgeteer.engine.content.conversation import Message, ToolResultPart, calls_of, results_of
from budgeteer.engine.content.pairing import has_name
from budgeteer.formats.messages.message_order import in_slots
from budgeteer.formats.messages.outlines import more_than_texts


def beside_calls(messages: Sequence[Message]) -> Sequence[Message]:
    """The messages of a request, each result that stands apart from its call put back beside it, and marked so.

    A result stands apart where somebody else speaks between the two. Of several results of one call the first is its
    answer; every other one stays where it is, and so does one whose call is not before it.
    """
    if isinstance(messages, tuple) and not any(
        isinstance(part, ToolResultPart) for one in messages for part in one.parts
    ):
        return messages
    slots = array("q", range(len(messages)))
    moved: set[int] = set()
    waiting: dict[str, int] = {}
    last = before = -1
    for at, message in more_than_texts(messages):
        if before < at - 1:
            last = at - 1  # a text stands between
        before = at
        results = results_of(message)
        slot = waiting.pop(results[0].call_id, None) if results else None
        if slot is None:
            slot = last = at
            waiting |= {call.id: at for call in calls_of(message) if has_name(call)}
        elif slot != last:
            moved.add(at)
        slots[at] = slot
    return in_slots(messages, slots, moved=moved) if moved else messages
