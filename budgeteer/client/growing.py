"""Push a file to a dashboard, and later only what has been added to it.

What a source holds is compared with the beginning of the file by size and SHA-256 before anything is sent. A file that
was rewritten is uploaded whole, as a new source.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from budgeteer.client.connection import RemoteError
from budgeteer.client.remote import Remote

_BLOCK: Final = 1_000_000
_NOT_THERE: Final = 404
#: What a refused append tells: the bytes that the source holds instead, or the source that holds the whole already.
_OTHER_BYTES: Final = frozenset({"sizeBytes", "sourceId"})


class PushKind(StrEnum):
    """What was done with a file."""

    UPLOADED = "uploaded"
    APPENDED = "appended"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class Push:
    """One push: what was done, the source as it is now, and how many bytes of the file were sent."""

    kind: PushKind
    source: dict[str, Any]
    sent_bytes: int


class GrowingFile:
    """One file and the source that holds its beginning.

    Args:
        source_id: the source that an earlier run pushed it to, "" for none.
    """

    def __init__(self, remote: Remote, path: Path, *, as_format: str = "", source_id: str = "") -> None:
        self.path = path
        self.source_id = source_id
        self._remote = remote
        self._as_format = as_format

    def push(self, *, whole_lines: bool) -> Push | None:
        """Send what is new; None where there is nothing to send yet.

        With `whole_lines` what stands behind the last line end waits, since it may still be written.

        Raises:
            RemoteError: the file cannot be read, or the dashboard refused it.
        """
        size_bytes = self._readable_size(whole_lines=whole_lines)
        if not size_bytes:
            return None
        source = self._held_source(size_bytes)
        if source is None:
            return self._upload(size_bytes)
        if source["sizeBytes"] == size_bytes:
            return Push(PushKind.UNCHANGED, source, 0)
        try:
            grown = self._remote.append(source, self.path, size_bytes=size_bytes)
        except RemoteError as error:
            if _OTHER_BYTES.isdisjoint(error.document):
                raise
            return self._upload(size_bytes)  # it changed between the look and the append, or the whole is there already
        return Push(PushKind.APPENDED, grown, size_bytes - source["sizeBytes"])

    def _upload(self, size_bytes: int) -> Push:
        source = self._remote.upload(self.path, as_format=self._as_format, size_bytes=size_bytes)
        self.source_id = str(source["id"])
        return Push(PushKind.UPLOADED, source, size_bytes)

    def _held_source(self, size_bytes: int) -> dict[str, Any] | None:
        """The source, where it holds the beginning of the file as it is now."""
        if not self.source_id:
            return None
        try:
            source = self._remote.source(self.source_id)
        except RemoteError as error:
            if error.status != _NOT_THERE:
                raise
            return None
        held: int = source["sizeBytes"]
        return source if held <= size_bytes and digest_of(self.path, held) == source["sha256"] else None

    def _readable_size(self, *, whole_lines: bool) -> int:
        try:
            size_bytes = self.path.stat().st_size
            return line_end(self.path, size_bytes) if whole_lines else size_bytes
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise RemoteError(f"The file cannot be read: {why}", where=str(self.path)) from None


def digest_of(path: Path, size_bytes: int) -> str:
    """The SHA-256 of the first bytes of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        left = size_bytes
        while left and (block := file.read(min(_BLOCK, left))):
            digest.update(block)
            left -= len(block)
    return digest.hexdigest()


def line_end(path: Path, size_bytes: int) -> int:
    """Where the last whole line of the first `size_bytes` ends; 0 where none does."""
    with path.open("rb") as file:
        end = size_bytes
        while end:
            start = max(end - _BLOCK, 0)
            file.seek(start)
            found = file.read(end - start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            end = start
    return 0
