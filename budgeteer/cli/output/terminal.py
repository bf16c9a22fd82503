"""Text for a terminal: control characters of files and arguments are shown as escapes, so that they command nothing.

A terminal obeys what it is sent: a title in a transcript could rename the window, clear the screen, or turn the order
of letters round. A file or a pipe gets the text as it is.
"""

from __future__ import annotations

import io
import re
import sys
from typing import Final, override

import click

_COMMANDING: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""Control characters but tab and line feed, and those that turn the direction of text or break its lines."""


def shown(text: str) -> str:
    """The text with each such character as its JSON escape, which a JSON string may hold too."""
    return _COMMANDING.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


class TerminalText(io.TextIOWrapper):
    """Standard output on a terminal: what is written is shown, and commands nothing."""

    @override
    def write(self, text: str, /) -> int:
        super().write(shown(text))
        return len(text)


def complain(sentence: str) -> None:
    """Say on standard error what is wrong, as every message of the program begins."""
    click.echo(f"budgeteer: {shown(sentence)}", err=True)


def guard_output() -> None:
    """Let standard output show such characters, where it is a terminal."""
    out = sys.stdout
    if isinstance(out, io.TextIOWrapper) and not isinstance(out, TerminalText) and out.isatty():
        sys.stdout = TerminalText(
            out.detach(), encoding=out.encoding, errors=out.errors, line_buffering=True, write_through=out.write_through
        )
