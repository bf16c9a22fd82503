"""Plain-text tables: aligned columns, numbers to the right, no colour."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[object]], *, indent: int = 0) -> str:
    """The rows under their header, two spaces between columns; columns that hold only numbers align right."""
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(map(_width, column)) for column in zip(list(header), *cells, strict=True)]
    right = [bool(rows) and all(_is_number(row[index]) for row in rows) for index in range(len(header))]
    lines = [list(header), *cells]
    margin = " " * indent
    return "\n".join(
        margin
        + "  ".join(
            _pad(text, width, right=to_right) for text, width, to_right in zip(line, widths, right, strict=True)
        ).rstrip()
        for line in lines
    )


def number(value: int | None) -> str:
    """A count with thousands separators, a dash where there is none."""
    return "-" if value is None else f"{value:,}"


def shortened(text: str, width: int) -> str:
    """One line of at most `width` characters; what goes shows as an ellipsis."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else f"{flat[: width - 1]}…"


def _cell(value: object) -> str:
    return number(value) if isinstance(value, int) or value is None else str(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int) or value is None


def _width(text: str) -> int:
    """Columns on a terminal: East Asian wide characters and emoji take two."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _pad(text: str, width: int, *, right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if right else text + space
