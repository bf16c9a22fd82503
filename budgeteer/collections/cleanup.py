"""Clean-up of collections: files that no row names."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import batched
from typing import Final

import structlog
from django.core.files.storage import default_storage

from budgeteer.collections.models import Collection, EvaluationChunk, EvaluationSegment
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
    unnamed.difference_update(EvaluationSegment.objects.filter(rows__in=unnamed).values_list("rows", flat=True))
    for name in sorted(unnamed):
        log.info("orphan removed", name=name)
        default_storage.delete(name)
    return len(unnamed)
