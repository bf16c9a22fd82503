"""Limits of an upload, and the error messages that name them."""

from __future__ import annotations

from dataclasses import dataclass

from budgeteer.engine.errors import FormatError

MEGABYTE = 1_000_000
GIGABYTE = 1_000 * MEGABYTE


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds every importer keeps; the defaults are those of the browser (architecture.md, "Upload limits").

    Attributes:
        file_bytes: the largest upload, the largest member read from an archive, and the most that a packed file which
            is no archive may unpack to, in bytes.
        archive_entries: the most entries an archive may list.
        unpacked_bytes: the most bytes an archive may unpack to, over all its members.
        member_ratio: the most bytes one member, or a packed file, may unpack to for each packed byte.
        json_depth: the deepest nesting of a JSON document.
        front_matter_bytes: the longest YAML front matter, in bytes.
        held_bytes: the largest file that is held in memory whole, where the caller gives room on disk for larger ones.
    """

    file_bytes: int = 200 * MEGABYTE
    archive_entries: int = 20_000
    unpacked_bytes: int = 1 * GIGABYTE
    member_ratio: int = 200
    json_depth: int = 200
    front_matter_bytes: int = 64_000
    held_bytes: int = 16 * MEGABYTE


DEFAULT_LIMITS = Limits()
COMMAND_LINE_LIMITS = Limits(file_bytes=2 * GIGABYTE)


def readable_bytes(count: int) -> str:
    """A size as people read it: `812 bytes`, `64 kB`, `1.5 GB` (decimal units)."""
    for unit, size in (("GB", GIGABYTE), ("MB", MEGABYTE), ("kB", 1_000)):
        if count >= size:
            return f"{count / size:.1f}".removesuffix(".0") + f" {unit}"
    return f"{count} bytes"


def check_file_size(size: int, limits: Limits, *, where: str = "") -> None:
    """Refuse an upload over `file_bytes`.

    Raises:
        FormatError: the file is larger than the limit.
    """
    if size > limits.file_bytes:
        raise FormatError(
            f"The file has {readable_bytes(size)}; the limit on file size is {readable_bytes(limits.file_bytes)}",
            where=where,
            mend="Upload a part of it, or use the command line, whose limit is higher",
        )
