"""A part of a file as a file, so that what is sent of a growing file is what was decided on."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Self


class FileSlice:
    """Bytes `start` to `stop` of a file, read as they are sent.

    Raises:
        OSError: the file cannot be opened.
    """

    def __init__(self, path: Path, start: int, stop: int) -> None:
        self._file = path.open("rb")
        self._start = start
        self._size = max(stop - start, 0)
        self._position = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def read(self, size: int = -1) -> bytes:
        """The next bytes, at most `size`."""
        left = self._size - self._position
        self._file.seek(self._start + self._position)
        data = self._file.read(left if size < 0 else min(size, left))
        self._position += len(data)
        return data

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        block = self.read(1_000_000)
        if not block:
            raise StopIteration
        return block

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move within the part."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._size}[whence]
        self._position = base + offset
        return self._position

    def tell(self) -> int:
        """Where in the part reading goes on."""
        return self._position
