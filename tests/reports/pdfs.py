"""A PDF file as its readers find it: its text, its tables' figures, and all that it says of itself."""

from __future__ import annotations

import io
import re

from pypdf import PdfReader

#: A figure as a report prints it: thousands, decimals and a share; not the digits within a word or a hash.
_FIGURE = re.compile(r"(?<![\w.,#/-])[+−-]?[$<]*\d[\d,]*(?:\.\d+)?%?(?![\w/])")


def pages_of(content: bytes) -> list[str]:
    """The text of each page, without the line that numbers it."""
    texts = [page.extract_text() for page in PdfReader(io.BytesIO(content)).pages]
    return [re.sub(rf"^Page {number}\n", "", text) for number, text in enumerate(texts, 1)]


def text_of(content: bytes) -> str:
    """The text as one line: where a cell is broken into lines, a blank stands."""
    return " ".join(" ".join(pages_of(content)).split())


def told_by(content: bytes) -> list[str]:
    """All that it tells: its text, also with line breaks as blanks and as nothing, its metadata and its bytes."""
    reader = PdfReader(io.BytesIO(content))
    pages = "\n".join(pages_of(content))
    said = [str(value) for value in (reader.metadata or {}).values()]
    contents = [page.get_contents() for page in reader.pages]
    streams = [one.get_data().decode("latin-1") for one in contents if one is not None]
    return [pages, pages.replace("\n", ""), pages.replace("\n", " "), *said, *streams, content.decode("latin-1")]


def numbers_in(text: str) -> set[str]:
    """Every figure of a text, without its sign."""
    return {found.lstrip("+−-") for found in _FIGURE.findall(text)}
