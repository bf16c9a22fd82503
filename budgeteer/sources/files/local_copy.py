"""A local copy of an upload, so that an import can seek in it without holding it in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Final

from budgeteer.sources.files.storage import FolderStorage
from budgeteer.sources.models import Source

# A request to a bucket brings so much: most uploads at once.
COPIED_BYTES: Final = 16_000_000


@contextmanager
def nearby(source: Source, *, progress: Callable[[int, int], None]) -> Iterator[IO[bytes]]:
    """The upload of a source: where it lies if that is a folder, else a copy that is fetched once.

    `progress` is told how many of its bytes are copied.
    """
    with source.upload.open("rb") as stored:
        if isinstance(source.upload.storage, FolderStorage):
            yield stored.file
            return
        with tempfile.TemporaryFile() as copy:
            while block := stored.read(COPIED_BYTES):
                copy.write(block)
                progress(copy.tell(), source.size_bytes)
            yield copy
