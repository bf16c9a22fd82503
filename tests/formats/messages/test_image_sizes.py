"""Pixel sizes from headers."""

from __future__ import annotations

import base64
import struct

import pytest

from budgeteer.formats.messages.image_sizes import base64_pixel_size, data_url_pixel_size, pixel_size
from tests.formats.shapes import png

JPEG = (
    b"\xff\xd8"
    + (b"\xff\xe1" + struct.pack(">H", 20) + b"Exif" + b"\x00" * 14)
    + (b"\xff\xc2" + struct.pack(">HBHH", 17, 8, 30, 40) + b"\x00" * 10)
)


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (png(640, 480), (640, 480)),
        (b"GIF89a" + struct.pack("<HH", 12, 34) + b"\x00" * 8, (12, 34)),
        (JPEG, (40, 30)),
        (JPEG[:2] + b"\xff\x01" + JPEG[2:], (40, 30)),
        (JPEG[:2] + b"\xff\xff" + JPEG[2:], (40, 30)),
        (JPEG[:2] + b"\x00" + JPEG[2:], None),
        (b"RIFF\x00\x00\x00\x00WEBPVP8X" + b"\x00" * 8 + b"\x3f\x00\x00\x1f\x00\x00", (64, 32)),
        (b"RIFF\x00\x00\x00\x00WEBPVP8L" + b"\x00" * 5 + struct.pack("<I", 99 | (49 << 14)), (100, 50)),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 " + b"\x00" * 10 + struct.pack("<HH", 20, 10), (20, 10)),
        (b"RIFF\x00\x00\x00\x00WEBPVP9 " + b"\x00" * 10 + struct.pack("<HH", 20, 10), None),
        (b"\x89PNG\r\n\x1a\n", None),
        (b"\xff\xd8\xff", None),
        (b"nothing", None),
        (b"", None),
    ],
)
def test_the_header_tells_the_size(data: bytes, size: tuple[int, int] | None) -> None:
    assert pixel_size(data) == size


def test_base64_and_data_urls_are_read_from_their_beginning() -> None:
    payload = base64.b64encode(png(5, 6) + b"\x00" * 2_000_000).decode()
    assert base64_pixel_size(payload) == (5, 6)
    assert data_url_pixel_size(f"data:image/png;base64,{payload}") == (5, 6)
    assert data_url_pixel_size("https://example.com/cat.png") is None
    assert base64_pixel_size("not base64 at all!") is None
    assert base64_pixel_size("a===") is None
    assert base64_pixel_size("日本語字") is None
