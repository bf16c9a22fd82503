"""Clean-up of sources: deleted ones after their grace period, and files that no row references."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import partial
from itertools import batched

import structlog
from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.db import transaction

from budgeteer.sources.files.storage import files_under
from budgeteer.sources.models import Source, SourceMeasures, stored_files

log = structlog.get_logger(__name__)

# A deleted source can be had back for this long; after it the files go.
UNDO_TIME = timedelta(hours=24)
# A file is stored before the row that names it. Longer than any upload or attempt takes:
ORPHAN_TIME = timedelta(hours=24)
BATCH = 200


def purge(*, before: datetime, owner: User | None = None) -> int:
    """Remove sources deleted before that time, rows and files; returns how many."""
    gone = Source.objects.filter(deleted_at__lt=before)
    if owner is not None:
        gone = gone.filter(owner=owner)
    return sum(purge_one(pk, before=before) for pk in list(gone.values_list("pk", flat=True)))


def purge_one(pk: uuid.UUID, *, before: datetime) -> int:
    """Remove one source, unless it was taken back or purged since it was listed."""
    with transaction.atomic():
        source = Source.objects.select_for_update().filter(pk=pk, deleted_at__lt=before).first()
        if source is None:
            return 0
        files = stored_files(source)
        source.delete()
        for file in files:
            # Should storage be away now, the sweep of orphans finds the file later.
            transaction.on_commit(partial(file.storage.delete, str(file.name)), robust=True)
    return 1


def remove_orphans(*, before: datetime) -> int:
    """Remove files written before that time that no row names: what a killed upload or attempt left; how many."""
    removed = 0
    for folder in ("uploads", "sources"):
        old = (name for name, written in files_under(folder) if written < before)
        removed += sum(_remove_unnamed(names) for names in batched(old, BATCH))
    return removed


def _remove_unnamed(names: Iterable[str]) -> int:
    unnamed = set(names)
    unnamed.difference_update(Source.objects.filter(upload__in=unnamed).values_list("upload", flat=True))
    unnamed.difference_update(Source.objects.filter(items__in=unnamed).values_list("items", flat=True))
    unnamed.difference_update(SourceMeasures.objects.filter(arrays__in=unnamed).values_list("arrays", flat=True))
    for name in sorted(unnamed):
        log.info("orphan removed", name=name)
        default_storage.delete(name)
    return len(unnamed)
