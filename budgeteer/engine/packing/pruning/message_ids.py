"""Ids of messages and blocks, and their tags: `<id>m001</id>` at the end of the message.

A tag is a text part of its own, so it is counted by itself and the counts add up whatever stands before it (decision
002). In a result it is the last part of the result; before calls it is the last thing said, for calls end a message.
A message that brings its tag along (a packed prompt read back) keeps its id, and the tag is no part of its text here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.content.conversation import Message, Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.providers.registry import PROVIDERS

_TAG: Final = re.compile(r"<id>(m[0-9]{3,9}|b[1-9][0-9]{0,8})</id>")
#: Digits of a message's number, at the least. Source: the seed (`mNNN`).
_DIGITS: Final = 3


def message_context_id(number: int) -> str:
    """The id of the message with this number, counted from 1: m001, m999, m1000."""
    return f"m{number:0{_DIGITS}d}"


def tag_of(context_id: str) -> str:
    """The tag that shows an id."""
    return f"<id>{context_id}</id>"


def id_in(part: Part) -> str:
    """The id a part shows, "" where it is no tag."""
    match = _TAG.fullmatch(part.text) if isinstance(part, TextPart) else None
    return match[1] if match else ""


def tagged(parts: Sequence[Part], tag: str, provider: str) -> tuple[Part, ...]:
    """The parts of a message with its tag behind what it says.

    Reasoning stays with the call it led to; but where a provider wants it first, the tag stands behind it. A text
    that says nothing goes: beside the tag it would be an empty part.
    """
    end = TextPart(tag)
    if len(parts) == 1 and isinstance(parts[0], ToolResultPart):
        return (replace(parts[0], content=(*filter(_says, parts[0].content), end)),)
    parts = tuple(filter(_says, parts))
    at = _first_call(parts)
    first = PROVIDERS[provider].capabilities.reasoning_first
    while not first and 0 < at < len(parts) and isinstance(parts[at - 1], ReasoningPart):
        at -= 1
    return (*parts[:at], end, *parts[at:])


def _says(part: Part) -> bool:
    return not isinstance(part, TextPart) or bool(part.text)


def untagged(message: Message) -> tuple[Message, str]:
    """The message without the tag that names it, and the id it shows; "" where it has none."""
    parts = message.parts
    if len(parts) == 1 and isinstance(parts[0], ToolResultPart):
        content = parts[0].content
        shown = id_in(content[-1]) if content else ""
        if not shown:
            return message, ""
        return replace(message, parts=(replace(parts[0], content=content[:-1]),)), shown
    at = _first_call(parts)
    while 0 < at < len(parts) and isinstance(parts[at - 1], ReasoningPart):
        at -= 1
    for place in range(at, _first_call(parts) + 1):
        shown = id_in(parts[place - 1]) if place else ""
        if shown:
            return replace(message, parts=(*parts[: place - 1], *parts[place:])), shown
    return message, ""


def _first_call(parts: Sequence[Part]) -> int:
    """Where the first call stands; behind the last part where there is none."""
    return next((at for at, part in enumerate(parts) if isinstance(part, ToolCallPart)), len(parts))


def ids_within(message: Message) -> list[str]:
    """Every id shown anywhere in a message: some providers hand back neighbours as one message."""
    flat: list[Part] = []
    for part in message.parts:
        flat.extend(part.content if isinstance(part, ToolResultPart) else (part,))
    return [shown for part in flat if (shown := id_in(part))]


@dataclass(frozen=True, slots=True)
class Numbering:
    """The ids of one history.

    Attributes:
        numbers: per message its number, 0 where it is a block that was read back, or has no id.
        own: whether the message brings its tag along.
        blocks: number of a block that was read back -> its row; the row is -1 where it is inside another message.
        rows: id -> row, for the ids that the messages bring along.
        read_back: whether the conversation was packed before: it brings ids along, or the system text of pruning.
    """

    numbers: Ints
    own: NDArray[np.bool_]
    blocks: Mapping[int, int]
    rows: Mapping[str, int]
    read_back: bool

    @property
    def named(self) -> NDArray[np.bool_]:
        """Which messages have an id: all but those that a packing wrote in the place of others."""
        named: NDArray[np.bool_] = self.numbers > 0
        named[[row for row in self.blocks.values() if row >= 0]] = True
        return named

    def id_of(self, row: int) -> str:
        """The id of the message at `row`, which has one."""
        number = int(self.numbers[row])
        return message_context_id(number) if number else next(f"b{n}" for n, at in self.blocks.items() if at == row)

    def row_of(self, context_id: str) -> int | None:
        """The row of the message or read-back block with this id, None where there is none."""
        if context_id in self.rows:
            return self.rows[context_id]
        if context_id[0] == "b":
            return None
        messages = np.flatnonzero(self.numbers)
        at = int(np.searchsorted(self.numbers[messages], int(context_id[1:])))
        found = at < len(messages) and self.id_of(int(messages[at])) == context_id
        return int(messages[at]) if found else None


def number_messages(shown: Sequence[str | None], within: Mapping[str, int], query: Sequence[str] = ()) -> Numbering:
    """The numbering of messages, given the id each brings along ("" for none) and every id found anywhere.

    Numbers ascend: a message without an id gets the next one; an id that does not ascend is ordinary text. None is a
    message that an earlier packing wrote, such as a summary: it gets no id. `query` are the ids found in the query,
    where a block may stand that the user's words were joined to.
    """
    numbers = np.zeros(len(shown), np.int64)
    own = np.zeros(len(shown), np.bool_)
    blocks: dict[int, int] = {int(one[1:]): -1 for one in (*within, *query) if one[0] == "b"}
    last = 0
    for row, brought in enumerate(shown):
        if brought is None:
            continue
        if brought[:1] == "b" and blocks.get(int(brought[1:]), row) == -1:
            blocks[int(brought[1:])], own[row] = row, True
            continue
        own[row] = brought[:1] == "m" and int(brought[1:]) > last
        last = int(brought[1:]) if own[row] else last + 1
        numbers[row] = last
    return Numbering(numbers, own, blocks, within, bool(within or query))


@dataclass(frozen=True, slots=True)
class TagSizes:
    """What tags cost under one counter."""

    counter: TokenCounter

    def tokens(self, ids: Ints, *, of_blocks: bool = False) -> Ints:
        """The tokens of the tags of these numbers: every number of as many digits costs the same (see the tests)."""
        widths = self._widths(ids, of_blocks=of_blocks)
        letter = "b" if of_blocks else "m"
        costs = np.array(
            [self.counter.count(tag_of(f"{letter}{'1' * width}")) for width in range(int(widths.max(initial=0)) + 1)],
            np.int64,
        )
        found: Ints = costs[widths] if len(widths) else widths
        return found

    def chars(self, ids: Ints, *, of_blocks: bool = False) -> Ints:
        """The characters of the tags of these numbers."""
        return self._widths(ids, of_blocks=of_blocks) + len(tag_of("m"))

    @staticmethod
    def _widths(ids: Ints, *, of_blocks: bool) -> Ints:
        digits = np.searchsorted(10 ** np.arange(1, 18), ids, side="right") + 1
        return np.maximum(digits, 1 if of_blocks else _DIGITS).astype(np.int64)
