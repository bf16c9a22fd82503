"""Which messages live or die together, and which calls and results do not pair up.

A group is an assistant message with tool calls and every result that answers them, with the reasoning-only message
that precedes it. A result answers the assistant message before it with nothing but results between; what does not
pair up that way is named, for validity to decide on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from budgeteer.engine.chat import Message, ReasoningPart, TextPart, ToolCallPart, ToolResultPart


class Fault(IntEnum):
    """What is wrong with a result."""

    NONE = 0
    NO_CALL = 1
    NOT_NEXT = 2
    REPEATED = 3


@dataclass(frozen=True, slots=True)
class Place:
    """How one message stands among the others.

    Attributes:
        answered: the positions (in its parts) of the calls that are answered.
        fault: what is wrong with its result.
        heir: whether the reasoning-only messages it is one of are followed by what the assistant says or calls.
        moved: whether its result does not stand where its call stands among the calls.
        again: whether one of its call ids was used by an earlier message.
    """

    answered: frozenset[int] = frozenset()
    fault: Fault = Fault.NONE
    heir: bool = False
    moved: bool = False
    again: bool = False


@dataclass(frozen=True, slots=True)
class Pairing:
    """How the messages of one conversation hang together, one entry a message.

    Attributes:
        group: the group's number; ascending by first message.
        place: how the message stands among the others.
        turn: how many typed user messages came up to and including this one.
    """

    group: list[int]
    place: list[Place]
    turn: list[int]


def pair(messages: Sequence[Message]) -> Pairing:
    """The pairing of a conversation, in one pass."""
    size = len(messages)
    answers: list[dict[int, int]] = [{} for _ in range(size)]
    fault = [Fault.NONE] * size
    joined = list(range(size))
    again = [False] * size
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
                answers[opener][open_calls.pop(result.call_id)] = index
                joined[index] = opener
                again[index] = again[opener]
            else:
                fault[index] = _fault(result, messages[opener] if opener >= 0 else None, seen)
            continue
        calls = _calls(message)
        again[index] = not seen.isdisjoint(calls)
        seen.update(calls)
        opener, open_calls = (index, calls) if calls else (-1, {})
    heirs = _join_reasoning(messages, joined, answers)
    moved = _moved(answers)
    places = [Place(frozenset(answers[i]), fault[i], heirs[i], i in moved, again[i]) for i in range(size)]
    return Pairing(_numbered(joined), places, turn)


def _calls(message: Message) -> dict[str, int]:
    """Call id -> position of the part; only the assistant calls."""
    if message.role != "assistant":
        return {}
    return {part.id: at for at, part in enumerate(message.parts) if isinstance(part, ToolCallPart)}


def _fault(result: ToolResultPart, opener: Message | None, seen: set[str]) -> Fault:
    if opener is not None and result.call_id in _calls(opener):
        return Fault.REPEATED
    return Fault.NOT_NEXT if result.call_id in seen else Fault.NO_CALL


def _moved(answers: Sequence[dict[int, int]]) -> set[int]:
    """The results that do not stand in the order of their calls."""
    moved: set[int] = set()
    for answered in answers:
        given = [answered[at] for at in sorted(answered)]
        moved.update(at for at, sorted_at in zip(given, sorted(given), strict=True) if at != sorted_at)
    return moved


def _join_reasoning(messages: Sequence[Message], joined: list[int], answers: Sequence[dict[int, int]]) -> list[bool]:
    """Join what is reasoning alone to the assistant's message after it; which of it leads to something said."""
    heirs = [False] * len(messages)
    for index in range(len(messages) - 1, 0, -1):
        if _reasons_only(messages[index - 1]) and messages[index].role == "assistant":
            joined[index] = index - 1
            heirs[index - 1] = (
                heirs[index] if _reasons_only(messages[index]) else _says(messages[index], answers[index])
            )
    for index, root in enumerate(joined):
        joined[index] = joined[root]
    return heirs


def _reasons_only(message: Message) -> bool:
    parts = message.parts
    return message.role == "assistant" and bool(parts) and all(isinstance(part, ReasoningPart) for part in parts)


def _says(message: Message, answered: dict[int, int]) -> bool:
    """Whether something is left of it that every provider can be sent: words, or a call that is answered."""
    return bool(answered) or any(isinstance(part, TextPart) and part.text.strip() for part in message.parts)


def _numbered(roots: list[int]) -> list[int]:
    numbers: dict[int, int] = {}
    return [numbers.setdefault(root, len(numbers)) for root in roots]
