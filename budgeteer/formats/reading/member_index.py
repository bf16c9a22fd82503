"""Where the members of the large lists and objects of a JSON document lie, found without holding it.

A document is gone through once, a piece at a time: outside strings, brackets and commas tell where members begin and
end. A list or object of many members and many bytes is kept as the places of its members; everything around it is small
and is parsed as JSON, with a mark where it stood. Whether members are JSON is not looked at here.
"""

from __future__ import annotations

import codecs
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Final

import numpy as np
from numpy.typing import NDArray

from budgeteer.formats.messages.progress import Progress
from budgeteer.formats.reading.json_text import MOST_VALUES

CHUNK_BYTES: Final = 1_048_576
MANY_MEMBERS: Final = 64
"""From so many members on, the places of members are noted together, and nothing inside them is looked at."""
LARGE_BYTES: Final = 1_000_000
"""The least size of a list or object whose members are left in the file."""
AROUND_BYTES: Final = 32_000_000
"""The most bytes around those that are held."""

_PROGRESS_BYTES: Final = 2_000_000
_WINDOW: Final = 1_024
"""Brackets and commas looked at together at first, as a list may soon end."""

_OPEN, _CLOSE, _COMMA, _QUOTE, _BACKSLASH = b"[{", b"]}", ord(","), ord('"'), ord("\\")
_SHORT_RUN: Final = 8
"""Backslashes in a row that are counted one by one, for all quotes at once: there are seldom more than three."""
_PARTNER: Final = {ord("["): ord("]"), ord("{"): ord("}")}

_STRUCTURE: Final = bytes(code in b'[]{},"' for code in range(256))
"""Which bytes are looked at, as `bytes.translate` takes it."""
_STEP: Final = np.zeros(256, dtype=np.int64)
_STEP[[*_OPEN]], _STEP[[*_CLOSE]] = 1, -1


type Places = NDArray[np.int64]


class NotIndexed(Exception):
    """The document has to be looked at as a whole: it is damaged, or nothing in it is large by its members."""


@dataclass(slots=True)
class Members:
    """A list or object of a document.

    Attributes:
        start, end: the places of its brackets in the file.
        is_object: whether it is an object.
        depth: how many brackets are open within it, its own included.
        starts, ends: where each member begins, behind the bracket or comma before it, and where it ends.
    """

    start: int
    is_object: bool
    depth: int
    end: int = 0
    starts: array[int] = field(default_factory=lambda: array("Q"))
    ends: array[int] = field(default_factory=lambda: array("Q"))

    def __len__(self) -> int:
        return len(self.starts)


@dataclass(frozen=True, slots=True)
class Index:
    """A document as its large lists and objects, in order, and the JSON around them with a mark in place of each.

    Attributes:
        large: they do not stand within each other.
        around: the JSON around them.
        mark: with the number of one, counted from 0, the string that stands in its place.
    """

    large: tuple[Members, ...]
    around: bytes
    mark: str


def index_members(file: IO[bytes], *, size: int, depth_limit: int, progress: Progress | None = None) -> Index:
    """The index of a JSON document in UTF-8.

    Raises:
        NotIndexed: brackets do not match, nesting is beyond the limit, there is no large list or object, or too much
            around them, or more than `json_text.MOST_VALUES` members.
    """
    scan = _Scan(depth_limit)
    told = 0
    for start, positions, kinds in _structure(file):
        scan.add(positions, kinds)
        if progress is not None and start - told >= _PROGRESS_BYTES:
            told = start
            progress(min(start, size), size, "bytes")
    large = scan.finished()
    if size - sum(one.end - one.start for one in large) > AROUND_BYTES:
        raise NotIndexed
    pieces, at = [], _text_start(file)
    mark = "\ue000large list or object "
    for number, one in enumerate(large):
        pieces += [_between(file, at, one.start), f'"{mark}{number}"'.encode()]
        at = one.end + 1
    pieces.append(_between(file, at, size))
    return Index(large, b"".join(pieces), mark)


def _between(file: IO[bytes], start: int, end: int) -> bytes:
    file.seek(start)
    return file.read(end - start)


def _text_start(file: IO[bytes]) -> int:
    file.seek(0)
    return len(codecs.BOM_UTF8) if file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8 else 0


def _structure(file: IO[bytes]) -> Iterator[tuple[int, Places, NDArray[np.uint8]]]:
    """(how far the file was read, the places of brackets and commas outside strings, which they are), in pieces."""
    start = _text_start(file)
    file.seek(start)
    rest, inside = b"", False
    while chunk := file.read(CHUNK_BYTES):
        chunk = rest + chunk
        rest = b"\\" if (len(chunk) - len(chunk.rstrip(b"\\"))) % 2 else b""
        chunk = chunk[: len(chunk) - len(rest)]
        codes = np.frombuffer(chunk, dtype=np.uint8)
        positions = np.flatnonzero(np.frombuffer(chunk.translate(_STRUCTURE), dtype=np.bool_))
        kinds = codes[positions]
        quotes = kinds == _QUOTE
        escaped = _escaped(codes, positions[quotes])
        if escaped.any():
            meant = np.ones(len(positions), dtype=np.bool_)
            meant[np.flatnonzero(quotes)[escaped]] = False
            positions, kinds, quotes = positions[meant], kinds[meant], quotes[meant]
        within = np.logical_xor.accumulate(np.concatenate(([inside], quotes)))[1:]
        inside = bool(within[-1]) if len(within) else inside
        kept = ~(within | quotes)
        yield start + len(chunk), positions[kept] + start, kinds[kept]
        start += len(chunk)
    if inside or rest:
        raise NotIndexed


def _escaped(codes: NDArray[np.uint8], quotes: Places) -> NDArray[np.bool_]:
    """Which quotes stand behind an odd number of backslashes; `codes` do not begin behind one that is open."""
    escaped = np.zeros(len(quotes), dtype=np.bool_)
    left = np.flatnonzero((quotes > 0) & (codes[quotes - 1] == _BACKSLASH))
    for length in range(1, _SHORT_RUN):
        if not len(left):
            return escaped
        escaped[left] = length % 2 == 1
        left = left[(quotes[left] > length) & (codes[quotes[left] - length - 1] == _BACKSLASH)]
    if len(left):
        others = np.concatenate(([-1], np.flatnonzero(codes != _BACKSLASH)))
        before = others[np.searchsorted(others, quotes[left]) - 1]
        escaped[left] = (quotes[left] - before - 1) % 2 == 1
    return escaped


class _Scan:
    """The lists and objects that are open, from the outermost; of one of many members, the places of these alone."""

    def __init__(self, depth_limit: int) -> None:
        self._depth_limit = depth_limit
        self._open: list[Members] = []
        self._is_far = False
        self._depth = 0
        self._large: list[Members] = []

    def add(self, positions: Places, kinds: NDArray[np.uint8]) -> None:
        """Go on with brackets and commas."""
        if not len(positions):
            return
        depths = self._depth + np.cumsum(_STEP[kinds])
        listed: list[tuple[int, int]] = []
        at = 0
        while at < len(positions):
            if self._is_far:
                at = self._past_members(positions, kinds, depths, at)
            else:
                listed = listed or list(zip(positions.tolist(), kinds.tolist(), strict=True))
                at = self._walk(listed, at)
        self._depth = int(depths[-1])

    def finished(self) -> tuple[Members, ...]:
        """The large lists and objects."""
        if self._open or not self._large:
            raise NotIndexed
        return tuple(self._large)

    def _walk(self, listed: Sequence[tuple[int, int]], at: int) -> int:
        """Take brackets and commas one by one, up to a list or object of many members; the first that is not taken."""
        for number in range(at, len(listed)):
            place, kind = listed[number]
            if kind in _OPEN:
                self._begin(place, is_object=kind == ord("{"))
            elif not self._open:
                raise NotIndexed
            elif kind == _COMMA:
                last = self._open[-1]
                last.ends.append(place)
                last.starts.append(place + 1)
                if len(last) >= MANY_MEMBERS:
                    self._is_far = True
                    return number + 1
            else:
                self._end(place, kind)
        return len(listed)

    def _past_members(self, positions: Places, kinds: NDArray[np.uint8], depths: Places, at: int) -> int:
        """Note the members of the innermost list or object, to its end if it is there; the first that is not taken."""
        last = self._open[-1]
        window = _WINDOW
        while at < len(positions):
            stop = min(at + window, len(positions))
            below = np.flatnonzero(depths[at:stop] < last.depth)
            ended = at + int(below[0]) if len(below) else stop
            is_between = (kinds[at:ended] == _COMMA) & (depths[at:ended] == last.depth)
            commas = positions[at:ended][is_between].astype(np.uint64)
            last.ends.frombytes(commas.tobytes())
            last.starts.frombytes((commas + 1).tobytes())
            if len(last) > MOST_VALUES:
                raise NotIndexed
            if len(below):
                self._is_far = False
                self._end(int(positions[ended]), int(kinds[ended]))
                return ended + 1
            at, window = stop, window * 4
        return at

    def _begin(self, place: int, *, is_object: bool) -> None:
        if len(self._open) >= self._depth_limit:
            raise NotIndexed
        begun = Members(place, is_object, len(self._open) + 1)
        begun.starts.append(place + 1)
        self._open.append(begun)

    def _end(self, place: int, kind: int) -> None:
        ended = self._open.pop()
        if _PARTNER[ord("{") if ended.is_object else ord("[")] != kind:
            raise NotIndexed
        ended.end = place
        ended.ends.append(place)
        if len(ended) >= MANY_MEMBERS and place - ended.start >= LARGE_BYTES:
            self._large = [one for one in self._large if one.start < ended.start]
            self._large.append(ended)
