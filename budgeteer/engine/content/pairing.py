"""Pairing of tool calls and results: which messages are kept or dropped together, and which have no partner.

A group is an assistant message with tool calls and every result that answers them, with the reasoning-only message
that precedes it. A result answers the assistant message before it with nothing but results between; what does not
pair up that way is named, for validity to decide on.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from budgeteer.engine.content.conversation import (
    Message,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    calls_of,
)
from budgeteer.engine.content.written_messages import begins_turn


class Fault(IntEnum):
    """What is wrong with a result."""

    NONE = 0
    NO_CALL = 1
    NOT_NEXT = 2
    REPEATED = 3
    UNNAMED = 4
    """The call it answers names no tool, which no provider takes."""


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


#: The place of a message that hangs together with no other; recognised by identity where many are looked at.
ALONE: Final = Place()

#: Who may be answered: a row, the position among its parts of each call that is not answered yet, by its id, and the
#: message that answered each other position.
type _Caller = tuple[int, dict[str, int], dict[int, int]]

#: Nobody may be answered; nothing is ever put into it.
_NOBODY: Final[_Caller] = (-1, {}, {})


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


def has_name(call: ToolCallPart) -> bool:
    """Whether the call says which tool it calls; transcripts may hide that, and no provider takes such a call."""
    return bool(call.name) and not call.name.isspace()


def pair(messages: Sequence[Message], *, seen: AbstractSet[str] = frozenset()) -> Pairing:
    """The pairing of a conversation, in one pass; `seen` are the call ids used before it."""
    walk = _Walk(messages, seen)
    walk.through()
    if not (walk.answers or walk.fault or walk.reasoning):
        return Pairing(walk.joined, [ALONE] * len(walk.joined), walk.turn)  # words alone: nothing hangs together
    heirs = _join_reasoning(messages, walk)
    return Pairing(_numbered(walk.joined), _places(walk, heirs), walk.turn)


class _Walk:
    """One pass over a conversation: what is known of each message when all before it were seen."""

    def __init__(self, messages: Sequence[Message], before: AbstractSet[str]) -> None:
        self.messages = messages
        #: The call ids used before these messages, and in them so far.
        self.before = before
        self.seen: set[str] = set()
        self.joined = list(range(len(messages)))
        self.turn = [0] * len(messages)
        #: Calling message -> the position of each answered call among its parts -> the message that answers it.
        self.answers: dict[int, dict[int, int]] = {}
        self.fault: dict[int, Fault] = {}
        self.again: set[int] = set()
        self.reasoning: list[int] = []

    def through(self) -> None:
        """Look at every message, in order."""
        turn, joined, again, turns = self.turn, self.joined, self.again, 0
        opener, unanswered, answered = _NOBODY
        for index, message in enumerate(self.messages):
            parts = message.parts
            result = parts[0] if len(parts) == 1 else _result_in(parts)
            if message.role == "user":
                # What is written begins with a bracket (written_messages.py): of other words nothing more is asked.
                is_typed_text = type(result) is TextPart and message.typed and not result.text.startswith("[")
                turns += is_typed_text or begins_turn(message)
            turn[index] = turns
            if type(result) is ToolResultPart:
                at = unanswered.pop(result.call_id, None)
                if at is None:
                    self.fault[index] = self._fault(result, opener)
                    continue
                answered[at] = index
                joined[index] = opener
                if again and opener in again:
                    again.add(index)
            elif type(result) is TextPart:
                opener, unanswered, answered = _NOBODY
            else:
                opener, unanswered, answered = self._said(index, message)

    def _said(self, index: int, message: Message) -> _Caller:
        """Look at a message that holds no result: who may be answered from then on."""
        parts = message.parts
        if message.role != "assistant":
            return _NOBODY
        calls: dict[str, int] = {}
        is_calling = False
        for at, part in enumerate(parts):
            if type(part) is ToolCallPart:
                is_calling = True
                if has_name(part):
                    calls[part.id] = at
        if is_calling:
            if not (self.seen.isdisjoint(calls) and self.before.isdisjoint(calls)):
                self.again.add(index)
            self.seen.update(calls)
            answered = self.answers[index] = {}
            return index, calls, answered
        if parts and all(isinstance(part, ReasoningPart) for part in parts):
            self.reasoning.append(index)
        return _NOBODY

    def _fault(self, result: ToolResultPart, opener: int) -> Fault:
        """Why a result answers no open call; `opener` is the row of the message whose calls it might answer."""
        calls = [call for call in calls_of(self.messages[opener]) if call.id == result.call_id] if opener >= 0 else []
        if calls:
            return Fault.REPEATED if any(map(has_name, calls)) else Fault.UNNAMED
        return Fault.NOT_NEXT if result.call_id in self.seen or result.call_id in self.before else Fault.NO_CALL


def _result_in(parts: Sequence[Part]) -> ToolResultPart | None:
    """The first result among the parts of a message, None where it holds none."""
    for part in parts:
        if type(part) is ToolResultPart:
            return part
    return None


def _places(walk: _Walk, heirs: Collection[int]) -> list[Place]:
    """How each message stands; those whose calls are answered alike share a Place, those without relations ALONE."""
    places = [ALONE] * len(walk.joined)
    moved: set[int] = set()
    known: dict[tuple[int, ...], Place] = {}
    unordered: set[tuple[int, ...]] = set()
    for index, answered in walk.answers.items():
        positions = tuple(answered)
        place = known.get(positions)
        if place is None:
            place = known[positions] = Place(frozenset(positions))
            if list(positions) != sorted(positions):
                unordered.add(positions)
        if positions in unordered:
            moved |= _moved(answered)
        places[index] = place
    none: dict[int, int] = {}
    odd = {*walk.fault, *walk.again, *heirs, *moved}
    for index in odd:
        places[index] = Place(
            frozenset(walk.answers.get(index, none)),
            walk.fault.get(index, Fault.NONE),
            index in heirs,
            index in moved,
            index in walk.again,
        )
    return places


def _moved(answered: Mapping[int, int]) -> set[int]:
    """The results that do not stand in the order of their calls."""
    given = [answered[at] for at in sorted(answered)]
    return {at for at, sorted_at in zip(given, sorted(given), strict=True) if at != sorted_at}


def _join_reasoning(messages: Sequence[Message], walk: _Walk) -> set[int]:
    """Join what is reasoning alone to the assistant's message after it; which of it leads to something said."""
    heirs: set[int] = set()
    alone = set(walk.reasoning)
    for index in reversed(walk.reasoning):
        after = index + 1
        if after < len(messages) and messages[after].role == "assistant":
            walk.joined[after] = index
            if after in heirs if after in alone else _says(messages[after], walk.answers.get(after, {})):
                heirs.add(index)
    if alone:
        for index, root in enumerate(walk.joined):
            walk.joined[index] = walk.joined[root]
    return heirs


def _says(message: Message, answered: Mapping[int, int]) -> bool:
    """Whether something is left of it that every provider can be sent: words, or a call that is answered."""
    return bool(answered) or any(isinstance(part, TextPart) and part.text.strip() for part in message.parts)


def _numbered(roots: Sequence[int]) -> list[int]:
    """The groups' numbers; a group's root is its first message."""
    numbers = [0] * len(roots)
    count = 0
    for index, root in enumerate(roots):
        if root == index:
            numbers[index] = count
            count += 1
        else:
            numbers[index] = numbers[root]
    return numbers


def group_start(messages: Sequence[Message], at: int, first: int) -> int:
    """The place at or before `at`, but not before `first`, where nothing hangs together with what stands before it."""
    while at > first and any(isinstance(part, ToolResultPart) for part in messages[at].parts):
        at -= 1
    while at > first and messages[at].role == "assistant" and _reasons_only(messages[at - 1]):
        at -= 1
    return at


def _reasons_only(message: Message) -> bool:
    return message.role == "assistant" and all(isinstance(part, ReasoningPart) for part in message.parts)
