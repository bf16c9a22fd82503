"""The cheapest tilings of many short texts over one vocabulary at once, as arrays.

`ClaudeVocabulary.cost` walks from one character of one text to the next. Here every character of every text is the
beginning of a walk, and all walks take the same step at once: first along the pieces, which gives the tiles that fit at
each place, then along the texts, which gives the fewest tiles up to each place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import batched
from typing import Final

import numpy as np
import numpy.typing as npt

type Places = npt.NDArray[np.int64]
type Steps = npt.NDArray[np.uint32]

#: The longest piece that is found here, and the longest text.
_LONGEST_PIECE, _LONGEST_TEXT = 32, 80
#: The length of the beginning by which a longer piece is noticed.
_LONGER: Final = _LONGEST_PIECE + 1
#: Stands behind every text, so that no walk goes on from one into the next: no piece holds it.
_BETWEEN: Final = "\ud800"
_BASIC_PLANE: Final = 0x10000
#: Pieces with characters from here on are single characters, and join with nothing.
_LAST: Final = "\uffff"
#: Bits of a step: whether a piece ends there, whether one goes on; the number of the beginning stands above.
_ENDS, _GOES_ON, _NUMBER_AT = 1, 2, 2
#: An odd constant that spreads the bits of a step over the places of the table (Knuth, multiplicative hashing).
_SPREAD: Final = np.uint32(2654435769)
_WORD_BITS: Final = 32
#: Where the key of a step stands above it, so that one look into the table finds both.
_KEY_AT: Final = np.uint64(_WORD_BITS)
#: Beyond what any text costs.
_NOT_REACHED: Final = 1 << 30
#: Texts that are tiled at once.
_AT_ONCE: Final = 4_000


class Tiling:
    """The fewest pieces of each of many texts.

    A piece is found character by character: the table holds, for every beginning of a piece and the character behind
    it, the number of the longer beginning. For 100,000 beginnings that is 2.1 MB, and 130 kB for the characters.

    Args:
        pieces: the vocabulary.
    """

    def __init__(self, pieces: Iterable[str]) -> None:
        pieces = sorted(pieces)
        self._longer = frozenset(piece[:_LONGER] for piece in pieces if len(piece) > _LONGEST_PIECE)
        short = [piece for piece in pieces if len(piece) <= _LONGEST_PIECE and max(piece) < _LAST]
        codes = np.array(short, f"<U{_LONGEST_PIECE}").view(np.uint32).reshape(len(short), _LONGEST_PIECE)
        self._letters = np.zeros(_BASIC_PLANE, np.uint16)
        used = np.flatnonzero(np.bincount(codes.ravel(), minlength=_BASIC_PLANE))[1:]
        self._letters[used] = np.arange(1, len(used) + 1)
        self._alphabet = np.uint32(len(used) + 1)
        letters = self._letters[codes]
        # In order, a piece shares its beginning with the one before; what is behind that is new.
        shared = np.zeros((len(short), _LONGEST_PIECE), np.bool_)
        np.logical_and.accumulate(letters[1:] == letters[:-1], axis=1, out=shared[1:])
        new = ~shared & (letters > 0)
        numbers = np.cumsum(new, dtype=np.uint32).reshape(new.shape)
        # The number of every beginning of a piece: the newest one of that length.
        beginnings = np.maximum.accumulate(np.where(new, numbers, np.uint32(0)), axis=0)
        parents = np.zeros_like(beginnings)
        parents[:, 1:] = beginnings[:, :-1]
        steps = np.arange(1, numbers[-1, -1] + 1, dtype=np.uint32) << np.uint32(_NUMBER_AT)
        steps[beginnings[np.arange(len(short)), (letters > 0).sum(axis=1) - 1] - 1] |= np.uint32(_ENDS)
        parents = parents[new]
        steps[parents[parents > 0] - 1] |= np.uint32(_GOES_ON)
        is_first = parents == 0
        self._first = np.zeros(self._alphabet, np.uint32)
        self._first[letters[new][is_first]] = steps[is_first]
        keys = parents * self._alphabet + letters[new]
        self._build(keys[~is_first], steps[~is_first])

    def _build(self, keys: Steps, steps: Steps) -> None:
        """Put each step at the first free place from its own on."""
        bits = max(2 * len(keys), 8).bit_length()
        self._shift = np.uint32(_WORD_BITS - bits)
        self._last_place = (1 << bits) - 1
        self._table = np.zeros(1 << bits, np.uint64)
        entries, places = keys.astype(np.uint64) << _KEY_AT | steps, self._place(keys)
        while len(entries):
            free = self._table[places] == 0
            self._table[places[free]] = entries[free]
            left = self._table[places] != entries
            entries, places = entries[left], (places[left] + 1) & self._last_place

    def _place(self, keys: Steps) -> npt.NDArray[np.int64]:
        return (keys * _SPREAD >> self._shift).astype(np.int64)

    def _next(self, steps: Steps, letters: npt.NDArray[np.uint16]) -> Steps:
        """The step that a letter leads to from each step, 0 where no piece goes on so."""
        keys = (steps >> np.uint32(_NUMBER_AT)) * self._alphabet + letters
        places = self._place(keys)
        entries = self._table.take(places)
        differ = entries >> _KEY_AT != keys
        others = np.flatnonzero(differ & (entries != 0))
        found = entries.astype(np.uint32)
        found *= ~differ
        while len(others):
            places[others] = (places[others] + 1) & self._last_place
            entries = self._table[places[others]]
            same = entries >> _KEY_AT == keys[others]
            found[others[same]] = entries[same]
            others = others[~same & (entries != 0)]
        return found

    def fewest(self, texts: Sequence[str]) -> list[int]:
        """The fewest pieces that each text is made of, 0 where that is not found here.

        That is where a text is long, where a piece that is longer than those here may be in it, and where one of its
        characters is no piece by itself. Time and memory are those of all characters, each times the length of the
        pieces that begin there.
        """
        held = [text if len(text) <= _LONGEST_PIECE or self._holds(text) else "" for text in texts]
        return [tokens for some in batched(held, _AT_ONCE) for tokens in self._fewest(some)]

    def _holds(self, text: str) -> bool:
        starts = range(len(text) - _LONGEST_PIECE)
        return len(text) <= _LONGEST_TEXT and self._longer.isdisjoint(text[at : at + _LONGER] for at in starts)

    def _fewest(self, texts: Sequence[str]) -> list[int]:
        letters = self._letters[np.minimum(_codes(_BETWEEN.join([*texts, ""])), _BASIC_PLANE - 1)]
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        ends = np.cumsum(lengths + 1) - 1
        firsts = ends - lengths
        begins, stops = self._tiles(letters)
        offsets = begins - np.repeat(firsts, lengths + 1)[begins]
        order = np.argsort(offsets.astype(np.uint8), kind="stable")
        begins, stops = begins[order], stops[order]
        best = np.full(len(letters), _NOT_REACHED, np.int32)
        best[firsts] = 0
        start = 0
        # Tiles that begin equally far into their texts end at places that all differ.
        for stop in np.cumsum(np.bincount(offsets)).tolist():
            to = stops[start:stop]
            best[to] = np.minimum(best[to], best[begins[start:stop]] + 1)
            start = stop
        # The place behind each text holds no piece either.
        no_piece = np.flatnonzero(self._first[letters] & np.uint32(_ENDS) == 0)
        if len(no_piece) > len(texts):
            best[ends[np.searchsorted(ends, no_piece[~np.isin(no_piece, ends)])]] = 0
        counts: list[int] = best[ends].tolist()
        return counts

    def _tiles(self, letters: npt.NDArray[np.uint16]) -> tuple[Places, Places]:
        """Where each piece that occurs begins and ends, in no order."""
        steps = self._first.take(letters)
        begins = np.flatnonzero(steps != 0)
        steps, length = steps.take(begins), 1
        none = np.zeros(0, np.int64)
        found = [(none, none)]  # no character need begin a piece
        while len(begins):
            whole = begins.take(np.flatnonzero(steps & np.uint32(_ENDS) != 0))
            found.append((whole, whole + length))
            longer = np.flatnonzero(steps & np.uint32(_GOES_ON) != 0)
            begins = begins.take(longer)
            steps = self._next(steps.take(longer), letters.take(begins + length))
            length += 1
        return np.concatenate([begins for begins, _ in found]), np.concatenate([at for _, at in found])


def _codes(text: str) -> npt.NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
