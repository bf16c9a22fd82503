r"""Claude's tokens, counted offline: ctok's reconstruction, at forty and more times its speed.

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

Further facts make stretches few: digits, line ends, tabs and blanks cost by the length of their run alone, and an
ideograph, a Hangul syllable or a character beyond the basic plane is in no piece with another character. Many texts are
cut at all of these (`claude_segments`). tests/engine/counting/ holds them against the vocabularies, and the counts
against ctok.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal

from budgeteer.engine.counting.claude.claude_characters import (
    CHANGES,
    QUOTE,
    SYMBOL,
    alone_class,
    normalize,
    symbol_class,
    word_class,
)
from budgeteer.engine.counting.claude.claude_segments import ALONE_SIGN, MARKS, SUFFIXES, SegmentArrays
from budgeteer.engine.counting.claude.claude_vocabulary import BEGIN, END, ClaudeVocabulary, claude_vocabulary

#: The most segments that are kept, and the longest that is: at most about 40 MB for each family.
_MOST_KEPT: Final = 200_000
_LONGEST_KEPT_CHARS: Final = 64
#: Characters whose segments are listed at once; it goes on to the end of a word.
_BLOCK_CHARS: Final = 250_000
#: Characters from which texts are counted as arrays: fewer take as long as making the arrays.
_MANY_CHARS: Final = 4_000
#: Segments that are longer are looked through for long runs of one character.
_LONG_CHARS: Final = 500
#: Kinds of characters up to which each is replaced by itself: a pattern takes as long as about this many.
_FEW_KINDS: Final = 20

#: A character that joins with nothing, as a text has it.
_ALONE_WRITTEN: Final = "\u4e00"
#: Ends a part of a stretch that was cut behind punctuation, before the one blank behind it.
_ENDED: Final = "\x02"
#: A word that stands beside a stretch when that is counted.
_WORD: Final = "a"

_ASCII_LETTERS: Final = "A-Za-z"
_DIGITS: Final = "123456789"
_DIGITS_AS_ZERO: Final = str.maketrans(dict.fromkeys(_DIGITS, "0"))
#: Punctuation before one blank ends as a word does, so that a stretch may be cut there too.
_AFTER_PUNCTUATION = re.compile(r"(?<=[!-/:-@\[-`{-~]) (?! )")
#: What is in no piece with anything else, and into how many parts it cuts a stretch that is one run of it.
_RUNS = re.compile(r"(\n+|0+)")
_OF_ONE_RUN: Final = 3
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]+")
_RUN = re.compile(r"(.)\1*+", re.DOTALL)


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

    def count_all(self, segments: Sequence[str], rewritten: Sequence[str] = ()) -> list[int]:
        """The tokens of texts that are rewritten already, then those of segments, which are kept; all tiled at once."""
        vocabulary = self._vocabulary
        new = [segment for segment in segments if segment not in self and _is_simple(segment)]
        costs = vocabulary.costs([*rewritten, *map(self._rewritten_simple, new)])
        if len(self) + len(new) > _MOST_KEPT:
            self.clear()
        if len(new) <= _MOST_KEPT:
            self.update(zip(new, costs[len(rewritten) :], strict=True))
        return [*costs[: len(rewritten)], *map(self.__getitem__, segments)]

    def _rewritten_simple(self, segment: str) -> str:
        marks = MARKS.get(segment[0])
        return self._vocabulary.rewritten_word(segment) if marks is None else segment[1:].join(marks)

    def _count(self, segment: str) -> int:
        marks = MARKS.get(segment[0])
        if marks is not None:
            if len(segment) <= _LONG_CHARS:
                return self._vocabulary.cost(segment[1:].join(marks))
            # Between two words a blank is a mark: only a lone apostrophe has none there.
            return self[segment[1:].join(" " if mark else "" for mark in marks)]
        if segment.isascii():
            if segment.isalpha() and len(segment) <= _LONG_CHARS:
                return self._vocabulary.cost(self._vocabulary.rewritten(segment))
            if _RUNS.search(segment, 1, len(segment) - 1):
                cut = _RUNS.split(segment)
                if any(cut[::2]) or len(cut) > _OF_ONE_RUN:
                    return self._count_parts(cut)
        if len(segment) <= _LONG_CHARS:
            return self._cost(segment)[0]
        *before, last = _AFTER_PUNCTUATION.split(segment)
        if before and not self._is_word.match(segment):
            parts = (part if at == 0 else f" {part}" for at, part in enumerate(before))
            return sum(self[f"{part}{_ENDED}"] for part in parts) + self[f" {last}"]
        short, left_out = _without_long_runs(segment, self._vocabulary)
        tokens, rewritten = self._cost(short)
        left_out.pop(ALONE_SIGN, None)  # counted already
        for char, chars in left_out.items():
            # A word's capitals may be written as small letters behind a mark.
            run = self._vocabulary.run_cost(char if char in rewritten else char.lower())
            tokens += chars // run.period * run.tokens
        return tokens

    def _count_parts(self, parts: Sequence[str]) -> int:
        """The tokens of a stretch of ASCII, given as what stands between runs of digits or line ends, and these runs.

        Both are in no piece with anything else. What stands between is rewritten by what is beside it, so it is counted
        with the last character of the run before it and the first of the one behind.
        """
        tokens, last = 0, len(parts) - 1
        for at, part in enumerate(parts):
            if at % 2:
                tokens += self[part]
            elif part:
                beside = parts[at - 1][-1] if at else "", parts[at + 1][0] if at < last else ""
                tokens += self[part.join(beside)] - sum(self[run] for run in beside if run)
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
            rewritten = _rewritten_stretch(framed).replace(ALONE_SIGN, _ALONE_WRITTEN)
            return vocabulary.cost(rewritten) - self._alone_tokens * segment.count(ALONE_SIGN), rewritten
        rewritten = vocabulary.rewritten(framed.replace(ALONE_SIGN, _ALONE_WRITTEN))
        beside = self._word_tokens * (1 + before_word) + self._alone_tokens * segment.count(ALONE_SIGN)
        return vocabulary.cost(rewritten) - beside, rewritten


def _is_simple(segment: str) -> bool:
    """Whether a segment is a word of ASCII letters or marked punctuation, and short enough to be kept."""
    return len(segment) <= _LONGEST_KEPT_CHARS and (segment[0] in MARKS or (segment.isalpha() and segment.isascii()))


def _rewritten_stretch(framed: str) -> str:
    """A stretch of ASCII, given with a word on both sides, as ctok's `stream_norm` rewrites it in a fifth of the time.

    The words are left out of what is returned: no piece goes on behind the end of a word or begins before one.

    Punctuation gets a mark beside a blank, but for the apostrophe before a word and before several blanks.
    """

    def marked(found: re.Match[str]) -> str:
        run, start, end = found[0], *found.span()
        begins = framed[start - 1] == " " and not (run == "'" and framed[end] == _WORD)
        ends = framed[end] == " " and framed[end + 1] != " "
        return f"{BEGIN if begins else ''}{run}{END if ends else ''}"

    between = _PUNCTUATION.sub(marked, framed)[1:-1]
    return f"{END}{between}{BEGIN}".replace(f"{END} {BEGIN}", f"{END}{BEGIN}")[1:-1]


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

    @functools.cached_property
    def _arrays(self) -> SegmentArrays:
        return SegmentArrays(self._costs, self._vocabulary)

    def count(self, text: str) -> int:
        """The tokens that a text adds between two characters that join with nothing."""
        return self._count_short(text) if len(text) < _MANY_CHARS else self.count_all([text])[0]

    def count_parts(self, texts: Sequence[str]) -> int:
        """The sum over the texts, each a sequence of its own."""
        return sum(map(self.count, texts))

    def count_all(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text."""
        if sum(map(len, texts)) < _MANY_CHARS:
            return list(map(self._count_short, texts))
        return [tokens for batch in _batches(texts) for tokens in self._count_batch(batch)]

    def _count_batch(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text, all of them as arrays; one that is long by itself in blocks."""
        vocabulary, arrays = self._vocabulary, self._arrays
        framed = [f"{_ALONE_WRITTEN}{text}{_ALONE_WRITTEN}" for text in texts]
        batch = arrays.read(framed)
        if changing := batch.texts_with(CHANGES | (QUOTE if vocabulary.fold_quotes else 0)):
            for at in changing:
                framed[at] = normalize(framed[at], fold_quotes=vocabulary.fold_quotes)
            batch = arrays.read(framed)
        # An apostrophe joins words of these letters otherwise than all others; patterns find them.
        if symbols := batch.texts_with(SYMBOL):
            for at in symbols:
                framed[at] = _ALONE_WRITTEN * 2
            batch = arrays.read(framed)
        frame = 2 * vocabulary.char_cost(_ALONE_WRITTEN)
        if len(framed) == 1 and len(framed[0]) > _BLOCK_CHARS:
            counts = [sum(int(arrays.count(arrays.read([block]))[0]) for block in _blocks(framed[0])) - frame]
        else:
            counts = (arrays.count(batch) - frame).tolist()
        for at in symbols:
            counts[at] = self._count_short(texts[at])
        return counts

    def _count_short(self, text: str) -> int:
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
        return alone + sum(map(self._costs.__getitem__, segments.findall(f"{ALONE_SIGN}{plain}{ALONE_SIGN}")))


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """The texts in order, as many at a time as are about a block; a longer one by itself."""
    first, chars = 0, 0
    for at, text in enumerate(texts):
        if at > first and chars + len(text) > _BLOCK_CHARS:
            yield texts[first:at]
            first, chars = at, 0
        chars += len(text)
    if first < len(texts):
        yield texts[first:]


def _without_alone(text: str, found: set[str]) -> str:
    """The text with a sign in the place of these characters that join with nothing."""
    if len(found) > _FEW_KINDS:
        return _alone_runs().sub(ALONE_SIGN, text)
    for char in found:
        text = text.replace(char, ALONE_SIGN)
    return text


def _blocks(text: str) -> Iterator[str]:
    """A text in blocks, each cut where a word ends."""
    start = 0
    while len(text) - start > _BLOCK_CHARS and (cut := _word_ends().search(text, start + _BLOCK_CHARS)):
        yield text[start : cut.start() + 1]
        start = cut.start() + 1
    yield text[start:]


def _segments(words: str, symbols: str) -> re.Pattern[str]:
    """The pattern of segments for texts whose words are made of a class of characters.

    A suffix goes with the word before it if that ends in a letter that Unicode calls a symbol, such as a circled one:
    ctok has an apostrophe join such a word otherwise than all others.
    """
    suffix = f"(?:{'|'.join(SUFFIXES)})(?![{words}])"
    word = f"[{words}]++(?:'(?<=[{symbols}]'){suffix})?" if symbols else f"[{words}]++"
    # One blank between two words belongs to both and costs nothing, so it is passed over.
    return re.compile(f"({word}|[^{words}]++(?:(?<='){suffix})?)(?:(?<=[{words}]) (?=[{words}]))?")


@functools.cache
def _ascii_segments() -> re.Pattern[str]:
    return _segments(_ASCII_LETTERS, "")


@functools.cache
def _all_segments() -> re.Pattern[str]:
    return _segments(word_class(), symbol_class())


@functools.cache
def _word_ends() -> re.Pattern[str]:
    return re.compile(f"[{word_class()}][^{word_class()}]")


@functools.cache
def _alone() -> re.Pattern[str]:
    return re.compile(f"[{alone_class()}]")


@functools.cache
def _alone_runs() -> re.Pattern[str]:
    return re.compile(f"[{alone_class()}]+")
