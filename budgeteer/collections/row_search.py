"""Rows of an evaluation found by what they came to: those behind a bar, and those that change sides."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, Final

import numpy as np

from budgeteer.collections.models import EvaluationRun, EvaluationSegment
from budgeteer.collections.row_columns import LEVELS, UNKNOWN_REVISION, Column, RowColumns, RowName, RowPrices
from budgeteer.engine.analysis.evaluation.evaluation import Evaluation, PackedConversation
from budgeteer.engine.packing.verdict_text import Level
from budgeteer.lru import LruCache
from budgeteer.sources.files.contents import CONVERSATIONS
from budgeteer.sources.models import Source

#: Segments kept in a process: those of the evaluations that somebody looks at.
_KEPT: Final = 8
#: Rows that are named at once where all of them are written.
_AT_ONCE: Final = 2_000
DELETED: Final = "a source that was deleted"

type Revisions = Mapping[uuid.UUID, int]
"""By source the revision that an evaluation read."""

_segments: LruCache[RowColumns] = LruCache(_KEPT)
_revisions: LruCache[Revisions] = LruCache(_KEPT)


class SourceState(StrEnum):
    """What became of a source since an evaluation read it; the values stand in exported files."""

    SAME = "as evaluated"
    CHANGED = "read anew since"
    DELETED = "deleted since"
    UNKNOWN = "not known"


@dataclass(frozen=True, slots=True)
class ValueRange:
    """Rows whose tokens of one kind ("requested" or "sent") under the configuration at a place lie within bounds."""

    place: int
    of: str
    low: int
    high: int

    def matches(self, rows: RowColumns) -> Column:
        """Which of these rows are meant."""
        column = rows.by_config[self.place][self.of]
        found: Column = (column >= self.low) & (column <= self.high)
        return found


@dataclass(frozen=True, slots=True)
class SideChange:
    """Rows at one level under the configuration at place `a`, and at another under that at place `b`."""

    a: int
    b: int
    before: Level
    after: Level

    @property
    def place(self) -> int:
        """The configuration whose figures are shown."""
        return self.a

    @property
    def of(self) -> str:
        """What the rows are sorted by."""
        return "requested"

    def matches(self, rows: RowColumns) -> Column:
        """Which of these rows are meant."""
        before = rows.by_config[self.a]["level"] == LEVELS.index(self.before)
        after = rows.by_config[self.b]["level"] == LEVELS.index(self.after)
        found: Column = before & after
        return found


@dataclass(frozen=True, slots=True)
class MatchingRow:
    """One conversation that was found: its row in a segment."""

    segment: RowColumns
    row: int

    @property
    def name(self) -> RowName:
        """The conversation."""
        return self.segment.name(self.row)


def segments_of_run(run: EvaluationRun) -> list[RowColumns]:
    """The rows of a run that is done, kept in the process."""
    return [_segments.get(segment.rows.name, partial(_read, segment)) for segment in run.segments.all()]


def _read(segment: EvaluationSegment) -> RowColumns:
    with segment.rows.open("rb") as file:
        return RowColumns.load(file)


def forget_segments() -> None:
    """Drop everything kept in this process (tests start from nothing)."""
    _segments.clear()
    _revisions.clear()


def revisions_of(run: EvaluationRun) -> Revisions:
    """What a run that is done read of each of its sources."""

    def read() -> Revisions:
        return {uuid.UUID(hex=pk.decode()): at for segment in segments_of_run(run) for pk, at in segment.read}

    return _revisions.get(run.pk, read)


@dataclass(frozen=True, slots=True)
class SourceChanges:
    """How many of the sources of an evaluation are what they were.

    Attributes:
        total: of how many sources conversations were evaluated.
        changed: those that were read anew since, as they grew, were replaced or imported again.
        deleted: those that are gone.
        unknown: those of which an earlier version did not note what was read, and that are still there.
    """

    total: int
    changed: int
    deleted: int
    unknown: int

    def sentence(self) -> str:
        """What a reader of the figures has to know, "" where nothing changed."""
        said = []
        if self.changed:
            said.append(
                f"{self.changed:,} {'was' if self.changed == 1 else 'were'} read anew since (grown or replaced)"
            )
        if self.deleted:
            said.append(f"{self.deleted:,} {'was' if self.deleted == 1 else 'were'} deleted since")
        found = ""
        if said:
            of = "its source" if self.total == 1 else f"its {self.total:,} sources"
            found = f"Of {of}, {' and '.join(said)}: these figures are of what was there then. "
            found += "Evaluate the collection again for what is there now."
        if self.unknown:
            note = "An earlier version made this evaluation and did not note which state of its sources it read."
            found = f"{found} {note}".strip()
        return found

    def to_json(self) -> dict[str, int]:
        """As exported files and the API say it."""
        return {"total": self.total, "readAnew": self.changed, "deleted": self.deleted, "notKnown": self.unknown}


def source_changes(run: EvaluationRun) -> SourceChanges:
    """What became of the sources of a run that is done."""
    read = revisions_of(run)
    now = {pk: revision for pk, (_, _, revision) in _sources(list(read)).items()}
    states = Counter(_state(revision, now.get(pk)) for pk, revision in read.items())
    changed, deleted = states[SourceState.CHANGED], states[SourceState.DELETED]
    return SourceChanges(len(read), changed, deleted, states[SourceState.UNKNOWN])


def _state(read: int, now: int | None) -> SourceState:
    if now is None:
        return SourceState.DELETED
    if read == UNKNOWN_REVISION:
        return SourceState.UNKNOWN
    return SourceState.SAME if read == now else SourceState.CHANGED


def find_rows(run: EvaluationRun, wanted: ValueRange | SideChange, *, start: int, stop: int) -> list[MatchingRow]:
    """Rows `start` to `stop` of those that are meant, those with most tokens first."""
    segments = segments_of_run(run)
    places = [np.flatnonzero(wanted.matches(segment)) for segment in segments]
    sizes = [segment.by_config[wanted.place][wanted.of][rows] for segment, rows in zip(segments, places, strict=True)]
    which = np.repeat(np.arange(len(segments)), [len(rows) for rows in places])
    if not len(which):
        return []
    rows, values = np.concatenate(places), np.concatenate(sizes)
    order = np.argsort(-values, kind="stable")[start:stop]
    return [MatchingRow(segments[int(which[at])], int(rows[at])) for at in order]


def count_rows(run: EvaluationRun, wanted: ValueRange | SideChange) -> int:
    """How many rows are meant."""
    return sum(int(np.count_nonzero(wanted.matches(segment))) for segment in segments_of_run(run))


@dataclass(frozen=True, slots=True)
class ConversationName:
    """A conversation as people read it.

    Attributes:
        text: the source, with the number of the conversation where it holds several.
        state: what became of its source since the revision that is asked about.
        revision: that revision.
    """

    row: RowName
    text: str
    state: SourceState
    revision: int = UNKNOWN_REVISION

    @property
    def is_there(self) -> bool:
        """Whether its source is still there."""
        return self.state is not SourceState.DELETED

    @property
    def is_changed(self) -> bool:
        """Whether its source was read anew since, so that it may say something else now, or be another one."""
        return self.state is SourceState.CHANGED


def names_of(rows: Sequence[RowName], revisions: Revisions | None = None) -> dict[RowName, ConversationName]:
    """How people read the names of these conversations, from the sources as they are called now.

    `revisions` are those that were read; without them nothing is known of changes.
    """
    known = _sources(list(dict.fromkeys(row.source_id for row in rows)))
    read = revisions or {}
    return {
        row: _name_of(row, known.get(row.source_id), read.get(row.source_id, UNKNOWN_REVISION))
        for row in dict.fromkeys(rows)
    }


def _sources(ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, tuple[str, int, int]]:
    """(name, how many conversations, revision) of the sources that are still there."""
    known: dict[uuid.UUID, tuple[str, int, int]] = {}
    for start in range(0, len(ids), _AT_ONCE):
        found = Source.objects.filter(pk__in=ids[start : start + _AT_ONCE], deleted_at__isnull=True)
        for pk, name, counts, revision in found.values_list("pk", "name", "counts", "revision"):
            known[pk] = (name, counts.get(CONVERSATIONS, 1), revision)
    return known


def _name_of(row: RowName, source: tuple[str, int, int] | None, read: int) -> ConversationName:
    if source is None:
        return ConversationName(row, f"{DELETED}#{row.number + 1}", SourceState.DELETED, read)
    name, count, now = source
    # One that held several conversations and now holds one is named by the number that the row has.
    text = name if count <= 1 and row.number == 0 else f"{name}#{row.number + 1}"
    return ConversationName(row, text, _state(read, now), read)


def prices_of(evaluation: Evaluation) -> list[RowPrices]:
    """What the rows of each configuration share."""
    return [RowPrices(one.limit_tokens, one.input_price, one.cached_price) for one in evaluation.totals]


@dataclass(frozen=True, slots=True)
class NamedRows:
    """Some rows of an evaluation.

    Attributes:
        by_config: by configuration, with the names that people read.
        beside: of each row what stands beside the figures (evaluation_rows.BESIDE).
    """

    by_config: Sequence[Sequence[PackedConversation]]
    beside: Sequence[Mapping[str, Any]]


def every_row(run: EvaluationRun, evaluation: Evaluation) -> Iterator[NamedRows]:
    """All rows, some thousand at a time."""
    prices = prices_of(evaluation)
    for stored in run.segments.all():
        segment = _read(stored)  # not kept: it is read once
        read = {uuid.UUID(hex=pk.decode()): revision for pk, revision in segment.read}
        for start in range(0, len(segment), _AT_ONCE):
            rows = range(start, min(start + _AT_ONCE, len(segment)))
            known = names_of([segment.name(row) for row in rows], read)
            names = [known[segment.name(row)] for row in rows]
            yield NamedRows(
                [
                    [segment.packed(row, at, price, name=name.text) for row, name in zip(rows, names, strict=True)]
                    for at, price in enumerate(prices)
                ],
                [{"sourceRevision": name.revision or None, "sourceState": name.state.value} for name in names],
            )
