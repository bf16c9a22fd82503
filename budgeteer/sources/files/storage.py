"""File storage: a local folder or a bucket (bucket.py). If it is unreachable, the error says why.

Beside what Django asks of a storage both have `files_under`, which lists a folder of any size with its files' times.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, cast

from django.core.files.base import File
from django.core.files.storage import FileSystemStorage, default_storage

from budgeteer.engine.errors import InputError
from budgeteer.jobs.context import Outage


class StorageAway(InputError, Outage):
    """Stored files cannot be read or written for now: a page says the sentence, a job is tried again."""


class Listed(Protocol):
    """A storage that lists its files with their times."""

    def files_under(self, folder: str) -> Iterator[tuple[str, datetime]]:
        """Name and time of the last write of every file under a folder, at any depth."""
        ...


def files_under(folder: str) -> Iterator[tuple[str, datetime]]:
    """Every file under a folder of the storage in use, with the time it was written."""
    storage = cast("Listed", default_storage)
    return storage.files_under(folder)


class FolderStorage(FileSystemStorage):
    """A folder of this machine, or of a disk that several share."""

    def files_under(self, folder: str) -> Iterator[tuple[str, datetime]]:
        """See Listed."""
        root = Path(self.path(folder))
        for parent, _folders, names in root.walk():
            for name in names:
                path = parent / name
                try:
                    written = datetime.fromtimestamp(path.stat().st_mtime, tz=UTC)
                except FileNotFoundError:
                    continue  # removed since it was listed
                yield path.relative_to(self.location).as_posix(), written

    def delete(self, name: str) -> None:
        """Remove a file, and the folders made for it where they are empty now."""
        with _said(name):
            super().delete(name)
        for parent in Path(name).parents[:-2]:
            try:
                Path(self.path(str(parent))).rmdir()
            except OSError:
                return  # something else lies there, or another was quicker

    def _open(self, name: str, mode: str = "rb") -> File[Any]:
        with _said(name):
            opened: File[Any] = super()._open(name, mode)  # type: ignore[misc]  # the stubs leave it out
            return opened

    def _save(self, name: str, content: File[Any]) -> str:
        with _said(name):
            stored: str = super()._save(name, content)  # type: ignore[misc]  # the stubs leave it out
            return stored


def remove_unused(name: str) -> None:
    """Remove a file that no row names; where storage is away it stays, and the clean-up finds it later."""
    with suppress(StorageAway):
        default_storage.delete(name)


@contextmanager
def _said(name: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise missing(name) from None
    except OSError as error:
        raise StorageAway(
            f"The folder for uploads cannot be used ({error.strerror or type(error).__name__})",
            mend="Nothing is lost: try again when there is room and the disk is there",
        ) from error


def missing(name: str) -> StorageAway:
    """A file that a row names and storage does not have: replaced a moment ago, or lost."""
    return StorageAway(
        f"The stored file {name} is not there",
        mend="Reload the page; if it stays away, restore the files from a backup",
    )
