"""Put results that stand apart from their calls in a request back beside them, for no provider takes them there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from budgeteer.engine.content.conversation import Message, calls_of, results_of
from budgeteer.engine.content.pairing import has_name


def beside_calls(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The messages of a request, each result that stands apart from its call put back beside it, and marked so.

    A result stands apart where somebody else speaks between the two. Of several results of one call the first is its
    answer; every other one stays where it is, and so does one whose call is not before it.
    """
    slots: list[list[Message]] = []
    waiting: dict[str, list[Message]] = {}
    for message in messages:
        results = results_of(message)
        slot = waiting.pop(results[0].call_id, None) if results else None
        if slot is None:
            slots.append([message])
            waiting |= {call.id: slots[-1] for call in calls_of(message) if has_name(call)}
        elif slot is slots[-1]:
            slot.append(message)
        else:
            slot.append(replace(message, moved=True))
    return tuple(message for slot in slots for message in slot)
