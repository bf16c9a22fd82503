"""Mask values in the bytes of an upload: each is replaced in the forms in which a file writes it.

A value was found in a text; its file may have written that text as it is, or as a JSON string, or as a JSON string
within another one. What a file writes in yet another way (a folded line of YAML, base64) is not found, and counted.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from budgeteer.engine.errors import InputError
from budgeteer.formats.reading.compressed_files import HEAD_BYTES, is_packed, is_tar, is_zip
from budgeteer.formats.reading.decoding import binary_kind
from budgeteer.scanning.mask_words import mask_of

MOST_MASKED: Final = 1_000
"""So many values are masked in one file: the file is gone through for each."""

_WORD: Final = re.compile(r"[A-Za-z_]+")
#: The whole of a JSON string, not one within another: it may be a key, a role or a type that gives the file its shape.
_INSIDE: Final = rb"(?<![^\\]\")%b|%b(?!\")"
#: What some writers of JSON write as escapes, beside those that JSON asks for.
_ALSO_ESCAPED: Final = (
    {"/": "\\/"},
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"},
    {"\n": "\r\n"},
)


@dataclass(slots=True)
class MaskedBytes:
    """The bytes with their masks.

    Attributes:
        kinds: in how many places each kind was masked.
        missing: how many values stand nowhere in the bytes in a form that is known here.
        left: how many places were left: plain words that are the whole of a JSON string.
    """

    data: bytes
    kinds: Counter[str] = field(default_factory=Counter)
    missing: int = 0
    left: int = 0

    @property
    def places(self) -> int:
        return self.kinds.total()


def check_can_be_masked(head: bytes, *, name: str) -> None:
    """Refuse what is not written as text, by the first bytes of the file.

    Raises:
        InputError: it is packed, or a binary file.
    """
    if is_zip(head) or is_packed(head) or is_tar(head):
        raise InputError(
            "a packed file cannot be masked: what was found stands in its files, not in its bytes",
            where=name,
            mend="Unpack it, upload the file in which it was found, and make a masked copy of that",
        )
    if kind := binary_kind(head[:HEAD_BYTES]):
        raise InputError(
            f"{kind} cannot be masked: its parts have lengths that a mask would change",
            where=name,
            mend="Export it as text or JSON, upload that, and make a masked copy of it",
        )


def masked_bytes(
    data: bytes, values: Mapping[str, str], *, encoding: str, progress: Callable[[int, int], None]
) -> MaskedBytes:
    """Replace each value (kind by value) by `[masked: kind]` wherever it stands, the longest first.

    Raises:
        InputError: there are too many values.
    """
    if len(values) > MOST_MASKED:
        raise InputError(
            f"{len(values):,} values were found, and {MOST_MASKED:,} are the most that are masked in one copy",
            mend="Upload it in parts, and make a masked copy of each",
        )
    masked = MaskedBytes(data)
    is_json = data.removeprefix(codecs.BOM_UTF8).lstrip()[:1] in (b"{", b"[")
    for done, value in enumerate(sorted(values, key=len, reverse=True)):
        progress(done, len(values))
        mask = mask_of(values[value]).encode(encoding)
        places = sum(_replace(masked, form, mask, is_json=is_json) for form in _forms(value, encoding))
        masked.kinds[values[value]] += places
        masked.missing += not places
    masked.kinds += Counter()  # without those that were masked nowhere
    return masked


def _replace(masked: MaskedBytes, form: bytes, mask: bytes, *, is_json: bool) -> int:
    """Mask one form of a value; in how many places."""
    places = masked.data.count(form)
    if not places:
        return 0
    if not is_json or not _WORD.fullmatch(form.decode("latin-1")):
        masked.data = masked.data.replace(form, mask)
        return places
    escaped = re.escape(form)
    masked.data, inside = re.subn(_INSIDE % (escaped, escaped), lambda _: mask, masked.data)
    masked.left += places - inside
    return inside


def _forms(value: str, encoding: str) -> Iterator[bytes]:
    """Each way a file may write a value, those with most escapes first."""
    plain = [value, *(_written(value, also) for also in _ALSO_ESCAPED)]
    once = [form for also in ({}, *_ALSO_ESCAPED[:2]) for form in _as_json(value, also)]
    twice = [form for inner in dict.fromkeys(once) for form in _as_json(inner, {})]
    for form in dict.fromkeys((*twice, *once, *plain)):
        try:
            yield form.encode(encoding)
        except UnicodeEncodeError:  # half a surrogate pair: only an escape can write it
            continue


def _as_json(value: str, also: Mapping[str, str]) -> Iterator[str]:
    for is_ascii in (True, False):
        yield _written(json.dumps(value, ensure_ascii=is_ascii)[1:-1], also)


def _written(text: str, also: Mapping[str, str]) -> str:
    for character, escape in also.items():
        text = text.replace(character, escape)
    return text
