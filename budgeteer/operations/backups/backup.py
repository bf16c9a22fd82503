"""Write a backup while everything runs: rows of one moment, then the files that they name, which never change."""

from __future__ import annotations

import io
import json
import os
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Final

from django.core import serializers
from django.core.files.storage import default_storage
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, transaction
from django.utils import timezone

from budgeteer import __version__
from budgeteer.engine.errors import InputError
from budgeteer.operations.backups.backup_format import (
    FILES,
    MANIFEST,
    ROWS,
    Manifest,
    file_names,
    kept_models,
    migrations_of,
)
from budgeteer.sources.files.storage import StorageAway

_ROWS_AT_ONCE: Final = 500


class _WholeTimes(DjangoJSONEncoder):
    """Django's encoder, with times to the microsecond: it cuts them to milliseconds."""

    def default(self, o: Any) -> Any:
        return o.isoformat() if isinstance(o, datetime) else super().default(o)


def write_backup(target: Path) -> Manifest:
    """Write a backup to `target`, compressed where its name ends in gz; it stands there once it is whole.

    Raises:
        InputError: it cannot be written.
    """
    try:
        manifest = _written(target)
    except OSError as error:
        raise InputError(
            f"the backup cannot be written ({error.strerror or error})",
            where=str(target),
            mend="Make room, or name a file in a folder that this account may write to",
        ) from None
    return manifest


def _written(target: Path) -> Manifest:
    """Write it beside `target`, under a name that nobody foresees: who puts a file there first would read it."""
    # Made anew for its owner only: it holds everybody's texts.
    descriptor, unfinished = tempfile.mkstemp(dir=target.parent, prefix=f"{target.name}.", suffix=".part")
    try:
        mode = "w:gz" if target.suffix == ".gz" else "w"
        with os.fdopen(descriptor, "wb") as stream, tarfile.open(fileobj=stream, mode=mode) as archive:  # type: ignore[call-overload]
            manifest = _filled(archive)
        Path(unfinished).replace(target)
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise
    return manifest


def _filled(archive: tarfile.TarFile) -> Manifest:
    with _one_moment(), tempfile.TemporaryFile() as rows:
        counts = _dumped(rows)
        names = list(file_names())
        migrations = tuple(migrations_of())
        created = timezone.now().isoformat()
        _add(archive, ROWS, rows)
    gone = [name for name in names if not _added_file(archive, name)]
    manifest = Manifest(__version__, created, migrations, counts, len(names) - len(gone), tuple(gone))
    _add(archive, MANIFEST, io.BytesIO(json.dumps(manifest.to_json(), indent=1).encode()))
    return manifest


@contextmanager
def _one_moment() -> Iterator[None]:
    """Let every query see the database as it is now, while others go on writing."""
    if connection.vendor == "postgresql":
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
        return
    # SQLite: atomic() would lock out all who write; in WAL mode a deferred transaction reads what was there.
    with connection.cursor() as cursor:
        cursor.execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")


def _dumped(target: IO[bytes]) -> dict[str, int]:
    """Write every row as a line of JSON; how many there are of each model."""
    counts: dict[str, int] = {}
    stream = io.TextIOWrapper(target, encoding="utf-8", write_through=True)
    for label, model in kept_models().items():
        rows = model.objects.order_by("pk")
        counts[label] = rows.count()
        serializers.serialize(
            "jsonl",
            rows.iterator(chunk_size=_ROWS_AT_ONCE),
            stream=stream,
            cls=_WholeTimes,
            use_natural_foreign_keys=True,
        )
    stream.detach()
    return counts


def _added_file(archive: tarfile.TarFile, name: str) -> bool:
    """Add a file of the storage; False where it was deleted since its row was read."""
    try:
        with default_storage.open(name) as content:
            _add(archive, f"{FILES}{name}", content)
    except (FileNotFoundError, StorageAway):
        if default_storage.exists(name):
            raise
        return False
    return True


def _add(archive: tarfile.TarFile, name: str, content: IO[bytes]) -> None:
    content.seek(0, os.SEEK_END)
    member = tarfile.TarInfo(name)
    member.size, member.mtime, member.mode = content.tell(), int(time.time()), 0o600
    content.seek(0)
    archive.addfile(member, content)
