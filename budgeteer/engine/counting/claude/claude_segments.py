"""The segments of many texts found and priced at once, as arrays: what claude_counter does segment by segment.

A batch of texts is one array of characters. A run of it ends where words begin or end, and where a text does; runs are
the segments, but that the suffix of a contraction goes with the apostrophe before it and that one blank between two
words costs nothing. A segment of at most 16 ASCII characters is two machine words, by which its tokens are looked up
in tables of those that were seen; nothing is hashed away, both words are compared. What is longer, or not in ASCII, and
what is new is counted by its text.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from budgeteer.engine.counting.claude.claude_characters import ALONE, WORD, kinds_of

type Codes = npt.NDArray[np.uint32]
type Positions = npt.NDArray[np.int64]
type Tokens = npt.NDArray[np.int64]
type Keys = npt.NDArray[np.uint64]

#: Stands for characters that join with nothing, and at both ends of a text. Normalized texts hold no such character.
ALONE_SIGN: Final = "\x01"
#: Suffixes of contractions (ctok 1.3, constants.CONTRACTION_SUFFIXES).
SUFFIXES: Final = ("s", "t", "d", "m", "ll", "re", "ve")

_APOSTROPHE, _BLANK, _ZERO, _NINE = map(ord, "' 09")
_ASCII: Final = 128
_WORD_BYTES: Final = 8
_KEPT_CHARS: Final = 2 * _WORD_BYTES
#: Bits of the number of places of a table: 2.6 MB each, and two of them for each family.
_TABLE_BITS: Final = 17
#: Odd constants that spread the bits of two words over the places of each of the two tables.
_SPREAD: Final = ((0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F), (0xD6E8FEB86659FD93, 0xA0761D6478BD642F))
_MASKS: Final = np.array([(1 << 8 * size) - 1 for size in range(_WORD_BYTES + 1)], np.uint64)


class CharacterTable:
    """A small number for every character, found when it first occurs: 1.1 MB for all of Unicode.

    Args:
        find: the number of one character, 1 to 255.
    """

    def __init__(self, find: Callable[[int], int]) -> None:
        self._find = find
        self._found = np.zeros(sys.maxunicode + 1, np.uint8)

    def of(self, codes: Codes) -> npt.NDArray[np.uint8]:
        """The number of each character."""
        found: npt.NDArray[np.uint8] = self._found[codes]
        if found.size and not found.min():
            for code in set(codes[found == 0].tolist()):
                self._found[code] = self._find(code)
            found = self._found[codes]
        return found


class _Table:
    """Tokens by two machine words; a place holds one pair, and the newest stays."""

    def __init__(self, spread: tuple[int, int]) -> None:
        self._spread = (np.uint64(spread[0]), np.uint64(spread[1]))
        self._keys = np.zeros((2, 1 << _TABLE_BITS), np.uint64)
        self._tokens = np.zeros(1 << _TABLE_BITS, np.int32)

    def find(self, low: Keys, high: Keys) -> tuple[Tokens, npt.NDArray[np.bool_]]:
        """The tokens of each pair, and whether it is there; no segment has the pair of zeros."""
        places = self._places(low, high)
        there = (self._keys[0][places] == low) & (self._keys[1][places] == high)
        return self._tokens[places].astype(np.int64), there

    def is_free(self, low: Keys, high: Keys) -> npt.NDArray[np.bool_]:
        """Whether the place of each pair holds none."""
        free: npt.NDArray[np.bool_] = self._keys[0][self._places(low, high)] == 0
        return free

    def put(self, low: Keys, high: Keys, tokens: Tokens) -> None:
        places = self._places(low, high)
        self._keys[0][places], self._keys[1][places] = low, high
        # Of two pairs of one place the last one is kept by all three assignments alike.
        self._tokens[places] = tokens

    def repeated(self, low: Keys, high: Keys) -> tuple[Positions, Positions, Positions]:
        """Which pairs stand for all, which repeat one of those, and which one each of these repeats.

        A pair that shares its place with another one may be told twice.
        """
        places, numbers = self._places(low, high), np.arange(len(low))
        chosen = np.zeros(1 << _TABLE_BITS, np.int64)
        chosen[places] = numbers
        of = chosen[places]
        repeats = (of != numbers) & (low[of] == low) & (high[of] == high)
        return np.flatnonzero(~repeats), np.flatnonzero(repeats), of[repeats]

    def _places(self, low: Keys, high: Keys) -> Positions:
        mixed = low * self._spread[0] ^ high * self._spread[1]
        mixed ^= mixed >> np.uint64(29)
        return (mixed * self._spread[1] >> np.uint64(64 - _TABLE_BITS)).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Batch:
    """Texts in a row: their characters, where each text begins, and the kinds of each character."""

    codes: Codes
    firsts: Positions
    kinds: npt.NDArray[np.uint8]

    def texts_with(self, kinds: int) -> list[int]:
        """The numbers of the texts that hold a character of one of these kinds, ascending."""
        return sorted(set(self.text_of(np.flatnonzero(self.kinds & kinds)).tolist()))

    def text_of(self, positions: Positions) -> Positions:
        """The number of the text at each position."""
        return np.searchsorted(self.firsts, positions, side="right") - 1


class SegmentArrays:
    """The tokens of many texts at once.

    Args:
        costs: the tokens of each segment by its text, in claude_counter's spelling.
        alone_cost: the tokens of one character that joins with nothing.
    """

    def __init__(self, costs: Mapping[str, int], alone_cost: Callable[[str], int]) -> None:
        self._cost_of = costs.__getitem__
        self._alone_costs = CharacterTable(lambda code: alone_cost(chr(code)))
        self._kinds = CharacterTable(kinds_of)
        self._tables = tuple(map(_Table, _SPREAD))

    def read(self, texts: Sequence[str]) -> Batch:
        """The texts as one array of characters."""
        codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
        firsts = np.zeros(len(texts), np.int64)
        np.cumsum([len(text) for text in texts[:-1]], out=firsts[1:])
        return Batch(codes, firsts, self._kinds.of(codes))

    def count(self, batch: Batch) -> Tokens:
        """The tokens of each text.

        Each is normalized, begins and ends with a character that joins with nothing or at the end of a word from which
        another one goes on, and has no word that ends in a letter which Unicode calls a symbol.
        """
        codes, kinds, firsts = batch.codes.copy(), batch.kinds, batch.firsts
        alone = np.flatnonzero(kinds & ALONE)
        tokens = np.bincount(batch.text_of(alone), self._alone_costs.of(codes[alone]), len(firsts)).astype(np.int64)
        codes[alone] = ord(ALONE_SIGN)
        codes[(codes > _ZERO) & (codes <= _NINE)] = _ZERO
        starts, ends = _segments(codes, (kinds & WORD).astype(np.bool_), firsts)
        sums = np.concatenate(([0], np.cumsum(self._costs(codes, starts, ends))))
        bounds = np.append(np.searchsorted(starts, firsts), len(starts))
        counts: Tokens = tokens + np.diff(sums[bounds])
        return counts

    def _costs(self, codes: Codes, starts: Positions, ends: Positions) -> Tokens:
        """The tokens of each segment."""
        lengths = ends - starts
        keyed = lengths <= _KEPT_CHARS
        foreign = codes >= _ASCII
        if foreign.any():
            before = np.concatenate(([0], np.cumsum(foreign)))
            keyed &= before[ends] == before[starts]
        low, high = _keys(codes, starts, np.where(keyed, lengths, 0))
        costs, there = self._tables[0].find(low, high)
        for table in self._tables[1:]:
            missing = np.flatnonzero(keyed & ~there)
            costs[missing], there[missing] = table.find(low[missing], high[missing])
        missing = np.flatnonzero(keyed & ~there)
        first, again, of = self._tables[0].repeated(low[missing], high[missing])
        counted = np.concatenate((missing[first], np.flatnonzero(~keyed)))
        if counted.size:
            plain = codes.tobytes().decode("utf-32-le", "surrogatepass")
            spans = zip(starts[counted].tolist(), ends[counted].tolist(), strict=True)
            costs[counted] = [self._cost_of(plain[start:end]) for start, end in spans]
            costs[missing[again]] = costs[missing[of]]
            self._keep(low[missing[first]], high[missing[first]], costs[missing[first]])
        return costs

    def _keep(self, low: Keys, high: Keys, tokens: Tokens) -> None:
        """Keep what was counted in the first table where there is room, else in the second."""
        first, second = self._tables
        free = first.is_free(low, high)
        first.put(low[free], high[free], tokens[free])
        out = ~first.find(low, high)[1]
        second.put(low[out], high[out], tokens[out])


def _segments(codes: Codes, in_word: npt.NDArray[np.bool_], texts: Positions) -> tuple[Positions, Positions]:
    """Where each segment begins and ends; what costs nothing is left out."""
    edges = np.empty(len(codes), np.bool_)
    edges[0] = True
    np.not_equal(in_word[1:], in_word[:-1], out=edges[1:])
    edges[texts] = True
    starts = np.flatnonzero(edges)
    ends = np.append(starts[1:], len(codes))
    words = in_word[starts]
    lengths = ends - starts
    # A text begins and ends with a sign, or with the edge of a word that was cut off, so that none of these is at one.
    quoted = np.flatnonzero(~words[:-1] & words[1:] & (codes[ends[:-1] - 1] == _APOSTROPHE) & (lengths[1:] <= 2))
    suffixes = _with_suffix(codes, starts, lengths, quoted)
    ends[suffixes] = ends[suffixes + 1]
    kept = words | (lengths > 1) | (codes[starts] != _BLANK)
    kept[suffixes + 1] = False
    # One blank at the edge of a stretch stands between two words as well: only stretches that end with a word are cut.
    return starts[kept], ends[kept]


def _with_suffix(codes: Codes, starts: Positions, lengths: Positions, quoted: Positions) -> Positions:
    """Those segments of `quoted` behind whose apostrophe the suffix of a contraction is a word of its own."""
    following = quoted + 1
    first = codes[starts[following]]
    second = codes[starts[following] + lengths[following] - 1]
    found = np.zeros(len(quoted), np.bool_)
    for suffix in SUFFIXES:
        found |= (lengths[following] == len(suffix)) & (first == ord(suffix[0])) & (second == ord(suffix[-1]))
    return quoted[found]


def _keys(codes: Codes, starts: Positions, lengths: Positions) -> tuple[Keys, Keys]:
    """The characters of each segment as two machine words, zeros behind its last one."""
    data = np.zeros(len(codes) + _KEPT_CHARS, np.uint8)
    data[: len(codes)] = codes
    # Eight characters from each position on: a view of the same memory at every byte.
    words = np.ndarray(len(codes) + _WORD_BYTES + 1, np.dtype("<u8"), data, strides=(1,))
    low = words[starts] & _MASKS[np.minimum(lengths, _WORD_BYTES)]
    high = words[starts + _WORD_BYTES] & _MASKS[np.maximum(lengths - _WORD_BYTES, 0)]
    return low, high
