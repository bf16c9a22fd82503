"""JSON that a page or a Markdown file is little more than: a script's data, or one fenced block.

Pages that show an export keep it in a script: ChatGPT's `chat.html` as `var jsonData = […]`, sites as the text of an
element of `type="application/json"`, pi's page of a session as the same in base64. Programs that keep JSON among notes
put it into a fenced block below a title and a few lines.

Source: exports of ChatGPT, pages of Next.js (https://nextjs.org) and of pi (https://github.com/badlogic/pi-mono,
`core/export-html`), 2026-11.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from budgeteer.formats.reading import json_text
from budgeteer.formats.reading.json_text import JsonProblem

_PAGE: Final = re.compile(
    r"\ufeff?\s*(?:<!--.{0,2000}?-->\s*)?(?:<!doctype html[^>]{0,200}>\s*)?<html\b", re.IGNORECASE | re.DOTALL
)
_DATA: Final = re.compile(
    r"\b(?:var|let|const)\s+\w{1,60}\s*=\s*(?=[\[{])|<script\b[^<>]{0,300}\bapplication/json\b[^<>]{0,300}>\s*",
    re.IGNORECASE,
)
_PACKED: Final = re.compile(r"[A-Za-z0-9+/]{40,}={0,2}(?=\s*</script>)")
_FENCE: Final = re.compile(r"^(?P<fence>`{3,}|~{3,})(?:json|JSON|jsonc)?[ \t]*\r?\n\s*(?=[\[{])", re.MULTILINE)
_MOST_SCRIPTS: Final = 4
"""In how many places of a page it is tried to read data."""
_MOST_BEFORE: Final = 2_000
"""Characters that stand before the block of a Markdown file at most: a title and what is noted of it."""
_OF_AN_EXPORT: Final = "jsonData"
"""What ChatGPT's page calls its data, which may be less than what shows them."""
_MOST: Final = 0.5
"""How much of any other page its data are at least; the rest is how it looks."""
_MOST_OF_NOTES: Final = 0.8
"""How much of a Markdown file its block is at least; the rest would be read as words."""


def embedded_json(text: str, depth_limit: int) -> tuple[Any, str] | None:
    """The value that a page or a Markdown file is little more than, and what stands around it; None of others."""
    if _PAGE.match(text):
        return _of_page(text, depth_limit)
    fence = _FENCE.search(text, 0, _MOST_BEFORE)
    end = text.rfind(f"\n{fence['fence']}") if fence is not None else -1
    if fence is None or end - fence.end() < len(text) * _MOST_OF_NOTES:
        return None
    try:
        value = json_text.parse(text[fence.end() : end], depth_limit=depth_limit)
    except JsonProblem:
        return None
    return (value, text[: fence.end()] + text[end:]) if value else None


def _of_page(text: str, depth_limit: int) -> tuple[Any, str] | None:
    """The data of the first script of a page that are most of it."""
    for data in islice(_likely(text), _MOST_SCRIPTS):
        at = data.end()
        found = _packed_at(text, at, depth_limit) or _value_at(text, at, depth_limit)
        if found is not None and (_is_export(data) or found[1] - at >= len(text) * _MOST):
            return found[0], text[:at] + text[found[1] :]
    return None


def _likely(text: str) -> Iterator[re.Match[str]]:
    """Where data of a page may begin: ChatGPT's, and those of scripts that are half of the page or more."""
    end = 0
    for data in _DATA.finditer(text):
        if end < data.end():
            end = text.find("</script", data.end())
            end = len(text) if end < 0 else end
        if _is_export(data) or end - data.end() >= len(text) * _MOST:
            yield data


def _is_export(data: re.Match[str]) -> bool:
    return _OF_AN_EXPORT in data.group()


def _value_at(text: str, at: int, depth_limit: int) -> tuple[Any, int] | None:
    """The value that begins at a place of a text, and where it ends; None where there is none."""
    try:
        value, length = json_text.first_value(text[at:], depth_limit=depth_limit)
    except JsonProblem:
        return None
    return (value, at + length) if isinstance(value, (dict, list)) and value else None


def _packed_at(text: str, at: int, depth_limit: int) -> tuple[Any, int] | None:
    """The value that stands in base64 at a place of a text, as `_value_at`."""
    packed = _PACKED.match(text, at)
    if packed is None:
        return None
    try:
        value = json_text.parse(base64.b64decode(packed.group()).decode(), depth_limit=depth_limit)
    except (binascii.Error, UnicodeDecodeError, JsonProblem):
        return None
    return (value, packed.end()) if isinstance(value, (dict, list)) and value else None
