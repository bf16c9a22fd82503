"""The lines of a large JSONL file: scanned once, then read again on demand from their positions."""

from __future__ import annotations

import codecs
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, starmap
from typing import IO, Any, Final, overload

from budgeteer.formats.messages.imported import Skipped
from budgeteer.formats.messages.progress import Progress, ProgressHeartbeat
from budgeteer.formats.reading.decoding import Pieces, controls_in, refuse_binary, too_many_controls
from budgeteer.formats.reading.json_text import (
    JsonLine,
    are_plain_objects,
    objects_on,
    plain_object,
    plain_objects,
    stray_sentences,
)
from budgeteer.formats.reading.member_index import Members

PROGRESS_BYTES: Final = 2_000_000
"""Progress is told each time about so much was read: several times a second on any machine."""

READ_AHEAD_BYTES: Final = 262_144
"""Lines, or members of a list, that are read and parsed together where they are looked at in order, in bytes."""

READ_AHEAD: Final = 256
"""How many of them at most: their objects take several times their bytes."""

HELD_BLOCKS: Final = 3
"""Blocks of them that are held: whoever goes through a tree comes back to lines shortly before, or goes two ways."""

FAR_SAMPLED: Final = 1_000
"""How many lines tell the format where those of a file that is held are all looked at."""

FIRST_BYTES: Final = 32_000_000
"""So much of them is held until the format is told: every format looks at them."""


class HeldBlocks[T]:
    """What was read together last: some blocks of values, each by the place of its first; the last used comes first.

    Attributes:
        first: the place of the first value of the block that was used last.
        values: its values, one behind the other.
    """

    def __init__(self) -> None:
        self.first = 0
        self.values: Sequence[T] = ()
        self._others: list[tuple[int, Sequence[T]]] = []

    def turn_to(self, at: int) -> bool:
        """Make the block that holds the value at a place the one that was used last; False where none does."""
        for number, (first, values) in enumerate(self._others):
            if 0 <= at - first < len(values):
                del self._others[number]
                self._others.insert(0, (self.first, self.values))
                self.first, self.values = first, values
                return True
        return False

    def ahead(self, at: int) -> int:
        """How many values to read together from a place on: twice as many as a block holds that ends shortly before.

        Elsewhere it is the one alone. A quarter of the block is short: branches of a tree leave out some lines.
        """
        for first, values in ((self.first, self.values), *self._others):
            if 0 <= at - first - len(values) <= len(values) // 4:
                return max(min(2 * len(values), READ_AHEAD), 1)
        return 1

    def put(self, at: int, values: Sequence[T]) -> None:
        """Hold values that were read from a place on, in the stead of the block that was not used for longest."""
        self._others.insert(0, (self.first, self.values))
        del self._others[HELD_BLOCKS - 1 :]
        self.first, self.values = at, values


class LazyMapping(Mapping[str, Any]):
    """An object of a file, read when it is looked at: `read` gives it by its place."""

    __slots__ = ("_at", "_read")

    def __init__(self, read: Callable[[int], Mapping[str, Any]], at: int) -> None:
        self._read = read
        self._at = at

    def __getitem__(self, key: str) -> Any:
        return self._read(self._at)[key]

    def __contains__(self, key: object) -> bool:
        return key in self._read(self._at)

    def __iter__(self) -> Iterator[str]:
        return iter(self._read(self._at))

    def __len__(self) -> int:
        return len(self._read(self._at))

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key, else the default."""
        return self._read(self._at).get(key, default)

    def whole(self) -> Mapping[str, Any]:
        """The object, read."""
        return self._read(self._at)


def read_now(value: Any) -> Any:
    """A value, read if it is an object that is read when it is looked at: for whoever looks at it more than once."""
    return value.whole() if value.__class__ is LazyMapping else value  # `isinstance` takes five times as long


class LazyLine(JsonLine):
    """A line whose object is read from the file when it is looked at."""

    __slots__ = ("_at", "_lines")
    _lines: LazyLines
    _at: int

    def __init__(self, lines: LazyLines, at: int) -> None:
        object.__setattr__(self, "_lines", lines)
        object.__setattr__(self, "_at", at)

    @property
    def number(self) -> int:
        """Its 1-based number."""
        return self._lines.number(self._at)

    @property
    def value(self) -> Mapping[str, Any]:
        """The object."""
        return self._lines.value(self._at)

    @property
    def object(self) -> Mapping[str, Any]:
        """The object for whoever keeps it: it is read when it is looked at."""
        return LazyMapping(self._lines.value, self._at)


class LazyLines(Sequence[JsonLine]):
    """The objects of a file by their places in it; a slice is a list of lines that are read when they are looked at.

    Args:
        file: opened for reading, at any position.
        depth_limit: the deepest nesting of one line.
        progress: told how many lines were read, each time somebody goes through them.

    Attributes:
        current: the place of the object that was looked at last, -1 before the first.
    """

    def __init__(self, file: IO[bytes], *, depth_limit: int, progress: Progress | None) -> None:
        self._file = file
        self._depth_limit = depth_limit
        self._progress = progress
        self._numbers = array("I")
        self._starts = array("Q")
        self._lengths = array("I")
        self._glued: dict[int, int] = {}
        self._held: HeldBlocks[dict[str, Any]] = HeldBlocks()
        self._first: list[dict[str, Any]] | None = []
        self.current = -1

    def add(self, number: int, start: int, length: int, nth: int) -> None:
        """Note an object: its line, where that begins, its length in bytes, and which object of the line it is."""
        if nth:
            self._glued[len(self._numbers)] = nth
        self._numbers.append(number)
        self._starts.append(start)
        self._lengths.append(length)

    def add_lines(self, number: int, start: int, lengths: Sequence[int]) -> None:
        """Note lines of one object each, one behind the other, from the number and place of the first."""
        self._numbers.extend(range(number, number + len(lengths)))
        self._starts.extend(accumulate(lengths[:-1], initial=start))
        self._lengths.extend(lengths)

    @property
    def size(self) -> int:
        """The bytes of all lines."""
        return sum(self._lengths)

    def number(self, at: int) -> int:
        """The number of the line of the object at a place."""
        return self._numbers[at]

    def value(self, at: int) -> dict[str, Any]:
        """The object at a place, 0 being the first; of lines looked at in order, the next ones are read with it."""
        self.current = at
        if self._first is not None and at < len(self._first):
            return self._first[at]
        held = self._held
        if not 0 <= at - held.first < len(held.values) and not held.turn_to(at):
            held.put(at, self._read(at, held.ahead(at)))
            self._hold_first(at, held.values)
        return held.values[at - held.first]

    def forget_first(self) -> None:
        """Let go of the first objects, now that the format is told; they are read again where they are looked at."""
        self._first = None

    def _hold_first(self, at: int, values: Sequence[dict[str, Any]]) -> None:
        first = self._first
        if first is not None and at == len(first) < FAR_SAMPLED and self._starts[at] - self._starts[0] < FIRST_BYTES:
            first.extend(values)

    def _read(self, at: int, count: int) -> list[dict[str, Any]]:
        """The object at a place, with so many in all behind it if they are lines of one object each."""
        start = self._starts[at]
        end = at + 1
        while end < min(at + count, len(self)) and self._starts[end] - start < READ_AHEAD_BYTES:
            end += 1
        if end > at + 1 and (several := self._read_several(at, end)) is not None:
            return several
        self._file.seek(start)
        raw = self._file.read(self._lengths[at])
        value = plain_object(raw, depth_limit=self._depth_limit)
        if value is None:
            row = Pieces().text(raw).removesuffix("\n")
            objects, _ = objects_on(row, self._numbers[at], depth_limit=self._depth_limit)
            value = objects[self._glued.get(at, 0)]
        return [value]

    def _read_several(self, at: int, end: int) -> list[dict[str, Any]] | None:
        start = self._starts[at]
        self._file.seek(start)
        raw = self._file.read(self._starts[end - 1] + self._lengths[end - 1] - start)
        places = zip(self._starts[at:end], self._lengths[at:end], strict=True)
        rows = [raw[begin - start : begin - start + length] for begin, length in places]
        return plain_objects(rows, depth_limit=self._depth_limit)

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> JsonLine: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[JsonLine]: ...
    def __getitem__(self, index: int | slice) -> JsonLine | Sequence[JsonLine]:
        if isinstance(index, slice):
            return [self._line(at) for at in range(*index.indices(len(self)))]
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(index)
        return self._line(at)

    def __iter__(self) -> Iterator[JsonLine]:
        told = 0
        for at in range(len(self)):
            yield self._line(at)
            if self._progress is not None and self._starts[at] - told >= PROGRESS_BYTES:
                told = self._starts[at]
                self._progress(at + 1, len(self), "lines")

    def numbered(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """(number of its line, object), in order."""
        told = at = 0
        while at < len(self):
            for value in self._values_from(at):
                self.current = at
                yield self._numbers[at], value
                at += 1
            if self._progress is not None and self._starts[at - 1] - told >= PROGRESS_BYTES:
                told = self._starts[at - 1]
                self._progress(at, len(self), "lines")

    def _values_from(self, at: int) -> Sequence[dict[str, Any]]:
        """The object at a place and those that are held behind it."""
        value = self.value(at)
        held = self._held
        return held.values[at - held.first :] if 0 <= at - held.first < len(held.values) else (value,)

    def _line(self, at: int) -> JsonLine:
        return LazyLine(self, at)


def lines_of_members(file: IO[bytes], members: Members, *, depth_limit: int, progress: Progress | None) -> LazyLines:
    """The members of a list of objects as lines with their numbers in the list, from 1."""
    lines = LazyLines(file, depth_limit=depth_limit - members.depth, progress=progress)
    for number, (start, end) in enumerate(zip(members.starts, members.ends, strict=True), 1):
        lines.add(number, start, end - start, 0)
    return lines


class ProgressLines(Sequence[JsonLine]):
    """Lines that are held; whoever goes through them gives word of it."""

    def __init__(self, lines: Sequence[JsonLine], telling: ProgressHeartbeat) -> None:
        self._lines = tuple(lines)
        self._telling = telling

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, index: int) -> JsonLine: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[JsonLine]: ...
    def __getitem__(self, index: int | slice) -> JsonLine | Sequence[JsonLine]:
        return self._lines[index]

    def __iter__(self) -> Iterator[JsonLine]:
        return self._telling.over(self._lines)


class MappedLines[T](Sequence[T]):
    """Lines as what is made of each, made when it is looked at."""

    def __init__(self, lines: Sequence[JsonLine], make: Callable[[int, Mapping[str, Any]], T]) -> None:
        self._lines = lines
        self._make = make

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            return MappedLines(self._lines[index], self._make)
        line = self._lines[index]
        return self._make(line.number, line.value)

    def __iter__(self) -> Iterator[T]:
        lines = self._lines
        pairs = lines.numbered() if isinstance(lines, LazyLines) else ((line.number, line.value) for line in lines)
        return starmap(self._make, pairs)


def with_place(number: int, value: Mapping[str, Any]) -> tuple[int, str, Any]:
    """A line as (number, "line 3, ", value)."""
    return number, f"line {number}, ", value


def with_number(number: int, value: Mapping[str, Any]) -> tuple[int, Any]:
    """A line as (number, raw message)."""
    return number, value


def telling(lines: Sequence[JsonLine]) -> Sequence[JsonLine]:
    """The lines that tell the format: all of a file that is held, the first ones of another."""
    return lines[:FAR_SAMPLED] if isinstance(lines, LazyLines) else lines


@dataclass(frozen=True, slots=True)
class ScannedFile:
    """A file looked through: its objects, the lines that are none, and what decoding replaced (sentences)."""

    lines: LazyLines
    skipped: tuple[Skipped, ...]
    warnings: tuple[str, ...]


def look_through(
    file: IO[bytes], *, size: int, depth_limit: int, progress: Progress | None, where: str = ""
) -> ScannedFile:
    """Every object of a UTF-8 file and every line that is none, one line in memory at a time.

    Raises:
        FormatError: so many control characters are in it that it is no text.
    """
    lines = LazyLines(file, depth_limit=depth_limit, progress=progress)
    skipped: list[Skipped] = []
    stray: list[int] = []
    pieces = Pieces()
    file.seek(0)
    start = len(codecs.BOM_UTF8) if file.read(3) == codecs.BOM_UTF8 else 0
    file.seek(start)
    controls = told = 0
    number = 1
    while rows := file.readlines(READ_AHEAD_BYTES):
        if are_plain_objects(rows, depth_limit=depth_limit):
            lines.add_lines(number, start, list(map(len, rows)))
            start += sum(map(len, rows))
        else:
            for at, raw in enumerate(rows, number):
                if plain_object(raw, depth_limit=depth_limit) is not None:
                    lines.add(at, start, len(raw), 0)
                else:
                    controls += controls_in(raw)
                    row = pieces.text(raw).removesuffix("\n")
                    objects, problem = objects_on(row, at, depth_limit=depth_limit, stray=stray)
                    for nth in range(len(objects)):
                        lines.add(at, start, len(raw), nth)
                    if problem is not None:
                        skipped.append(problem)
                start += len(raw)
        number += len(rows)
        if progress is not None and start - told >= PROGRESS_BYTES:
            told = start
            progress(start, size, "bytes")
    if too_many_controls(controls, size):
        raise refuse_binary("a binary file", where=where)
    return ScannedFile(lines, tuple(skipped), (*pieces.warnings(), *stray_sentences(stray)))
