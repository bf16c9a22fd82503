"""Where the tokens of a text begin and end, for the tokenizers whose vocabulary is published."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from budgeteer.engine.counting.tokenizers import counter_for, reference_for
from budgeteer.engine.counting.white_space import between_words, without_long_runs
from budgeteer.engine.errors import TextNotCounted

#: Tokenizers that say which bytes each token stands for; the others count without dividing.
DIVIDING: Final = ("o200k_base", "cl100k_base")

#: A text is divided in stretches of about so many characters, whose tokens add up to its own.
_STRETCH_CHARS: Final = 20_000
#: The longest stretch without a gap between words that is divided: the encoder takes time that grows with it.
_MOST_UNBROKEN_CHARS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class TokenPiece:
    """The characters of one token, or of the few that share a character: none of those begins between two."""

    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class TokenPieces:
    """A stretch of a text in pieces; `before` tokens of the text stand before the first."""

    before: int
    pieces: tuple[TokenPiece, ...]

    @property
    def tokens(self) -> int:
        return sum(piece.tokens for piece in self.pieces)


def token_pieces(tokenizer: str, text: str, *, start: int = 0, stop: int | None = None) -> TokenPieces:
    """The pieces that begin at the characters `start` to `stop`.

    Args:
        tokenizer: one of DIVIDING.
        text: the whole text: what stands before and behind a stretch decides how it is divided.
        start: position of the first character.
        stop: position behind the last character, None for the end.

    Raises:
        ValueError: the tokenizer does not divide.
        TextNotCounted: a stretch without a gap between words is longer than a million characters.
    """
    if tokenizer not in DIVIDING:
        raise ValueError(f"{tokenizer} does not divide texts")
    end = len(text) if stop is None else stop
    counter, before, at = counter_for(tokenizer), 0, 0
    found: list[TokenPiece] = []
    for stretch in between_words(text, _STRETCH_CHARS):
        if at >= end:
            break
        if at + len(stretch) <= start:
            before += counter.count(stretch)
            at += len(stretch)
            continue
        for piece in _divided(tokenizer, stretch):
            if at < start:
                before += piece.tokens
            elif at < end:
                found.append(piece)
            at += len(piece.text)
    return TokenPieces(before, tuple(found))


def _divided(tokenizer: str, stretch: str) -> Iterator[TokenPiece]:
    encoding = reference_for(tokenizer)
    for part, is_blank in without_long_runs(stretch, is_end_one_piece=tokenizer == "cl100k_base"):
        if is_blank:
            yield TokenPiece(part, counter_for(tokenizer).count(part))
            continue
        if len(part) > _MOST_UNBROKEN_CHARS:
            raise TextNotCounted(tokenizer, longest_chars=len(part))
        read, held = 0, 0
        pending = bytearray()
        for token in encoding.encode_ordinary(part):
            pending += encoding.decode_single_token_bytes(token)
            held += 1
            if (chars := _whole_chars(pending)) is None:
                continue
            yield TokenPiece(part[read : read + chars], held)
            read, held = read + chars, 0
            pending.clear()


def _whole_chars(data: bytearray) -> int | None:
    """How many characters these bytes are, None where the last one is not whole."""
    try:
        return len(data.decode())
    except UnicodeDecodeError:
        return None
