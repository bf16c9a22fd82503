"""Zip and tar archives and folders read with bounds: entries are read into memory one by one, never extracted."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from budgeteer.engine.errors import FormatError
from budgeteer.formats.limits import Limits, readable_bytes
from budgeteer.formats.report import Skipped

CHUNK_BYTES = 65_536
RATIO_FLOOR_BYTES = 1_000_000
"""Members under this size are never refused for their ratio: a small file of blanks packs well and harms nobody."""

IGNORED_PARTS = frozenset({"__MACOSX", ".git", ".DS_Store", "Thumbs.db", "node_modules", "__pycache__"})

_PREFIX = re.compile(r".+-(?:[0-9a-f]{7,40}|main|master|trunk|HEAD|v?\d+(?:\.\d+)+)")
_ZIP_END = b"PK\x05\x06"
_DAMAGE = (
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


class _MemberRefused(Exception):
    """One member is past a limit; the rest of the archive is read."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of an archive or folder: its inner path (forward slashes), size in bytes, time (ISO 8601 or "")."""

    path: str
    size: int
    modified: str
    read: Callable[[], bytes] = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


@dataclass(slots=True)
class Archive:
    """What an archive or folder holds.

    Attributes:
        kind: "zip archive", "tar archive" or "folder".
        entries: its readable files by path, the archive's own prefix (`repo-sha/`) stripped.
        skipped: entries that are not read, with their reason.
        prefix: what was stripped, with its slash, or "".
    """

    kind: str
    entries: list[Entry]
    skipped: list[Skipped]
    prefix: str = ""

    def read(self, entry: Entry) -> bytes | None:
        """An entry's bytes; None (and a line in `skipped`) when it is damaged or past a member's limit.

        Raises:
            FormatError: the archive as a whole unpacks to more than the limit.
        """
        try:
            return entry.read()
        except _MemberRefused as error:
            self.skipped.append(Skipped(entry.path, str(error)))
        except _DAMAGE as error:
            self.skipped.append(Skipped(entry.path, f"damaged: {error or type(error).__name__}"))
        return None


@dataclass(slots=True)
class Budget:
    """How much an archive may still unpack; spent by what is really read, whatever its headers declare."""

    limits: Limits
    left: int

    def spend(self, count: int) -> None:
        """Take `count` bytes.

        Raises:
            FormatError: the archive unpacks to more than the limit.
        """
        self.left -= count
        if self.left < 0:
            raise _unpacks_to_too_much(f"more than {readable_bytes(self.limits.unpacked_bytes)}", self.limits)


def open_archive(data: bytes, *, limits: Limits) -> Archive | None:
    """The archive these bytes are, or None when they are no zip or tar.

    Raises:
        FormatError: a damaged or encrypted archive, or one past a limit (entries, unpacked size).
    """
    if data[:4] in (b"PK\x03\x04", _ZIP_END, b"PK\x07\x08"):
        return _open_zip(data, limits)
    return _open_tar(data, limits) if data[257:262] == b"ustar" else None


def decompress(data: bytes, *, limits: Limits) -> bytes | None:
    """What a gzip, bzip2 or xz file holds, None when the bytes are none of them.

    Raises:
        FormatError: a damaged file, or one that unpacks to more than the limit.
    """
    packed = io.BytesIO(data)
    stream: io.BufferedIOBase
    if data[:2] == b"\x1f\x8b":
        stream = gzip.GzipFile(fileobj=packed)
    elif data[:3] == b"BZh":
        stream = bz2.BZ2File(packed)
    elif data[:6] == b"\xfd7zXZ\x00":
        stream = lzma.LZMAFile(packed)
    else:
        return None
    try:
        return _read_bounded(stream.read, Budget(limits, limits.unpacked_bytes))
    except _DAMAGE as error:
        raise _damaged("packed file", error) from None


def open_folder(folder: Path, *, limits: Limits) -> Archive:
    """The files under a folder, links not followed.

    Raises:
        FormatError: no folder, or more files than an archive may have.
    """
    if not folder.is_dir():
        raise FormatError("This is not a folder", where=str(folder), mend="Name an existing folder")
    archive = Archive("folder", [], [])
    for path in _walk(folder):
        inner = path.relative_to(folder).as_posix()
        if path.is_symlink():
            archive.skipped.append(Skipped(inner, "a symbolic link"))
        elif path.is_file():
            archive.entries.append(_file_entry(path, inner, limits))
        if len(archive.entries) > limits.archive_entries:
            raise _too_many_entries(f"more than {len(archive.entries) - 1:,}", limits)
    archive.entries.sort(key=lambda entry: entry.path.split("/"))
    return archive


def _walk(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name in IGNORED_PARTS:
            continue
        yield path
        if path.is_dir() and not path.is_symlink():
            yield from _walk(path)


def _file_entry(path: Path, inner: str, limits: Limits) -> Entry:
    status = path.stat()

    def read() -> bytes:
        if status.st_size > limits.file_bytes:
            raise _MemberRefused(_too_large(status.st_size, limits))
        return path.read_bytes()

    return Entry(inner, status.st_size, _iso(status.st_mtime), read)


def _open_zip(data: bytes, limits: Limits) -> Archive:
    _check_declared_entries(data, limits)
    try:
        opened = zipfile.ZipFile(io.BytesIO(data))
        members = [info for info in opened.infolist() if not info.is_dir()]
    except _DAMAGE as error:
        raise _damaged("zip archive", error) from None
    if len(opened.infolist()) > limits.archive_entries:
        raise _too_many_entries(f"{len(opened.infolist()):,}", limits)
    declared = sum(info.file_size for info in members)
    if declared > limits.unpacked_bytes:
        raise _unpacks_to_too_much(readable_bytes(declared), limits)
    if members and all(info.flag_bits & 1 for info in members):
        raise FormatError("The zip archive is encrypted", mend="Upload it without a password")
    budget = Budget(limits, limits.unpacked_bytes)
    found = [_zip_entry(opened, info, budget) for info in members]
    return _archive("zip archive", found)


def _zip_entry(opened: zipfile.ZipFile, info: zipfile.ZipInfo, budget: Budget) -> Entry | Skipped:
    name = info.orig_filename.replace("\\", "/")
    reason = _unsafe(name)
    if stat.S_ISLNK(info.external_attr >> 16):
        reason = "a symbolic link"
    elif info.flag_bits & 1:
        reason = "encrypted"
    if reason:
        return Skipped(name[:300], reason)

    def read() -> bytes:
        limits = budget.limits
        _check_member(info.file_size, info.compress_size, limits)
        with opened.open(info) as stream:
            data = _read_bounded(stream.read, budget)
        _check_member(len(data), info.compress_size, limits)
        return data

    year, month, day, hour, minute, second = info.date_time
    moment = f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}" if year > 1980 else ""
    return Entry(name, info.file_size, moment, read)


def _open_tar(data: bytes, limits: Limits) -> Archive:
    budget = Budget(limits, limits.unpacked_bytes)
    found: list[Entry | Skipped] = []
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as opened:
            for count, member in enumerate(opened, 1):
                if count > limits.archive_entries:
                    raise _too_many_entries(f"more than {limits.archive_entries:,}", limits)
                if not member.isdir():
                    found.append(_tar_entry(opened, member, budget))
    except _DAMAGE as error:
        raise _damaged("tar archive", error) from None
    return _archive("tar archive", found)


def _tar_entry(opened: tarfile.TarFile, member: tarfile.TarInfo, budget: Budget) -> Entry | Skipped:
    name = member.name.replace("\\", "/").removeprefix("./")
    reason = _unsafe(name)
    if member.issym() or member.islnk():
        reason = "a link"
    elif not member.isfile():
        reason = "not a regular file"
    if reason:
        return Skipped(name[:300], reason)
    try:
        _check_member(member.size, member.size, budget.limits)
    except _MemberRefused as error:
        return Skipped(name[:300], str(error))
    stream = opened.extractfile(member)
    data = _read_bounded(stream.read, budget) if stream else b""
    return Entry(name, len(data), _iso(member.mtime) if member.mtime else "", lambda: data)


def _read_bounded(read: Callable[[int], bytes], budget: Budget) -> bytes:
    chunks: list[bytes] = []
    while chunk := read(CHUNK_BYTES):
        budget.spend(len(chunk))
        chunks.append(chunk)
    return b"".join(chunks)


def _archive(kind: str, found: list[Entry | Skipped]) -> Archive:
    """The archive by path: names that occur twice keep their last entry, as unpacking would."""
    skipped = [item for item in found if isinstance(item, Skipped)]
    by_path: dict[str, Entry] = {}
    for item in found:
        if not isinstance(item, Entry) or _ignored(item.path):
            continue
        if item.path in by_path:
            skipped.append(Skipped(item.path, "the name occurs again; the last one is read"))
        by_path[item.path] = item
    prefix = _prefix(list(by_path))
    entries = [
        Entry(path.removeprefix(prefix), entry.size, entry.modified, entry.read) for path, entry in by_path.items()
    ]
    entries.sort(key=lambda entry: entry.path.split("/"))
    return Archive(kind, entries, skipped, prefix)


def _ignored(path: str) -> bool:
    parts = path.split("/")
    return parts[-1].startswith("._") or not IGNORED_PARTS.isdisjoint(parts)


def _prefix(paths: list[str]) -> str:
    """The one top folder a code host adds (`repo-sha/`), unless it is itself a skill's folder."""
    tops = {path.split("/", 1)[0] for path in paths}
    if len(tops) != 1 or not all("/" in path for path in paths):
        return ""
    top = tops.pop()
    return f"{top}/" if _PREFIX.fullmatch(top) and f"{top}/SKILL.md" not in paths else ""


def _unsafe(name: str) -> str:
    """Why a path may not be used, or ""."""
    if not name or "\x00" in name:
        return "its name is empty or holds a NUL"
    if name.startswith("/") or re.match(r"[A-Za-z]:", name):
        return "path traversal: an absolute path leaves the archive"
    if ".." in name.split("/"):
        return "path traversal: the path leaves the archive"
    return ""


def _check_declared_entries(data: bytes, limits: Limits) -> None:
    """Refuse by the entry count of the zip's end record, before its whole directory is read."""
    at = data.rfind(_ZIP_END, max(0, len(data) - 66_000))
    declared = int.from_bytes(data[at + 10 : at + 12], "little") if at >= 0 else 0
    if limits.archive_entries < declared < 0xFFFF:
        raise _too_many_entries(f"{declared:,}", limits)


def _check_member(size: int, packed: int, limits: Limits) -> None:
    if size > limits.file_bytes:
        raise _MemberRefused(_too_large(size, limits))
    if size > RATIO_FLOOR_BYTES and size > packed * limits.member_ratio:
        ratio = f"{size // max(1, packed):,}:1"
        raise _MemberRefused(
            f"it unpacks {ratio}; the limit on the ratio of an archive member is {limits.member_ratio}:1"
        )


def _too_large(size: int, limits: Limits) -> str:
    return f"too large: {readable_bytes(size)}; the limit on file size is {readable_bytes(limits.file_bytes)}"


def _iso(seconds: float) -> str:
    """A moment as ISO 8601 in UTC, "" when it lies outside the calendar."""
    try:
        moment = datetime.fromtimestamp(seconds, tz=UTC).replace(microsecond=0)
    except (ValueError, OverflowError, OSError):
        return ""
    return moment.isoformat().replace("+00:00", "Z")


def _too_many_entries(count: str, limits: Limits) -> FormatError:
    return FormatError(
        f"The archive lists {count} entries; the limit on archive entries is {limits.archive_entries:,}",
        mend="Upload the part of it that matters",
    )


def _unpacks_to_too_much(size: str, limits: Limits) -> FormatError:
    return FormatError(
        f"The archive unpacks to {size}; the limit on unpacked size is {readable_bytes(limits.unpacked_bytes)}",
        mend="Upload the part of it that matters",
    )


def _damaged(kind: str, error: Exception) -> FormatError:
    return FormatError(f"The {kind} is damaged: {error or type(error).__name__}", mend="Pack it again")
