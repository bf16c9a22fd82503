"""Imports of bytes that this process has imported before: what was read and counted then is stored once more.

Hundreds of tests start from the same few files. The first import of each is done as it stands; a later one of the same
bytes, under the same name and as the same format, stores the same items and measures under its own attempt and is
published by the job itself. Tests of importing (tests/sources) turn this off.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import IO, Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from budgeteer.sources import tasks
from budgeteer.sources.own_formats import formats_of

LARGEST_BYTES = 2_000_000
"""Larger uploads are imported each time: what was read of them would stay in memory."""

type Key = tuple[str, str, str]


@dataclass
class KeptImport:
    """What one import led to, in the fields that the job reads."""

    kind: str = ""
    format: str = ""
    report: dict[str, Any] = field(default_factory=dict)
    counts: dict[str, Any] = field(default_factory=dict)
    items: bytes = b""
    measures: dict[str, bytes] = field(default_factory=dict)
    tokens: dict[str, int] = field(default_factory=dict)


class RepeatedImports:
    """The wrappers of the import's steps; `is_on` is turned off where imports themselves are tested."""

    def __init__(self) -> None:
        self.is_on = True
        self._kept: dict[Key, KeptImport] = {}
        self._being_read: tuple[Any, Key, KeptImport] | None = None
        self._read, self._store, self._report = tasks._read, tasks._store_items, tasks.report_of
        self._measure = tasks._measure_all

    def install(self) -> None:
        """Put the wrappers into the module of the job, for as long as the process runs."""
        tasks._read, tasks._store_items = self.read, self.store_items  # type: ignore[assignment]
        tasks.report_of, tasks._measure_all = self.report_of, self.measure_all  # type: ignore[assignment]

    def read(self, source: Any, file: IO[bytes], context: Any, *, as_format: str, scratch: Any) -> Any:
        key = (source.sha256, source.name, as_format)
        if self.is_on and key in self._kept:
            return self._kept[key]
        imported = self._read(source, file, context, as_format=as_format, scratch=scratch)
        if self.is_on and source.size_bytes <= LARGEST_BYTES and not formats_of(source.owner):
            kept = KeptImport(imported.kind, imported.format)
            self._being_read = imported, key, kept
        return imported

    def store_items(
        self, imported: Any, attempt: Any, prints: Any, context: Any, *, most_bytes: int
    ) -> tuple[dict[str, Any], str]:
        if isinstance(imported, KeptImport):
            return copy.deepcopy(imported.counts), attempt.save("items", ContentFile(imported.items))
        counts, name = self._store(imported, attempt, prints, context, most_bytes=most_bytes)
        if (kept := self._of(imported)) is not None:
            kept.counts, kept.items = copy.deepcopy(counts), _bytes_of(name)
        return counts, name

    def report_of(self, imported: Any) -> dict[str, Any]:
        if isinstance(imported, KeptImport):
            return copy.deepcopy(imported.report)
        report = self._report(imported)
        if (kept := self._of(imported)) is not None:
            kept.report = copy.deepcopy(report)
        return report

    def measure_all(
        self, imported: Any, attempt: Any, prints: Any, context: Any
    ) -> tuple[dict[str, str], dict[str, int]]:
        if isinstance(imported, KeptImport):
            files = {
                tokenizer: attempt.save(f"measures-{tokenizer.replace('/', '-')}.npz", ContentFile(arrays))
                for tokenizer, arrays in imported.measures.items()
            }
            return files, dict(imported.tokens)
        files, tokens = self._measure(imported, attempt, prints, context)
        if (kept := self._of(imported)) is not None:
            kept.measures = {tokenizer: _bytes_of(name) for tokenizer, name in files.items()}
            kept.tokens = dict(tokens)
            self._keep()
        return files, tokens

    def _of(self, imported: Any) -> KeptImport | None:
        return self._being_read[2] if self._being_read and self._being_read[0] is imported else None

    def _keep(self) -> None:
        assert self._being_read is not None
        _, key, kept = self._being_read
        self._kept[key], self._being_read = kept, None


def _bytes_of(name: str) -> bytes:
    with default_storage.open(name) as file:
        content: bytes = file.read()
    return content
