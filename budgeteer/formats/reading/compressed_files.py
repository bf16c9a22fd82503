"""Zip, tar, gzip, bzip2 and xz, read entry by entry and never extracted to disk."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, Final

from budgeteer.engine.errors import FormatError
from budgeteer.formats.messages.imported import Skipped
from budgeteer.formats.reading.bounds import (
    CHUNK_BYTES,
    DAMAGE,
    Budget,
    MemberRefused,
    check_member,
    chunks_bounded,
    chunks_of_packed_file,
    damaged,
    iso_time,
    read_bounded,
    too_many_entries,
    unpacks_to_too_much,
    unsafe_path,
)
from budgeteer.formats.reading.limits import Limits, readable_bytes

_ZIP_END = b"PK\x05\x06"
_ZIP_STARTS = (b"PK\x03\x04", _ZIP_END, b"PK\x07\x08")
_ZIP_END_BYTES = 66_000
"""The end record stands in the last 64 kB (its comment) and 22 bytes of a zip."""


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """One file of an archive or folder: its inner path (forward slashes), size in bytes, time (ISO 8601 or "")."""

    path: str
    size: int
    modified: str
    read: Callable[[], bytes] = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]


HEAD_BYTES: Final = 512
"""How much of a file's beginning tells whether it is packed."""


def is_zip(data: bytes) -> bool:
    """Whether the bytes begin as a zip archive."""
    return data[:4] in _ZIP_STARTS


def is_tar(data: bytes) -> bool:
    """Whether the bytes begin as a tar archive."""
    return data[257:262] == b"ustar"


def decompress(data: bytes, *, limits: Limits) -> bytes | None:
    """What a gzip, bzip2 or xz file holds, None when the bytes are none of them.

    Raises:
        FormatError: a damaged file, or one that unpacks to more than the limit.
    """
    unpacked = io.BytesIO()
    return unpacked.getvalue() if decompress_into(unpacked, io.BytesIO(data), limits=limits) else None


def is_packed(head: bytes) -> bool:
    """Whether bytes begin as a gzip, bzip2 or xz file."""
    return _opener(head) is not None


def decompress_into(unpacked: IO[bytes], packed: IO[bytes], *, limits: Limits) -> bool:
    """Write what a gzip, bzip2 or xz file holds into another; False (and nothing written) when it is none of them.

    Raises:
        FormatError: a damaged file, or one that unpacks to more than a limit or is packed too well.
    """
    size = packed.seek(0, io.SEEK_END)
    packed.seek(0)
    opened = _opener(packed.read(HEAD_BYTES))
    if opened is None:
        return False
    packed.seek(0)
    try:
        with opened(packed) as stream:
            for chunk in chunks_of_packed_file(stream.read, packed_bytes=size, limits=limits, is_archive=is_tar):
                unpacked.write(chunk)
    except DAMAGE as error:
        raise damaged("packed file", error) from None
    return True


def unpacked_member(data: bytes, budget: Budget, member: str) -> bytes:
    """What a member of an archive holds that is packed itself, charged as it comes; other bytes as they are.

    Raises:
        MemberRefused: it is larger than a file may be, packed too well, or packed twice.
        FormatError: the archive unpacks to more than the limit.
    """
    opened = _opener(data[:HEAD_BYTES])
    if opened is None:
        return data
    found = bytearray()
    with opened(io.BytesIO(data)) as stream:
        for chunk in chunks_bounded(stream.read, budget, f"{member}, unpacked"):
            if not found and is_packed(chunk):
                raise MemberRefused("a packed file inside a packed file")
            found += chunk
            check_member(len(found), len(data), budget.limits)
    return bytes(found)


def unpacks_to_more(file: IO[bytes], bound: int) -> bool:
    """Whether a file, unpacked where it is packed, has more than `bound` bytes; reads no more than tells it.

    A damaged one is taken for as large as it could be read.
    """
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    head = file.read(HEAD_BYTES)
    file.seek(0)
    opened = _opener(head)
    try:
        if is_zip(head):
            size = sum(info.file_size for info in zipfile.ZipFile(file).infolist())
        elif opened is not None:
            with opened(file) as stream:
                size = 0
                while size <= bound and (chunk := stream.read(CHUNK_BYTES)):
                    size += len(chunk)
    except DAMAGE:
        pass  # the import will say so
    finally:
        file.seek(0)
    return size > bound


def _opener(head: bytes) -> Callable[[IO[bytes]], gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile] | None:
    if head[:2] == b"\x1f\x8b":
        return _open_gzip
    if head[:3] == b"BZh":
        return bz2.BZ2File
    return lzma.LZMAFile if head[:6] == b"\xfd7zXZ\x00" else None


def _open_gzip(packed: IO[bytes]) -> gzip.GzipFile:
    return gzip.GzipFile(fileobj=packed)


def zip_entries(file: IO[bytes], budget: Budget) -> list[ArchiveEntry | Skipped]:
    """Every file of a zip, each to be read while the file of the zip is open.

    Raises:
        FormatError: a damaged or encrypted zip, or one past a limit (entries, unpacked size).
    """
    limits = budget.limits
    _check_declared_entries(file, limits)
    try:
        opened = zipfile.ZipFile(file)
        infos = opened.infolist()
    except DAMAGE as error:
        raise damaged("zip archive", error) from None
    if len(infos) > limits.archive_entries:
        raise too_many_entries(f"{len(infos):,}", limits)
    members = [info for info in infos if not info.is_dir()]
    declared = sum(info.file_size for info in members)
    if declared > limits.unpacked_bytes:
        raise unpacks_to_too_much(readable_bytes(declared), limits)
    if members and all(info.flag_bits & 1 for info in members):
        raise FormatError("The zip archive is encrypted", mend="Upload it without a password")
    return [_zip_entry(opened, info, budget) for info in members]


def _zip_entry(opened: zipfile.ZipFile, info: zipfile.ZipInfo, budget: Budget) -> ArchiveEntry | Skipped:
    name = info.orig_filename.replace("\\", "/")
    reason = unsafe_path(name)
    if stat.S_ISLNK(info.external_attr >> 16):
        reason = "a symbolic link"
    elif info.flag_bits & 1:
        reason = "encrypted"
    if reason:
        return Skipped(name[:300], reason)

    def read() -> bytes:
        check_member(info.file_size, info.compress_size, budget.limits)
        with opened.open(info) as stream:
            return read_bounded(stream.read, budget, name)

    year, month, day, hour, minute, second = info.date_time
    moment = f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}" if year > 1980 else ""
    return ArchiveEntry(name, info.file_size, moment, read)


def _check_declared_entries(file: IO[bytes], limits: Limits) -> None:
    """Refuse by the entry count of the zip's end record, before its whole directory is read."""
    file.seek(max(0, file.seek(0, io.SEEK_END) - _ZIP_END_BYTES))
    end = file.read()
    at = end.rfind(_ZIP_END)
    declared = int.from_bytes(end[at + 10 : at + 12], "little") if at >= 0 else 0
    if limits.archive_entries < declared < 0xFFFF:
        raise too_many_entries(f"{declared:,}", limits)


def tar_entries(file: IO[bytes], budget: Budget) -> list[ArchiveEntry | Skipped]:
    """Every file of a tar that is not packed, each to be read while the file of the tar is open.

    Raises:
        FormatError: a damaged tar, or one past a limit (entries, unpacked size).
    """
    limits = budget.limits
    found: list[ArchiveEntry | Skipped] = []
    file.seek(0)
    try:
        opened = tarfile.open(fileobj=file, mode="r:")  # noqa: SIM115 - its entries are read later
        for count, member in enumerate(opened, 1):
            if count > limits.archive_entries:
                raise too_many_entries(f"more than {limits.archive_entries:,}", limits)
            if not member.isdir():
                found.append(_tar_entry(opened, member, budget))
    except DAMAGE as error:
        raise damaged("tar archive", error) from None
    declared = sum(entry.size for entry in found if isinstance(entry, ArchiveEntry))
    if declared > limits.unpacked_bytes:
        raise unpacks_to_too_much(readable_bytes(declared), limits)
    return found


def _tar_entry(opened: tarfile.TarFile, member: tarfile.TarInfo, budget: Budget) -> ArchiveEntry | Skipped:
    name = member.name.replace("\\", "/").removeprefix("./")
    reason = unsafe_path(name)
    if member.issym() or member.islnk():
        reason = "a link"
    elif not member.isfile():
        reason = "not a regular file"
    if reason:
        return Skipped(name[:300], reason)
    try:
        check_member(member.size, member.size, budget.limits)
    except MemberRefused as error:
        return Skipped(name[:300], str(error))

    def read() -> bytes:
        stream = opened.extractfile(member)
        return read_bounded(stream.read, budget, name) if stream else b""

    return ArchiveEntry(name, member.size, iso_time(member.mtime) if member.mtime else "", read)
