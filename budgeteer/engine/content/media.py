"""Pictures, files and audio from every provider's message parts, in one neutral form.

An importer keeps the provider's own part. Whoever sends it elsewhere asks here what it holds: bytes with their type,
an address, or the id of an upload, which only the provider that gave it out knows.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_AUDIO_TYPES: Final = {"mp3": "audio/mp3", "wav": "audio/wav"}


@dataclass(frozen=True, slots=True)
class Media:
    """What a part holds: `data` (base64) with its `mime`, or a `url`, or a `file_id`; the others are ""."""

    mime: str = ""
    data: str = ""
    url: str = ""
    file_id: str = ""
    name: str = ""

    @property
    def data_url(self) -> str:
        """The bytes as a `data:` address."""
        return f"data:{self.mime};base64,{self.data}"

    @property
    def is_on_the_web(self) -> bool:
        """Whether any provider can fetch it."""
        return self.url.startswith(("http://", "https://"))


def media_of(raw: Mapping[str, Any]) -> Media | None:
    """What a provider's part holds, None when it is in none of the known forms.

    Known: OpenAI chat (`image_url`, `file`, `input_audio`), OpenAI Responses (`input_image`, `input_file`), Anthropic
    (`source`), Gemini (`inlineData`, `fileData`).
    """
    for key, read in _READERS.items():
        if key in raw:
            found = read(raw, raw[key])
            return found if found and (found.data or found.url or found.file_id) else None
    return None


def _text(value: object, *keys: str) -> str:
    """The text under the first of the keys that has one."""
    if isinstance(value, Mapping):
        return next((found for key in keys if isinstance(found := value.get(key), str)), "")
    return ""


def _address(url: str, *, mime: str = "", name: str = "") -> Media:
    """An address; a `data:` one is read into its bytes, and is nothing when they are not base64."""
    if not url.startswith("data:"):
        return Media(mime or mimetypes.guess_type(url.partition("?")[0])[0] or "", url=url, name=name)
    kind, found, data = url.removeprefix("data:").partition(";base64,")
    return Media(kind.partition(";")[0], data=data, name=name) if found else Media()


def _image_url(raw: Mapping[str, Any], value: object) -> Media:
    url = value if isinstance(value, str) else _text(value, "url")
    return _address(url) if url else Media(file_id=_text(raw, "file_id"))


def _file(raw: Mapping[str, Any], value: object) -> Media:
    inner = value if isinstance(value, Mapping) else raw
    name, url = _text(inner, "filename"), _text(inner, "file_data", "file_url")
    return _address(url, name=name) if url else Media(file_id=_text(inner, "file_id"), name=name)


def _source(raw: Mapping[str, Any], value: object) -> Media | None:
    name = _text(raw, "title")
    match _text(value, "type"):
        case "base64":
            return Media(_text(value, "media_type"), data=_text(value, "data"), name=name)
        case "url":
            kind = {"image": "image/jpeg", "document": "application/pdf"}.get(_text(raw, "type"), "")
            found = _address(_text(value, "url"), name=name)
            return found if found.mime or not kind else Media(kind, url=found.url, name=name)
        case _:
            return None


def _sound(_raw: Mapping[str, Any], value: object) -> Media:
    return Media(_AUDIO_TYPES.get(_text(value, "format"), ""), data=_text(value, "data"))


def _inline(_raw: Mapping[str, Any], value: object) -> Media:
    return Media(_text(value, "mimeType", "mime_type"), data=_text(value, "data"))


def _uri(_raw: Mapping[str, Any], value: object) -> Media:
    url = _text(value, "fileUri", "file_uri")
    return _address(url, mime=_text(value, "mimeType", "mime_type"), name=_text(value, "displayName"))


#: The key that tells a form -> its reader. A Responses part names its data itself, so its keys come last.
_READERS: Final = {
    "source": _source,
    "inlineData": _inline,
    "inline_data": _inline,
    "fileData": _uri,
    "input_audio": _sound,
    "image_url": _image_url,
    "file": _file,
    "file_data": _file,
    "file_url": _file,
    "file_id": _file,
}
