"""Move each tool result directly behind the message that made the call, as every provider requires."""

from __future__ import annotations

from collections.abc import Sequence

from budgeteer.engine.content.conversation import Message, calls_of, results_of
from budgeteer.formats.messages.numbering import Notes


def behind_calls(messages: Sequence[Message], notes: Notes) -> list[Message]:
    """The messages with each result behind its call; a second answer to a call is left out and counted.

    A result whose call is not before it stays where it is.
    """
    slots: list[list[Message]] = []
    slot_of: dict[str, list[Message]] = {}
    answered: set[str] = set()
    for message in messages:
        call_id = results_of(message)[0].call_id if message.role == "tool" else ""
        if call_id in answered:
            notes.count("Tool results for a call that was answered before, left out", of=message)
            continue
        slot = slot_of.get(call_id)
        if slot is None:
            slot = [message]
            slots.append(slot)
            slot_of.update((call.id, slot) for call in calls_of(message))
            continue
        if slot is not slots[-1]:
            notes.count("Tool results put right behind their call, as the API saw them")
        answered.add(call_id)
        slot.append(message)
    return [message for slot in slots for message in slot]
