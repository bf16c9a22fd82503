"""The vocabularies of Claude's tokenizer as the package ctok reconstructed them, and the cheapest tiling over one.

ctok (MIT, Sander Land) found by measurement which pieces cost one token and how a text is rewritten before it is cut:
in Unicode's normal form C, with marks for the beginning of a word, its end and its case. Its data files are read from
the installed package and nothing else is fetched.
"""

from __future__ import annotations

import functools
import importlib.util
import json
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from budgeteer.engine.counting.claude.claude_tiling import Tiling
from budgeteer.engine.errors import TokenizerUnavailable

#: Name of the tokenizer -> ctok's name of its family.
CLAUDE_FAMILIES: Final[Mapping[str, str]] = {"claude-v3": "v3", "claude-v4.7": "v4.7", "claude-v4.8": "v4.8"}

#: Marks of a word in ctok's internal spelling: where it begins and ends, and that its first letter or all are capitals.
BEGIN, END, SHIFT, CAPS = "\ufdd0", "\ufdd1", "\ufdd3", "\ufdd4"

#: The longest run of one character whose tokens `costs_of_runs` gives.
LONGEST_RUN: Final = 255

_FALLBACK: Final = "bytes_fallback"


@dataclass(frozen=True, slots=True)
class RunCost:
    """What a run of one character costs once it is long: `tokens` more for each `period` characters more.

    Attributes:
        period: the length of the longest piece that is made of this character alone; 1 where there is none.
        tokens: what `period` characters cost.
        steady_chars: the length from which that holds, whatever stands around the run.
    """

    period: int
    tokens: int
    steady_chars: int


@dataclass(frozen=True)
class ClaudeVocabulary:
    """One family: its pieces, each one token, and the settings by which a text is rewritten.

    Attributes:
        prefixes: every piece in ctok's internal spelling, in which each mark is one character, and whatever a piece
            begins with; whether it is a piece itself.
        units: the characters that are pieces themselves.
        longest: the length of the longest piece.
        fold_quotes: whether curly quotes become straight ones.
        tiling: what tiles many short texts at once.
        rewriting: the settings that ctok's rewriting of a text reads (`stream_norm`), without the frame of a message.
    """

    prefixes: Mapping[str, bool]
    units: frozenset[str]
    longest: int
    fold_quotes: bool
    rewriting: Any
    tiling: Tiling
    _bytes: Any
    _chars: dict[str, int] = field(default_factory=dict)
    _runs: dict[str, RunCost] = field(default_factory=dict)
    _costs_of_runs: dict[str, Sequence[int]] = field(default_factory=dict)

    def rewritten(self, text: str) -> str:
        """A normalized text with the marks that are cut into pieces."""
        if text.isascii() and text.isalpha():
            return self.rewritten_word(text)
        from ctok.normalize import stream_norm

        return str(stream_norm(text, self.rewriting))

    def rewritten_word(self, word: str) -> str:
        """A word of ASCII letters, as ctok's `stream_norm` rewrites it in a tenth of the time."""
        if word.islower():
            return f"{BEGIN}{word}{END}"
        caps_from = self.rewriting.allcaps_min
        if caps_from is not None and len(word) >= caps_from and word.isupper():
            return f"{CAPS}{BEGIN}{word.lower()}{END}"
        if word[0].isupper() and (len(word) == 1 or word[1:].islower()):
            return f"{SHIFT}{BEGIN}{word.lower()}{END}"
        return f"{BEGIN}{word}{END}"

    def cost(self, rewritten: str) -> int:
        """The fewest tokens that tile a rewritten text: time is its length times that of the longest piece."""
        if not rewritten or self.prefixes.get(rewritten):
            return 1 if rewritten else 0
        return self._fewest_pieces(rewritten) if self.units.issuperset(rewritten) else self._cheapest_tiling(rewritten)

    def costs(self, rewritten: Sequence[str]) -> list[int]:
        """The fewest tokens that tile each of many rewritten texts, none of them empty."""
        counts = [1] * len(rewritten)
        left = [at for at, is_piece in enumerate(map(self.prefixes.get, rewritten)) if not is_piece]
        if left:
            texts = [rewritten[at] for at in left]
            for at, text, tokens in zip(left, texts, self.tiling.fewest(texts), strict=True):
                counts[at] = tokens or self.cost(text)
        return counts

    def _fewest_pieces(self, rewritten: str) -> int:
        """The fewest tokens of a text each of whose characters is a piece: all ends of one piece, then of two, ..."""
        is_piece, length = self.prefixes.get, len(rewritten)
        # No longer rest is one piece; to cut it out at every end would take the square of the length.
        last = length - self.longest
        reached, ends, tokens = {0}, [0], 1
        while True:
            starts, ends = ends, []
            tokens += 1
            for start in reversed(starts):
                for end in range(start + 1, length):
                    piece = is_piece(rewritten[start:end])
                    if piece is None:
                        break
                    if piece and end not in reached:
                        if end >= last and is_piece(rewritten[end:]):
                            return tokens
                        reached.add(end)
                        ends.append(end)

    def _cheapest_tiling(self, rewritten: str) -> int:
        """The fewest tokens of any text; a character that is no piece costs those of its bytes."""
        prefixes, chars = self.prefixes, self._chars
        length = len(rewritten)
        best = [length * 4] * (length + 1)
        best[0] = 0
        for start, char in enumerate(rewritten):
            here = best[start]
            alone = here + (chars.get(char) or self.char_cost(char))
            best[start + 1] = min(best[start + 1], alone)
            for end in range(start + 2, length + 1):
                is_piece = prefixes.get(rewritten[start:end])
                if is_piece is None:
                    break
                if is_piece and here < best[end] - 1:
                    best[end] = here + 1
        return best[length]

    def char_cost(self, char: str) -> int:
        """The tokens of one character of a rewritten text alone: one where it is a piece, else its bytes, tiled."""
        known = self._chars.get(char)
        if known is None:
            from ctok.constants import ESCAPED_MARKER_LITERALS

            literal = ESCAPED_MARKER_LITERALS.get(char, char)
            known = self._chars[char] = (
                1 if literal == char and self.prefixes.get(char) else int(self._bytes.cost_char(literal))
            )
        return known

    def costs_of_runs(self, char: str) -> Sequence[int]:
        """The fewest tokens of runs of one character that is a piece, by length, up to LONGEST_RUN."""
        known = self._costs_of_runs.get(char)
        if known is None:
            known = self._costs_of_runs[char] = self._find_costs_of_runs(char)
        return known

    def _find_costs_of_runs(self, char: str) -> Sequence[int]:
        sizes = [size for size in range(1, LONGEST_RUN + 1) if self.prefixes.get(char * size)]
        costs, everywhere = [0] * (LONGEST_RUN + 1), (1 << LONGEST_RUN + 1) - 1
        # Lengths as the bits of one number: those that so many tiles reach, and those that fewer do.
        newest = reached = 1
        tokens = 0
        while newest:
            tokens += 1
            newest = functools.reduce(operator.or_, [newest << size for size in sizes], 0) & everywhere & ~reached
            reached |= newest
            for length in range(newest.bit_length()):
                if newest >> length & 1:
                    costs[length] = tokens
        return costs

    def run_cost(self, char: str) -> RunCost:
        """What a long run of one character of a rewritten text costs."""
        known = self._runs.get(char)
        if known is None:
            known = self._runs[char] = self._run_cost(char)
        return known

    def _run_cost(self, char: str) -> RunCost:
        """Find the length from which a run only grows by its longest piece.

        Tiles of which no two sets of lengths hide a multiple of the longest, m, are fewer than m: any m of them hold
        some whose lengths add up to a multiple of m, and pieces of m in their place are fewer. So a run longer than
        (m - 1)² has such a piece in a cheapest tiling, and from there its cost is steady; how much earlier it is steady
        already is looked up. Around the run a tile may reach into it on both sides, by less than the longest piece.
        """
        sizes = [size for size in range(2, self.longest + 1) if self.prefixes.get(char * size)]
        period = max(sizes, default=1)
        if period == 1:
            return RunCost(1, self.char_cost(char), 2 * self.longest + 1)
        single = self.char_cost(char)
        costs = [0]
        for length in range(1, period * period + period + 1):
            piece = min((costs[length - size] for size in sizes if size <= length), default=length * 4)
            costs.append(min(costs[length - 1] + single, piece + 1))
        unsteady = (length for length in range(period * period, -1, -1) if costs[length + period] != costs[length] + 1)
        return RunCost(period, 1, next(unsteady, 0) + 1 + 2 * self.longest + period)


@functools.cache
def claude_vocabulary(name: str) -> ClaudeVocabulary:
    """The vocabulary of the tokenizer `name`, one of CLAUDE_FAMILIES; read once, in some tenths of a second.

    Raises:
        TokenizerUnavailable: the package ctok is not installed, or has no such vocabulary.
    """
    path = vocabulary_file(name)
    from ctok.constants import ESCAPED_MARKER_LITERALS, MARKER_GLYPHS
    from ctok.engine import ByteFloor, build_vocab
    from ctok.main import FAMILIES
    from ctok.notation import parse_marked

    document = json.loads(path.read_text(encoding="utf-8"))
    tokens = document["tokens"]
    meta = {**document["meta"], **dict(FAMILIES[CLAUDE_FAMILIES[name]].meta)}
    parsed = [parse_marked(piece) for group, pieces in tokens.items() if group != _FALLBACK for piece in pieces]
    pieces = build_vocab(parsed, tokens)
    prefixes = {piece[:end]: False for piece in pieces for end in range(1, len(piece))}
    prefixes.update(dict.fromkeys(pieces, True))
    # The frame of a single message, of which some families take the beginning of a word, is no part of a text.
    rewriting = SimpleNamespace(allcaps_min=meta["allcaps_min"], frame_bow=False)
    units = frozenset(piece for piece in pieces if len(piece) == 1)
    floor = ByteFloor(tokens[_FALLBACK], units - MARKER_GLYPHS)
    longest = max(map(len, pieces))
    return ClaudeVocabulary(
        prefixes, units - set(ESCAPED_MARKER_LITERALS), longest, meta["fold_quotes"], rewriting, Tiling(pieces), floor
    )


def vocabulary_file(name: str) -> Path:
    """Where ctok keeps the vocabulary of the tokenizer `name`; nothing of it is imported or read.

    Raises:
        TokenizerUnavailable: the package ctok is not installed, or its file is missing.
    """
    spec = importlib.util.find_spec("ctok")
    if spec is None or not spec.submodule_search_locations:
        raise TokenizerUnavailable(name, "the package ctok, which holds its vocabulary, is not installed")
    # The three families share two files (ctok 1.3, main.FAMILIES; compared with it in tests).
    file = "pieces_v3.json" if name == "claude-v3" else "pieces_v4_7.json"
    path = Path(spec.submodule_search_locations[0]) / "data" / file
    if not path.is_file():
        raise TokenizerUnavailable(name, f"its vocabulary file {file} is missing from the package ctok")
    return path
