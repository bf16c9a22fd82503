"""Pixel sizes read from the first bytes of an image: a picture is priced by its size, never by its base64."""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Mapping
from typing import Any

from budgeteer.engine.content.conversation import ImagePart

HEADER_CHARACTERS = 700_000
"""Base64 characters decoded to find a size: a JPEG may carry half a megabyte of metadata before its frame header."""

_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_JPEG_BARE = frozenset({0x01, *range(0xD0, 0xD9)})


def pixel_size(data: bytes) -> tuple[int, int] | None:
    """Width and height in pixels of a PNG, GIF, JPEG or WebP image, None when the bytes do not tell."""
    try:
        if data.startswith(b"\x89PNG\r\n\x1a\n"):
            return struct.unpack_from(">II", data, 16)
        if data[:6] in (b"GIF87a", b"GIF89a"):
            return struct.unpack_from("<HH", data, 6)
        if data.startswith(b"\xff\xd8"):
            return _jpeg_size(data)
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            return _webp_size(data)
    except (struct.error, IndexError):
        return None
    return None


def base64_pixel_size(text: str) -> tuple[int, int] | None:
    """The size of an image given as base64 text; only its beginning is decoded."""
    head = "".join(text[:HEADER_CHARACTERS].split())
    head = head[: len(head) // 4 * 4]
    try:
        return pixel_size(base64.b64decode(head))
    except (binascii.Error, ValueError):
        return None


def data_url_pixel_size(url: str) -> tuple[int, int] | None:
    """The size of an image given as a `data:` URL, None for any other URL."""
    head, comma, payload = url.partition(",")
    if not comma or not head.startswith("data:") or ";base64" not in head:
        return None
    return base64_pixel_size(payload)


def image_at(address: str, *, detail: str = "auto") -> ImagePart:
    """A picture by its address, in the form every renderer knows; a path that no provider can fetch stays a path."""
    if not address.startswith(("data:", "http://", "https://")):
        return ImagePart({"image": address})
    url: Mapping[str, Any] = {"url": address} if detail == "auto" else {"url": address, "detail": detail}
    width, height = data_url_pixel_size(address) or (None, None)
    return ImagePart({"type": "image_url", "image_url": url}, width, height, detail)


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:
            at += 1
        elif marker in _JPEG_FRAMES:
            height, width = struct.unpack_from(">HH", data, at + 5)
            return width, height
        elif marker in _JPEG_BARE:
            at += 2
        else:
            at += 2 + struct.unpack_from(">H", data, at + 2)[0]
    return None


def _webp_size(data: bytes) -> tuple[int, int] | None:
    kind = data[12:16]
    if kind == b"VP8X":
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if kind == b"VP8L":
        bits = struct.unpack_from("<I", data, 21)[0]
        return (bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    return None
