"""What must hold of every answer, whatever was sent: no error of ours, nothing active, nothing of other files."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from tests.hostile.payloads import MARK, OUTSIDE
from tests.hostile.uploads import CANARY_WORDS

#: Elements that no page of ours has.
_FOREIGN: Final = frozenset({"iframe", "object", "embed", "base", "applet", "frame", "frameset", "x", "math", "mi"})
_ADDRESSES: Final = frozenset({"href", "src", "action", "formaction", "xlink:href", "data", "poster", "srcset"})
_REQUESTS: Final = ("hx-get", "hx-post", "hx-put", "hx-delete", "hx-patch", "hx-vals", "hx-on", "hx-headers")
_ACTIVE: Final = ("javascript:", "data:text", "vbscript:", "blob:")
_FORMULA_STARTS: Final = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
SERVER_ERROR: Final = 500
TOLD: Final = frozenset({503, 507})
"""Answers that say that something passes: no error of ours, and none of them is to come from an input."""


class _Markup(HTMLParser):
    """Collects what a page has that only an input could have put there."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name.lower(): value or "" for name, value in attrs}
        if tag in _FOREIGN or MARK in tag:
            self.wrong.append(f"an element <{tag}>")
        if tag == "script" and not given.get("src", "").startswith("/static/") and "type" not in given:
            self.wrong.append("a script within the page")
        if tag == "meta" and "http-equiv" in given and "refresh" in given["http-equiv"].lower() and MARK in str(given):
            self.wrong.append("a page that leads away")
        for name, value in given.items():
            if name.startswith("on") or MARK in name:
                self.wrong.append(f"an attribute {name[:40]}")
            if name in _ADDRESSES:
                self._look_at_address(tag, name, value)
            if name.startswith(_REQUESTS) and MARK in urlsplit(value).path:
                self.wrong.append(f"{name} of an input")

    def _look_at_address(self, tag: str, name: str, value: str) -> None:
        plain = "".join(sign for sign in value if sign > " ").lower()
        if plain.startswith(_ACTIVE):
            self.wrong.append(f"{tag} {name}={plain[:40]}")
        try:
            place = urlsplit(plain).netloc
        except ValueError:
            place = plain
        if MARK in place:
            self.wrong.append(f"{tag} leads to {place[:60]}")


def wrong_in_html(text: str) -> list[str]:
    """What a page has of an input that is more than text."""
    reader = _Markup()
    reader.feed(text)
    reader.close()
    return reader.wrong


def wrong_in_csv(text: str) -> Iterator[str]:
    """Cells that a spreadsheet would run."""
    for row in csv.reader(io.StringIO(text, newline="")):
        for cell in row:
            if cell[:1] and cell[0] in _FORMULA_STARTS and not _is_number(cell):
                yield f"the cell {cell[:40]!r}"


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _refuse(name: str) -> Any:
    raise ValueError(name)


def wrong_with(status: int, headers: Iterable[tuple[str, str]], body: bytes) -> list[str]:
    """What must not be in an answer, as phrases."""
    named = {name.lower(): value for name, value in headers}
    kind = named.get("content-type", "")
    if named.get("content-encoding") == "gzip":
        body = gzip.decompress(body)
    wrong = [f"status {status}"] if status >= SERVER_ERROR else []
    if any(MARK in name for name in named) or named.get("set-cookie", "").startswith("a="):
        wrong.append("a header of an input")
    if CANARY_WORDS.encode() in body:
        wrong.append("words of a file of the server")
    if kind.startswith("text/html"):
        wrong += wrong_in_html(body.decode("utf-8", "replace"))
        if "script-src" not in named.get("content-security-policy", ""):
            wrong.append("a page without a policy")
    elif kind.startswith("text/csv"):
        wrong += wrong_in_csv(body.decode("utf-8-sig"))
    elif kind.startswith(("application/json", "application/problem+json")):
        try:
            json.loads(body, parse_constant=_refuse)
        except ValueError as error:
            wrong.append(f"JSON that is none: {error}")
    if body and named.get("x-content-type-options") != "nosniff" and "budgeteer" in named.get("server", ""):
        wrong.append("a type that may be guessed")
    return wrong


class Escapes:
    """Files that appear where none may: by the name that every path out of its place ends in."""

    def __init__(self, *folders: Path) -> None:
        self._folders = folders
        self._tops = (Path("/"), Path("/tmp"), Path.home(), Path.cwd(), *folders)

    def found(self) -> list[str]:
        """The paths of such files."""
        seen = {str(path) for folder in self._folders for path in _named(folder)}
        seen |= {str(path) for top in self._tops for path in top.iterdir() if OUTSIDE in path.name}
        return sorted(seen)


def _named(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        yield from (Path(place) / name for name in (*folders, *files) if OUTSIDE in name)
