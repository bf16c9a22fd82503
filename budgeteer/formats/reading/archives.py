"""Archives and folders behind one interface: readable files by path, refused entries with their reason."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from budgeteer.engine.errors import FormatError
from budgeteer.formats.messages.imported import Skipped
from budgeteer.formats.reading.bounds import DAMAGE, Budget, MemberRefused, check_member, iso_time, too_many_entries
from budgeteer.formats.reading.compressed_files import (
    HEAD_BYTES,
    ArchiveEntry,
    is_tar,
    is_zip,
    tar_entries,
    unpacked_member,
    zip_entries,
)
from budgeteer.formats.reading.limits import Limits

IGNORED_PARTS = frozenset({"__MACOSX", ".git", ".DS_Store", "Thumbs.db", "node_modules", "__pycache__"})
"""What systems and tools leave in archives and folders; nobody means to upload it."""

_PREFIX = re.compile(r".+-(?:[0-9a-f]{7,40}|main|master|trunk|HEAD|v?\d+(?:\.\d+)+)")


@dataclass(slots=True)
class Archive:
    """What an archive or folder holds.

    Attributes:
        kind: "zip archive", "tar archive" or "folder".
        entries: its readable files by path, the archive's own prefix (`repo-sha/`) stripped.
        skipped: entries that are not read, with their reason.
        prefix: what was stripped, with its slash, or "".
        budget: how much its files may still unpack to.
    """

    kind: str
    entries: list[ArchiveEntry]
    skipped: list[Skipped]
    budget: Budget
    prefix: str = ""

    def read(self, entry: ArchiveEntry) -> bytes | None:
        """An entry's bytes; None (and a line in `skipped`) when it is damaged or past a member's limit.

        Raises:
            FormatError: the archive as a whole unpacks to more than the limit.
        """
        return self._bounded(entry, entry.read)

    def unpack(self, entry: ArchiveEntry) -> bytes | None:
        """An entry's bytes, or what they hold where they are packed (gzip, bzip2, xz); otherwise as `read`.

        Raises:
            FormatError: the archive as a whole unpacks to more than the limit.
        """
        return self._bounded(entry, lambda: unpacked_member(entry.read(), self.budget, entry.path))

    def _bounded(self, entry: ArchiveEntry, read: Callable[[], bytes]) -> bytes | None:
        try:
            return read()
        except MemberRefused as error:
            reason = str(error)
        except DAMAGE as error:
            reason = f"damaged: {str(error) or type(error).__name__}"
        refused = Skipped(entry.path, reason)
        if refused not in self.skipped:
            self.skipped.append(refused)
        return None


def open_archive(data: bytes | IO[bytes], *, limits: Limits) -> Archive | None:
    """The archive that bytes or a file are, or None when they are no zip or tar; its entries need the file open.

    Raises:
        FormatError: a damaged or encrypted archive, or one past a limit (entries, unpacked size).
    """
    file = io.BytesIO(data) if isinstance(data, bytes) else data
    file.seek(0)
    head = file.read(HEAD_BYTES)
    budget = Budget(limits)
    if is_zip(head):
        return _archive("zip archive", zip_entries(file, budget), budget)
    return _archive("tar archive", tar_entries(file, budget), budget) if is_tar(head) else None


def open_folder(folder: Path, *, limits: Limits) -> Archive:
    """The files under a folder, links not followed.

    Raises:
        FormatError: no folder, or more files than an archive may have.
    """
    if not folder.is_dir():
        raise FormatError("This is not a folder", where=str(folder), mend="Name an existing folder")
    archive = Archive("folder", [], [], Budget(limits))
    for path in _walk(folder):
        inner = path.relative_to(folder).as_posix()
        if path.is_symlink():
            archive.skipped.append(Skipped(inner, "a symbolic link"))
        elif path.is_file():
            archive.entries.append(_file_entry(path, inner, limits))
        if len(archive.entries) > limits.archive_entries:
            raise too_many_entries(f"more than {limits.archive_entries:,}", limits)
    archive.entries.sort(key=_by_path)
    return archive


def _by_path(entry: ArchiveEntry) -> list[str]:
    return entry.path.split("/")


def _walk(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name in IGNORED_PARTS:
            continue
        yield path
        if path.is_dir() and not path.is_symlink():
            yield from _walk(path)


def _file_entry(path: Path, inner: str, limits: Limits) -> ArchiveEntry:
    status = path.stat()

    def read() -> bytes:
        check_member(status.st_size, status.st_size, limits)
        return path.read_bytes()

    return ArchiveEntry(inner, status.st_size, iso_time(status.st_mtime), read)


def _archive(kind: str, found: list[ArchiveEntry | Skipped], budget: Budget) -> Archive:
    """The archive by path: names that occur twice keep their last entry, as unpacking would."""
    skipped = [item for item in found if isinstance(item, Skipped)]
    by_path: dict[str, ArchiveEntry] = {}
    for item in found:
        if not isinstance(item, ArchiveEntry) or _ignored(item.path):
            continue
        if item.path in by_path:
            skipped.append(Skipped(item.path, "the name occurs again; the last one is read"))
        by_path[item.path] = item
    prefix = _prefix(list(by_path))
    entries = [
        ArchiveEntry(path.removeprefix(prefix), each.size, each.modified, each.read) for path, each in by_path.items()
    ]
    return Archive(kind, sorted(entries, key=_by_path), skipped, budget, prefix)


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
