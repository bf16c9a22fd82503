"""Parts of a provider's own kind, kept as read, and objects among contents that are no provider's part.

A part of a provider's own is counted as JSON without the base64 of pictures and files (`content.payloads`), and sent
whole. An object that names no kind is data: it is read as text, which every provider can be sent. Base64 is no text, so
it is left out there, and the part says how much.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from budgeteer.engine.content.conversation import Message, OpaquePart, Part, TextPart, ToolResultPart
from budgeteer.engine.content.library import compact_json
from budgeteer.engine.content.payloads import without_payloads
from budgeteer.formats.messages.numbering import Notes

_MAY_HOLD_OBJECTS = (OpaquePart, ToolResultPart)
_REMARK = "[{} characters of base64 left out]"


def opaque_part(kind: str, raw: Mapping[str, Any], provider: str, notes: Notes) -> OpaquePart | TextPart:
    """The part: an opaque part is counted as the JSON it is, and sent as it came.

    `kind` is "" for an object that is no part of the provider's: without a `type`, or not in the shape its type asks
    for. It becomes a text: its only value where that stands under `text` or `json`, else the whole object as JSON.
    """
    if kind:
        return OpaquePart(kind, raw, provider)
    notes.count("Objects among contents that are no part of a known type, read as text")
    lean, left_out = without_bytes(raw, notes, of="objects that are read as text")
    return TextPart(_words(lean), left_out=left_out)


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
    """The parts, objects that are no provider's part as text, inside results as well."""
    for part in parts:
        if isinstance(part, _MAY_HOLD_OBJECTS):
            return tuple(cast("P", _lean(each, notes)) for each in parts)  # a part stays of its kind
    return tuple(parts)


def _lean(part: Part, notes: Notes) -> Part:
    match part:
        case OpaquePart():
            return opaque_part(part.kind, part.raw, part.provider, notes)
        case ToolResultPart(content=content) if any(isinstance(inner, OpaquePart) for inner in content):
            return replace(part, content=lean_parts(content, notes))
        case _:
            return part


def without_bytes(value: Any, notes: Notes, *, of: str) -> tuple[Any, int]:
    """JSON with a remark for each long base64, and how many characters were left out; `of` what, as the report says."""
    lean, left_out = without_payloads(value, remark=_REMARK)
    notes.count(f"Characters of base64 left out of {of}", left_out)
    return lean, left_out
