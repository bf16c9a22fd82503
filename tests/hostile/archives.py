"""Archives that say what they are not: bombs, links, paths out of their place, entries that lie."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import struct
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Final

SKILL: Final = b"---\nname: harbour\ndescription: Knows the harbour.\n---\nLook at the tide table.\n"


def zipped(entries: Iterable[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of these entries, in this order; a name may come twice."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a name that comes twice
        for name, data in entries:
            info = zipfile.ZipInfo(name.replace("\0", "\u2400") or "unnamed", (2026, 1, 1, 0, 0, 0))
            info.compress_type = method
            archive.writestr(info, data)
    return buffer.getvalue()


def tarred(entries: Iterable[tuple[str, bytes]], mode: str = "w") -> bytes:
    """A tar of these entries."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]  # the mode is a variable
        for name, data in entries:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def zip_with_link(name: str, target: str, kind: int = stat.S_IFLNK) -> bytes:
    """A zip whose entry is a link (or a device, a pipe) to the target, beside a good skill."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("skills/harbour/SKILL.md", SKILL)
        info = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
        info.create_system = 3
        info.external_attr = (kind | 0o777) << 16
        archive.writestr(info, target)
    return buffer.getvalue()


def tar_with_link(name: str, target: str, kind: bytes) -> bytes:
    """A tar whose entry is of that type (a link, a device, a pipe), beside a good skill."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        info = tarfile.TarInfo("skills/harbour/SKILL.md")
        info.size = len(SKILL)
        archive.addfile(info, io.BytesIO(SKILL))
        link = tarfile.TarInfo(name)
        link.type, link.linkname = kind, target
        archive.addfile(link)
    return buffer.getvalue()


def zeros(megabytes: int, fill: bytes = b"\0") -> Iterable[bytes]:
    """So many pieces of 1 MB."""
    piece = fill * (1_000_000 // len(fill))
    return (piece for _ in range(megabytes))


def packed_stream(megabytes: int, fill: bytes, kind: str) -> bytes:
    """So many MB of one filling: for gz one stream, for the slower ones streams of 10 MB one after the other."""
    if kind == "gz":
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        return b"".join([*map(packer.compress, zeros(megabytes, fill)), packer.flush()])
    once = b"".join(zeros(10, fill))
    return (bz2.compress(once) if kind == "bz2" else lzma.compress(once, preset=0)) * (megabytes // 10)


def zip_bomb(megabytes: int, entries: int = 1) -> bytes:
    """Entries of nothing but zeros."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(entries):
            with archive.open(f"skills/s{number}/SKILL.md", "w", force_zip64=True) as member:
                for piece in zeros(megabytes):
                    member.write(piece)
    return buffer.getvalue()


def overlapping_zip(entries: int, megabytes: int) -> bytes:
    """One packed kernel that every entry of the directory names: small, and large once unpacked."""
    kernel = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = b"".join(kernel.compress(piece) for piece in zeros(megabytes)) + kernel.flush()
    checksum = 0
    for piece in zeros(megabytes):
        checksum = zlib.crc32(piece, checksum)
    sizes = struct.pack("<III", checksum, len(packed), megabytes * 1_000_000)
    name = b"skills/s/SKILL.md"
    local = b"PK\x03\x04" + struct.pack("<HHHHH", 20, 0, 8, 0, 33) + sizes + struct.pack("<HH", len(name), 0) + name
    directory = b""
    for number in range(entries):
        own = b"skills/s%d/SKILL.md" % number
        directory += b"PK\x01\x02" + struct.pack("<HHHHHH", 20, 20, 0, 8, 0, 33) + sizes
        directory += struct.pack("<HHHHHII", len(own), 0, 0, 0, 0, 0, 0) + own
    start = len(local) + len(packed)
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, entries, entries, len(directory), start, 0)
    return local + packed + directory + end


def lying_zip(said_bytes: int) -> bytes:
    """A zip whose directory gives another size than its entry has."""
    data = zipped([("skills/harbour/SKILL.md", SKILL * 2000)])
    at = data.rindex(b"PK\x01\x02")
    return data[: at + 24] + struct.pack("<I", said_bytes) + data[at + 28 :]


#: Ways to pack one file; each gives a name for it and its bytes.
PACKERS: Final[Mapping[str, Callable[[str, bytes], tuple[str, bytes]]]] = {
    "zip": lambda name, data: (f"{name}.zip", zipped([(name, data)])),
    "stored zip": lambda name, data: (f"{name}.zip", zipped([(name, data)], zipfile.ZIP_STORED)),
    "gz": lambda name, data: (f"{name}.gz", gzip.compress(data, mtime=0)),
    "bz2": lambda name, data: (f"{name}.bz2", bz2.compress(data)),
    "xz": lambda name, data: (f"{name}.xz", lzma.compress(data)),
    "tar": lambda name, data: (f"{name}.tar", tarred([(name, data)])),
    "tgz": lambda name, data: (f"{name}.tgz", tarred([(name, data)], "w:gz")),
}


def nested(kinds: Iterable[str], name: str = "talk.json", data: bytes = b"") -> tuple[str, bytes]:
    """A file packed by one kind after the other."""
    for kind in kinds:
        name, data = PACKERS[kind](name, data)
    return name, data
