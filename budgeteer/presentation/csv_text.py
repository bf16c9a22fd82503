"""Tables as CSV that a spreadsheet opens without running anything in it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Final

#: What a spreadsheet takes for the start of a formula, their full-width forms too; some pass over blanks before it.
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def csv_text(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """A head and rows, lines ended as RFC 4180 has them; a text that a spreadsheet would run gets an apostrophe."""
    return csv_lines([columns]) + csv_lines(rows)


def csv_lines(rows: Iterable[Iterable[object]]) -> str:
    """Rows alone, for a table that is written a part at a time."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(map(safe_cell, row) for row in rows)
    return out.getvalue()


def safe_cell(cell: object) -> object:
    """The cell; a text that a spreadsheet would run gets an apostrophe."""
    if isinstance(cell, str) and (cell[:1].isspace() or cell.startswith(_FORMULA_STARTS)):
        return f"'{cell}"
    return cell
