"""Rows of an evaluation found by what they came to: those behind a bar, and those that change sides."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from budgeteer.collections.models import EvaluationRun, EvaluationSegment
from budgeteer.collections.row_columns import LEVELS, Column, RowColumns, RowName, RowPrices
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

_segments: LruCache[RowColumns] = LruCache(_KEPT)


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
        is_there: whether its source is still there.
    """

    row: RowName
    text: str
    is_there: bool


def names_of(rows: Sequence[RowName]) -> dict[RowName, ConversationName]:
    """How people read the names of these conversations, from the sources as they are called now."""
    ids = list(dict.fromkeys(row.source_id for row in rows))
    known: dict[uuid.UUID, tuple[str, int]] = {}
    for start in range(0, len(ids), _AT_ONCE):
        found = Source.objects.filter(pk__in=ids[start : start + _AT_ONCE], deleted_at__isnull=True)
        for pk, name, counts in found.values_list("pk", "name", "counts"):
            known[pk] = (name, counts.get(CONVERSATIONS, 1))
    return {row: _name_of(row, known.get(row.source_id)) for row in rows}


def _name_of(row: RowName, source: tuple[str, int] | None) -> ConversationName:
    if source is None:
        return ConversationName(row, f"{DELETED}#{row.number + 1}", is_there=False)
    name, count = source
    return ConversationName(row, name if count <= 1 else f"{name}#{row.number + 1}", is_there=True)


def prices_of(evaluation: Evaluation) -> list[RowPrices]:
    """What the rows of each configuration share."""
    return [RowPrices(one.limit_tokens, one.input_price, one.cached_price) for one in evaluation.totals]


def every_row(run: EvaluationRun, evaluation: Evaluation) -> Iterator[list[tuple[PackedConversation, ...]]]:
    """All rows by configuration, some thousand at a time, with the names that people read."""
    prices = prices_of(evaluation)
    for stored in run.segments.all():
        segment = _read(stored)  # not kept: it is read once
        for start in range(0, len(segment), _AT_ONCE):
            rows = range(start, min(start + _AT_ONCE, len(segment)))
            names = names_of([segment.name(row) for row in rows])
            yield [
                tuple(segment.packed(row, at, price, name=names[segment.name(row)].text) for row in rows)
                for at, price in enumerate(prices)
            ]
