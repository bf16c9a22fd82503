"""Limits of an archive: a budget charged for what is really read, and error messages that name the limit."""

from __future__ import annotations

import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from budgeteer.engine.errors import FormatError
from budgeteer.formats.reading.limits import Limits, readable_bytes

CHUNK_BYTES = 65_536
RATIO_FLOOR_BYTES = 1_000_000
"""Members under this size are never refused for their ratio: a small file of blanks packs well and harms nobody."""

DAMAGE = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
    LookupError,
)
"""Everything the archive readers of the standard library raise on a damaged or unknown archive."""


class MemberRefused(Exception):
    """One member is past a limit; the rest of the archive is read."""


@dataclass(slots=True)
class Budget:
    """How much an archive may still unpack to; a member read twice is charged once."""

    limits: Limits
    charged: dict[str, int] = field(default_factory=dict)
    spent: int = 0

    def charge(self, member: str, size: int) -> None:
        """Note that `size` bytes of a member have been read so far.

        Raises:
            FormatError: the archive unpacks to more than the limit.
        """
        self.spent += max(0, size - self.charged.get(member, 0))
        self.charged[member] = max(size, self.charged.get(member, 0))
        if self.spent > self.limits.unpacked_bytes:
            raise unpacks_to_too_much(f"more than {readable_bytes(self.limits.unpacked_bytes)}", self.limits)


def read_bounded(read: Callable[[int], bytes], budget: Budget, member: str) -> bytes:
    """A stream to its end in chunks, charged as it goes, whatever its header declares.

    Raises:
        FormatError: the archive unpacks to more than the limit.
    """
    return b"".join(chunks_bounded(read, budget, member))


def chunks_bounded(read: Callable[[int], bytes], budget: Budget, member: str) -> Iterator[bytes]:
    """The chunks of a stream to its end, charged as they come.

    Raises:
        FormatError: the archive unpacks to more than the limit.
    """
    size = 0
    while chunk := read(CHUNK_BYTES):
        size += len(chunk)
        budget.charge(member, size)
        yield chunk


def chunks_of_packed_file(
    read: Callable[[int], bytes], *, packed_bytes: int, limits: Limits, is_archive: Callable[[bytes], bool]
) -> Iterator[bytes]:
    """The chunks of what a gzip, bzip2 or xz file holds, bounded as they come.

    Args:
        read: the unpacked stream.
        packed_bytes: the size of the file itself.
        limits: what comes out is a file, held to `file_bytes`; an archive is held to `unpacked_bytes`, and its members
            are held to their own limits later.
        is_archive: whether what begins so is an archive.

    Raises:
        FormatError: it unpacks to more than a file may have, or is packed too well.
    """
    size = 0
    largest = min(limits.file_bytes, limits.unpacked_bytes)
    while chunk := read(CHUNK_BYTES):
        if not size and is_archive(chunk):
            largest = limits.unpacked_bytes
        size += len(chunk)
        if size > largest:
            raise unpacks_to_too_much(f"more than {readable_bytes(largest)}", limits, largest=largest)
        if size > RATIO_FLOOR_BYTES and size > packed_bytes * limits.member_ratio:
            raise FormatError(
                f"The packed file unpacks to more than {limits.member_ratio} times its size; the limit on the ratio of "
                f"an archive is {limits.member_ratio}:1",
                mend="Upload the part of it that matters",
            )
        yield chunk


def check_member(size: int, packed: int, limits: Limits) -> None:
    """Refuse a member that is too large or packed too well.

    Raises:
        MemberRefused: with the limit named.
    """
    if size > limits.file_bytes:
        raise MemberRefused(
            f"too large: {readable_bytes(size)}; the limit on file size is {readable_bytes(limits.file_bytes)}"
        )
    if size > RATIO_FLOOR_BYTES and size > packed * limits.member_ratio:
        ratio = f"{size // max(1, packed):,}:1"
        raise MemberRefused(
            f"too large: it unpacks {ratio}; the limit on the ratio of an archive member is {limits.member_ratio}:1"
        )


def unsafe_path(name: str) -> str:
    """Why a path may not be used, or ""."""
    if not name or "\x00" in name:
        return "its name is empty or holds a NUL"
    if name.startswith("/") or re.match(r"[A-Za-z]:", name):
        return "path traversal: an absolute path leaves the archive"
    if ".." in name.split("/"):
        return "path traversal: the path leaves the archive"
    return ""


def iso_time(seconds: Any) -> str:
    """A moment in seconds as ISO 8601 in UTC, "" when it is no number or lies outside the calendar."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return ""
    try:
        moment = datetime.fromtimestamp(seconds, tz=UTC)
    except (ValueError, OverflowError, OSError):
        return ""
    return moment.isoformat(timespec="seconds").removesuffix("+00:00") + "Z"


def too_many_entries(count: str, limits: Limits) -> FormatError:
    """The refusal of an archive with too many entries."""
    return FormatError(
        f"The archive lists {count} entries; the limit on archive entries is {limits.archive_entries:,}",
        mend="Upload the part of it that matters",
    )


def unpacks_to_too_much(size: str, limits: Limits, *, largest: int | None = None) -> FormatError:
    """The refusal of an archive that unpacks to too much; `largest` where its limit is not `unpacked_bytes`."""
    allowed = limits.unpacked_bytes if largest is None else largest
    return FormatError(
        f"The archive unpacks to {size}; the limit on unpacked size is {readable_bytes(allowed)}",
        mend="Upload the part of it that matters",
    )


def damaged(kind: str, error: Exception) -> FormatError:
    """The refusal of an archive that cannot be read to its end."""
    return FormatError(f"The {kind} is damaged: {str(error) or type(error).__name__}", mend="Pack it again")
