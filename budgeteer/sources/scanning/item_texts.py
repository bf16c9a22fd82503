"""The texts of a stored source that a scan looks through, each under the place where it stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from budgeteer.scanning.scan import Path, strings_of
from budgeteer.sources.files.contents import CONVERSATIONS, MAIN_STREAM, MESSAGES, SKIPPED, Contents

ITEMS_AT_ONCE: Final = 16
"""So many items are unpacked at once: one may be as large as a whole file."""

_OPENING_MESSAGES, _OPENING_CHARS = 5, 2_000
"""Among the first messages, and so far into each, an import has looked for a title where the file had none."""
_PAYLOAD_CHARS: Final = 1_000
#: What is no text: bytes of a picture, a sound or a file, written in base64.
_PAYLOAD: Final = re.compile(r"(?:data:[\w.+/-]{1,100};base64,)?[A-Za-z0-9+/=_\r\n-]+")
#: Fields of what a provider sealed: nobody but the provider can read them.
_SEALED: Final = frozenset({"signature", "encrypted", "encrypted_content", "thoughtSignature", "thought_signature"})

type Progress = Callable[[int, int], None]

#: Every stream that holds texts: what is sent to a model, titles and metadata, and what was not read.
STREAMS: Final = (*MAIN_STREAM.values(), CONVERSATIONS, SKIPPED)


def item_count(contents: Contents) -> int:
    """How many items a scan looks through."""
    return sum(contents.reader.count(stream) for stream in STREAMS)


def texts_of(contents: Contents, progress: Progress) -> Iterator[tuple[Path, str]]:
    """Each text with its path, which begins with the stream and the place of the item in it; some items are held."""
    total, done = item_count(contents), 0
    for stream in STREAMS:
        for start in range(0, contents.reader.count(stream), ITEMS_AT_ONCE):
            progress(done, total)
            items = contents.reader.read(stream, start, start + ITEMS_AT_ONCE)
            for at, item in enumerate(items, start):
                own = _without_copied_title(item, contents) if stream == CONVERSATIONS else item
                yield from _texts_in(own, (stream, at))
            done += len(items)


def _without_copied_title(row: dict[str, Any], contents: Contents) -> dict[str, Any]:
    """The row of a conversation without a title that is the beginning of one of its messages: one place is no two."""
    title = " ".join(str(row["title"]).rstrip("…").split())
    stop = row["start"] + min(row["count"], _OPENING_MESSAGES)
    opening = strings_of(contents.reader.read(MESSAGES, row["start"], stop))
    is_copied = any(title in " ".join(text[:_OPENING_CHARS].split()) for _, text in opening)
    return {**row, "title": ""} if is_copied else row


def _texts_in(item: dict[str, Any], path: Path) -> Iterator[tuple[Path, str]]:
    for inner, text in strings_of(item, path):
        if inner[-1] not in _SEALED and not _is_payload(text):
            yield inner, text


def _is_payload(text: str) -> bool:
    return len(text) > _PAYLOAD_CHARS and _PAYLOAD.fullmatch(text) is not None
