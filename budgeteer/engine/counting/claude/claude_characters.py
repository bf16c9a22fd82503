"""What Claude's tokenizer does with single characters: which it normalizes, and which make words or stand alone.

Every rule is ctok's (`normalize`, `constants`), asked for one character at a time. As classes of patterns they cover
the basic plane; as kinds they are looked up for the characters that occur.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Final

#: Marks in a row from which they are put in Unicode's order here: its normal form sorts them by insertion.
_MANY_MARKS: Final = 100
_BASIC_PLANE: Final = 0x10000
_SURROGATES: Final = range(0xD800, 0xE000)
#: Ideographs and Hangul syllables.
_ALONE_BLOCKS: Final = (range(0x3400, 0x4DC0), range(0x4E00, 0xA000), range(0xAC00, 0xD7A4))
#: Hangul letters, the only characters but marks that may compose with the one before them.
_JAMO: Final = range(0x1100, 0x1200)
_QUOTES: Final = (("\u2018", "'"), ("\u2019", "'"), ("\u201c", '"'), ("\u201d", '"'))
#: Tibetan vowel signs that are no combining marks but decompose into two.
_DECOMPOSE_INTO_MARKS: Final = frozenset("\u0f73\u0f75\u0f81")

#: The kinds of a character, which may be several at once; KNOWN is set once it was looked up.
KNOWN, WORD, ALONE, SYMBOL, CHANGES, QUOTE = 1, 2, 4, 8, 16, 32
#: Bits of `letter_and_kinds` below the letter.
KIND_BITS: Final = 8
#: The letters of what joins with nothing, of the first punctuation outside ASCII, and of whatever has no letter.
ALONE_LETTER, PUNCTUATION_LETTER, NO_LETTER = 0x01, 0x80, 0xFF
_ASCII: Final = 128
_DIGITS: Final = frozenset(map(ord, "0123456789"))


def kinds_of(code: int) -> int:
    """The kinds of one character.

    Returns:
        WORD for what words are made of; SYMBOL as well for a letter that Unicode calls a symbol; ALONE for what joins
        with nothing; CHANGES where `normalize` may change it or what stands beside it, QUOTE where it may only if it
        folds quotes.
    """
    char = chr(code)
    kinds = KNOWN
    if is_word(code):
        kinds |= WORD | (SYMBOL if is_symbol(code) else 0)
    elif is_alone(code):
        kinds |= ALONE
    if char in dict(_QUOTES):
        kinds |= QUOTE
    elif unicodedata.category(char)[0] == "M" or code in _JAMO or normalize(char, fold_quotes=False) != char:
        kinds |= CHANGES
    return kinds


def letter_and_kinds(code: int) -> int:
    """The kinds of one character, and above them one byte that stands for it where segments are found.

    ASCII stands for itself, but all digits are zeros, which cost the same; the punctuation outside ASCII that ctok
    rewrites as that of ASCII has the bytes from PUNCTUATION_LETTER on.
    """
    kinds = kinds_of(code)
    if kinds & ALONE:
        letter = ALONE_LETTER
    elif code in _DIGITS:
        letter = ord("0")
    elif code < _ASCII:
        letter = code
    else:
        letter = _punctuation().get(chr(code), NO_LETTER)
    return letter << KIND_BITS | kinds


@functools.cache
def _punctuation() -> Mapping[str, int]:
    from ctok.constants import PUNCT_SYMS

    return {char: letter for letter, char in enumerate(sorted(PUNCT_SYMS), PUNCTUATION_LETTER)}


def is_word(code: int) -> bool:
    """Whether ctok makes words of a character; all such lie in the basic plane."""
    from ctok.constants import WORDY
    from ctok.normalize import classify

    # Its own function without its cache, which would keep every character of the plane.
    return code < _BASIC_PLANE and code not in _SURROGATES and classify.__wrapped__(chr(code)) == WORDY


def is_symbol(code: int) -> bool:
    """Whether a letter of ctok's is punctuation, a symbol, a format character or nothing in this Python's Unicode."""
    category = unicodedata.category(chr(code))
    return category[0] in "PS" or category in ("Cf", "Cn")


def is_alone(code: int) -> bool:
    """Whether a character joins with nothing.

    Ideographs, Hangul syllables and whatever lies beyond the basic plane take no mark of a word's edge and are in no
    piece of several characters. Those that this Python's Unicode has not assigned are not among them, but beyond.
    """
    in_block = any(code in block for block in _ALONE_BLOCKS)
    return code >= _BASIC_PLANE or (in_block and unicodedata.category(chr(code)) == "Lo")


@functools.cache
def word_class() -> str:
    """The characters of words, as the ranges of a pattern."""
    return ranges(filter(is_word, range(_BASIC_PLANE)))


@functools.cache
def symbol_class() -> str:
    """The letters that Unicode calls symbols, as the ranges of a pattern."""
    return ranges(code for code in range(_BASIC_PLANE) if is_symbol(code) and is_word(code))


@functools.cache
def alone_class() -> str:
    """The characters that join with nothing, as the ranges of a pattern."""
    codes = (code for block in _ALONE_BLOCKS for code in block if is_alone(code))
    return f"{ranges(codes)}\\U00010000-\\U0010ffff"


def ranges(codes: Iterable[int]) -> str:
    """Ascending codes as ranges of a pattern's class."""
    found = []
    for _, run in groupby(enumerate(codes), lambda pair: pair[1] - pair[0]):
        stretch = [code for _, code in run]
        found.append(f"\\U{stretch[0]:08x}-\\U{stretch[-1]:08x}")
    return "".join(found)


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
    return re.compile(f"[{ranges(sorted(map(ord, _marks())))}]{{{_MANY_MARKS},}}+")
