"""Messages of a very large file: contents in a scratch file, an outline of each in memory.

An outline is a message without its texts: role, ids, calls and answers are there, so that an importer can number
messages and put results behind their calls as it does with whole ones. `MessageSpool.put` takes a message and gives its
outline; a `SpooledMessages` reads the whole ones back, a chunk at a time. Who imports gives the scratch file: nothing
is opened here.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from array import array
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import IO, Any, Final, overload

from pydantic_core import from_json, to_json

from budgeteer.engine.content.conversation import (
    AudioPart,
    FilePart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    parts_from_json,
    parts_to_json,
)
from budgeteer.engine.counting.lazy_messages import LazyMessages, outlines_of
from budgeteer.formats.messages.progress import Progress

CHUNK_BYTES: Final = 262_144
"""About how much JSON one compressed chunk of the scratch file holds."""

KEPT_CHUNKS: Final = 8
"""Chunks kept unpacked: readers go forward, and back over a few messages only."""

_ENCODER: Final = json.JSONEncoder(separators=(",", ":"))
_DIGEST_BYTES: Final = 12
_FILLED: Final = TextPart("…")
_BLANK: Final = TextPart("")
_FILLED_ALONE: Final = (_FILLED,)
_BLANK_ALONE: Final = (_BLANK,)


@dataclass(frozen=True, slots=True)
class Outline(Message):
    """A message without its texts.

    Attributes:
        place: where its contents lie.
        more: where those of the messages lie that were merged into it.
        digest: of its contents, so that outlines are equal where their messages are.
    """

    place: int = field(default=0, compare=False)
    more: tuple[int, ...] = field(default=(), compare=False)
    digest: bytes = b""

    def followed_by(self, other: Message) -> Outline:
        """This message with the parts of another one behind its own."""
        if not isinstance(other, Outline):
            raise TypeError("an outline is joined with an outline only")
        return replace(
            self,
            parts=self.parts + other.parts,
            more=(*self.more, other.place, *other.more),
            digest=self.digest + other.digest,
        )


class MessageSpool:
    """Contents of messages in a scratch file, in the order in which they came.

    Args:
        file: opened for reading and writing, empty.
        size: how many bytes the messages come from, at least as many as are put aside.
        progress: told how many of these were put aside, a chunk at a time.

    Attributes:
        watch: shown each message that is put aside, and the place of its contents; None where nobody looks.
    """

    def __init__(self, file: IO[bytes], *, size: int = 0, progress: Progress | None = None) -> None:
        self._file = file
        self._size = size
        self._progress = progress
        self.watch: Callable[[Message, int], None] | None = None
        self._written = 0
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        self._count = 0
        self._firsts = array("Q")
        self._offsets = array("Q", [0])
        self._kept: OrderedDict[int, list[tuple[Part, ...]]] = OrderedDict()
        self._known = _Addresses()

    def put(self, message: Message, given: str = "") -> Outline:
        """The outline of a message whose contents are put aside; the same contents of the same line only once.

        `given` is the id it has from now on, where that is another one.
        """
        data = _encoded(parts_to_json(message.parts))
        digest = hashlib.blake2b(data, digest_size=_DIGEST_BYTES).digest()
        place = self._known.place(message.line, digest)
        if place == self._count:
            self._write(data)
        if self.watch is not None:
            self.watch(message, place)
        return Outline(
            message.role,
            _outlines(message.parts),
            given or message.id,
            message.name,
            message.created,
            message.line,
            typed=message.typed,
            origin=message.origin,
            moved=message.moved,
            place=place,
            digest=digest,
        )

    def __len__(self) -> int:
        return self._count

    def parts(self, place: int) -> tuple[Part, ...]:
        """The contents that lie at a place."""
        return self._read(place)

    def whole(self, outline: Message) -> Message:
        """The message of an outline; a message that is none is whole already."""
        if not isinstance(outline, Outline):
            return outline
        parts = tuple(chain.from_iterable(self._read(place) for place in (outline.place, *outline.more)))
        return Message(
            outline.role,
            parts,
            outline.id,
            outline.name,
            outline.created,
            outline.line,
            typed=outline.typed,
            origin=outline.origin,
            moved=outline.moved,
        )

    def _write(self, data: bytes) -> None:
        self._pending.append(data)
        self._pending_bytes += len(data)
        self._count += 1
        if self._pending_bytes >= CHUNK_BYTES:
            self._flush()

    def _flush(self) -> None:
        self._written += self._pending_bytes
        if self._progress is not None:
            self._progress(min(self._written, self._size), self._size, "bytes")
        packed = zlib.compress(b"\n".join(self._pending), level=1)
        self._file.seek(self._offsets[-1])
        self._file.write(packed)
        self._firsts.append(self._count - len(self._pending))
        self._offsets.append(self._offsets[-1] + len(packed))
        self._pending, self._pending_bytes = [], 0

    def _read(self, place: int) -> tuple[Part, ...]:
        if place >= self._count - len(self._pending):
            self._flush()
        number = bisect_right(self._firsts, place) - 1
        return self._chunk(number)[place - self._firsts[number]]

    def _chunk(self, number: int) -> list[tuple[Part, ...]]:
        kept = self._kept.get(number)
        if kept is not None:
            self._kept.move_to_end(number)
            return kept
        self._file.seek(self._offsets[number])
        packed = self._file.read(self._offsets[number + 1] - self._offsets[number])
        kept = [parts_from_json(_decoded(line)) for line in zlib.decompress(packed).split(b"\n")]
        self._kept[number] = kept
        while len(self._kept) > KEPT_CHUNKS:
            self._kept.popitem(last=False)
        return kept


class _Addresses:
    """Which contents of which line lie where; looked up only once lines are read that were read before."""

    def __init__(self) -> None:
        self._lines = array("Q")
        self._digests = bytearray()
        self._highest = -1
        self._of_highest: dict[bytes, int] = {}
        self._every: dict[tuple[int, bytes], int] | None = None

    def place(self, line: int, digest: bytes) -> int:
        """The place of these contents; the next free one, from now on theirs, where they are new."""
        if self._every is None and line < self._highest:
            self._every = {self._at(place): place for place in range(len(self._lines))}
        if self._every is not None:
            place = self._every.setdefault((line, digest), len(self._lines))
        else:
            if line > self._highest:
                self._highest, self._of_highest = line, {}
            place = self._of_highest.setdefault(digest, len(self._lines))
        if place == len(self._lines):
            self._lines.append(line)
            self._digests += digest
        return place

    def _at(self, place: int) -> tuple[int, bytes]:
        return self._lines[place], bytes(self._digests[place * _DIGEST_BYTES : (place + 1) * _DIGEST_BYTES])


class SpooledMessages(LazyMessages):
    """Messages whose contents lie aside, each read when it is looked at; a slice is read when its messages are."""

    def __init__(self, aside: MessageSpool, outlines: Sequence[Message]) -> None:
        self._aside = aside
        self.outlines = tuple(outlines)

    def __len__(self) -> int:
        return len(self.outlines)

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | Sequence[Message]:
        if isinstance(index, slice):
            return SpooledMessages(self._aside, self.outlines[index])
        return self._aside.whole(self.outlines[index])

    def __iter__(self) -> Iterator[Message]:
        return map(self._aside.whole, self.outlines)

    def then(self, others: Sequence[Message]) -> SpooledMessages:
        """These messages, then others that lie in the same place."""
        return SpooledMessages(self._aside, (*self.outlines, *outlines_of(others)))


def _encoded(value: Any) -> bytes:
    """JSON on one line; what pydantic's writer refuses, as it is too deep, is written by Python's."""
    try:
        return to_json(value)
    except ValueError:
        return _ENCODER.encode(value).encode()


def _decoded(data: bytes) -> Any:
    try:
        return from_json(data, cache_strings="keys")
    except ValueError:
        return json.loads(data)


def merged(first: Message, second: Message) -> Message:
    """A message with the parts of another one behind its own."""
    if isinstance(first, Outline):
        return first.followed_by(second)
    return replace(first, parts=first.parts + second.parts)


def spliced(first: Sequence[Message], second: Sequence[Message]) -> Sequence[Message]:
    """Messages, then others of the same file."""
    return first.then(second) if isinstance(first, SpooledMessages) else (*first, *second)


def _outlines(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts without their texts; a text alone, as most messages are, takes no memory of its own."""
    outlines: tuple[Part, ...] = tuple(map(_outline, parts))
    if outlines == _FILLED_ALONE:
        return _FILLED_ALONE
    return _BLANK_ALONE if outlines == _BLANK_ALONE else outlines


def _outline(part: Part) -> Any:
    match part:
        case TextPart(text=text):
            return _BLANK if not text or text.isspace() else _FILLED
        case ToolCallPart():
            return ToolCallPart(part.id, part.name, "")
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
