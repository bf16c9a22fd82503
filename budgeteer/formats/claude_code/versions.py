"""The version of Claude Code that wrote a line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from budgeteer.formats.messages.numbering import text_value

_NUMBER: Final = re.compile(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})")


def version_of(line: Mapping[str, Any]) -> tuple[int, ...]:
    """Its numbers, (0, 0, 0) where the line names none."""
    found = _NUMBER.match(text_value(line.get("version")))
    return tuple(map(int, found.groups())) if found else (0, 0, 0)
