"""Pictures, files and sound read from every provider's form."""

from typing import Any

import pytest

from budgeteer.engine.content.media import Media, media_of

DATA = {"data": "AAAA"}


@pytest.mark.parametrize(
    ("raw", "media"),
    [
        ({"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}, Media("image/png", **DATA)),
        (
            {"type": "image_url", "image_url": "https://e.org/a.webp?x=1"},
            Media("image/webp", url="https://e.org/a.webp?x=1"),
        ),
        ({"type": "input_image", "image_url": "data:image/gif;base64,AAAA"}, Media("image/gif", **DATA)),
        ({"type": "input_image", "file_id": "f1"}, Media(file_id="f1")),
        ({"type": "image_url", "image_url": None, "file_id": "f1"}, Media(file_id="f1")),
        ({"type": "file", "file": {"file_id": "f1", "filename": "a.pdf"}}, Media(file_id="f1", name="a.pdf")),
        (
            {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"},
            Media("application/pdf", **DATA, name="a.pdf"),
        ),
        (
            {"type": "input_file", "file_url": "https://e.org/a.pdf"},
            Media("application/pdf", url="https://e.org/a.pdf"),
        ),
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
            Media("image/png", **DATA),
        ),
        (
            {"type": "image", "source": {"type": "url", "url": "https://e.org/a"}},
            Media("image/jpeg", url="https://e.org/a"),
        ),
        (
            {"type": "document", "title": "A", "source": {"type": "url", "url": "https://e.org/a"}},
            Media("application/pdf", url="https://e.org/a", name="A"),
        ),
        ({"type": "document", "source": {"type": "text", "data": "words"}}, None),
        ({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}}, Media("audio/mp3", **DATA)),
        ({"inlineData": {"mimeType": "image/png", "data": "AAAA"}}, Media("image/png", **DATA)),
        ({"inline_data": {"mime_type": "image/png", "data": "AAAA"}}, Media("image/png", **DATA)),
        ({"fileData": {"fileUri": "gs://b/a", "mimeType": "video/mp4"}}, Media("video/mp4", url="gs://b/a")),
        ({"type": "image_url", "image_url": {"url": "data:image/svg+xml,<svg/>"}}, None),
        ({"type": "image", "source": "nowhere"}, None),
        ({"type": "video"}, None),
        ({}, None),
    ],
)
def test_a_part_tells_what_it_holds(raw: dict[str, Any], media: Media | None) -> None:
    assert media_of(raw) == media


def test_only_some_addresses_are_on_the_web() -> None:
    assert Media(url="https://e.org").is_on_the_web
    assert not Media(url="gs://b/a").is_on_the_web
    assert Media("image/png", data="AA").data_url == "data:image/png;base64,AA"
