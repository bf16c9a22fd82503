"""Clean-up of collections: files that no row names."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import batched
from typing import Final

import structlog
from django.core.files.storage import default_storage

from budgeteer.collections.models import Collection, EvaluationChunk, EvaluationRun
from budgeteer.sources.files.storage import files_under

log = structlog.get_logger(__name__)

_BATCH: Final = 200


def remove_orphans(*, before: datetime) -> int:
    """Remove files written before that time that no row names: what a killed attempt left; how many."""
    old = (name for name, written in files_under("collections") if written < before)
    return sum(_remove_unnamed(names) for names in batched(old, _BATCH))


def _remove_unnamed(names: Iterable[str]) -> int:
    unnamed = set(names)
    unnamed.difference_update(Collection.objects.filter(survey__in=unnamed).values_list("survey", flat=True))
    unnamed.difference_update(EvaluationChunk.objects.filter(rows__in=unnamed).values_list("rows", flat=True))
    folders = {name.split("/")[2] for name in unnamed if name.count("/") > 2}
    for segments in _segments_of(folders):
        unnamed.difference_update(segments)
    for name in sorted(unnamed):
        log.info("orphan removed", name=name)
        default_storage.delete(name)
    return len(unnamed)


def _segments_of(folders: Iterable[str]) -> list[list[str]]:
    """The segments of the evaluations whose folders these are; other names are passed over."""
    from uuid import UUID

    ids = []
    for folder in folders:
        try:
            ids.append(UUID(folder))
        except ValueError:  # the folder of an attempt of a survey
            continue
    return list(EvaluationRun.objects.filter(pk__in=ids).values_list("segments", flat=True))
