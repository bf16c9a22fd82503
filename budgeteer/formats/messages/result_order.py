"""Move each tool result directly behind the message that made the call, as every provider requires."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from budgeteer.engine.content.conversation import Message, calls_of, results_of
from budgeteer.formats.messages.message_order import LEFT_OUT, in_slots
from budgeteer.formats.messages.numbering import Notes
from budgeteer.formats.messages.outlines import with_parts


def behind_calls(messages: Sequence[Message], notes: Notes) -> Sequence[Message]:
    """The messages with each result behind its call; a second answer to a call is left out and counted.

    A result whose call is not before it stays where it is. Some servers give a call the id of an earlier one: it waits
    for a result of its own.
    """
    slots = array("q")
    slot_of: dict[str, int] = {}
    answered: set[str] = set()
    last = -1
    for at, message in enumerate(with_parts(messages)):
        call_id = results_of(message)[0].call_id if message is not None and message.role == "tool" else ""
        if call_id in answered:
            notes.count("Tool results for a call that was answered before, left out", of=message)
            slots.append(LEFT_OUT)
            continue
        slot = slot_of.get(call_id)
        if slot is None:
            slot = last = at
            made = {call.id: at for call in calls_of(message)} if message is not None else {}
            slot_of |= made
            answered.difference_update(made)  # `-=` with the keys of a dict makes the whole set anew
        else:
            if slot != last:
                notes.count("Tool results put right behind their call, as the API saw them")
            answered.add(call_id)
            del slot_of[call_id]
        slots.append(slot)
    return in_slots(messages, slots)
