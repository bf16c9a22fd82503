"""Payloads: the bytes of pictures and files that stand as base64 inside JSON, and are never counted as text.

A part of a provider's own kind is sent again as it came, its payloads included. Nobody publishes what they cost there,
so they stand outside the count, as a picture of unknown size does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

#: Base64 up to so many characters is counted: an id or a short text may look like it. Source: ours.
LONGEST_COUNTED: Final = 2_000

_KEYS: Final = frozenset({"data", "result", "b64_json"})
_ADDRESS: Final = re.compile(r"data:[^,]{0,200};base64,")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]+={0,2}\s*\Z")


def without_payloads(value: Any, *, remark: str = "") -> tuple[Any, int]:
    """JSON without its payloads, and their characters; 0 where it holds none, and then the value is the same object.

    `remark` stands in the place of each, with `{}` for its characters.
    """
    found: list[int] = []
    lean = _without(value, "", remark, found)
    return (lean, sum(found)) if found else (value, 0)


def _without(value: Any, key: str, remark: str, found: list[int]) -> Any:
    match value:
        case str():
            if len(value) <= LONGEST_COUNTED or not _is_payload(value, key):
                return value
            head = address.group() if (address := _ADDRESS.match(value)) else ""
            found.append(len(value))
            return head + remark.format(f"{len(value) - len(head):,}")
        case Mapping():
            return {name: _without(inner, name, remark, found) for name, inner in value.items()}
        case list() | tuple():
            return [_without(inner, key, remark, found) for inner in value]
        case _:
            return value


def _is_payload(text: str, key: str) -> bool:
    return _ADDRESS.match(text) is not None or (key in _KEYS and _BASE64.match(text) is not None)
