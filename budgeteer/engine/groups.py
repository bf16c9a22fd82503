"""Which messages live or die together, and which calls and results do not pair up.

A group is an assistant message with tool calls and every result that answers them, with the reasoning-only message
that precedes it. A result answers the assistant message before it with nothing but results between; what does not
pair up that way is named, for validity to decide on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from budgeteer.engine.chat import Message, ReasoningPart, ToolCallPart, ToolResultPart


class Fault(IntEnum):
    """What is wrong with a result."""

    NONE = 0
    NO_CALL = 1
    NOT_NEXT = 2
    REPEATED = 3


@dataclass(frozen=True, slots=True)
class Pairing:
    """How the messages of one conversation hang together, one entry a message.

    Attributes:
        group: the group's number; ascending by first message.
        answered: for each message, the positions (in its parts) of the calls that are answered.
        fault: what is wrong with a message's result, Fault.NONE for every other message.
        turn: how many typed user messages came up to and including this one.
    """

    group: list[int]
    answered: list[frozenset[int]]
    fault: list[Fault]
    turn: list[int]


def pair(messages: Sequence[Message]) -> Pairing:
    """The pairing of a conversation, in one pass."""
    size = len(messages)
    answered: list[set[int]] = [set() for _ in range(size)]
    fault = [Fault.NONE] * size
    joined = list(range(size))
    turn = [0] * size
    seen: set[str] = set()
    opener = -1
    open_calls: dict[str, int] = {}
    turns = 0
    for index, message in enumerate(messages):
        turns += message.role == "user" and message.typed
        turn[index] = turns
        result = next((part for part in message.parts if isinstance(part, ToolResultPart)), None)
        if result is not None:
            if result.call_id in open_calls:
                answered[opener].add(open_calls.pop(result.call_id))
                joined[index] = opener
            else:
                fault[index] = _fault(result, messages[opener] if opener >= 0 else None, seen)
            continue
        calls = {part.id: at for at, part in enumerate(message.parts) if isinstance(part, ToolCallPart)}
        seen.update(calls)
        opener, open_calls = (index, calls) if calls else (-1, {})
    _join_reasoning(messages, joined)
    return Pairing(_numbered(joined), [frozenset(a) for a in answered], fault, turn)


def _fault(result: ToolResultPart, opener: Message | None, seen: set[str]) -> Fault:
    if opener is not None and any(isinstance(p, ToolCallPart) and p.id == result.call_id for p in opener.parts):
        return Fault.REPEATED
    return Fault.NOT_NEXT if result.call_id in seen else Fault.NO_CALL


def _join_reasoning(messages: Sequence[Message], joined: list[int]) -> None:
    for index in range(len(messages) - 1, 0, -1):
        before = messages[index - 1]
        alone = before.role == "assistant" and before.parts and all(isinstance(p, ReasoningPart) for p in before.parts)
        if alone and messages[index].role == "assistant":
            joined[index] = index - 1
    for index, root in enumerate(joined):
        joined[index] = joined[root]


def _numbered(roots: list[int]) -> list[int]:
    numbers: dict[int, int] = {}
    return [numbers.setdefault(root, len(numbers)) for root in roots]
