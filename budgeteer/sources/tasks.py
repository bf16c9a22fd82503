"""The jobs of this app: importing an upload, and counting a source under another tokenizer.

Each writes its files under names of its own attempt and then swaps the row in one transaction that a lost claim cannot
commit, so that no half-written source is ever seen and a job that runs twice leaves what one run leaves.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.core.files.storage import default_storage
from django.core.files.temp import NamedTemporaryFile
from django.db import transaction

from budgeteer.engine.errors import InputError
from budgeteer.engine.tokens import counter_for
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.limits import Limits, readable_bytes
from budgeteer.formats.report import Imported
from budgeteer.jobs.context import JobContext
from budgeteer.jobs.registry import job
from budgeteer.sources.contents import MAIN_STREAM, report_of, streams_of
from budgeteer.sources.loading import contents_of
from budgeteer.sources.measuring import AT_IMPORT, Measurable, Measures, dump_measures, measure
from budgeteer.sources.models import Source, SourceMeasures, stored_files
from budgeteer.sources.store import write_items


@dataclass(frozen=True, slots=True)
class _Result:
    """What one import leads to: the report, where the items and the measures by tokenizer lie, and the counts."""

    imported: Imported
    items: str
    measures: dict[str, str]
    counts: dict[str, Any]


@dataclass(slots=True)
class _Attempt:
    """The files one run of a job has written; removed again unless it publishes them."""

    folder: str
    written: list[str] = field(default_factory=list)
    published: bool = False

    def save(self, name: str, content: File[Any]) -> str:
        """Store a file under this attempt's own name; returns that name."""
        stored: str = default_storage.save(f"{self.folder}/{name}", content)
        self.written.append(stored)
        return stored


@contextmanager
def _attempt(source: Source, context: JobContext) -> Iterator[_Attempt]:
    attempt = _Attempt(f"sources/{source.id}/{context.job.attempt}-{uuid.uuid4().hex[:8]}")
    try:
        yield attempt
    finally:
        if not attempt.published:
            for name in attempt.written:
                default_storage.delete(name)


@job("sources.import", title="Import")
def import_source(context: JobContext, *, source_id: str, as_format: str = "") -> dict[str, Any]:
    """Read the upload, store its items, count them, publish all of it at once.

    Raises:
        InputError: nothing usable is in it; the source says so from then on.
    """
    source = _source(source_id)
    try:
        with _attempt(source, context) as attempt:
            imported = _read(source, context, as_format)
            context.progress(0, 0, sentence="Storing what was read")
            counts, items = _store_items(imported, attempt)
            measured = _measure_all(_measurable(imported), context, unit=MAIN_STREAM[imported.kind])
            files = {name: attempt.save("measures.npz", _as_file(found)) for name, found in measured.items()}
            counts["tokens"] = {name: found.total_tokens() for name, found in measured.items()}
            result = {"source": source_id, "format": imported.format, "counts": counts}
            with context.finishing(result):
                attempt.published = _publish(source, _Result(imported, items, files, counts), as_format=as_format)
    except InputError as error:
        with context.committing():
            stopped = Source.objects.filter(pk=source.pk, requested_format=as_format)
            stopped.update(state=Source.State.FAILED, error=error.to_json())
        raise
    return result


def _source(source_id: str) -> Source:
    source = Source.objects.filter(id=source_id).first()
    if source is None:
        raise InputError("the source was deleted before its turn came", mend="Upload it again")
    return source


def _read(source: Source, context: JobContext, as_format: str) -> Imported:
    context.progress(0, source.size_bytes, "bytes", f"Reading {readable_bytes(source.size_bytes)}")
    with source.upload.open("rb") as file:
        data: bytes = file.read()

    def report(done: int, total: int, sentence: str) -> None:
        context.progress(done, total, sentence=sentence)

    limits = Limits(file_bytes=settings.UPLOAD_MAX_BYTES)
    return import_bytes(data, name=source.name, as_format=as_format or None, limits=limits, progress=report)


def _store_items(imported: Imported, attempt: _Attempt) -> tuple[dict[str, Any], str]:
    with NamedTemporaryFile(suffix=".items") as file:
        counts: dict[str, Any] = {
            name: count
            for name, count in write_items(file, streams_of(imported), header={"kind": imported.kind}).items()
            if count
        }
        file.seek(0)
        return counts, attempt.save("items", File(file))


def _measurable(imported: Imported) -> Measurable:
    return Measurable(
        conversations=imported.conversations,
        skills=imported.skills,
        tools=imported.tools,
        features=imported.features,
        chunks=imported.chunks,
        text=imported.text,
    )


def _measure_all(what: Measurable, context: JobContext, *, unit: str) -> dict[str, Measures]:
    total = what.total * len(AT_IMPORT)

    def reporter(name: str, before: int) -> Callable[[int, int], None]:
        def report(done: int, _total: int) -> None:
            context.progress(before + done, total, unit, f"Counting tokens with {name}")

        return report

    return {
        name: measure(what, counter=counter_for(name), progress=reporter(name, number * what.total))
        for number, name in enumerate(AT_IMPORT)
    }


def _as_file(measures: Measures) -> ContentFile[bytes]:
    return ContentFile(dump_measures(measures))


def _publish(source: Source, result: _Result, *, as_format: str) -> bool:
    """Swap the row to what this run read; False where the owner has asked for another format meanwhile."""
    row = Source.objects.select_for_update().filter(pk=source.pk).first()
    if row is None or row.requested_format != as_format:
        return False
    replaced = [(file.storage, file.name) for file in stored_files(row) if file.name != row.upload.name]
    row.measures.all().delete()
    row.kind, row.format = result.imported.kind, result.imported.format
    row.items.name = result.items
    row.revision += 1
    row.counts, row.report, row.error = result.counts, report_of(result.imported), {}
    row.state = Source.State.READY
    row.save()
    for tokenizer, name in result.measures.items():
        SourceMeasures.objects.create(source=row, tokenizer=tokenizer, revision=row.revision, arrays=name)
    for storage, stale in replaced:
        transaction.on_commit(partial(storage.delete, str(stale)))
    return True


@job("sources.measure", title="Count tokens")
def measure_source(context: JobContext, *, source_id: str, tokenizer: str, revision: int) -> dict[str, Any]:
    """Count an imported source under one more tokenizer.

    Raises:
        InputError: the source is gone or was imported anew meanwhile.
    """
    source = _source(source_id)
    contents = contents_of(source)
    what = Measurable(
        conversations=contents.conversations(),
        skills=contents.skills(),
        tools=contents.tools(),
        features=contents.features(),
        chunks=contents.chunks(),
        text=contents.text(),
    )

    def report(done: int, total: int) -> None:
        context.progress(done, total, MAIN_STREAM[source.kind], f"Counting tokens with {tokenizer}")

    with _attempt(source, context) as attempt:
        measures = measure(what, counter=counter_for(tokenizer), progress=report)
        stored = attempt.save("measures.npz", _as_file(measures))
        result = {"source": source_id, "tokenizer": tokenizer}
        with context.finishing(result):
            row = Source.objects.select_for_update().filter(pk=source.pk, revision=revision).first()
            if row is None:
                raise InputError("the source was imported anew meanwhile", where=source.name, mend="Open it again")
            SourceMeasures.objects.update_or_create(
                source=row, tokenizer=tokenizer, defaults={"revision": revision, "arrays": stored}
            )
            row.counts["tokens"] = {**row.counts.get("tokens", {}), tokenizer: measures.total_tokens()}
            row.save(update_fields=["counts"])
            attempt.published = True
    return result
