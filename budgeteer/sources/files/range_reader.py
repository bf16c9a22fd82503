"""A remote file read by byte ranges: a chunk costs only its own bytes, a whole read one request."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Any, cast

from django.core.files.base import File

# A read asks for exactly its bytes. One that goes on where the last ended asks for more than that: first this much,
# twice as much each time, at most that much.
FIRST_AHEAD, MOST_AHEAD = 65_536, 4_194_304

# Bytes from a place on (all to the end for None), and the size of the whole.
type Fetch = Callable[[int, int | None], tuple[bytes, int]]

if TYPE_CHECKING:
    _BytesFile = File[bytes]
else:
    _BytesFile = File  # generic for the type checker only


class RangeReader(io.BufferedIOBase):
    """Reads and seeks over ranges; nothing is fetched before it is read."""

    def __init__(self, fetch: Fetch, size_of: Callable[[], int]) -> None:
        super().__init__()
        self._fetch = fetch
        self._size_of = size_of
        self._size: int | None = None
        self._at = 0
        self._kept_from = 0
        self._kept = b""
        self._ahead = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    @property
    def size(self) -> int:
        """Bytes of the whole; asked for where no read has told it."""
        if self._size is None:
            self._size = self._size_of()
        return self._size

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._at}.get(whence)
        self._at = max((self.size if start is None else start) + offset, 0)
        return self._at

    def read(self, size: int | None = -1) -> bytes:
        wanted = None if size is None or size < 0 else size
        if wanted == 0 or (self._size is not None and self._at >= self._size):
            return b""
        found = self._from_kept(wanted)
        if wanted is None or len(found) < wanted:
            found += self._from_afar(None if wanted is None else wanted - len(found))
        return found

    def read1(self, size: int = -1) -> bytes:
        return self.read(size)

    def readinto(self, buffer: Any) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def _from_kept(self, wanted: int | None) -> bytes:
        start = self._at - self._kept_from
        if not 0 <= start < len(self._kept):
            return b""
        found = self._kept[start : None if wanted is None else start + wanted]
        self._at += len(found)
        return found

    def _from_afar(self, wanted: int | None) -> bytes:
        if self._size is not None and self._at >= self._size:
            return b""
        goes_on = self._kept and self._at == self._kept_from + len(self._kept)
        self._ahead = min(max(self._ahead * 2, FIRST_AHEAD), MOST_AHEAD) if goes_on else 0
        data, self._size = self._fetch(self._at, None if wanted is None else max(wanted, self._ahead))
        self._kept_from, self._kept = self._at, b"" if wanted is None else data
        found = data[:wanted]
        self._at += len(found)
        return found


class RangeFile(_BytesFile):
    """A stored file as Django hands it on; after closing it can be opened again."""

    def __init__(self, name: str, *, fetch: Fetch, size_of: Callable[[], int]) -> None:
        self._fetch = fetch
        self._size_of = size_of
        super().__init__(self._reader(), name)

    def _reader(self) -> IO[bytes]:
        return cast("IO[bytes]", RangeReader(self._fetch, self._size_of))

    @property
    def size(self) -> int:
        """Bytes of the whole."""
        return self._size_of()

    def open(self, mode: str | None = None, *_options: Any, **_more: Any) -> RangeFile:
        """At its beginning again; for reading only."""
        if mode not in (None, "rb"):
            raise ValueError(f"A stored file is read as bytes, not opened as {mode!r}")
        self.file: IO[bytes] = self._reader()
        return self
