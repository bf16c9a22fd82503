"""Put results that stand apart from their calls in a request back beside them, for no provider takes them there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

from budgeteer.engine.content.conversation import Message, calls_of, results_of
from budgeteer.engine.content.pairing import has_name


def beside_calls(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The messages of a request, each result that stands apart from its call put back beside it, and marked so.

    A result stands apart where somebody else speaks between the two. Of several results of one call the first is its
    answer; every other one stays where it is, and so does one whose call is not before it.
    """
    placed: list[Message | list[Message]] = []
    waiting: dict[str, list[Message]] = {}
    for message in messages:
        results = results_of(message)
        slot = waiting.pop(results[0].call_id, None) if results else None
        if slot is not None:
            slot.append(message if slot is placed[-1] else replace(message, moved=True))
        elif named := [call.id for call in calls_of(message) if has_name(call)]:
            slot = [message]
            placed.append(slot)
            waiting |= dict.fromkeys(named, slot)
        else:
            placed.append(message)
    return tuple(chain.from_iterable([one] if isinstance(one, Message) else one for one in placed))
