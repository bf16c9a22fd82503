"""Cache of measures: rows found again by a hash of what they were counted from (decision 006).

The unit is a run: some dozens of items in a row. Its key is a hash of the items as they are stored, of how they stand
beside their neighbours, of the tokenizer and of what is counted; no text is kept. Runs are cut by content, so that a
list that grew, or lost something in its middle, has the same runs as before but for those that changed.
"""

from __future__ import annotations

import functools
import hashlib
import hmac
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import batched
from typing import Protocol

import numpy as np
from django.conf import settings

from budgeteer.engine.counting.library_measures import Ints, Progress, Table, table_of
from budgeteer.sources.files.item_store import Item, line_of

# Raise it whenever a counter or a measure gives another number for the same item.
COUNTING_VERSION = 11
KEY_BYTES = 32
MAC_BYTES = 16
# A run ends after an item whose print begins with one of 8 of 256 bytes (32 items on average), and at these bounds:
# where a list changes, no more than this is counted again, and a row of the table is worth its place.
RUN_CUTS = 8
RUN_ITEMS = 64
RUN_BYTES = 64_000
# Runs looked up, counted and kept together: one query, and little to count again should the worker end.
FETCHED_RUNS = 400

type Row = Ints


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """The keyed hashes of the items of some streams, in their order, taken as the items are stored.

    The key is this installation's, so that the hashes tell nobody else what was counted.

    Attributes:
        by_stream: of each stream the hashes in a row, KEY_BYTES each.
        sizes: of each stream the lengths of the items as they are stored, in bytes.
    """

    by_stream: dict[str, bytearray] = field(default_factory=dict)
    sizes: dict[str, array[int]] = field(default_factory=dict)

    def add(self, stream: str, line: bytes) -> None:
        """Take one item's print from its stored line."""
        self.by_stream.setdefault(stream, bytearray()).extend(_keyed(line))
        self.sizes.setdefault(stream, array("Q")).append(len(line))

    def add_all(self, stream: str, items: Iterable[Item]) -> None:
        """Take the prints of items that are not being stored."""
        for item in items:
            self.add(stream, line_of(item))


class MeasureCache(Protocol):
    """Where values are kept by key; it may forget any of them at any time."""

    def fetch(self, keys: Sequence[bytes]) -> Mapping[bytes, bytes]:
        """The values there are."""
        ...

    def keep(self, values: Mapping[bytes, bytes]) -> None:
        """Keep the values; one that is there already stays."""
        ...


@dataclass(frozen=True, slots=True)
class CachedRows:
    """The rows of one table under one tokenizer, counted only where no cache holds them.

    Attributes:
        prints: of the stream's items, KEY_BYTES a row.
        table: what the rows are of: the table's and its columns' names.
    """

    prints: bytes | bytearray
    sizes: Sequence[int]
    table: str
    tokenizer: str
    cache: MeasureCache

    def __call__(
        self,
        count: int,
        make: Callable[[int, int], Table],
        *,
        beside: Callable[[int], bytes] | None = None,
        progress: Progress | None = None,
    ) -> Table:
        """The rows 0 to `count`; those that had to be made are kept for the next time, some hundred runs at once."""
        if count != len(self.sizes):
            raise ValueError(f"{count} rows were asked for, but {len(self.sizes)} items were stored")
        return table_of(count, self._stretches(count, make, beside, progress)) if count else []

    def _stretches(
        self,
        count: int,
        make: Callable[[int, int], Table],
        beside: Callable[[int], bytes] | None,
        progress: Progress | None,
    ) -> Iterator[Ints]:
        if progress is not None:
            progress(0, count)
        for batch in batched(self._runs(), FETCHED_RUNS):
            runs = [(start, stop, self._key(start, stop, beside)) for start, stop in batch]
            known = self.cache.fetch([key for _, _, key in runs])
            fresh: dict[bytes, bytes] = {}
            for start, stop, key in runs:
                rows = _unpacked(key, known.get(key, b""), items=stop - start)
                if rows is None:
                    rows = np.asarray(make(start, stop), dtype=np.int64)
                    fresh[key] = _packed(key, rows)
                yield rows
                if progress is not None:
                    progress(stop, count)
            self.cache.keep(fresh)

    def _runs(self) -> Iterator[tuple[int, int]]:
        start = size = 0
        last = len(self.sizes) - 1
        for at, (first, length) in enumerate(zip(self.prints[::KEY_BYTES], self.sizes, strict=True)):
            size += length
            if at == last or first < RUN_CUTS or at - start + 1 >= RUN_ITEMS or size >= RUN_BYTES:
                yield start, at + 1
                start, size = at + 1, 0

    def _key(self, start: int, stop: int, beside: Callable[[int], bytes] | None) -> bytes:
        head = f"{COUNTING_VERSION}\n{self.tokenizer}\n{self.table}\n{stop - start}\n".encode()
        parts: list[bytes | bytearray] = [head, self.prints[start * KEY_BYTES : stop * KEY_BYTES]]
        if beside is not None:
            parts += [beside(at) + b"\n" for at in range(start, stop)]
        return _keyed(b"".join(parts))


def _keyed(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=KEY_BYTES, key=_secret_from(settings.SECRET_KEY)).digest()


def _mac(key: bytes, value: bytes) -> bytes:
    secret = _secret_from(settings.SECRET_KEY)
    return hashlib.blake2b(key + value, digest_size=MAC_BYTES, key=secret, person=b"rows").digest()


@functools.lru_cache(maxsize=2)
def _secret_from(secret_key: str) -> bytes:
    return hashlib.blake2b(secret_key.encode(), person=b"counted runs").digest()


def _packed(key: bytes, rows: Row) -> bytes:
    """Rows as a cache keeps them: a proof that they are ours and whole, then the compressed numbers."""
    value = zlib.compress(rows.astype("<i8").tobytes(), level=1)
    return _mac(key, value) + value


def _unpacked(key: bytes, stored: bytes, *, items: int) -> Row | None:
    """The rows, None where nothing is stored or it is not what was written under this key."""
    proof, value = stored[:MAC_BYTES], stored[MAC_BYTES:]
    if not value or not hmac.compare_digest(proof, _mac(key, value)):
        return None
    return np.frombuffer(zlib.decompress(value), dtype="<i8").reshape(items, -1)
