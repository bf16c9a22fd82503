"""Append to a source: a session that grows is sent once, and after that only what is new of it.

The client says how many bytes it takes to be here and their SHA-256. Where they are here, the new bytes are put behind
them as a new stored file and the whole is imported anew; what was read before stays in use until then. Where they are
not, nothing is changed, and the error says what is here.
"""

from __future__ import annotations

import hashlib
import tempfile
import uuid
from dataclasses import dataclass
from functools import partial

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction

from budgeteer.engine.errors import InputError
from budgeteer.sources.files.storage import StorageAway, remove_unused
from budgeteer.sources.models import Source
from budgeteer.sources.storage_quota import check_room, lock_quota, make_room
from budgeteer.sources.uploads import UploadRefused, bring_back, enqueue_import, too_large

_BLOCK = 1_000_000


@dataclass(frozen=True, slots=True)
class ExpectedBytes:
    """What the client takes to be here: so many bytes with this SHA-256 in hexadecimal."""

    size_bytes: int
    sha256: str


class AppendRefused(InputError):
    """The source does not hold the bytes that were to be appended to; `size_bytes` and `sha256` are what it holds."""

    def __init__(self, source: Source) -> None:
        self.size_bytes = source.size_bytes
        self.sha256 = source.sha256
        super().__init__(
            f"the source holds {source.size_bytes:,} bytes that are not those you append to",
            where="offset",
            mend="Compare sizeBytes and sha256 with your file; send what is behind them, or all as a new source",
        )


class SameBytesElsewhere(InputError):
    """Another source of the same owner holds the whole already; `source_id` is its id."""

    def __init__(self, source: Source) -> None:
        self.source_id = source.pk
        super().__init__("the whole is here already as another source", where="file", mend="Use that one")


def append(source: Source, content: File[bytes], *, known: ExpectedBytes) -> Source:
    """Put bytes behind those of a source and ask for its import. No bytes at all change nothing.

    Raises:
        AppendRefused: it holds other bytes than those in `known`.
        SameBytesElsewhere: another source holds the whole.
        UploadRefused: the whole is over the limit (UPLOAD_MAX_BYTES).
        QuotaExceeded: its owner's quota of storage has no room for the new bytes.
        StorageAway: what it holds cannot be read, or the whole cannot be stored.
    """
    _check_known(source, known)
    added = content.size or 0
    if not added:
        return source
    size_bytes = source.size_bytes + added
    if size_bytes > settings.UPLOAD_MAX_BYTES:
        raise too_large(source.name, size_bytes)
    check_room(source.owner, added, name=source.name)
    try:
        stored, sha256 = _store(source, content, size_bytes=size_bytes)
    except StorageAway:
        # An append that was quicker has removed the file; a file that is lost or out of reach is an error still.
        _check_known(Source.objects.get(pk=source.pk), known)
        raise
    try:
        with transaction.atomic():
            return _published(source, known, stored=stored, sha256=sha256, size_bytes=size_bytes)
    except IntegrityError:
        remove_unused(stored)
        # One in the bin comes back: whoever is told of it can open it.
        with transaction.atomic():
            other = Source.objects.select_for_update().get(owner=source.owner, sha256=sha256)
            bring_back(other, name=other.name)
        raise SameBytesElsewhere(other) from None
    except BaseException:
        remove_unused(stored)
        raise


def _store(source: Source, content: File[bytes], *, size_bytes: int) -> tuple[str, str]:
    """Store the whole; where it lies, and its SHA-256."""
    digest = hashlib.sha256()
    content.seek(0)
    with source.upload.open("rb") as head, tempfile.TemporaryFile() as whole:
        for part in (head, content):
            while block := part.read(_BLOCK):
                digest.update(block)
                whole.write(block)
        if whole.tell() != size_bytes:
            raise UploadRefused("the file changed while it was stored", where=source.name, mend="Send it again")
        whole.seek(0)
        return default_storage.save(f"uploads/{uuid.uuid4().hex}", File(whole, source.name)), digest.hexdigest()


def _published(source: Source, known: ExpectedBytes, *, stored: str, sha256: str, size_bytes: int) -> Source:
    lock_quota(source.owner)
    row = Source.objects.select_for_update().get(pk=source.pk)
    _check_known(row, known)  # of two who append at once one is told
    replaced = (row.upload.storage, row.upload.name)
    added = size_bytes - row.size_bytes
    row.upload.name, row.sha256, row.size_bytes = stored, sha256, size_bytes
    row.state, row.error = Source.State.IMPORTING, {}
    row.save(update_fields=["upload", "sha256", "size_bytes", "state", "error", "updated_at"])
    make_room(row, added_bytes=added)
    enqueue_import(row)
    storage, name = replaced
    transaction.on_commit(partial(storage.delete, str(name)), robust=True)
    return row


def _check_known(source: Source, known: ExpectedBytes) -> None:
    if (source.size_bytes, source.sha256) != (known.size_bytes, known.sha256.lower()):
        raise AppendRefused(source)
