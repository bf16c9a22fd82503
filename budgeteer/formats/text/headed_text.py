"""Text of turns below headings: its lines as every system ends them, and what stands below each heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise


def plain_lines(text: str) -> str:
    """A text without the mark of its byte order, its lines ended by a line feed alone."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def headed_sections(text: str, headings: Sequence[re.Match[str]]) -> Iterator[tuple[re.Match[str], str, int]]:
    """Each heading with the text below it, up to the next one, and the line on which the heading begins, from 1 on."""
    line, told = 1, 0
    ends = [*(heading.start() for heading in headings), len(text)]
    for heading, (begin, end) in zip(headings, pairwise(ends), strict=True):
        line += text.count("\n", told, begin)
        told = begin
        yield heading, text[heading.end() : end], line
