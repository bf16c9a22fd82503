"""Line numbers of the keys in a JSON text, for error messages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


def key_lines(text: str) -> dict[str, int]:
    """The 1-based line of every key and list element of a valid JSON text, by its dotted path ("a.b", "pins.0")."""
    lines: dict[str, int] = {}
    path: list[str | int] = []
    expects_key: list[bool] = []
    for mark, line in _tokens(text):
        if mark in "{[":
            if expects_key and isinstance(path[-1], int):
                lines.setdefault(_dotted(path), line)
            path.append("" if mark == "{" else 0)
            expects_key.append(mark == "{")
        elif mark in "}]":
            path.pop()
            expects_key.pop()
        elif mark == ",":
            last = path[-1]
            if isinstance(last, int):
                path[-1] = last + 1
            else:
                expects_key[-1] = True
        elif mark == ":":
            expects_key[-1] = False
        elif expects_key and expects_key[-1]:
            path[-1] = str(json.loads(mark))
            lines.setdefault(_dotted(path), line)
        elif path and isinstance(path[-1], int):
            lines.setdefault(_dotted(path), line)
    return lines


def line_of(path: str, lines: dict[str, int]) -> int | None:
    """The line of `path`, or of the nearest key above it; None when not even that is in the text."""
    while path:
        if path in lines:
            return lines[path]
        path = path.rpartition(".")[0]
    return None


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    line, seen = 1, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        yield match.group(), line


def _dotted(path: list[str | int]) -> str:
    return ".".join(str(step) for step in path)
