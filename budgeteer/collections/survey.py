"""What is in a collection: its conversations, which of them say the same, and which are branches of another.

Two conversations are the same where their messages say the same and the same tools are defined, whatever file they are
from, and whatever their names, times and places in it are. The first of them is kept.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import IO, Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from budgeteer.collections.models import Collection
from budgeteer.collections.row_columns import RowName, dump_arrays, load_arrays
from budgeteer.sources import services as sources
from budgeteer.sources.files.contents import CONVERSATIONS, MESSAGES, Contents
from budgeteer.sources.models import Source, SourceQuerySet

#: How much of a digest is kept: two of a billion conversations are the same in it by chance once in 10^20.
DIGEST_BYTES: Final = 16
#: Conversations looked at between two words of progress.
_STEP: Final = 100
#: What of a message is no part of what it says.
_BESIDE: Final = frozenset({"id", "line", "created", "moved"})
#: Sets of the same conversations that a page names.
MOST_NAMED: Final = 20

type Watch = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class SurveyedSource:
    """A source as it was surveyed."""

    source_id: uuid.UUID
    revision: int


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """Every conversation of a collection, source by source.

    Attributes:
        sources: those with conversations, in the collection's order.
        source, number: of each conversation its source, a place among `sources`, and which one it is there, from 0.
        messages: how many it has. is_branch: whether it is another branch of the one before it.
        same_as: the first conversation that says the same, a place; its own where it is the first.
    """

    sources: Sequence[SurveyedSource]
    source: NDArray[np.int32]
    number: NDArray[np.int32]
    messages: NDArray[np.int32]
    is_branch: NDArray[np.bool_]
    same_as: NDArray[np.int64]

    @property
    def is_duplicate(self) -> NDArray[np.bool_]:
        """Whether an earlier one says the same; branches, which are left out anyway, are not among them."""
        found: NDArray[np.bool_] = (self.same_as != np.arange(len(self.same_as))) & ~self.is_branch
        return found

    def kept(self, *, duplicates: bool) -> NDArray[np.bool_]:
        """The conversations that are evaluated: no branches, and each once unless all `duplicates` are wanted."""
        found: NDArray[np.bool_] = ~self.is_branch if duplicates else ~self.is_branch & ~self.is_duplicate
        return found

    def figures(self) -> dict[str, Any]:
        """`{conversations, messages, branches, duplicates, same}` for pages; `same` are lists of names (RowName)."""
        whole = ~self.is_branch
        return {
            "conversations": int(whole.sum()),
            "messages": int(self.messages[whole].sum()),
            "branches": int(self.is_branch.sum()),
            "duplicates": int(self.is_duplicate.sum()),
            "same": [[self._name(place) for place in places] for places in self._same_sets()],
        }

    def _same_sets(self) -> list[list[int]]:
        """Sets of conversations that say the same, the first of each in front; at most MOST_NAMED."""
        found: dict[int, list[int]] = {}
        for place in np.flatnonzero(self.is_duplicate).tolist():
            first = int(self.same_as[place])
            if first in found or len(found) < MOST_NAMED:
                found.setdefault(first, [first]).append(place)
        return [places[:MOST_NAMED] for places in found.values()]

    def _name(self, place: int) -> str:
        return RowName(self.sources[self.source[place]].source_id, int(self.number[place])).text

    def dump(self) -> bytes:
        """As a file in the storage."""
        return dump_arrays(
            {
                "sources": np.array([one.source_id.hex for one in self.sources], "S32"),
                "revisions": np.array([one.revision for one in self.sources], "i8"),
                "source": self.source,
                "number": self.number,
                "messages": self.messages,
                "is_branch": self.is_branch,
                "same_as": self.same_as,
            }
        )

    @classmethod
    def load(cls, file: IO[bytes]) -> Self:
        """The inverse of dump."""
        stored = load_arrays(file)
        ids, revisions = stored.pop("sources").tolist(), stored.pop("revisions").tolist()
        known = [SurveyedSource(uuid.UUID(hex=one.decode()), at) for one, at in zip(ids, revisions, strict=True)]
        return cls(known, **stored)


def key_of(collection: Collection) -> str:
    """What a survey of the collection as it is now depends on, as a digest."""
    return _key(conversations_of(collection).values_list("pk", "revision"))


def key_of_sources(members: Sequence[Source]) -> str:
    """The same of sources that were read."""
    return _key((source.pk, source.revision) for source in members)


def _key(members: Iterable[tuple[uuid.UUID, int]]) -> str:
    told = ";".join(f"{pk.hex}@{revision}" for pk, revision in members)
    return hashlib.sha256(told.encode()).hexdigest()


def conversations_of(collection: Collection) -> SourceQuerySet:
    """The collection's sources that hold conversations which can be read, in its order."""
    members = Source.objects.filter(collection_links__collection=collection, deleted_at__isnull=True)
    return members.filter(kind="conversation").exclude(items="").order_by("collection_links__pk")


def take_survey(members: Sequence[Source], watch: Watch) -> Survey:
    """Read every conversation of the sources once; `watch` is told conversations done and known of, and may raise.

    Raises:
        SourceNotReady: a source has not been imported.
    """
    total = sum(max(source.counts.get(CONVERSATIONS, 1), 1) for source in members)
    digests: list[bytes] = []
    columns: list[tuple[int, int, int, bool]] = []
    for place, source in enumerate(members):
        for number, (row, digest) in enumerate(_digests(sources.contents_of(source))):
            columns.append((place, number, row["count"], bool(row.get("branch_of"))))
            digests.append(digest)
            if len(digests) % _STEP == 0:
                watch(min(len(digests), total), total)
    watch(total, total)
    table = np.array(columns, np.int32).reshape(len(columns), 4)
    return Survey(
        [SurveyedSource(source.pk, source.revision) for source in members],
        table[:, 0],
        table[:, 1],
        table[:, 2],
        table[:, 3].astype(np.bool_),
        _first_of_each(digests, table[:, 3] == 0),
    )


def _first_of_each(digests: Sequence[bytes], compared: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each digest that is `compared` the place of the first of them like it; for any other its own."""
    found = np.arange(len(digests), dtype=np.int64)
    places = np.flatnonzero(compared)
    if len(places):
        # All are equally long, so that it makes no difference that numpy pads such texts with zeros.
        table = np.array(digests, f"S{DIGEST_BYTES}")[places]
        _, first, which = np.unique(table, return_index=True, return_inverse=True)
        found[places] = places[first[which]]
    return found


def _digests(contents: Contents) -> Iterator[tuple[dict[str, Any], bytes]]:
    """Each conversation's row and a digest of what it says."""
    reader = contents.reader
    for index in range(reader.count(CONVERSATIONS)):
        row = reader.read(CONVERSATIONS, index, index + 1)[0]
        digest = hashlib.sha256(json.dumps(row["tools"], sort_keys=True).encode())
        for start in range(row["start"], row["start"] + row["count"], _STEP):
            for message in reader.read(MESSAGES, start, min(start + _STEP, row["start"] + row["count"])):
                said = {key: value for key, value in message.items() if key not in _BESIDE}
                digest.update(json.dumps(said, sort_keys=True).encode() + b"\n")
        yield row, digest.digest()[:DIGEST_BYTES]


def runs_of(numbers: Sequence[int]) -> list[list[int]]:
    """Rising numbers as runs `[first, stop]`."""
    groups = (list(group) for _, group in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]))
    return [[group[0][1], group[-1][1] + 1] for group in groups]
