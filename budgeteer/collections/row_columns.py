"""The rows of an evaluation as columns in the storage: one npz file for each chunk, then for each segment of many.

Arrays by name: `sources` are the ids of the sources, as hexadecimal text, and `revisions` those that were read of them;
`source` and `number` say of each row which of them it is from and which conversation there, from 0. `<column>.<place>`
is a column of the configuration at a place.
"""

from __future__ import annotations

import io
import uuid
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.analysis.evaluation.evaluation import PackedConversation
from budgeteer.engine.analysis.evaluation.sessions import SessionUse
from budgeteer.engine.packing.verdict_text import Level

type Column = NDArray[Any]

#: Rows of one segment: what is in memory at once, some megabytes for each configuration.
SEGMENT_ROWS: Final = 50_000
#: The revision of a source in rows that do not say which one was read; those of sources that are imported begin at 1.
UNKNOWN_REVISION: Final = 0
#: The place of a level among those stored.
LEVELS: Final[tuple[Level, ...]] = ("fits", "limited", "cannotFit")
#: Stored columns of one configuration. Money follows from tokens and the prices of the configuration.
_COLUMNS: Final[Mapping[str, str]] = {
    "requested": "i8",
    "sent": "i8",
    "level": "i1",
    "messages": "i4",
    "dropped": "i4",
    "summarised": "i4",
    "shortened": "i4",
}
#: Those of what all requests take, where they were replayed.
_SESSION_COLUMNS: Final[Mapping[str, str]] = {
    "requests": "i4",
    "overflowing": "i4",
    "sent_tokens": "i8",
    "read_tokens": "i8",
    "written_tokens": "i8",
}
# How hard zlib tries: see sources/measures.
_PACKING: Final = 1


@dataclass(frozen=True, slots=True)
class RowName:
    """A conversation as rows name it: the source, and which conversation of it, from 0."""

    source_id: uuid.UUID
    number: int

    @property
    def text(self) -> str:
        """As the engine's rows carry it; texts sort as conversations of a source do."""
        return f"{self.source_id.hex}#{self.number:08d}"

    @classmethod
    def read(cls, text: str) -> Self:
        """The inverse of `text`."""
        source, _, number = text.partition("#")
        return cls(uuid.UUID(hex=source), int(number))


@dataclass(frozen=True, slots=True)
class RowPrices:
    """What rows of one configuration share: what may be sent, and US dollars for a million tokens of input."""

    limit_tokens: int
    input_price: float | None
    cached_price: float | None


@dataclass(frozen=True, slots=True, eq=False)
class RowColumns:
    """The rows of some conversations under every configuration.

    Attributes:
        sources: ids of the sources, in hexadecimal.
        revisions: of each source the revision that was read; UNKNOWN_REVISION where an earlier version did not note it.
        source: of each row, a place among `sources`. number: which conversation of it, from 0.
        by_config: by configuration its columns, each with an entry a row.
    """

    sources: Column
    revisions: Column
    source: Column
    number: Column
    by_config: tuple[Mapping[str, Column], ...]

    def __len__(self) -> int:
        return len(self.source)

    @classmethod
    def of(cls, rows: Sequence[Sequence[PackedConversation]], revisions: Mapping[str, int]) -> Self:
        """The rows of the engine, by configuration, with names as RowName has them.

        `revisions` are those that were read, by the sources' ids in hexadecimal.
        """
        names = [RowName.read(row.name) for row in rows[0]]
        sources = list(dict.fromkeys(name.source_id.hex for name in names))
        place = {source: at for at, source in enumerate(sources)}
        return cls(
            np.array(sources, "S32"),
            np.array([revisions[source] for source in sources], "i8"),
            np.array([place[name.source_id.hex] for name in names], "i4"),
            np.array([name.number for name in names], "i4"),
            tuple(_columns_of(same) for same in rows),
        )

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The rows of several, one after the other."""
        sources = list(dict.fromkeys(source for part in parts for source in part.sources.tolist()))
        place = {source: at for at, source in enumerate(sources)}
        read = {source: revision for part in parts for source, revision in part.read}
        moved = [
            np.array([place[source] for source in part.sources.tolist()], "i4").take(part.source) for part in parts
        ]
        return cls(
            np.array(sources, "S32"),
            np.array([read[source] for source in sources], "i8"),
            np.concatenate(moved),
            np.concatenate([part.number for part in parts]),
            tuple(
                {name: np.concatenate([part.by_config[at][name] for part in parts]) for name in columns}
                for at, columns in enumerate(parts[0].by_config)
            ),
        )

    def name(self, row: int) -> RowName:
        """The conversation of a row."""
        return RowName(uuid.UUID(hex=self.sources[self.source[row]].decode()), int(self.number[row]))

    @property
    def read(self) -> Iterator[tuple[bytes, int]]:
        """(id of a source in hexadecimal, the revision that was read) of each."""
        return zip(self.sources.tolist(), self.revisions.tolist(), strict=True)

    def packed(self, row: int, place: int, prices: RowPrices, *, name: str) -> PackedConversation:
        """A row under one configuration as the engine made it, under a name that people read."""
        from budgeteer.engine.models.registry import dollars

        columns = self.by_config[place]
        sent = int(columns["sent"][row])
        return PackedConversation(
            name,
            messages=int(columns["messages"][row]),
            requested_tokens=int(columns["requested"][row]),
            sent_tokens=sent,
            limit_tokens=prices.limit_tokens,
            level=LEVELS[int(columns["level"][row])],
            dropped=int(columns["dropped"][row]),
            summarised=int(columns["summarised"][row]),
            shortened=int(columns["shortened"][row]),
            cost=dollars(sent, prices.input_price),
            cached_cost=dollars(sent, prices.cached_price),
            session=_session_of(columns, row),
        )

    def dump(self) -> bytes:
        """The npz file."""
        arrays: dict[str, Column] = {"sources": self.sources, "revisions": self.revisions}
        arrays |= {"source": self.source, "number": self.number}
        for place, columns in enumerate(self.by_config):
            arrays |= {f"{name}.{place}": column for name, column in columns.items()}
        return dump_arrays(arrays)

    @classmethod
    def load(cls, file: IO[bytes]) -> Self:
        """The inverse of dump; nothing in the file is ever executed."""
        arrays = load_arrays(file)
        count = sum(name.startswith("requested.") for name in arrays)
        every = (*_COLUMNS, *_SESSION_COLUMNS)
        by_config = tuple(
            {name: arrays[f"{name}.{place}"] for name in every if f"{name}.{place}" in arrays} for place in range(count)
        )
        sources = arrays["sources"]
        revisions = arrays.get("revisions", np.full(len(sources), UNKNOWN_REVISION, "i8"))
        return cls(sources, revisions, arrays["source"], arrays["number"], by_config)


def _columns_of(rows: Sequence[PackedConversation]) -> dict[str, Column]:
    values: dict[str, Iterable[int]] = {
        "requested": (row.requested_tokens for row in rows),
        "sent": (row.sent_tokens for row in rows),
        "level": (LEVELS.index(row.level) for row in rows),
        "messages": (row.messages for row in rows),
        "dropped": (row.dropped for row in rows),
        "summarised": (row.summarised for row in rows),
        "shortened": (row.shortened for row in rows),
    }
    found = {name: np.fromiter(values[name], np.dtype(kind), len(rows)) for name, kind in _COLUMNS.items()}
    sessions = [row.session for row in rows if row.session is not None]
    if sessions:
        for name, kind in _SESSION_COLUMNS.items():
            found[name] = np.array([getattr(session, name) for session in sessions], np.dtype(kind))
    return found


def _session_of(columns: Mapping[str, Column], row: int) -> SessionUse | None:
    if "requests" not in columns:
        return None
    return SessionUse(**{name: int(columns[name][row]) for name in _SESSION_COLUMNS})


def dump_arrays(arrays: Mapping[str, Column]) -> bytes:
    """An npz file of these arrays."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=_PACKING) as packed:
        for name, array in arrays.items():
            with packed.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
    return file.getvalue()


def load_arrays(file: IO[bytes]) -> dict[str, Column]:
    """The inverse of dump_arrays."""
    # An npz is read in many small steps, and the file may be far away.
    with np.load(io.BytesIO(file.read()), allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def segments_of(parts: Iterable[RowColumns], *, rows: int = SEGMENT_ROWS) -> Iterator[RowColumns]:
    """Chunks in their order, joined to segments of at least so many rows; the last may have fewer."""
    waiting: list[RowColumns] = []
    count = 0
    for part in parts:
        waiting.append(part)
        count += len(part)
        if count >= rows:
            yield RowColumns.joined(waiting)
            waiting, count = [], 0
    if waiting:
        yield RowColumns.joined(waiting)
