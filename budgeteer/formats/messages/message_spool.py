"""Messages of a very large file: contents in a scratch file, an outline of each in memory.

`MessageSpool.put` takes a message and gives its outline; a `SpooledMessages` reads the whole ones back, a chunk at a
time. Who imports gives the scratch file: nothing is opened here.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import IO, Final, overload

from budgeteer.engine.content.conversation import Message, Part
from budgeteer.engine.counting.lazy_messages import LazyMessages, outlines_of
from budgeteer.formats.messages.outlines import (
    FEW,
    Outline,
    OutlineList,
    contents_from_json,
    contents_to_json,
    outlines_of_parts,
)
from budgeteer.formats.messages.progress import Progress

CHUNK_BYTES: Final = 262_144
"""About how much JSON one chunk of the scratch file holds. It is not compressed: that would take a quarter longer."""

KEPT_CHUNKS: Final = 8
"""Chunks kept in memory: readers go forward, and back over a few messages only."""

KNOWN_LATER: Final = 100_000
"""Contents that are known again though their lines do not come in order: as many as branches may repeat."""


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
        self._kept: OrderedDict[int, list[bytes]] = OrderedDict()
        self._known = _Addresses()

    def put(self, message: Message, given: str = "") -> Outline:
        """The outline of a message whose contents are put aside; the same contents of the same line only once.

        `given` is the id it has from now on, where that is another one.
        """
        place = self.keep(message)
        return Outline(
            message.role,
            outlines_of_parts(message.parts),
            given or message.id,
            message.name,
            message.created,
            message.line,
            typed=message.typed,
            origin=message.origin,
            moved=message.moved,
            place=place,
        )

    def keep(self, message: Message) -> int:
        """Put the contents of a message aside; their place."""
        data = contents_to_json(message.parts)
        place = self._known.place(message.line, hash(data))
        if place == self._count:
            self._write(data)
        if self.watch is not None:
            self.watch(message, place)
        return place

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
        chunk = b"\n".join(self._pending)
        self._file.seek(self._offsets[-1])
        self._file.write(chunk)
        self._firsts.append(self._count - len(self._pending))
        self._offsets.append(self._offsets[-1] + len(chunk))
        self._pending, self._pending_bytes = [], 0

    def _read(self, place: int) -> tuple[Part, ...]:
        if place >= self._count - len(self._pending):
            return contents_from_json(self._pending[place - self._count])
        number = bisect_right(self._firsts, place) - 1
        return contents_from_json(self._chunk(number)[place - self._firsts[number]])

    def _chunk(self, number: int) -> list[bytes]:
        kept = self._kept.get(number)
        if kept is not None:
            self._kept.move_to_end(number)
            return kept
        self._file.seek(self._offsets[number])
        chunk = self._file.read(self._offsets[number + 1] - self._offsets[number])
        kept = chunk.split(b"\n")
        self._kept[number] = kept
        while len(self._kept) > KEPT_CHUNKS:
            self._kept.popitem(last=False)
        return kept


class _Addresses:
    """Which contents of which line lie where.

    Contents are told apart by Python's hash of their bytes, which nobody can foresee: a line has a few of them.

    Lines come in order, until one comes that was read before (of another branch, or of the next conversation). From
    then on, what lies in order is looked for there, and what came later in a table of the latest.
    """

    def __init__(self) -> None:
        self._free = 0
        self._lines = array("Q")
        self._hashes = array("q")
        self._highest = -1
        self._of_highest: dict[int, int] = {}
        self._later: OrderedDict[tuple[int, int], int] | None = None

    def place(self, line: int, contents: int) -> int:
        """The place of these contents; the next free one, from now on theirs, where they are new."""
        if self._later is None and line < self._highest:
            self._later = OrderedDict()
        place = self._next_in_order(line, contents) if self._later is None else self._later_place(line, contents)
        self._free += place == self._free
        return place

    def _next_in_order(self, line: int, contents: int) -> int:
        if line > self._highest:
            self._highest = line
            self._of_highest.clear()
        place = self._of_highest.setdefault(contents, self._free)
        if place == self._free:
            self._lines.append(line)
            self._hashes.append(contents)
        return place

    def _later_place(self, line: int, contents: int) -> int:
        start = bisect_left(self._lines, line)
        for place in range(start, bisect_right(self._lines, line, lo=start)):
            if self._hashes[place] == contents:
                return place
        later = self._later if self._later is not None else OrderedDict()
        place = later.setdefault((line, contents), self._free)
        if len(later) > KNOWN_LATER:
            later.popitem(last=False)
        return place


class SpooledMessages(LazyMessages):
    """Messages whose contents lie aside, each read when it is looked at; a slice is read when its messages are."""

    def __init__(self, aside: MessageSpool, outlines: Sequence[Message]) -> None:
        self._aside = aside
        self.outlines = outlines if isinstance(outlines, OutlineList) else tuple(outlines)

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
        if isinstance(others, SpooledMessages) and len(self) + len(others) <= FEW:
            return SpooledMessages(self._aside, (*self.outlines, *others.outlines))
        return SpooledMessages(self._aside, OutlineList(self._aside.keep, chain(self.outlines, outlines_of(others))))


def merged(first: Message, second: Message) -> Message:
    """A message with the parts of another one behind its own."""
    if isinstance(first, Outline):
        return first.followed_by(second)
    return replace(first, parts=first.parts + second.parts)


def spliced(first: Sequence[Message], second: Sequence[Message]) -> Sequence[Message]:
    """Messages, then others of the same file."""
    return first.then(second) if isinstance(first, SpooledMessages) else (*first, *second)
