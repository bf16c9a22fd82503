r"""Claude's tokens, counted offline: ctok's reconstruction, at twenty and more times its speed.

What is counted: the tokens that a text adds between two characters that join with nothing, such as ideographs. ctok
counts a text as the only message of a request instead, whose frame joins with it: line ends at its end cost nothing or
little there, and in the older families the frame is a space before it. So counts of texts that follow each other add
up (decision 012), and a text alone differs from ctok's by its edges.

Why a sum over segments is exact. The cost of a text is that of its cheapest tiling by pieces (`claude_vocabulary`).
No piece goes on behind the end of a word, none holds the beginning of a word behind anything but a mark of its case,
and none but the contractions ("'t") joins a word with what stands before it. So no tile crosses the edge of a word, and
a text is cut there: into words, and stretches of everything else. What a stretch is rewritten to depends on nothing
beyond the words beside it, and not on which words they are. A stretch that ends in an apostrophe is counted with the
suffix of a contraction behind it. The same segments come again and again, so each is counted once.

Two further facts make stretches few: digits cost by the length of their run alone, and an ideograph, a Hangul syllable
or a character beyond the basic plane is in no piece with another character. tests/engine/counting/ holds all of these
against the vocabularies, and the counts against ctok.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, Literal

from budgeteer.engine.counting.claude_vocabulary import BEGIN, END, ClaudeVocabulary, claude_vocabulary

#: The most segments that are kept, and the longest that is: at most about 40 MB for each family.
_MOST_KEPT: Final = 200_000
_LONGEST_KEPT_CHARS: Final = 64
#: Characters whose segments are listed at once; it goes on to the end of a word.
_BLOCK_CHARS: Final = 200_000
#: Segments that are longer are looked through for long runs of one character.
_LONG_CHARS: Final = 500
#: Marks in a row from which they are put in Unicode's order here: its normal form sorts them by insertion.
_MANY_MARKS: Final = 100

#: Kinds of characters up to which each is replaced by itself: a pattern takes as long as about this many.
_FEW_KINDS: Final = 20

#: Stands for characters that join with nothing, and at both ends of a text. Normalized texts hold no such character.
_ALONE: Final = "\x01"
_ALONE_WRITTEN: Final = "\u4e00"
#: Ends a part of a stretch that was cut behind punctuation, before the one blank behind it.
_ENDED: Final = "\x02"
#: A word that stands beside a stretch when that is counted.
_WORD: Final = "a"

#: Suffixes of contractions (ctok 1.3, constants.CONTRACTION_SUFFIXES).
_SUFFIXES: Final = "s|t|d|m|ll|re|ve"
_ASCII_LETTERS: Final = "A-Za-z"
_DIGITS: Final = "123456789"
_DIGITS_AS_ZERO: Final = str.maketrans(dict.fromkeys(_DIGITS, "0"))
#: Punctuation before one blank ends as a word does, so that a stretch may be cut there too.
_AFTER_PUNCTUATION = re.compile(r"(?<=[!-/:-@\[-`{-~]) (?! )")
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]+")
_RUN = re.compile(r"(.)\1*+", re.DOTALL)
_QUOTES: Final = (("\u2018", "'"), ("\u2019", "'"), ("\u201c", '"'), ("\u201d", '"'))
#: Tibetan vowel signs that are no combining marks but decompose into two.
_DECOMPOSE_INTO_MARKS: Final = frozenset("\u0f73\u0f75\u0f81")


class SegmentCosts(dict[str, int]):
    """The tokens of each segment, counted when it is first looked up and kept while there is room.

    A segment is a word, or a stretch between two words with the suffix of a contraction behind it.
    """

    def __init__(self, vocabulary: ClaudeVocabulary) -> None:
        super().__init__()
        self._vocabulary = vocabulary
        self._is_word = re.compile(f"[{word_class()}]")
        self._word_tokens = vocabulary.cost(vocabulary.rewritten(_WORD))
        self._alone_tokens = vocabulary.char_cost(_ALONE_WRITTEN)

    def __missing__(self, segment: str) -> int:
        tokens = self._count(segment)
        if len(segment) <= _LONGEST_KEPT_CHARS:
            if len(self) >= _MOST_KEPT:
                self.clear()
            self[segment] = tokens
        return tokens

    def _count(self, segment: str) -> int:
        if len(segment) <= _LONG_CHARS:
            return self._cost(segment)[0]
        *before, last = _AFTER_PUNCTUATION.split(segment)
        if before and not self._is_word.match(segment):
            parts = (part if at == 0 else f" {part}" for at, part in enumerate(before))
            return sum(self[f"{part}{_ENDED}"] for part in parts) + self[f" {last}"]
        short, left_out = _without_long_runs(segment, self._vocabulary)
        tokens, rewritten = self._cost(short)
        left_out.pop(_ALONE, None)  # counted already
        for char, chars in left_out.items():
            # A word's capitals may be written as small letters behind a mark.
            run = self._vocabulary.run_cost(char if char in rewritten else char.lower())
            tokens += chars // run.period * run.tokens
        return tokens

    def _cost(self, segment: str) -> tuple[int, str]:
        """The tokens of a segment, and what it was rewritten to beside the words that stand for its surroundings."""
        vocabulary = self._vocabulary
        if self._is_word.match(segment):
            rewritten = vocabulary.rewritten(segment)
            return vocabulary.cost(rewritten), rewritten
        before_word = not self._is_word.match(segment[-1])
        framed = f"{_WORD}{segment}{_WORD if before_word else ''}".replace(_ENDED, " ")
        if before_word and framed.isascii():
            rewritten = _rewritten_stretch(framed).replace(_ALONE, _ALONE_WRITTEN)
        else:
            rewritten = vocabulary.rewritten(framed.replace(_ALONE, _ALONE_WRITTEN))
        beside = self._word_tokens * (1 + before_word) + self._alone_tokens * segment.count(_ALONE)
        return vocabulary.cost(rewritten) - beside, rewritten


def _rewritten_stretch(framed: str) -> str:
    """A stretch of ASCII between two words, as ctok's `stream_norm` rewrites it in a fifth of the time.

    Punctuation gets a mark beside a blank, but for the apostrophe before a word and before several blanks.
    """

    def marked(found: re.Match[str]) -> str:
        run, start, end = found[0], *found.span()
        begins = framed[start - 1] == " " and not (run == "'" and framed[end] == _WORD)
        ends = framed[end] == " " and framed[end + 1] != " "
        return f"{BEGIN if begins else ''}{run}{END if ends else ''}"

    between = _PUNCTUATION.sub(marked, framed)[1:-1]
    return f"{BEGIN}{_WORD}{END}{between}{BEGIN}{_WORD}{END}".replace(f"{END} {BEGIN}", f"{END}{BEGIN}")


def _without_long_runs(segment: str, vocabulary: ClaudeVocabulary) -> tuple[str, dict[str, int]]:
    """The segment with each long run of one character shortened, and how many of each were left out, as rewritten."""
    from ctok.constants import LITERAL_MARKER_ESCAPES

    kept: list[str] = []
    left_out: dict[str, int] = {}
    for match in _RUN.finditer(segment):
        run = match[0]
        char = LITERAL_MARKER_ESCAPES.get(match[1], match[1])
        small = char.lower()
        if len(run) > _LONG_CHARS and len(small) == 1:
            costs = (vocabulary.run_cost(char), vocabulary.run_cost(small))
            period = costs[0].period * costs[1].period
            spare = (len(run) - max(cost.steady_chars for cost in costs)) // period * period
            if spare > 0:
                left_out[char] = left_out.get(char, 0) + spare
                run = run[spare:]
        kept.append(run)
    return "".join(kept), left_out


class ClaudeCounter:
    """Claude's tokens by one of ctok's families: reconstructed, so never called exact."""

    kind: Literal["exact", "reconstructed", "calibrated", "estimated", "reported", "unknown"] = "reconstructed"
    per_message_overhead = True

    def __init__(self, name: str) -> None:
        self.name = name

    @functools.cached_property
    def _vocabulary(self) -> ClaudeVocabulary:
        return claude_vocabulary(self.name)

    @functools.cached_property
    def _costs(self) -> SegmentCosts:
        return SegmentCosts(self._vocabulary)

    def count(self, text: str) -> int:
        """The tokens that a text adds between two characters that join with nothing."""
        if not text:
            return 0
        normalized = normalize(text, fold_quotes=self._vocabulary.fold_quotes)
        if normalized.isascii():
            alone, segments = 0, _ascii_segments()
            plain = normalized.translate(_DIGITS_AS_ZERO)
        else:
            found = _alone().findall(normalized)
            alone, segments = sum(map(self._vocabulary.char_cost, found)), _all_segments()
            plain = _without_alone(normalized, set(found))
            for digit in _DIGITS:
                plain = plain.replace(digit, "0")
        cost_of = self._costs.__getitem__
        return alone + sum(sum(map(cost_of, block)) for block in _blocks(f"{_ALONE}{plain}{_ALONE}", segments))

    def count_parts(self, texts: Sequence[str]) -> int:
        """The sum over the texts, each a sequence of its own."""
        return sum(map(self.count, texts))

    def count_all(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text."""
        return list(map(self.count, texts))


def _without_alone(text: str, found: set[str]) -> str:
    """The text with a sign in the place of these characters that join with nothing."""
    if len(found) > _FEW_KINDS:
        return _alone_runs().sub(_ALONE, text)
    for char in found:
        text = text.replace(char, _ALONE)
    return text


def _blocks(text: str, segments: _Segments) -> Iterator[list[str]]:
    """The segments of a text, those of many characters at a time."""
    start = 0
    while start < len(text):
        cut = segments.word_end.search(text, start + _BLOCK_CHARS)
        end = cut.start() + 1 if cut else len(text)
        yield segments.each.findall(text, start, end)
        start = end


class _Segments:
    """The patterns of segments for texts whose words are made of a class of characters.

    A suffix goes with the word before it if that ends in a letter that Unicode calls a symbol, such as a circled one:
    ctok has an apostrophe join such a word otherwise than all others.
    """

    def __init__(self, words: str, symbols: str) -> None:
        suffix = f"(?:{_SUFFIXES})(?![{words}])"
        word = f"[{words}]++(?:'(?<=[{symbols}]'){suffix})?" if symbols else f"[{words}]++"
        # One blank between two words belongs to both and costs nothing, so it is passed over.
        self.each = re.compile(f"({word}|[^{words}]++(?:(?<='){suffix})?)(?:(?<=[{words}]) (?=[{words}]))?")
        self.word_end = re.compile(f"[{words}][^{words}]")


@functools.cache
def _ascii_segments() -> _Segments:
    return _Segments(_ASCII_LETTERS, "")


@functools.cache
def _all_segments() -> _Segments:
    return _Segments(word_class(), _ranges(filter(_is_symbol, _word_codes())))


@functools.cache
def word_class() -> str:
    """The characters of words, as the ranges of a pattern: those that ctok calls wordy, all in the basic plane."""
    return _ranges(_word_codes())


@functools.cache
def _word_codes() -> tuple[int, ...]:
    from ctok.constants import WORDY
    from ctok.normalize import classify

    # Its own function without its cache, which would keep every character of the plane.
    kind = classify.__wrapped__
    return tuple(code for code in range(0x10000) if not 0xD800 <= code < 0xE000 and kind(chr(code)) == WORDY)


def _is_symbol(code: int) -> bool:
    """Whether a letter of ctok's is punctuation, a symbol, a format character or nothing in this Python's Unicode."""
    category = unicodedata.category(chr(code))
    return category[0] in "PS" or category in ("Cf", "Cn")


@functools.cache
def alone_class() -> str:
    """The characters that join with nothing, as the ranges of a pattern.

    Ideographs, Hangul syllables and whatever lies beyond the basic plane take no mark of a word's edge and are in no
    piece of several characters. Those that this Python's Unicode has not assigned are not among them, but beyond.
    """
    blocks = (*range(0x3400, 0x4DC0), *range(0x4E00, 0xA000), *range(0xAC00, 0xD7A4))
    return _ranges((*(code for code in blocks if unicodedata.category(chr(code)) == "Lo"), *range(0x10000, 0x110000)))


@functools.cache
def _alone() -> re.Pattern[str]:
    return re.compile(f"[{alone_class()}]")


@functools.cache
def _alone_runs() -> re.Pattern[str]:
    return re.compile(f"[{alone_class()}]+")


def _ranges(codes: Iterable[int]) -> str:
    """Ascending codes as ranges of a pattern's class."""
    ranges = []
    for _, run in groupby(enumerate(codes), lambda pair: pair[1] - pair[0]):
        stretch = [code for _, code in run]
        ranges.append(f"\\U{stretch[0]:08x}-\\U{stretch[-1]:08x}")
    return "".join(ranges)


def normalize(text: str, *, fold_quotes: bool) -> str:
    """The text as ctok's `nfc` normalizes it, in linear time whatever its marks are."""
    from ctok.constants import FUNNY_SPACE, STRIP_CONTROL, STRIP_PRIVATE, SURROGATE

    if text.isascii():
        return str(STRIP_CONTROL.sub("", text)).replace("\x00", " ")
    # A search for each of these takes longer than to see which characters there are at all.
    there = set(text)
    if not there.isdisjoint(_marks()):
        text = _many_marks().sub(_in_order, text)
    text = unicodedata.normalize("NFC", text)
    for pattern, written in ((SURROGATE, "\ufffd"), (STRIP_CONTROL, ""), (FUNNY_SPACE, " ")):
        if any(map(pattern.match, there)):
            text = pattern.sub(written, text)
    text = text.replace("\x00", " ").replace("\u0e4d\u0e32", "\u0e33")
    if any(map(STRIP_PRIVATE.match, there)):
        text = STRIP_PRIVATE.sub("", text)
    if fold_quotes:
        for curly, straight in _QUOTES:
            text = text.replace(curly, straight)
    return text


def _in_order(marks: re.Match[str]) -> str:
    """Marks decomposed and in canonical order, which has the same normal form."""
    decomposed = "".join(unicodedata.normalize("NFD", mark) for mark in marks[0])
    return "".join(sorted(decomposed, key=unicodedata.combining))


@functools.cache
def _marks() -> frozenset[str]:
    """Combining marks, and what decomposes into them; none lies beyond (Unicode, DerivedCombiningClass.txt)."""
    return _DECOMPOSE_INTO_MARKS.union(mark for mark in map(chr, range(0x20000)) if unicodedata.combining(mark))


@functools.cache
def _many_marks() -> re.Pattern[str]:
    return re.compile(f"[{_ranges(sorted(map(ord, _marks())))}]{{{_MANY_MARKS},}}+")
