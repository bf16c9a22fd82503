"""The lines of a large JSONL file: scanned once, then read again on demand from their positions."""

from __future__ import annotations

import codecs
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, Final, overload

from budgeteer.formats.messages.imported import Skipped
from budgeteer.formats.messages.progress import Progress, ProgressHeartbeat
from budgeteer.formats.reading.decoding import Pieces, controls_in, refuse_binary, too_many_controls
from budgeteer.formats.reading.json_text import JsonLine, objects_on, plain_object
from budgeteer.formats.reading.member_index import Members

PROGRESS_BYTES: Final = 2_000_000
"""Progress is told each time about so much was read: several times a second on any machine."""

FAR_SAMPLED: Final = 1_000
"""How many lines tell the format where those of a file that is held are all looked at."""


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
    """

    def __init__(self, file: IO[bytes], *, depth_limit: int, progress: Progress | None) -> None:
        self._file = file
        self._depth_limit = depth_limit
        self._progress = progress
        self._numbers = array("I")
        self._starts = array("Q")
        self._lengths = array("I")
        self._glued: dict[int, int] = {}
        self._last: tuple[int, dict[str, Any]] = (-1, {})

    def add(self, number: int, start: int, length: int, nth: int) -> None:
        """Note an object: its line, where that begins, its length in bytes, and which object of the line it is."""
        if nth:
            self._glued[len(self._numbers)] = nth
        self._numbers.append(number)
        self._starts.append(start)
        self._lengths.append(length)

    @property
    def current(self) -> int:
        """The place of the object that was looked at last, -1 before the first."""
        return self._last[0]

    @property
    def size(self) -> int:
        """The bytes of all lines."""
        return sum(self._lengths)

    def number(self, at: int) -> int:
        """The number of the line of the object at a place."""
        return self._numbers[at]

    def value(self, at: int) -> dict[str, Any]:
        """The object at a place, 0 being the first; the one looked at last is kept."""
        if self._last[0] != at:
            self._file.seek(self._starts[at])
            raw = self._file.read(self._lengths[at])
            value = plain_object(raw, depth_limit=self._depth_limit)
            if value is None:
                row = Pieces().text(raw).removesuffix("\n")
                objects, _ = objects_on(row, self._numbers[at], depth_limit=self._depth_limit)
                value = objects[self._glued.get(at, 0)]
            self._last = (at, value)
        return self._last[1]

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

    def __init__(self, lines: Sequence[JsonLine], make: Callable[[JsonLine], T]) -> None:
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
        return self._make(self._lines[index])

    def __iter__(self) -> Iterator[T]:
        return map(self._make, self._lines)


def with_place(line: JsonLine) -> tuple[int, str, Any]:
    """A line as (number, "line 3, ", value)."""
    return line.number, f"line {line.number}, ", line.value


def with_number(line: JsonLine) -> tuple[int, Any]:
    """A line as (number, raw message)."""
    return line.number, line.value


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
    pieces = Pieces()
    file.seek(0)
    start = len(codecs.BOM_UTF8) if file.read(3) == codecs.BOM_UTF8 else 0
    file.seek(start)
    controls = told = 0
    for number, raw in enumerate(file, 1):
        if plain_object(raw, depth_limit=depth_limit) is not None:
            lines.add(number, start, len(raw), 0)
        else:
            controls += controls_in(raw)
            row = pieces.text(raw).removesuffix("\n")
            objects, problem = objects_on(row, number, depth_limit=depth_limit)
            for nth in range(len(objects)):
                lines.add(number, start, len(raw), nth)
            if problem is not None:
                skipped.append(problem)
        start += len(raw)
        if progress is not None and start - told >= PROGRESS_BYTES:
            told = start
            progress(start, size, "bytes")
    if too_many_controls(controls, size):
        raise refuse_binary("a binary file", where=where)
    return ScannedFile(lines, tuple(skipped), pieces.warnings())
