"""The value of a setting as a list of differences prints it."""

from __future__ import annotations

import json
from typing import Final

#: Characters of a long value (an instruction, a list) that are shown.
SHOWN_CHARS: Final = 60


def value_text(value: object) -> str:
    """A number with separators, on or off, a text as it is, anything else as JSON; long ones cut."""
    match value:
        case None:
            return "not set"
        case bool():
            return "on" if value else "off"
        case int() | float():
            return f"{value:,}"
        case str():
            said = value or "empty"
        case _:
            said = json.dumps(value, ensure_ascii=False)
    return said if len(said) <= SHOWN_CHARS else f"{said[: SHOWN_CHARS - 1]}…"
