"""The frozen document of a report: its shape, and its bytes. Of a packed prompt:

    {"report": {"version", "application", "title", "content", "createdAt"},
     "inputs": [{"name", "kind", "format", "sha256", "bytes", "conversation"}],
     "model": {"name", "title", "provider", "contextWindow", …, "priceDate"},
     "preset": {"slug", "version"},
     "config": {…},                     the whole effective configuration
     "configSha256": "…",
     "bar": {"shares": [{"letter", "name", "sent", "notSent", "trimmed", "summarised"}],
             "window", "inputBudget", "limit", "reserve", "thresholdPercent"},
     "packing": {…},                    exactly what `budgeteer pack --json` prints
     "belowWarning": {"history.maxTokens": …},   advised first, where the value that a warning advises goes past it
     "prompt": [{"id", "role", "fate", "text"}],   null where only numbers are shared
     "masks": [{"kind", "places"}]}     only where something was masked before the link opened

The other kinds (kinds/registry.py) say which they are in `report.kind`; their folders have their shapes.

The bytes are the one truth: the page, CSV and Markdown are drawn from them, and reading and writing them again gives
the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from typing import Any, Final, Literal

from budgeteer.engine.errors import FormatError

VERSION = 1

type Document = dict[str, Any]
type KindName = Literal["packing", "comparison", "sweep", "evaluation", "models"]
"""What a report shows: one packed prompt, two side by side, every value of a limit, an evaluated collection, or one
configuration on several models."""

PACKING: Final[KindName] = "packing"


def dump(document: Mapping[str, Any]) -> bytes:
    """The document as canonical JSON bytes: UTF-8, compact, keys as they stand, one line end at the end."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "replace") + b"\n"


def parse(content: bytes) -> Document:
    """Read a document that `dump` wrote.

    Raises:
        FormatError: if the bytes are no report of a version this application knows.
    """
    try:
        document = json.loads(content)
    except ValueError as error:
        raise FormatError("this is not a report", mend="A report is the JSON that its page offers.") from error
    if not isinstance(document, dict) or not isinstance(document.get("report"), dict):
        raise FormatError("this is not a report", mend="A report is the JSON that its page offers.")
    version = document["report"].get("version")
    if version != VERSION:
        raise FormatError(
            f"this report has version {version!r}, and this application reads version {VERSION}",
            mend="Open it with the release that made it.",
        )
    return document


def kind_of(document: Mapping[str, Any]) -> str:
    """The kind of a frozen report; a packed prompt is what does not say."""
    return str(document["report"].get("kind", PACKING))


def pack_bytes(content: bytes) -> bytes:
    """The bytes as they are stored."""
    return zlib.compress(content, level=6)


def unpack_bytes(stored: bytes | memoryview) -> bytes:
    """The bytes that were stored."""
    return zlib.decompress(bytes(stored))


def fingerprint(config: Mapping[str, Any]) -> str:
    """The SHA-256 of a configuration in its canonical form, so that two reports can be told to have the same."""
    return hashlib.sha256(json.dumps(config, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
