"""Scan texts: every string, whole for what may be long, else in bounded lines, within a bounded time.

A find is a value with its kind and the places where it stands. Whoever keeps what was found keeps no value.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from budgeteer.scanning.long_rules import LONG_KINDS, long_hits_in
from budgeteer.scanning.rules import KINDS, hits_in

type Path = tuple[str | int, ...]

MOST_SECONDS: Final = 120.0
"""After so much computing time a scan ends with what it has, and says so; a busy machine does not shorten it."""
MOST_VALUES: Final = 5_000
"""After so many different values a scan ends, and says so: nobody decides on so many."""
MOST_PLACES: Final = 5
"""As many places of one value are named; of more, how many."""

_LONGEST_LINE: Final = 2_000
"""Longer lines are cut, so that a pattern that looks ahead to the end of its line takes a bounded time."""
_OVERLAP: Final = 300
"""What two pieces of one line share; what the rules for pieces find is shorter."""
_BATCH_CHARS: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class ValueAt:
    """Where a value stands: the path of the string, as it was given, and the characters."""

    path: Path
    start: int
    end: int


@dataclass(slots=True)
class Find:
    """One value. `places` are the first MOST_PLACES of `count`."""

    value: str
    kind: str
    places: list[ValueAt] = field(default_factory=list)
    count: int = 0


@dataclass(frozen=True, slots=True)
class Scan:
    """What was found, in the order of the texts. `is_whole` is False where time ran out or too much was found."""

    finds: tuple[Find, ...]
    is_whole: bool


def kinds() -> tuple[str, ...]:
    """Everything that is looked for, a rule each."""
    return (*KINDS, *LONG_KINDS)


def scan_texts(strings: Iterable[tuple[Path, str]], *, clock: Callable[[], float] = time.thread_time) -> Scan:
    """Scan strings, each under a path of its own; they are taken one after the other, and some are held at once."""
    found: dict[str, Find] = {}
    texts: dict[Path, str] = {}
    pending: dict[Path, list[tuple[ValueAt, str]]] = {}
    until = clock() + MOST_SECONDS
    is_whole = True
    for batch in _batches(strings):
        if clock() >= until or len(found) >= MOST_VALUES:
            is_whole = False
            break
        texts |= batch.begun
        for place, kind in batch.hits():
            pending.setdefault(place.path, []).append((place, kind))
        for path in batch.ended:
            _count(found, texts.pop(path), pending.pop(path, ()))
    for path, places in pending.items():
        _count(found, texts[path], places)
    finds = tuple(islice(found.values(), MOST_VALUES))
    return Scan(finds, is_whole=is_whole and len(found) == len(finds))


def scan_document(document: Mapping[str, Any], *, clock: Callable[[], float] = time.thread_time) -> Scan:
    """Scan every string of a document."""
    return scan_texts(strings_of(document), clock=clock)


def _count(found: dict[str, Find], text: str, places: Iterable[tuple[ValueAt, str]]) -> None:
    """Add what was found in one text, but what lies within a longer one: a host's address in a password's address."""
    reached = -1
    for place, kind in sorted(places, key=lambda each: (each[0].start, -each[0].end)):
        if place.end <= reached:
            continue
        reached = place.end
        value = text[place.start : place.end]
        find = found.setdefault(value, Find(value, kind))
        find.count += 1
        find.places += [place] if len(find.places) < MOST_PLACES else []


def strings_of(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Every string of a document with its path; keys are no texts."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from strings_of(inner, (*path, key))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from strings_of(inner, (*path, at))


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of a string: where it begins, its length, and how many of its characters the piece before holds too."""

    path: Path
    offset: int
    chars: int
    shared_chars: int


@dataclass(slots=True)
class _Batch:
    """Pieces of strings joined by line ends: where each begins in `text`, and what it is a piece of.

    `begun` are the strings, whole, whose first piece is here, `ended` those whose last piece is here or in the batch
    before.
    """

    text: str = ""
    starts: list[int] = field(default_factory=list)
    pieces: list[_Piece] = field(default_factory=list)
    begun: dict[Path, str] = field(default_factory=dict)
    ended: list[Path] = field(default_factory=list)

    def hits(self) -> Iterator[tuple[ValueAt, str]]:
        """Each hit that does not lie in the piece before, as far as its own piece goes, and its place."""
        for path, text in self.begun.items():
            for hit in long_hits_in(text):
                yield ValueAt(path, hit.start, hit.end), hit.kind
        for hit in hits_in(self.text):
            at = bisect_right(self.starts, hit.start) - 1
            piece = self.pieces[at]
            begin, end = hit.start - self.starts[at], min(hit.end - self.starts[at], piece.chars)
            if begin < end and piece.shared_chars < end:
                yield ValueAt(piece.path, piece.offset + begin, piece.offset + end), hit.kind


def _batches(strings: Iterable[tuple[Path, str]]) -> Iterator[_Batch]:
    parts: list[str] = []
    batch, chars = _Batch(), 0
    for path, text in strings:
        end = 0
        batch.begun[path] = text
        for offset, piece in _pieces(text):
            batch.starts.append(chars)
            batch.pieces.append(_Piece(path, offset, len(piece), end - offset))
            end = offset + len(piece)
            parts.append(piece)
            chars += len(piece) + 1
            if chars >= _BATCH_CHARS:
                batch.text = "\n".join(parts)
                yield batch
                parts, batch, chars = [], _Batch(), 0
        batch.ended.append(path)
    if batch.ended:
        batch.text = "\n".join(parts)
        yield batch


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """A text with its lines in one piece as long as they are short, and a long line in overlapping ones."""
    if len(text) <= _LONGEST_LINE:
        yield 0, text
        return
    start = held = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if end - start > _LONGEST_LINE:
            if held < start:
                yield held, text[held:start]
            for cut in range(start, end, _LONGEST_LINE - _OVERLAP):
                yield cut, text[cut : min(cut + _LONGEST_LINE, end)]
            held = end
        elif end - held >= _BATCH_CHARS:
            yield held, text[held:end]
            held = end
        start = end + 1
    if held < len(text):
        yield held, text[held:]
