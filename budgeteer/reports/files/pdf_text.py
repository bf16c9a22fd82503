"""Text of a PDF file: which font has each character, and what stands for those that none has.

Bitstream Vera, which comes with ReportLab, is embedded. Characters that it lacks and that a national character set of
East Asia has are written in the fonts that every reader of PDF is to have for it; those are Greek and Cyrillic too.

Hebrew, Arabic, the Indic scripts and emoji stay `?`, with a note that says so: they need their fonts, and except for
emoji an order and joined shapes (bidirectional text, shaping) as well. The packages that carried fonts for them on
2026-11-25 were first releases of one maker each.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from threading import Lock
from typing import Final
from xml.sax.saxutils import escape

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont

REGULAR: Final = "Vera"
BOLD: Final = "VeraBd"
MISSING: Final = "?"

_LOADING: Final = Lock()

#: Fonts of readers, by the character set whose characters each of them has.
_READER_FONTS: Final = {"gb2312": "STSong-Light", "euc_jp": "HeiseiKakuGo-W5", "euc_kr": "HYGothic-Medium"}


def load_fonts() -> frozenset[int]:
    """Register the fonts, once in a process; the characters of the embedded one.

    A font holds which of its characters each file has used so far, so it must not be another one before a file ends.
    """
    with _LOADING:
        return _loaded()


@cache
def _loaded() -> frozenset[int]:
    regular = TTFont(REGULAR, f"{REGULAR}.ttf")
    for font in (regular, TTFont(BOLD, f"{BOLD}.ttf"), *map(UnicodeCIDFont, _READER_FONTS.values())):
        pdfmetrics.registerFont(font)
    pdfmetrics.registerFontFamily(REGULAR, normal=REGULAR, bold=BOLD)
    return frozenset(regular.face.charToGlyph)


@cache
def _font_of(character: str) -> str:
    """The font that has a character, "" for the embedded one, MISSING where none has."""
    if ord(character) in load_fonts():
        return ""
    return next((font for encoding, font in _READER_FONTS.items() if _has(encoding, character)), MISSING)


def _has(encoding: str, character: str) -> bool:
    try:
        return len(character.encode(encoding)) == 2
    except UnicodeEncodeError:
        return False


@dataclass(slots=True)
class TextSetter:
    """Makes the markup of texts, and counts the characters that no font has."""

    missing: int = field(default=0)

    def plain(self, text: str) -> str:
        """One line of the text: without controls and marks that print nothing."""
        kept = (each if unicodedata.category(each)[0] != "C" else " " for each in text)
        return " ".join("".join(kept).split())

    def is_plain(self, text: str) -> bool:
        """Whether the embedded font has all of a line."""
        return not any(map(_font_of, text))

    def markup(self, text: str, most_chars: int) -> str:
        """The first characters of a text as a paragraph's markup, each run in a font that has it."""
        line = self.plain(text)
        line = line if len(line) <= most_chars else f"{line[: most_chars - 1]}…"
        return "".join(self._run(font, "".join(run)) for font, run in groupby(line, _font_of))

    def _run(self, font: str, run: str) -> str:
        if font == MISSING:
            self.missing += len(run)
            return MISSING * len(run)
        return f'<font name="{font}">{escape(run)}</font>' if font else escape(run)
