"""Bytes to text."""

from __future__ import annotations

import pytest

from budgeteer.engine.errors import FormatError
from budgeteer.formats.reading.decoding import decode, without_surrogates
from tests.formats.shapes import png


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        ("héllo 世界".encode(), "utf-8"),
        ("héllo 世界".encode("utf-8-sig"), "utf-8"),
        (b"\xff\xfe" + "héllo 世界".encode("utf-16-le"), "utf-16-le"),
        (b"\xfe\xff" + "héllo 世界".encode("utf-16-be"), "utf-16-be"),
        (b"\xff\xfe\x00\x00" + "héllo 世界".encode("utf-32-le"), "utf-32-le"),
    ],
)
def test_a_mark_tells_the_encoding(data: bytes, encoding: str) -> None:
    decoded = decode(data)
    assert (decoded.text, decoded.encoding, decoded.warnings) == ("héllo 世界", encoding, ())


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_told_by_its_pattern(encoding: str) -> None:
    decoded = decode("plain words and more".encode(encoding))
    assert (decoded.text, decoded.encoding) == ("plain words and more", encoding)


def test_invalid_bytes_are_replaced_and_counted() -> None:
    decoded = decode(b"caf\xe9 and \xff and \xef\xbf\xbd end")
    assert decoded.text == "caf\ufffd and \ufffd and \ufffd end"
    assert decoded.warnings == ("2 invalid UTF-8 sequences were replaced by U+FFFD (\ufffd)",)


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (png(3, 4), "a PNG image"),
        (b"\xff\xd8\xff\xe0abc", "a JPEG image"),
        (b"%PDF-1.7 ...", "a PDF document"),
        (b"SQLite format 3\x00...", "an SQLite database"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "a WebP image"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "a WAV sound file"),
        (b"\x00\x00\x00\x18ftypisom", "an MP4 or HEIC media file"),
        (b"\x01\x02\x03" * 50, "a binary file"),
        (b"abc\x00def\x00\x00ghi", "a binary file"),
    ],
)
def test_a_binary_file_is_named_for_what_it_is(data: bytes, named: str) -> None:
    with pytest.raises(FormatError, match=f"This is {named}, not a conversation") as caught:
        decode(data, where="chat.json")
    assert caught.value.where == "chat.json"


def test_a_late_nul_is_replaced() -> None:
    decoded = decode(b"x" * 10_000 + b"\x00" + b"y" * 10_000)
    assert "\x00" not in decoded.text
    assert decoded.warnings


def test_lone_surrogates_become_replacement_characters_and_pairs_stay() -> None:
    assert without_surrogates("a\ud800b") == "a\ufffdb"
    assert without_surrogates("a\ud83d\ude00b") == "a😀b"
