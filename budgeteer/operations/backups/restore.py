"""Restore a backup into an installation that holds nothing yet: all of it, or nothing."""

from __future__ import annotations

import io
import json
import tarfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from django.apps import apps
from django.core import serializers
from django.core.exceptions import SuspiciousOperation
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.core.files.utils import validate_file_name
from django.core.management.color import no_style
from django.core.serializers.base import DeserializationError
from django.db import Error as DatabaseError
from django.db import connection, transaction

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

#: An installation that has any of these is somebody's.
_OWNED: Final = {"sources.Source": "sources", "workbench.Workspace": "workspaces", "reports.Report": "reports"}


def restore_backup(source: Path) -> Manifest:
    """Put the rows and files of a backup into an installation without sources, workspaces and reports.

    Raises:
        InputError: it is no whole backup, it was made by another version, or the installation is somebody's.
    """
    _refuse_owned()
    with _opened(source) as archive:
        manifest = _manifest(archive, source)
        _refuse_other_version(manifest, source)
        written: list[str] = []
        try:
            with transaction.atomic():
                _load(archive, manifest, source)
                _write_files(archive, source, written)
        except SuspiciousOperation as error:
            raise _no_backup(source, f"a file would lie outside the storage ({error})") from None
        except BaseException:
            for name in written:
                default_storage.delete(name)
            raise
    return manifest


@contextmanager
def _opened(source: Path) -> Iterator[tarfile.TarFile]:
    try:
        with tarfile.open(source) as archive:
            yield archive
    except OSError as error:
        raise InputError(
            f"the backup cannot be read ({error.strerror or error})", where=str(source), mend="Name a backup file"
        ) from None
    except (tarfile.TarError, EOFError, ValueError) as error:
        raise _no_backup(source, f"it is no whole archive ({str(error).partition(':')[0]})") from None


def _no_backup(source: Path, why: str) -> InputError:
    return InputError(
        f"this is no whole backup: {why}", where=str(source), mend="Use a file that `budgeteer backup` wrote"
    )


def _member(archive: tarfile.TarFile, name: str, source: Path) -> Any:
    try:
        found = archive.extractfile(name)
    except KeyError:
        found = None
    if found is None:
        raise _no_backup(source, f"it has no {name}")
    return found


def _manifest(archive: tarfile.TarFile, source: Path) -> Manifest:
    data = json.loads(_member(archive, MANIFEST, source).read())
    if not isinstance(data, dict):
        raise _no_backup(source, f"its {MANIFEST} is no object")
    return Manifest.from_json(data)


def _refuse_owned() -> None:
    for label, what in _OWNED.items():
        count = apps.get_model(label).objects.count()
        if count:
            raise InputError(
                f"this installation is in use: it has {count:,} {what}",
                where=label,
                mend="Restore into an empty one: another BUDGETEER_DATA_DIR, or another DATABASE_URL",
            )


def _refuse_other_version(manifest: Manifest, source: Path) -> None:
    if list(manifest.migrations) != migrations_of():
        raise InputError(
            f"Budgeteer {manifest.version} made this backup, and its tables are not those of {__version__}",
            where=str(source),
            mend=f"Install Budgeteer {manifest.version}, restore, then upgrade",
        )


def _load(archive: tarfile.TarFile, manifest: Manifest, source: Path) -> None:
    """Every row in the place of what there was, which is what a first start makes: presets, the local account."""
    models = kept_models()
    for model in reversed(models.values()):
        model.objects.all().delete()
    labels = {model: label for label, model in models.items()}
    counts: Counter[str] = Counter()
    lines = io.TextIOWrapper(_member(archive, ROWS, source), encoding="utf-8")
    with connection.constraint_checks_disabled():
        try:
            for one in serializers.deserialize("jsonl", lines, handle_forward_references=True):
                label = labels.get(type(one.object))
                if label is None:
                    raise _no_backup(source, f"it has rows of {type(one.object).__name__}")
                one.save()
                counts[label] += 1
        except (DeserializationError, DatabaseError) as error:
            raise _no_backup(source, f"row {counts.total() + 1:,} cannot be read ({error})") from None
    connection.check_constraints()
    if dict(counts) != {label: count for label, count in manifest.rows.items() if count}:
        raise _no_backup(source, f"it has {counts.total():,} rows of {sum(manifest.rows.values()):,}")
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), list(models.values())):
            cursor.execute(statement)


def _write_files(archive: tarfile.TarFile, source: Path, written: list[str]) -> None:
    """Every file that a row names, under its own name; `written` is told of each."""
    held = {member.name for member in archive.getmembers()}
    names = list(file_names())
    for name in names:  # before anything is written
        validate_file_name(name, allow_relative_path=True)
    for name in names:
        if f"{FILES}{name}" not in held:
            continue  # it was gone when the backup was made
        if default_storage.exists(name):
            raise InputError(
                "a file of this name is in the storage already", where=name, mend="Restore into an empty storage"
            )
        stored = default_storage.save(name, File(_member(archive, f"{FILES}{name}", source)))
        written.append(stored)
        if stored != name:
            raise _no_backup(source, f"the storage does not take the name {name}")
