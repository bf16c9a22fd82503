"""The runs of many texts found and priced at once, as arrays: what claude_counter does segment by segment.

A batch of texts is one array of characters. It is cut wherever their class changes, and what is in no piece with
anything else costs by its length alone: digits, line ends, tabs and blanks. What stays are words and runs of
punctuation, which have marks where a blank is beside them. Of at most 16 characters that have a letter they are two
machine words, by which their tokens are looked up in tables of those that were seen; nothing is hashed away, both words
are compared. What is longer or has no letter is counted by its text, and what is new is tiled all at once. A stretch
between two words that holds a character of none of these classes is counted as a whole.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from budgeteer.engine.counting.claude.claude_characters import (
    ALONE,
    ALONE_LETTER,
    KIND_BITS,
    NO_LETTER,
    WORD,
    letter_and_kinds,
)
from budgeteer.engine.counting.claude.claude_vocabulary import BEGIN, END, LONGEST_RUN, ClaudeVocabulary

type Codes = npt.NDArray[np.uint32]
type Letters = npt.NDArray[np.uint8]
type Flags = npt.NDArray[np.bool_]
type Positions = npt.NDArray[np.int64]
type Tokens = npt.NDArray[np.int64]
type Keys = npt.NDArray[np.uint64]

#: Stands for characters that join with nothing, and at both ends of a text. Normalized texts hold no such character.
ALONE_SIGN: Final = chr(ALONE_LETTER)
#: Suffixes of contractions (ctok 1.3, constants.CONTRACTION_SUFFIXES).
SUFFIXES: Final = ("s", "t", "d", "m", "ll", "re", "ve")

_APOSTROPHE, _ZERO = map(ord, "'0")
_WORD_BYTES: Final = 8
_KEPT_CHARS: Final = 2 * _WORD_BYTES
#: Bits of the number of places of a table: 1.3 MB each, and two of them for each family.
_TABLE_BITS: Final = 16
#: Odd constants that spread the bits of two words over the places of each of the two tables.
_SPREAD: Final = ((0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F), (0xD6E8FEB86659FD93, 0xA0761D6478BD642F))
_MASKS: Final = np.array([(1 << 8 * size) - 1 for size in range(_WORD_BYTES + 1)], np.uint64)
#: Where the marks of a run of punctuation stand in the second machine word: its last byte, which it must leave free.
_MARKS_AT: Final = np.uint64(8 * (_WORD_BYTES - 1))
#: Signs before punctuation that say which marks are before and behind it: _MARKED, with _BEGINS and _ENDS.
MARKS: Final = {"\x04": ("", ""), "\x05": (BEGIN, ""), "\x06": ("", END), "\x07": (BEGIN, END)}
_BEGINS, _ENDS, _MARKED = map(np.uint8, (1, 2, 4))
_MARKS_OF: Final = {ord(sign): marks for sign, marks in MARKS.items()}

#: The classes of characters. What is of the first two may have marks, what is of the next four costs by its length.
_WORD, _PUNCTUATION, _DIGIT, _LINE_END, _TAB, _BLANK, _ALONE, _OTHER = range(8)
_OF_LENGTH: Final = {_DIGIT: "0", _LINE_END: "\n", _TAB: "\t", _BLANK: " "}


def _class_of(letter: int) -> int:
    char = chr(letter)
    found = {char: number for number, char in _OF_LENGTH.items()}.get(char)
    if found is not None:
        return found
    if char.isascii():
        if letter == ALONE_LETTER:
            return _ALONE
        if char.isalpha():
            return _WORD
        return _PUNCTUATION if char.isprintable() else _OTHER
    return _OTHER if letter == NO_LETTER else _PUNCTUATION


_CLASSES: Final = bytes(map(_class_of, range(256)))


class CharacterTable:
    """A small number for every character, found when it first occurs: 2.2 MB for all of Unicode.

    Args:
        find: the number of one character, 1 to 65535.
    """

    def __init__(self, find: Callable[[int], int]) -> None:
        self._find = find
        self._found = np.zeros(sys.maxunicode + 1, np.uint16)

    def of(self, codes: Codes) -> npt.NDArray[np.uint16]:
        """The number of each character."""
        found: npt.NDArray[np.uint16] = self._found.take(codes)
        if found.size and not found.min():
            for code in set(codes[found == 0].tolist()):
                self._found[code] = self._find(code)
            found = self._found[codes]
        return found


class _Table:
    """Tokens by two machine words; a place holds one pair, and the newest stays.

    Threads share it: who looks a pair up sees all of what another one puts there, or nothing of it.
    """

    def __init__(self, spread: tuple[int, int]) -> None:
        self._spread = (np.uint64(spread[0]), np.uint64(spread[1]))
        self._keys = np.zeros((2, 1 << _TABLE_BITS), np.uint64)
        self._tokens = np.zeros(1 << _TABLE_BITS, np.int32)
        self._lock = Lock()

    def find(self, low: Keys, high: Keys) -> tuple[Tokens, npt.NDArray[np.bool_]]:
        """The tokens of each pair, and whether it is there; no segment has the pair of zeros."""
        places = self._places(low, high)
        with self._lock:
            lows, highs, tokens = self._keys[0].take(places), self._keys[1].take(places), self._tokens.take(places)
        return tokens.astype(np.int64), (lows == low) & (highs == high)

    def is_free(self, low: Keys, high: Keys) -> npt.NDArray[np.bool_]:
        """Whether the place of each pair holds none."""
        free: npt.NDArray[np.bool_] = self._keys[0][self._places(low, high)] == 0
        return free

    def put(self, low: Keys, high: Keys, tokens: Tokens) -> None:
        places = self._places(low, high)
        with self._lock:
            # Of two pairs of one place the last one is kept by all three assignments alike.
            self._keys[0][places], self._keys[1][places], self._tokens[places] = low, high, tokens

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


@functools.cache
def _characters() -> CharacterTable:
    """What stands for each character, the same in all families."""
    return CharacterTable(letter_and_kinds)


@dataclass(frozen=True, slots=True)
class Batch:
    """Texts in a row, where each begins, and of each character its code, its kinds and its letter."""

    text: str
    codes: Codes
    firsts: Positions
    kinds: Letters
    letters: Letters

    def texts_with(self, kinds: int) -> list[int]:
        """The numbers of the texts that hold a character of one of these kinds, ascending."""
        return sorted(set(self.text_of(np.flatnonzero((self.kinds & kinds) != 0)).tolist()))

    def text_of(self, positions: Positions) -> Positions:
        """The number of the text at each position."""
        return np.searchsorted(self.firsts, positions, side="right") - 1


@dataclass(frozen=True, slots=True)
class _Runs:
    """Where each run begins and ends, its class, and the classes of those beside it; a word before the first."""

    starts: Positions
    ends: Positions
    kinds: Letters
    before: Letters
    after: Letters

    @classmethod
    def of(cls, classes: Letters, firsts: Positions) -> _Runs:
        edges = np.empty(len(classes), np.bool_)
        np.not_equal(classes[1:], classes[:-1], out=edges[1:])
        edges[0] = True
        edges[firsts] = True
        starts = np.flatnonzero(edges)
        kinds = classes[starts]
        # A text that was cut goes on behind the end of a word.
        before = np.concatenate((np.array([_WORD], np.uint8), kinds[:-1]))
        after = np.concatenate((kinds[1:], np.array([_WORD], np.uint8)))
        return cls(starts, np.append(starts[1:], len(classes)), kinds, before, after)


class _SegmentCosts(Protocol):
    """The tokens of segments by their texts; see claude_counter.SegmentCosts."""

    def __getitem__(self, segment: str, /) -> int: ...

    def count_all(self, segments: Sequence[str], rewritten: Sequence[str] = ()) -> list[int]: ...


class SegmentArrays:
    """The tokens of many texts at once.

    Args:
        costs: the tokens of each segment by its text, in claude_counter's spelling.
        vocabulary: the pieces.
    """

    def __init__(self, costs: _SegmentCosts, vocabulary: ClaudeVocabulary) -> None:
        self._cost_of = costs.__getitem__
        self._count_all = costs.count_all
        self._vocabulary = vocabulary
        self._alone_costs = CharacterTable(lambda code: vocabulary.char_cost(chr(code)))
        self._characters = _characters()
        self._tables = tuple(map(_Table, _SPREAD))
        self._of_length = np.array([vocabulary.costs_of_runs(char) for char in _OF_LENGTH.values()], np.int64)

    def read(self, texts: Sequence[str]) -> Batch:
        """The texts as one array of characters."""
        text = "".join(texts)
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        firsts = np.zeros(len(texts), np.int64)
        np.cumsum([len(text) for text in texts[:-1]], out=firsts[1:])
        found = self._characters.of(codes)
        return Batch(text, codes, firsts, found.astype(np.uint8), (found >> KIND_BITS).astype(np.uint8))

    def count(self, batch: Batch) -> Tokens:
        """The tokens of each text.

        Each is normalized, begins and ends with a character that joins with nothing or at the end of a word from which
        another one goes on, and has no word that ends in a letter which Unicode calls a symbol.
        """
        firsts = batch.firsts
        alone = np.flatnonzero(batch.letters == ALONE_LETTER)
        tokens = np.bincount(batch.text_of(alone), self._alone_costs.of(batch.codes[alone]), len(firsts))
        classes = np.frombuffer(bytearray(batch.letters.tobytes().translate(_CLASSES)), np.uint8)
        if batch.letters.max() == NO_LETTER:
            classes[(batch.letters == NO_LETTER) & (batch.kinds & WORD != 0)] = _WORD
        runs = _Runs.of(classes, firsts)
        sums = np.concatenate(([0], np.cumsum(self._costs(batch, runs))))
        bounds = np.append(np.searchsorted(runs.starts, firsts), len(runs.starts))
        counts: Tokens = tokens.astype(np.int64) + np.diff(sums[bounds])
        return counts

    def _costs(self, batch: Batch, runs: _Runs) -> Tokens:
        """The tokens of each run; those of a stretch that is counted as a whole stand at its first one."""
        kinds, before, after = runs.kinds, runs.before, runs.after
        is_one = runs.ends - runs.starts == 1
        is_punctuation = kinds == _PUNCTUATION
        # An apostrophe alone before a word has no mark, and is one segment with the suffix of a contraction.
        opens = np.flatnonzero(is_punctuation & is_one & (after == _WORD))
        opens = opens[batch.letters[runs.starts[opens]] == _APOSTROPHE]
        suffixed = opens[_has_suffix(batch.letters, runs, opens + 1)]
        stops = runs.ends.copy()
        stops[suffixed] = runs.ends[suffixed + 1]
        begins, ends = before == _BLANK, after == _BLANK
        begins[opens] = False
        ends[:-1] &= is_one[1:]
        marks = (is_punctuation * (_MARKED | begins * _BEGINS | ends * _ENDS)).view(np.uint8)
        marks[suffixed] = _MARKED | _ENDS
        # One blank between what ends with a mark and what begins with one costs nothing beside the two.
        free = (kinds == _BLANK) & is_one & (before <= _PUNCTUATION) & (after <= _PUNCTUATION)
        free[opens[opens > 0] - 1] = False
        of_length = (kinds > _PUNCTUATION) & (kinds <= _BLANK) & ~free
        looked_up = kinds <= _PUNCTUATION
        looked_up[suffixed + 1] = False
        costs = np.zeros(len(kinds), np.int64)
        if kinds.max() == _OTHER:
            whole, first, last = _whole_stretches(runs, batch.firsts)
            looked_up &= ~whole
            of_length &= ~whole
            costs[first] = self._costs_of_stretches(batch, runs.starts[first], stops[last])
        at = np.flatnonzero(of_length)
        costs[at] = self._costs_of_lengths(kinds[at], runs.ends[at] - runs.starts[at])
        at = np.flatnonzero(looked_up)
        costs[at] = self._costs_of_segments(batch, runs.starts[at], stops[at], marks[at])
        return costs

    def _costs_of_lengths(self, kinds: Letters, lengths: Positions) -> Tokens:
        """The tokens of runs that cost by their length."""
        costs = self._of_length[kinds - _DIGIT, np.minimum(lengths, LONGEST_RUN)]
        longer = np.flatnonzero(lengths > LONGEST_RUN)
        if len(longer):
            spans = list(zip(kinds[longer].tolist(), lengths[longer].tolist(), strict=True))
            found = {span: self._cost_of(_OF_LENGTH[span[0]] * span[1]) for span in set(spans)}
            costs[longer] = [found[span] for span in spans]
        return costs

    def _costs_of_stretches(self, batch: Batch, starts: Positions, stops: Positions) -> list[int]:
        """The tokens of stretches that are counted as a whole."""
        codes = batch.codes.copy()
        codes[batch.kinds & ALONE != 0] = ALONE_LETTER
        codes[batch.letters == _ZERO] = _ZERO
        spans = zip(starts.tolist(), stops.tolist(), strict=True)
        return [
            self._cost_of(codes[start:stop].tobytes().decode("utf-32-le", "surrogatepass")) for start, stop in spans
        ]

    def _costs_of_segments(self, batch: Batch, starts: Positions, stops: Positions, marks: Letters) -> Tokens:
        """The tokens of words and of punctuation with its marks."""
        lengths = stops - starts
        keyed = lengths <= np.where(marks, _KEPT_CHARS - 1, _KEPT_CHARS)
        foreign = np.flatnonzero(batch.letters == NO_LETTER)
        if len(foreign) and len(starts):
            # The last segment that begins at or before each of them holds it, or none does.
            holding = np.maximum(np.searchsorted(starts, foreign, side="right") - 1, 0)
            keyed[holding[(foreign >= starts[holding]) & (foreign < stops[holding])]] = False
        low, high = _keys(batch.letters, starts, np.where(keyed, lengths, 0))
        high |= marks.astype(np.uint64) << _MARKS_AT
        costs, there = self._tables[0].find(low, high)
        for table in self._tables[1:]:
            missing = np.flatnonzero(keyed & ~there)
            costs[missing], there[missing] = table.find(low[missing], high[missing])
        missing = np.flatnonzero(keyed & ~there)
        first, again, of = self._tables[0].repeated(low[missing], high[missing])
        new, longer = missing[first], np.flatnonzero(~keyed)
        if len(new) or len(longer):
            rewritten = self._rewritten(_texts(batch, starts[new], stops[new]), marks[new])
            signs = zip(_texts(batch, starts[longer], stops[longer]), marks[longer].tolist(), strict=True)
            signed = [f"{chr(mark)}{text}" if mark else text for text, mark in signs]
            costs[np.concatenate((new, longer))] = self._count_all(signed, rewritten)
            costs[missing[again]] = costs[missing[of]]
            self._keep(low[new], high[new], costs[new])
        return costs

    def _rewritten(self, texts: Sequence[str], marks: Letters) -> list[str]:
        """Words of ASCII and punctuation as they are rewritten."""
        word, spans = self._vocabulary.rewritten_word, zip(texts, marks.tolist(), strict=True)
        return [
            text.join(_MARKS_OF[mark]) if mark else f"{BEGIN}{text}{END}" if text.islower() else word(text)
            for text, mark in spans
        ]

    def _keep(self, low: Keys, high: Keys, tokens: Tokens) -> None:
        """Keep what was counted in the first table where there is room, else in the second."""
        first, second = self._tables
        free = first.is_free(low, high)
        first.put(low[free], high[free], tokens[free])
        out = ~first.find(low, high)[1]
        second.put(low[out], high[out], tokens[out])


def _texts(batch: Batch, starts: Positions, stops: Positions) -> list[str]:
    return [batch.text[start:stop] for start, stop in zip(starts.tolist(), stops.tolist(), strict=True)]


def _has_suffix(letters: Letters, runs: _Runs, words: Positions) -> Flags:
    """Whether each of these words is the suffix of a contraction."""
    starts, ends = runs.starts[words], runs.ends[words]
    found = np.zeros(len(words), np.bool_)
    for suffix in SUFFIXES:
        same = (letters[starts] == ord(suffix[0])) & (letters[ends - 1] == ord(suffix[-1]))
        found |= same & (ends - starts == len(suffix))
    return found


def _whole_stretches(runs: _Runs, firsts: Positions) -> tuple[Flags, Positions, Positions]:
    """Which runs are in a stretch that is counted as a whole, and the first and the last run of each such stretch."""
    outside = runs.kinds != _WORD
    begins = runs.before == _WORD
    begins[np.searchsorted(runs.starts, firsts)] = True
    begins &= outside
    numbers = np.cumsum(begins)
    has_other = np.zeros(numbers[-1] + 1, np.bool_)
    has_other[numbers[runs.kinds == _OTHER]] = True
    whole = outside & has_other[numbers]
    goes_on = np.append(outside[1:] & ~begins[1:], np.False_)
    return whole, np.flatnonzero(whole & begins), np.flatnonzero(whole & ~goes_on)


def _keys(letters: Letters, starts: Positions, lengths: Positions) -> tuple[Keys, Keys]:
    """The letters of each segment as two machine words, zeros behind its last one."""
    data = np.zeros(len(letters) + _KEPT_CHARS, np.uint8)
    data[: len(letters)] = letters
    # Eight characters from each position on: a view of the same memory at every byte.
    words = np.ndarray(len(letters) + _WORD_BYTES + 1, np.dtype("<u8"), data, strides=(1,))
    low = words[starts] & _MASKS.take(np.minimum(lengths, _WORD_BYTES))
    high = np.zeros(len(starts), np.uint64)
    longer = np.flatnonzero(lengths > _WORD_BYTES)
    high[longer] = words[starts[longer] + _WORD_BYTES] & _MASKS[lengths[longer] - _WORD_BYTES]
    return low, high
