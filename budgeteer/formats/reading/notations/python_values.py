"""Values in Python's spelling (`print(messages)`, a line of a log), written as JSON has them.

Texts in single quotes, or several behind each other (`pprint`), `True`, `False`, `None`, `nan`, `inf`, and tuples
become what JSON has for them. Nothing is run or built: a text becomes another text with the same lines, which JSON's
parser reads within its bounds. What else Python prints (`datetime(…)`, `b'…'`, sets) is no value here either.
Source: https://docs.python.org/3/reference/lexical_analysis.html, string literals and their escapes, 2026-11.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from budgeteer.formats.reading.notations.commented_json import PlainJson, plain_json

_BEGINS: Final = re.compile(r"[ \t\r\n\ufeff]*+(?:(?:[\[(]\s*+)*+\{|[\[(]\s*+[\[(])\s*+[\[({'\"]")
"""An object, or a list of objects or of pairs; a list of texts alone may be prose in brackets."""
_WORDS: Final[Mapping[str, str]] = {"True": "true", "False": "false", "None": "null", "nan": "NaN", "inf": "Infinity"}
_FIRST: Final = re.compile(rf"['(]|(?:{'|'.join(_WORDS)})\b")
"""What JSON's parser comes upon first where a text is in Python's spelling."""
_BODY: Final = r"[^{0}\\\n]*+(?:\\.[^{0}\\\n]*+)*+"
_CLOSED: Final = f"(?:'{_BODY.format("'")}'|\"{_BODY.format('"')}\")"
_OPEN: Final = r"['\"][^\n]*+"
_SEVERAL: Final = rf"{_CLOSED}(?:\s*+{_CLOSED})*+"
_TOKEN: Final = re.compile(
    rf"\(\s*+(?P<held>{_SEVERAL})\s*+\)|(?P<said>{_SEVERAL})|(?P<open>{_OPEN})|(?P<round>[()])|(?P<word>[A-Za-z_]\w*+)"
)
_PIECE: Final = re.compile(_CLOSED)
_ESCAPE: Final = re.compile(
    r"\\(?:x(?P<x>[0-9A-Fa-f]{2})|(?P<u>u[0-9A-Fa-f]{4})|U(?P<long>[0-9A-Fa-f]{8})|N\{(?P<name>[^}\n]{1,100})\}"
    r"|(?P<octal>[0-7]{1,3})|(?P<other>.))|(?P<quote>\")"
)
_OTHERS: Final[Mapping[str, str]] = {letter: f"\\{letter}" for letter in 'bfnrt\\"'} | {
    "a": "\\u0007",
    "v": "\\u000b",
    "'": "'",
}
"""By the character behind a backslash what JSON writes; before any other the backslash is one."""
_BRACKETS: Final[Mapping[str, str]] = {"(": "[", ")": "]"}


class _Rewriting:
    """Writes the pieces of a text as JSON does, and counts those that it writes in another way.

    Attributes:
        count: these.
        singles: texts in single quotes.
        joined: texts that were made of several.
    """

    def __init__(self) -> None:
        self.count = 0
        self.singles = 0
        self.joined = 0

    def piece(self, match: re.Match[str]) -> str:
        """A text, a word or a bracket as JSON writes it; what Python does not write so stays as it is."""
        if match["word"]:
            self.count += match[0] in _WORDS
            return _WORDS.get(match[0], match[0])
        if match["round"]:
            self.count += match[0] == "("
            return _BRACKETS[match[0]]
        if match["open"]:
            return f'"{_inner(match[0][1:])}'
        texts = _PIECE.findall(match["held"] or match["said"])
        singles = sum(text[0] == "'" for text in texts)
        self.count += bool(singles or len(texts) > 1)
        self.singles += singles
        self.joined += len(texts) > 1
        said = "".join(_inner(text[1:-1]) for text in texts)
        return f'"{said}"' + "\n" * match[0].count("\n")


def _inner(text: str) -> str:
    return _ESCAPE.sub(_escape, text) if "\\" in text or '"' in text else text


def _escape(match: re.Match[str]) -> str:
    """An escape of Python as JSON writes what it stands for."""
    if match["quote"]:
        return '\\"'
    if match["u"]:
        return match[0]
    if match["other"]:
        return _OTHERS.get(match["other"], f"\\\\{match['other']}")
    try:
        said = unicodedata.lookup(match["name"]) if match["name"] else chr(_number(match))
    except (KeyError, ValueError, OverflowError):
        return f"\\{match[0]}"
    return json.dumps(said)[1:-1]


def _number(match: re.Match[str]) -> int:
    return int(match["octal"], 8) if match["octal"] else int(match["x"] or match["long"], 16)


def python_values(text: str, line: int, column: int) -> PlainJson | None:
    """The text as JSON, commas at ends and comments passed over; None where it is not in Python's spelling.

    Texts behind each other are one only where others stand in single quotes: in JSON a comma is missing there. Linear.

    Args:
        text: what is no JSON.
        line: of the first place at which it is none.
        column: of the same place.
    """
    if not _BEGINS.match(text) or not _FIRST.match(text, _start_of(text, line) + column - 1):
        return None
    rewriting = _Rewriting()
    written = _TOKEN.sub(rewriting.piece, text)
    if rewriting.joined and not rewriting.singles:
        return None
    return replace(plain_json(written) or PlainJson(written), python_values=rewriting.count)


def column_in(text: str, line: int, column: int) -> int:
    """The column of a text in Python's spelling at which stands what has another in its JSON."""
    start = _start_of(text, line)
    end = text.find("\n", start)
    shift = 0
    for match in _TOKEN.finditer(text[start : len(text) if end < 0 else end]):
        if column <= match.start() + shift:
            break
        longer = len(_Rewriting().piece(match)) - len(match[0])
        if column <= match.end() + shift + longer:
            return min(column - shift, match.end())
        shift += longer
    return max(1, column - shift)


def _start_of(text: str, line: int) -> int:
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
    return start
