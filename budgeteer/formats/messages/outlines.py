"""Outlines of messages: everything but their texts, and lists of many as columns.

An outline is a message without its texts: role, ids, calls and answers are there, so that an importer can number
messages and put results behind their calls as it does with whole ones. A list of them keeps numbers in arrays, and the
rest as JSON where there is any: some tens of bytes each. The outline itself is made when it is looked at.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from sys import intern
from typing import Any, Final, overload

import numpy as np
from numpy.typing import NDArray
from pydantic_core import from_json, to_json

from budgeteer.engine.content.conversation import (
    ROLES,
    AudioPart,
    FilePart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    Role,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    parts_from_json,
    parts_to_json,
)
from budgeteer.engine.content.origin import origin_from_json
from budgeteer.engine.content.slot_initializers import sets_slots

FEW: Final = 8
"""Messages up to which their outlines are held as they are: columns of so few take more memory and time."""

_ENCODER: Final = json.JSONEncoder(separators=(",", ":"))
_FILLED: Final = TextPart("…")
_BLANK: Final = TextPart("")
_FILLED_ALONE: Final = (_FILLED,)
_BLANK_ALONE: Final = (_BLANK,)

_USUAL: Final[tuple[tuple[Part, ...], ...]] = ((), _FILLED_ALONE, _BLANK_ALONE)
_FILLED_NUMBER, _BLANK_NUMBER, _OTHER = 1, 2, 3
_ROLE_NUMBERS: Final = {role: number for number, role in enumerate(ROLES)}
_HEADS: Final = tuple(product(ROLES, range(_OTHER + 1), (False, True), (False, True)))
"""(role, which of the usual parts or others, typed, moved), by the number that stands for them."""

_AN_ID, _NO_ID, _ID_BY_PLACE = b'["', b'["",', b"[0 ,"
_NOTHING: Final = b'["","",""]'
"""How the rest of a message begins, by its id, and that of one with neither an id nor a name nor a time."""

_HEAD_BITS: Final = 0b111_1111
_USUAL_BITS: Final = 0b1100
_MERGED, _OPAQUE, _SILENT = 0x80, 0x100, 0x200
"""Marks beside that number: contents lie in several places, a part is of a provider's own kind, nothing is said."""


@sets_slots
@dataclass(frozen=True, slots=True)
class Outline(Message):
    """A message without its texts.

    Attributes:
        place: where its contents lie. The same contents of the same line lie in one place, so that outlines are equal
            where their messages are.
        more: where those of the messages lie that were merged into it.
    """

    place: int = 0
    more: tuple[int, ...] = ()

    def followed_by(self, other: Message) -> Outline:
        """This message with the parts of another one behind its own."""
        if not isinstance(other, Outline):
            raise TypeError("an outline is joined with an outline only")
        return replace(self, parts=self.parts + other.parts, more=(*self.more, other.place, *other.more))


class OutlineList(Sequence[Message]):
    """Outlines as columns.

    Args:
        keep: puts the contents of a message aside that is added whole, and gives their place.
        outlines: the first ones.

    Attributes:
        lines: where each message stands in the source.
        places: where its contents lie, the first of them where several were merged.
    """

    def __init__(self, keep: Callable[[Message], int], outlines: Iterable[Message] = ()) -> None:
        self.keep = keep
        self.lines = array("Q")
        self.places = array("Q")
        self._heads = array("H")
        self._starts = array("Q")
        self._rest = bytearray()
        self.extend(outlines)

    def append(self, message: Message, given: str = "") -> None:
        """Add an outline, or a message whose contents are put aside; `given` is its id where that is another one."""
        line, place, head, rest = self._columns(len(self._heads), message, given or message.id)
        self.lines.append(line)
        self.places.append(place)
        self._heads.append(head)
        self._starts.append(self._put_rest(rest, 0) if rest else 0)

    def extend(self, messages: Iterable[Message]) -> None:
        """Add several."""
        for message in messages:
            self.append(message)

    def __setitem__(self, at: int, message: Message) -> None:
        """Put a message in the place of one, counted from 0."""
        self.lines[at], self.places[at], self._heads[at], rest = self._columns(at, message, message.id)
        self._starts[at] = self._put_rest(rest, self._starts[at])

    def is_plain(self, at: int) -> bool:
        """Whether a message is a text, or nothing."""
        return self._heads[at] & _USUAL_BITS != _USUAL_BITS

    def is_silent(self, at: int) -> bool:
        """Whether a message says nothing (see `says_nothing`)."""
        return self._heads[at] & _SILENT != 0

    def role_of(self, at: int) -> Role:
        """Who speaks."""
        return _HEADS[self._heads[at] & _HEAD_BITS][0]

    def id_of(self, at: int) -> str:
        """The id of a message, "" where it has none."""
        start, rest = self._starts[at], self._rest
        if not start or not rest.startswith(_AN_ID, start - 1):
            return _id_by_place(at)
        written = rest[start + 1 : rest.index(b'"', start + 1)]
        if b"\\" not in written:
            return written.decode()
        given: str = decoded(rest[start - 1 : rest.index(b"\n", start)])[0]
        return given

    def name(self, at: int, given: str) -> None:
        """Give a message another id."""
        start = self._starts[at]
        if start and given == _id_by_place(at) and self._rest.startswith(_NO_ID, start - 1):
            if self._rest.startswith(_NOTHING, start - 1):
                self._starts[at] = 0
            else:
                self._rest[start - 1 : start - 1 + len(_NO_ID)] = _ID_BY_PLACE
            return
        rest = decoded(self._rest[start - 1 : self._rest.index(b"\n", start)]) if start else [0, "", ""]
        rest[0] = 0 if given == _id_by_place(at) else given
        self._starts[at] = self._put_rest(encoded(rest) if any(rest) else b"", start)

    def of_role(self, role: Role) -> Sequence[int]:
        """The positions of the messages of a role."""
        roles = self._marks() >> 4 & 0b111
        return np.flatnonzero(roles == _ROLE_NUMBERS[role]).tolist()

    def opaque(self) -> Iterator[Message]:
        """The messages with a part of a provider's own kind."""
        return map(self._at, np.flatnonzero(self._marks() & _OPAQUE).tolist())

    def merged(self) -> Iterator[Message]:
        """The messages whose contents lie in several places."""
        return map(self._at, np.flatnonzero(self._marks() & _MERGED).tolist())

    def __len__(self) -> int:
        return len(self._heads)

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | Sequence[Message]:
        if isinstance(index, slice):
            return [self._at(at) for at in range(*index.indices(len(self)))]
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(index)
        return self._at(at)

    def __iter__(self) -> Iterator[Message]:
        return map(self._at, range(len(self)))

    def _marks(self) -> NDArray[np.uint16]:
        return np.array(self._heads, dtype=np.uint16)

    def _columns(self, at: int, message: Message, given: str) -> tuple[int, int, int, bytes]:
        """The line, the place, the head and the rest of a message at a position; `given` is its id."""
        more: tuple[int, ...] = ()
        if isinstance(message, Outline):
            place, more, parts = message.place, message.more, message.parts
        else:
            place, parts = self.keep(message), outlines_of_parts(message.parts)
        usual = _usual(parts)
        head = _ROLE_NUMBERS[message.role] * 16 + usual * 4 + message.typed * 2 + message.moved
        if usual != _FILLED_NUMBER:
            head |= (_MERGED if more else 0) | (_OPAQUE if _has_opaque(parts) else 0)
            head |= _SILENT if says_nothing(parts) else 0
        rest: tuple[Any, ...] = (0 if given == _id_by_place(at) else given, message.name, message.created)
        if usual == _OTHER or more or message.origin is not None:
            origin = None if message.origin is None else message.origin.to_json()
            rest = (*rest, _packed(parts) if usual == _OTHER else (), more, origin)
        elif not any(rest):
            return message.line, place, head, _NOTHING if rest[0] == "" else b""
        return message.line, place, head, encoded(rest)

    def _put_rest(self, rest: bytes, before: int) -> int:
        """Where what the columns do not say begins, counted from 1; 0 where there is nothing."""
        if not rest:
            return 0
        room = self._rest.index(b"\n", before) - before + 1 if before else -1
        if len(rest) <= room:
            self._rest[before - 1 : before - 1 + room] = rest.ljust(room)
            return before
        self._rest += rest
        self._rest += b"\n"
        return len(self._rest) - len(rest)

    def _at(self, at: int) -> Message:
        role, usual, typed, moved = _HEADS[self._heads[at] & _HEAD_BITS]
        start = self._starts[at]
        line, place = self.lines[at], self.places[at]
        if not start:
            return Outline(role, _USUAL[usual], _id_by_place(at), "", "", line, typed, None, moved, place)
        given, name, created, *others = decoded(self._rest[start - 1 : self._rest.index(b"\n", start)])
        parts = _USUAL[usual] if usual < _OTHER else _unpacked(others[0])
        more, origin = (tuple(others[1]), origin_from_json(others[2])) if others else ((), None)
        given = given if isinstance(given, str) else _id_by_place(at)
        return Outline(role, parts, given, intern(name), created, line, typed, origin, moved, place, more)


def with_parts(messages: Sequence[Message]) -> Iterator[Message | None]:
    """Each message, in order; None in place of an outline that is a text or nothing, which takes no time to make."""
    if not isinstance(messages, OutlineList):
        yield from messages
        return
    for at in range(len(messages)):
        yield None if messages.is_plain(at) else messages[at]


def holds_opaque(messages: Sequence[Message]) -> bool:
    """Whether one of the messages has a part of a provider's own kind."""
    if isinstance(messages, OutlineList):
        return next(messages.opaque(), None) is not None
    return any(_has_opaque(message.parts) for message in messages)


def lines_of(messages: Sequence[Message]) -> Iterable[int]:
    """Where each message stands in the source."""
    return messages.lines if isinstance(messages, OutlineList) else (message.line for message in messages)


def places_of(outlines: Sequence[Message]) -> array[int]:
    """Where the contents of outlines lie, the first of them where several were merged."""
    if isinstance(outlines, OutlineList):
        return outlines.places
    return array("Q", (one.place for one in outlines if isinstance(one, Outline)))


def merged_in(outlines: Sequence[Message]) -> Iterable[Outline]:
    """The outlines whose contents lie in several places."""
    some = outlines.merged() if isinstance(outlines, OutlineList) else outlines
    return (one for one in some if isinstance(one, Outline) and one.more)


def says_nothing(parts: Sequence[Part]) -> bool:
    """Whether parts hold no word, call, picture or anything else; a result is what it holds."""
    for part in parts:
        if isinstance(part, TextPart):
            if part.text and not part.text.isspace():
                return False
        elif not isinstance(part, ToolResultPart) or not says_nothing(part.content):
            return False
    return True


def _has_opaque(parts: Sequence[Part]) -> bool:
    for part in parts:
        if isinstance(part, OpaquePart) or (isinstance(part, ToolResultPart) and _has_opaque(part.content)):
            return True
    return False


def _usual(parts: tuple[Part, ...]) -> int:
    """Which of the usual parts these are, by identity but for none at all."""
    if parts is _FILLED_ALONE:
        return _FILLED_NUMBER
    if parts is _BLANK_ALONE:
        return _BLANK_NUMBER
    return _OTHER if parts else 0


def _id_by_place(at: int) -> str:
    return f"m{at + 1}"


def outlines_of_parts(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts without their texts; a text alone, as most messages are, takes no memory of its own."""
    if len(parts) == 1 and isinstance(text := parts[0], TextPart):
        return _BLANK_ALONE if not text.text or text.text.isspace() else _FILLED_ALONE
    return tuple(map(_outline, parts))


def _outline(part: Part) -> Any:
    match part:
        case TextPart(text=text):
            return _BLANK if not text or text.isspace() else _FILLED
        case ToolCallPart():
            return ToolCallPart(part.id, intern(part.name), "")
        case ToolResultPart():
            return ToolResultPart(part.call_id, tuple(map(_outline, part.content)), part.is_error)
        case ReasoningPart():
            return ReasoningPart("", provider=part.provider)
        case ImagePart():
            return ImagePart({}, part.width, part.height, part.detail)
        case FilePart():
            return FilePart({}, part.name)
        case AudioPart():
            return AudioPart({})
        case OpaquePart():
            return OpaquePart(part.kind, {}, part.provider)


def contents_to_json(parts: Sequence[Part]) -> bytes:
    """The parts of a message on one line."""
    return encoded(_packed(parts))


def contents_from_json(line: bytes) -> tuple[Part, ...]:
    """The inverse of contents_to_json."""
    return _unpacked(decoded(line))


def _packed(parts: Sequence[Part]) -> Any:
    """Parts as JSON: a text alone as a string, one result of a text alone as two strings, any others as objects."""
    if len(parts) == 1:
        part = parts[0]
        if isinstance(part, TextPart) and part.origin is None and not part.left_out:
            return part.text
        if isinstance(part, ToolResultPart) and part.origin is None and not part.is_error and len(part.content) == 1:
            text = part.content[0]
            if isinstance(text, TextPart) and text.origin is None and not text.left_out:
                return part.call_id, text.text
    return parts_to_json(parts)


def _unpacked(value: Any) -> tuple[Part, ...]:
    """The inverse of _packed."""
    if isinstance(value, str):
        return (TextPart(value),)
    if value and isinstance(value[0], str):
        return (ToolResultPart(value[0], (TextPart(value[1]),)),)
    return parts_from_json(value)


def encoded(value: Any) -> bytes:
    """JSON on one line; what pydantic's writer refuses, as it is too deep, is written by Python's."""
    try:
        return to_json(value)
    except ValueError:
        return _ENCODER.encode(value).encode()


def decoded(data: bytes | bytearray) -> Any:
    """The value that `encoded` wrote."""
    try:
        return from_json(data, cache_strings="keys")
    except ValueError:
        return json.loads(data)
