"""Parts of a provider's own kind, kept as they came but for pictures and files in base64, which are no text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from budgeteer.engine.chat import OpaquePart
from budgeteer.formats.conversations import Notes

LONGEST_KEPT = 2_000
"""Base64 up to so many characters stays: an id or a short text may look like it."""

_KEYS = frozenset({"data", "result", "b64_json"})
_ADDRESS = re.compile(r"data:[^,]{0,200};base64,")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}\s*\Z")


def opaque_part(kind: str, raw: Mapping[str, Any], provider: str, notes: Notes) -> OpaquePart:
    """The part, without the bytes of a picture or file: an opaque part is counted as the JSON it is."""
    return OpaquePart(kind, _without_bytes(raw, "", notes), provider)


def _without_bytes(value: Any, key: str, notes: Notes) -> Any:
    match value:
        case Mapping():
            return {name: _without_bytes(inner, name, notes) for name, inner in value.items()}
        case list():
            return [_without_bytes(inner, key, notes) for inner in value]
        case str() if len(value) > LONGEST_KEPT and _is_base64(value, key):
            notes.count("Characters of base64 left out of parts of a provider's own kind", len(value))
            head = found.group() if (found := _ADDRESS.match(value)) else ""
            return f"{head}[{len(value) - len(head):,} characters of base64 left out]"
        case _:
            return value


def _is_base64(text: str, key: str) -> bool:
    return _ADDRESS.match(text) is not None or (key in _KEYS and _BASE64.match(text) is not None)
