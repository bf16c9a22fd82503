"""A zip archive written while it is sent: neither whole in memory nor on a disk."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final, override

#: So many bytes of the archive are handed on together.
GATHERED_BYTES: Final = 64 * 1024
#: A file of more bytes is announced with long sizes, which old readers do not know; 2 GiB less what deflate may add.
LONG_SIZES_FROM: Final = (1 << 31) - (1 << 24)
#: What packs text three to five times smaller in the time that it takes to send it.
LEVEL: Final = 1


@dataclass(frozen=True, slots=True)
class ZipMember:
    """One file of an archive: its name, its bytes in pieces, when it was written, and about how large it is."""

    name: str
    pieces: Iterable[bytes]
    written_at: datetime
    size_bytes: int = 0


def zipped(members: Iterable[ZipMember]) -> Iterator[bytes]:
    """The bytes of an archive of these files; each is asked for only when those before it have been taken."""
    outlet = _Outlet()
    with zipfile.ZipFile(outlet, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive:
        for member in members:
            moment = member.written_at
            info = zipfile.ZipInfo(
                member.name, (max(moment.year, 1980), moment.month, moment.day, moment.hour, moment.minute, 0)
            )
            info.compress_type = zipfile.ZIP_DEFLATED
            info._compresslevel = LEVEL  # type: ignore[attr-defined]  # noqa: SLF001 - before Python 3.13 its only name
            info.external_attr = 0o600 << 16
            with archive.open(info, "w", force_zip64=member.size_bytes >= LONG_SIZES_FROM) as file:
                for piece in member.pieces:
                    file.write(piece)
                    if outlet.held_bytes >= GATHERED_BYTES:
                        yield outlet.take()
    yield outlet.take()


class _Outlet(io.RawIOBase):
    """Where zipfile writes to: it cannot go back, so that sizes follow each file."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []
        self.held_bytes = 0

    @override
    def writable(self) -> bool:
        return True

    @override
    def write(self, data: object, /) -> int:
        part = bytes(data)  # type: ignore[call-overload]  # any buffer
        self._parts.append(part)
        self.held_bytes += len(part)
        return len(part)

    def take(self) -> bytes:
        """What was written since it was asked last."""
        taken = b"".join(self._parts)
        self._parts.clear()
        self.held_bytes = 0
        return taken
