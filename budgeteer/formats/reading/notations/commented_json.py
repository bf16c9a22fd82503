"""JSON with what JSON does not have and editors accept: comments, and commas before a closing bracket.

Source: https://jsonc.org (comments `//` and `/* */`, commas at the end of lists and objects), 2026-11.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_STRING: Final = r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
_COMMENT: Final = re.compile(rf"{_STRING}|(?P<comment>//[^\n]*+|/\*.*?(?:\*/|\Z))", re.DOTALL)
_COMMA: Final = re.compile(rf"{_STRING}|[\[{{,:][ \t\r\n]*+,|(?P<comma>,)(?=[ \t\r\n]*+[\]}}])", re.DOTALL)
"""A comma behind which a list or an object ends; one that has no value before it stays, and is an error."""
_NOT_BREAKS: Final = re.compile(r"[^\n]")


@dataclass(frozen=True, slots=True)
class PlainJson:
    """A text without comments and commas at ends: they are blanks, so that every place is what it was.

    `python_values` of it were in Python's spelling; of such a text only the lines are what they were.
    """

    text: str
    comments: int = 0
    commas: int = 0
    python_values: int = 0

    def sentences(self) -> tuple[str, ...]:
        """What was passed over, for the report."""
        counted = (
            ("Values in Python's spelling (`'text'`, `None`, `True`), read as JSON has them", self.python_values),
            ("Comments in the JSON, left out", self.comments),
            ("Commas before a closing bracket, which JSON does not have, passed over", self.commas),
        )
        return tuple(f"{what}: {count:,}" for what, count in counted if count)


def begins_with_comment(start: str) -> bool:
    """Whether a text begins with a comment."""
    return start.startswith(("//", "/*"))


def plain_json(text: str) -> PlainJson | None:
    """The text as JSON has it, None where there is no comment and no such comma in it; linear in its length."""
    comments = commas = 0

    def without_comment(match: re.Match[str]) -> str:
        nonlocal comments
        if match["comment"] is None:
            return match[0]
        comments += 1
        return _NOT_BREAKS.sub(" ", match[0])

    def without_comma(match: re.Match[str]) -> str:
        nonlocal commas
        if match["comma"] is None:
            return match[0]
        commas += 1
        return " "

    bare = _COMMENT.sub(without_comment, text) if "//" in text or "/*" in text else text
    plain = _COMMA.sub(without_comma, bare)
    return PlainJson(plain, comments, commas) if comments or commas else None
