"""Content counted as JSON: kept as read, except for base64 pictures and files, which are not text.

That is every part of a provider's own kind, and what tools answer an AI SDK's interface. An object that names no kind
is data and no provider's part: it is read as text, which every provider can be sent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from budgeteer.engine.content.conversation import Message, OpaquePart, Part, TextPart, ToolResultPart
from budgeteer.engine.content.library import compact_json
from budgeteer.formats.messages.numbering import Notes

LONGEST_KEPT = 2_000
"""Base64 up to so many characters stays: an id or a short text may look like it."""

_KEYS = frozenset({"data", "result", "b64_json"})
_ADDRESS = re.compile(r"data:[^,]{0,200};base64,")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}\s*\Z")


def opaque_part(kind: str, raw: Mapping[str, Any], provider: str, notes: Notes) -> OpaquePart | TextPart:
    """The part, without the bytes of a picture or file: an opaque part is counted as the JSON it is.

    `kind` is "" for an object that is no part of the provider's: without a `type`, or not in the shape its type asks
    for. It becomes a text: its only value where that stands under `text` or `json`, else the whole object as JSON.
    """
    kept = without_bytes(raw, notes)
    if kind:
        return OpaquePart(kind, kept, provider)
    notes.count("Objects among contents that are no part of a known type, read as text")
    return TextPart(_words(kept))


def _words(raw: Mapping[str, Any]) -> str:
    match raw:
        case {"text": str(text)} if len(raw) == 1:
            return text
        case {"json": value} if len(raw) == 1:
            return value if isinstance(value, str) else compact_json(value)
        case _:
            return compact_json(raw)


def lean(message: Message, notes: Notes) -> Message:
    """The message with its parts as `lean_parts` gives them."""
    parts = lean_parts(message.parts, notes)
    return message if parts == message.parts else replace(message, parts=parts)


def lean_parts[P: Part](parts: Sequence[P], notes: Notes) -> tuple[P, ...]:
    """The parts, those of a provider's own kind without the bytes of pictures and files, inside results as well."""
    return tuple(cast("P", _lean(part, notes)) for part in parts)  # a part stays of its kind


def _lean(part: Part, notes: Notes) -> Part:
    match part:
        case OpaquePart():
            return opaque_part(part.kind, part.raw, part.provider, notes)
        case ToolResultPart(content=content) if any(isinstance(inner, OpaquePart) for inner in content):
            return replace(part, content=lean_parts(content, notes))
        case _:
            return part


def without_bytes(value: Any, notes: Notes, *, of: str = "parts of a provider's own kind") -> Any:
    """JSON with a remark in the place of each long base64; the report counts what was left out `of` what."""
    return _without_bytes(value, "", notes, of)


def _without_bytes(value: Any, key: str, notes: Notes, of: str) -> Any:
    match value:
        case Mapping():
            return {name: _without_bytes(inner, name, notes, of) for name, inner in value.items()}
        case list():
            return [_without_bytes(inner, key, notes, of) for inner in value]
        case str() if len(value) > LONGEST_KEPT and _is_base64(value, key):
            notes.count(f"Characters of base64 left out of {of}", len(value))
            head = found.group() if (found := _ADDRESS.match(value)) else ""
            return f"{head}[{len(value) - len(head):,} characters of base64 left out]"
        case _:
            return value


def _is_base64(text: str, key: str) -> bool:
    return _ADDRESS.match(text) is not None or (key in _KEYS and _BASE64.match(text) is not None)
