"""A JSON document too large to hold: its large lists and objects are read a member at a time, the rest is held.

A value is what `json_text.parse` makes of it, with a `LazyList` or a `LazyObject` in place of what is large. Members
that are objects are `LazyMapping`s: their JSON is read when it is looked at, so that to keep many takes little.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import IO, Any, Final, SupportsIndex, overload

from budgeteer.formats.messages.progress import ProgressHeartbeat
from budgeteer.formats.reading import json_text
from budgeteer.formats.reading.decoding import Pieces, refuse_binary, too_many_controls
from budgeteer.formats.reading.json_text import JsonProblem
from budgeteer.formats.reading.lazy_jsonl import READ_AHEAD, READ_AHEAD_BYTES, HeldBlocks, LazyMapping
from budgeteer.formats.reading.member_index import Index, Members, NotIndexed, index_members

BEGINNING_MEMBERS: Final = 1_000
BEGINNING_BYTES: Final = 4_000_000
"""The first members of a list or object that tell the format of a document: so many, up to so many bytes."""

_PROGRESS_BYTES: Final = 2_000_000


class MemberReader:
    """Reads members from the file.

    Attributes:
        current: the place among its siblings of the member that was read last, -1 before the first.
    """

    def __init__(self, file: IO[bytes], depth_limit: int, telling: ProgressHeartbeat) -> None:
        self._file = file
        self._depth_limit = depth_limit
        self._telling = telling
        self._told = 0
        self.current = -1

    def read_several(self, members: Members, at: int, end: int) -> list[Any] | dict[str, Any] | None:
        """The values of members from one place to before another, of an object by their keys.

        None where they have to be read one by one.
        """
        raw = self._raw(members.starts[at], members.ends[end - 1])
        depth = self._depth_limit - members.depth
        return json_text.plain_members(raw, end - at, is_object=members.is_object, depth_limit=depth)

    def marks_of(self, members: Members, at: int, end: int) -> list[Any] | dict[str, Any] | None:
        """The members that `read_several` gives, an empty object for each; None where one is no object, too."""
        raw = self._raw(members.starts[at], members.ends[end - 1])
        depth = self._depth_limit - members.depth
        return json_text.marks_of_members(raw, end - at, is_object=members.is_object, depth_limit=depth)

    def read(self, members: Members, at: int, pieces: Pieces | None = None) -> Any:
        """The value of a member of a list; of an object, an object of the member alone.

        Raises:
            JsonProblem: it is no JSON.
        """
        raw = self._raw(members.starts[at], members.ends[at])
        if members.is_object:
            return json_text.parse_bytes(
                b"{%b}" % raw, depth_limit=self._depth_limit - members.depth + 1, pieces=pieces or Pieces()
            )
        return json_text.parse_bytes(raw, depth_limit=self._depth_limit - members.depth, pieces=pieces or Pieces())

    def _raw(self, start: int, end: int) -> bytes:
        self._file.seek(start)
        if abs(start - self._told) >= _PROGRESS_BYTES:
            self._told = start
            self._telling.again()
        return self._file.read(end - start)


class _Values:
    """The values of the members of a list or object; where they are looked at in order, the next ones are held."""

    def __init__(self, members: Members, reader: MemberReader) -> None:
        self.members = members
        self.are_objects = bytearray(len(members))
        self.keys: dict[str, int] = {}
        self._reader = reader
        self._held: HeldBlocks[Any] = HeldBlocks()

    def check(self, pieces: Pieces, telling: ProgressHeartbeat, size: int) -> None:
        """Read every member once, for its key, and for whether it is an object.

        Raises:
            JsonProblem: one is no JSON.
            NotIndexed: one is none, or more than one.
        """
        told = self.members.start
        at = 0
        are_marked = True
        while at < len(self.members):
            end = self._end(at, READ_AHEAD)
            several = self._reader.marks_of(self.members, at, end) if are_marked else None
            if several is None:
                are_marked = False
                several = self._reader.read_several(self.members, at, end)
            values: Iterable[Any] = self._one_by_one(at, end, pieces) if several is None else several
            if isinstance(values, dict):
                self.keys.update(zip(values, range(at, end), strict=True))
                values = values.values()
            self.are_objects[at:end] = bytes(isinstance(value, dict) for value in values)
            at = end
            if self.members.ends[at - 1] - told >= _PROGRESS_BYTES:
                told = self.members.ends[at - 1]
                telling((size + told) // 2, size, "bytes")

    def value(self, at: int) -> Any:
        """The value of a member, whole."""
        self._reader.current = at
        held = self._held
        if not 0 <= at - held.first < len(held.values) and not held.turn_to(at):
            held.put(at, self._read(at, held.ahead(at)))
        return held.values[at - held.first]

    def _read(self, at: int, most: int) -> list[Any]:
        """The value at a place, with at most so many in all behind it."""
        end = self._end(at, most)
        several = self._reader.read_several(self.members, at, end) if end > at + 1 else None
        if several is None:
            value = self._reader.read(self.members, at)
            return list(value.values()) if self.members.is_object else [value]
        return list(several.values()) if isinstance(several, dict) else several

    def _end(self, at: int, most: int) -> int:
        """The place behind the last member that is read together with one: at most so many, as many bytes as held."""
        end, last = at + 1, min(at + most, at + READ_AHEAD, len(self.members))
        while end < last and self.members.ends[end] - self.members.starts[at] <= READ_AHEAD_BYTES:
            end += 1
        return end

    def _one_by_one(self, start: int, end: int, pieces: Pieces) -> Iterator[Any]:
        """The values of members, their keys noted.

        Raises:
            JsonProblem: one is no JSON.
            NotIndexed: one is none, or more than one.
        """
        for at in range(start, end):
            value = self._reader.read(self.members, at, pieces)
            if self.members.is_object:
                if len(value) != 1:
                    raise NotIndexed
                ((key, value),) = value.items()
                self.keys[key] = at
            yield value

    def item(self, at: int) -> Any:
        """A member: an object is read when it is looked at."""
        return LazyMapping(self.value, at) if self.are_objects[at] else self.value(at)

    def beginning(self, places: Iterable[int]) -> Iterator[Any]:
        """The first members of those at some places, whole."""
        left = BEGINNING_BYTES
        for at in islice(places, BEGINNING_MEMBERS):
            yield self.value(at)
            left -= self.members.ends[at] - self.members.starts[at]
            if left <= 0:
                return


class LazyObject(Mapping[str, Any]):
    """A large object of a file, whose members are read when they are looked at."""

    def __init__(self, values: _Values) -> None:
        self._values = values

    def __getitem__(self, key: str) -> Any:
        return self._values.item(self._values.keys[key])

    def __contains__(self, key: object) -> bool:
        return key in self._values.keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._values.keys)

    def __len__(self) -> int:
        return len(self._values.keys)

    def beginning(self) -> dict[str, Any]:
        """The first members, held."""
        keys = self._values.keys
        return dict(zip(keys, self._values.beginning(keys.values()), strict=False))


class LazyList(list[Any]):
    """A large list of a file, whose members are read when they are looked at.

    It is a list for whoever asks whether a value is one. Nothing lies in the list itself: it is not to be changed, nor
    given to what reads lists past their methods (pydantic's writer).
    """

    def __init__(self, values: _Values) -> None:
        super().__init__()
        self._values = values

    def __len__(self) -> int:
        return len(self._values.members)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        if isinstance(index, slice):
            return [self._values.item(at) for at in range(*index.indices(len(self)))]
        at = index.__index__()
        at = at + len(self) if at < 0 else at
        if not 0 <= at < len(self):
            raise IndexError(index)
        return self._values.item(at)

    def __iter__(self) -> Iterator[Any]:
        return map(self._values.item, range(len(self)))

    def __reversed__(self) -> Iterator[Any]:
        return map(self._values.item, range(len(self) - 1, -1, -1))

    def __contains__(self, value: object) -> bool:
        return any(value == each for each in self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list) and len(self) == len(other) and all(map(lambda a, b: a == b, self, other))

    __hash__ = None

    def beginning(self) -> list[Any]:
        """The first members, held."""
        return list(self._values.beginning(range(len(self))))


@dataclass(frozen=True, slots=True)
class LargeValue:
    """The value of a large document, the reader of its members, and what decoding replaced (sentences).

    Attributes:
        members: those of the value itself, where it is a large list of objects and nothing else.
    """

    value: Any
    reader: MemberReader
    warnings: tuple[str, ...]
    members: Members | None


def read_lazily(
    file: IO[bytes], *, size: int, depth_limit: int, telling: ProgressHeartbeat, where: str = ""
) -> LargeValue | None:
    """The value of a large JSON document in UTF-8; None where it has to be looked at as a whole (see `NotIndexed`).

    Raises:
        FormatError: so many control characters are in it that it is no text.
    """
    pieces = Pieces()
    reader = MemberReader(file, depth_limit, telling)
    try:
        index = index_members(
            file,
            size=size,
            depth_limit=depth_limit,
            progress=lambda done, total, unit: telling(done // 2, total, unit),
        )
        around = json_text.parse_bytes(index.around, depth_limit=depth_limit, pieces=pieces)
        large = [_Values(members, reader) for members in index.large]
        value = _with_large(around, index, large)
        for each in large:
            each.check(pieces, telling, size)
    except (NotIndexed, JsonProblem):
        return None
    if too_many_controls(pieces.controls, size):
        raise refuse_binary("a binary file", where=where)
    is_list = isinstance(value, LazyList) and all(large[0].are_objects)
    return LargeValue(value, reader, pieces.warnings(), index.large[0] if is_list else None)


def beginning_of(value: Any) -> Any:
    """A value with the first members of what is large, all held."""
    if isinstance(value, LazyList | LazyObject):
        return value.beginning()
    if isinstance(value, dict):
        return {key: beginning_of(inner) for key, inner in value.items()}
    return [beginning_of(inner) for inner in value] if isinstance(value, list) else value


def held(value: Any) -> Any:
    """A value with everything in it read, as what outlives the file has to be."""
    if isinstance(value, Mapping):
        return {key: held(inner) for key, inner in value.items()}
    return list(map(held, value)) if isinstance(value, list) else value


def _with_large(around: Any, index: Index, large: list[_Values]) -> Any:
    """What stands around the large lists and objects with each in the place of its mark.

    Raises:
        NotIndexed: a mark is not there once, as where a key is given twice.
    """
    left = {f"{index.mark}{number}": values for number, values in enumerate(large)}

    def put(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: put(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [put(inner) for inner in value]
        if isinstance(value, str) and value.startswith(index.mark):
            values = left.pop(value, None)
            if values is None:
                raise NotIndexed
            return LazyObject(values) if values.members.is_object else LazyList(values)
        return value

    found = put(around)
    if left:
        raise NotIndexed
    return found
