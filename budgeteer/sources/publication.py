"""Publish an import, or fail it and keep the previous content."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import transaction

from budgeteer.sources.measures.measuring import LAYOUT
from budgeteer.sources.models import Source, SourceMeasures, stored_files

# Where the report keeps the format its import was asked for ("" for detection), so that it can be asked for again.
ASKED = "asked"


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What one import leads to: the report, where the items and the measures by tokenizer lie, and the counts."""

    kind: str
    format: str
    report: Mapping[str, Any]
    items: str
    measures: Mapping[str, str]
    counts: dict[str, Any]
    asked: str


def publish(source: Source, result: ImportResult, *, job_id: uuid.UUID) -> bool:
    """Swap the row to what this import read; False where the owner has asked for another import meanwhile.

    To be called in the transaction of the job's end.
    """
    row = _still_asked(source, job_id).select_for_update().first()
    if row is None:
        return False
    replaced = [(file.storage, file.name) for file in stored_files(row) if file.name != row.upload.name]
    row.measures.all().delete()
    row.kind, row.format = result.kind, result.format
    row.requested_format = result.asked
    row.items.name = result.items
    row.revision += 1
    row.counts, row.error, row.scan = result.counts, {}, None
    row.report = {**result.report, ASKED: result.asked}
    row.state = Source.State.READY
    row.save()
    SourceMeasures.objects.bulk_create(
        SourceMeasures(source=row, tokenizer=tokenizer, revision=row.revision, columns=LAYOUT, arrays=name)
        for tokenizer, name in result.measures.items()
    )
    for storage, stale in replaced:
        transaction.on_commit(partial(storage.delete, str(stale)), robust=True)
    return True


def give_up(source: Source, error: Mapping[str, Any], *, job_id: uuid.UUID | None, asked: str) -> None:
    """Say on the source why its import ended; what an earlier import read stays in use as it was.

    `error` then also tells under `asked` which format could not be read. Nothing is written where the owner has asked
    for another import meanwhile.
    """
    said = {**error, ASKED: asked}
    waiting = _still_asked(source, job_id)
    waiting.filter(items="").update(state=Source.State.FAILED, error=said)
    for row in waiting.exclude(items=""):
        waiting.update(state=Source.State.READY, error=said, requested_format=row.report.get(ASKED, ""))


def _still_asked(source: Source, job_id: uuid.UUID | None) -> Any:
    """The source while the import last asked for is this job; one from before that was recorded goes by its state."""
    rows = Source.objects.filter(pk=source.pk)
    return rows.filter(import_job=job_id) if source.import_job else rows
