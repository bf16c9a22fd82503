"""Checks of the disks: uploads, free space, and the static files of the browser."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.storage.filesystem import FileSystemStorage

from budgeteer.engine.errors import InputError
from budgeteer.operations.findings import Finding, failed, ok, warning

PROBE = b"Written by Budgeteer to see whether it can. It may be deleted.\n"
LITTLE_BYTES = 100_000_000
"""With less room than this a database cannot be relied on to finish what it writes."""


def storage() -> Iterator[Finding]:
    """Write a small file where uploads go, read it back, delete it."""
    try:
        name = default_storage.save(f"probe-{uuid.uuid4().hex}", ContentFile(PROBE))
        try:
            with default_storage.open(name) as file:
                same = file.read() == PROBE
        finally:
            default_storage.delete(name)
    except Exception as error:  # noqa: BLE001 — each storage has errors of its own, and all mean the same here
        yield failed("storage", f"A file cannot be kept in {_place()}: {_reason(error)}", mend=_mend(error))
        return
    if same:
        yield ok("storage", f"Files are kept in {_place()}.")
    else:
        sentence = f"A file came back from {_place()} other than it was written."
        yield failed("storage", sentence, mend="Check the disk or the bucket")


def disk() -> Iterator[Finding]:
    """Room for a few more uploads, where they are kept and where they are received."""
    yield _room("disk", _nearest(settings.DATA_DIR))
    received = Path(settings.FILE_UPLOAD_TEMP_DIR or tempfile.gettempdir())
    yield _room("disk for uploads", received)


def static() -> Iterator[Finding]:
    """The style sheets and scripts, packaged or collected."""
    if settings.STATIC_ROOT:
        manifest = Path(settings.STATIC_ROOT) / "staticfiles.json"
        collect = "Run: django-admin collectstatic --noinput --settings budgeteer.settings"
        if not manifest.is_file():
            yield failed("static", f"BUDGETEER_STATIC_ROOT holds no {manifest.name}.", mend=collect)
        else:
            yield ok("static", f"Collected in {settings.STATIC_ROOT}.")
    elif any((Path(folder) / "budgeteer").is_dir() for folder in settings.STATICFILES_DIRS):
        yield ok("static", "Packaged files are served.")
    else:
        yield failed("static", "The package came without its static files.", mend="Install Budgeteer again")


def _room(name: str, folder: Path) -> Finding:
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return failed(name, f"{folder} cannot be looked at ({error.strerror}).", mend="Make that folder, or mount it")
    sentence = f"{free / 1e9:,.1f} GB free in {folder}."
    mend = "Make room, or delete old sources"
    if free < LITTLE_BYTES:
        return failed(name, sentence, mend=mend)
    if free < 3 * settings.UPLOAD_MAX_BYTES:
        return warning(name, f"{sentence} An upload may take {settings.UPLOAD_MAX_BYTES / 1e9:.1f} GB.", mend=mend)
    return ok(name, sentence)


def _nearest(folder: Path) -> Path:
    """The folder, or what it would be made in."""
    return next(place for place in (folder, *folder.parents) if place.exists())


def _place() -> str:
    if isinstance(default_storage, FileSystemStorage):
        return str(default_storage.location)
    return str(getattr(default_storage, "bucket_name", "the storage of the settings"))


def _mend(error: Exception) -> str:
    if isinstance(default_storage, FileSystemStorage):
        return "Let this account write to that folder, or make room on the disk"
    if isinstance(error, InputError) and error.mend:
        return error.mend
    return "Check that the bucket exists and that these keys may write to it"


def _reason(error: Exception) -> str:
    said = error.what if isinstance(error, InputError) else getattr(error, "strerror", None) or str(error)
    return " ".join(said.split()).rstrip(".") + "."
