"""A JSON list too large to hold, written as JSON lines, an element at a time, by a streaming parser."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import IO, Any, Final

import ijson
from pydantic_core import to_json

from budgeteer.formats.messages.progress import Progress
from budgeteer.formats.reading.json_text import MOST_VALUES, is_within_depth

CHUNK_BYTES: Final = 262_144
ELEMENT_BYTES: Final = 32_000_000
"""The largest element that is read: as it is built whole, it takes up to 100 times its bytes of memory."""

_PROGRESS_BYTES: Final = 2_000_000
_FEWEST: Final = 2
"""A list of one element is no list of conversations: it is read as any document."""

_HALF: Final = re.compile(
    rb"(?<!\\)((?:\\\\)*)\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F][0-9a-fA-F]{2})",
)
"""The first half of a surrogate pair without the second, which the parser would turn into a question mark."""

_MAYBE_HALF: Final = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])")
"""The same without a look at the backslashes before it, which is sooner found to be nowhere."""

_BLANK: Final = b" \t\r\n"


class _NoLines(Exception):
    """The document is no list that can be written as lines."""


def write_elements(
    rows: IO[bytes], file: IO[bytes], *, size: int, depth_limit: int, progress: Progress | None = None
) -> int:
    """Write each element of a JSON list in UTF-8 on a line of `rows`; how many there are.

    0 for everything that has to be looked at as a whole: another document, damaged JSON, an element that is no object
    or over `ELEMENT_BYTES`, more than `json_text.MOST_VALUES` elements, nesting beyond the limit, a number that the
    parser does not hold. What was written by then is to be thrown away.
    """
    count = 0
    try:
        for elements in _elements(file, size, progress):
            if not all(isinstance(element, dict) for element in elements):
                return 0
            count += len(elements)
            if count > MOST_VALUES:
                return 0
            rows.write(b"".join(_row(element, depth_limit) for element in elements))
    except (_NoLines, ijson.JSONError, ValueError):
        return 0
    return count if count >= _FEWEST else 0


def _row(element: Any, depth_limit: int) -> bytes:
    row = to_json(element)
    if not is_within_depth(b"[%b]" % row, depth_limit=depth_limit):
        raise _NoLines
    return row + b"\n"


def _elements(file: IO[bytes], size: int, progress: Progress | None) -> Iterator[list[Any]]:
    """The elements of a list, some at a time.

    Raises:
        _NoLines: it is no list, or an element is too large.
        ijson.JSONError, ValueError: it is no JSON, or holds what the parser does not take.
    """
    found = ijson.sendable_list()
    parser = ijson.items_coro(found, "item", use_float=True)
    waiting = told = done = 0
    for piece in _pieces(file):
        if not done and not piece.lstrip(_BLANK).startswith(b"["):
            raise _NoLines
        parser.send(piece)
        done += len(piece)
        waiting += len(piece)
        if found:
            yield list(found)
            del found[:]
            waiting = 0
        elif waiting > ELEMENT_BYTES:
            raise _NoLines
        if progress is not None and done - told >= _PROGRESS_BYTES:
            told = done
            progress(min(done, size), size, "bytes")
    parser.close()
    if found:
        yield list(found)


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    """The file in pieces, none of which ends inside an escape; halves of surrogate pairs are U+FFFD."""
    file.seek(0)
    if file.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
        file.seek(0)
    rest = b""
    while chunk := file.read(CHUNK_BYTES):
        piece, quote, rest = (rest + chunk).rpartition(b'"')
        if quote:
            yield _mended(piece + quote)
        elif len(rest) > ELEMENT_BYTES:
            raise _NoLines
    if rest:
        yield _mended(rest)


def _mended(piece: bytes) -> bytes:
    return _HALF.sub(rb"\1\\ufffd", piece) if _MAYBE_HALF.search(piece) else piece
