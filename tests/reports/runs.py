"""A slow, obvious oracle for what a report quotes: every run of 12 characters of what it shows, as a set."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser

from tests.reports.pdfs import told_by

RUN = 12


def runs_of(texts: Iterable[str]) -> set[str]:
    """Every run of RUN characters of the texts."""
    return {text[at : at + RUN] for text in texts for at in range(len(text) - RUN + 1)}


def leaves_of(value: object) -> Iterator[str]:
    """Every string of a JSON value, keys too."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from leaves_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves_of(inner)
    elif isinstance(value, str):
        yield value


class _Shown(HTMLParser):
    """The texts of a page and the values of its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.texts += [value for _name, value in attrs if value]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def shown_in(kind: str, content: bytes) -> list[str]:
    """What an answer shows, by its content type: the strings of JSON, the texts of a page, the lines of a file."""
    if kind.startswith("application/json"):
        return list(leaves_of(json.loads(content)))
    if kind.startswith("text/html"):
        page = _Shown()
        page.feed(content.decode())
        return page.texts
    if kind.startswith("application/pdf"):
        return told_by(content)
    if kind.startswith("text/"):
        return content.decode().splitlines()
    return [content.decode("latin-1")]
