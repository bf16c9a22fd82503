"""Retrieved chunks: best first, numbered, until the first that does not fit (seed: Gemma plan, step 4).

What is fitted is the section as it is rendered: its header, `[Source n]: ` before each chunk, a blank line between two.
Under chars/4 labels and blank lines are free, so that a chunk is a quarter of its own characters, as in the seed.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.config.schema import RetrievalConfig
from budgeteer.engine.content.library import Chunk
from budgeteer.engine.counting.library_measures import ChunkMeasures, Ints, chunk_label, chunk_rest
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.packing.ledger import Size, unique
from budgeteer.engine.packing.sections.system import JOIN, SystemPiece, fixed_piece

HEADER: Final = "# Retrieved context"
#: What stands there when no chunk can be sent. Source: the seed's own sentence.
NOTHING: Final = "No relevant context."


type RoomRule = Literal["room", "shares.context"]
"""What sets how much chunks may take: what the rest of the prompt leaves, or a setting by its path."""


class ChunkCause(IntEnum):
    """What decided a chunk's fate."""

    FITS = 0
    TOO_MANY = 1
    NO_ROOM = 2
    RETRY_HALF = 3
    RETRY_BEST = 4


@dataclass(frozen=True, slots=True)
class ChunkRoom:
    """What the chunks may take.

    Attributes:
        tokens: the most tokens of the whole section, header included.
        rule: what sets it.
        most: at most so many chunks, None for as many as `searchTopK` says (the retry ladder lowers it).
        cause: the cause of what `most` leaves out.
        closed: whether the section is the end of its message; else a blank line follows it and is charged.
        pins: decision ids of what must stay.
    """

    tokens: int
    rule: RoomRule = "room"
    most: int | None = None
    cause: ChunkCause = ChunkCause.RETRY_HALF
    closed: bool = True
    pins: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class RetrievalFit:
    """Which chunks are sent.

    Attributes:
        sequence: every chunk's row, best first (pinned ones before all).
        order: the rows that are sent, in the order of their numbers.
        kept, pinned: one entry a chunk.
        cause: ChunkCause per chunk.
        needed_tokens: the section's size up to and including this chunk; its rank where it is one too many.
        tokens: the section as it is charged against its room.
        room: the room it was fitted into.
        says_nothing: whether `NOTHING` stands in the place of chunks.
    """

    sequence: tuple[int, ...]
    order: tuple[int, ...]
    kept: NDArray[np.bool_]
    pinned: NDArray[np.bool_]
    cause: Ints
    needed_tokens: Ints
    tokens: int
    room: ChunkRoom
    says_nothing: bool


def ranked(chunks: Sequence[Chunk], pinned: NDArray[np.bool_]) -> tuple[int, ...]:
    """The rows by score, best first; those without a score after them, equals in the order given; pinned ones first."""

    def place(row: int) -> tuple[bool, bool, float, int]:
        score = chunks[row].score
        return (not pinned[row], score is None, -(score or 0.0), row)

    return tuple(sorted(range(len(chunks)), key=place))


def fit_chunks(
    chunks: Sequence[Chunk],
    measures: ChunkMeasures,
    config: RetrievalConfig,
    *,
    counter: TokenCounter,
    room: ChunkRoom,
) -> RetrievalFit:
    """The chunks that fit: the best `searchTopK` as far as the room reaches; under `fill` past what does not fit."""
    if not chunks:
        return _no_chunks(room)
    pinned = _pinned(chunks, room.pins)
    sequence = ranked(chunks, pinned)
    promised = int(pinned.sum())
    most = config.search_top_k if room.most is None else min(room.most, config.search_top_k)
    considered = sequence[: max(most, promised)]
    cause = np.full(len(chunks), int(ChunkCause.TOO_MANY), np.int64)
    if room.most is not None:
        cause[list(sequence[: config.search_top_k])] = room.cause
    needed = np.zeros(len(chunks), np.int64)
    needed[list(sequence)] = np.arange(1, len(chunks) + 1)
    kept = np.zeros(len(chunks), np.bool_)
    used = spent = _followed(HEADER, counter)
    used_up = False
    for place, row in enumerate(considered):
        number = place + 1 if config.fit == "prefix" else int(kept.sum()) + 1
        alone, followed = _entry_tokens(measures, row, number, counter)
        needed[row] = used + (alone if room.closed else followed)
        fits = not used_up and needed[row] <= room.tokens
        cause[row] = ChunkCause.FITS if fits or place < promised else ChunkCause.NO_ROOM
        if cause[row] == ChunkCause.FITS:
            kept[row], spent = True, int(needed[row])
        elif config.fit == "prefix":
            used_up = True
        if kept[row] or config.fit == "prefix":
            used += followed
    nothing = _followed(HEADER, counter) + (counter.count(NOTHING) if room.closed else _followed(NOTHING, counter))
    says_nothing = not kept.any() and nothing <= room.tokens
    return RetrievalFit(
        sequence=sequence,
        order=tuple(row for row in considered if kept[row]),
        kept=kept,
        pinned=pinned,
        cause=cause,
        needed_tokens=needed,
        tokens=spent if kept.any() else nothing if says_nothing else 0,
        room=room,
        says_nothing=says_nothing,
    )


def _no_chunks(room: ChunkRoom) -> RetrievalFit:
    """The fit where nothing was retrieved: no section is sent, nor counted."""
    none, nothing = np.zeros(0, np.bool_), np.zeros(0, np.int64)
    return RetrievalFit(
        sequence=(),
        order=(),
        kept=none,
        pinned=none,
        cause=nothing,
        needed_tokens=nothing,
        tokens=0,
        room=room,
        says_nothing=False,
    )


def retrieval_pieces(
    chunks: Sequence[Chunk],
    measures: ChunkMeasures,
    order: Sequence[int],
    *,
    counter: TokenCounter,
    says_nothing: bool = False,
) -> list[SystemPiece]:
    """The section's pieces: header and numbered chunks, or header and a sentence that there is none; [] for neither."""
    header = fixed_piece(HEADER, section="retrieval", name="header", counter=counter)
    if says_nothing:
        return [header, fixed_piece(NOTHING, section="retrieval", name="nothing found", counter=counter)]

    def piece(number: int, row: int) -> SystemPiece:
        alone, followed = _entry_tokens(measures, row, number, counter)
        chars = len(chunk_label(number)) + len("]: ") + int(measures.chars[row])
        return SystemPiece(
            "retrieval", "", lambda: chunk_label(number) + chunk_rest(chunks[row]), alone, followed, chars, safe=True
        )

    entries = [piece(number, row) for number, row in enumerate(order, start=1)]
    return [header, *entries] if entries else []


def labels_size(pieces: Sequence[SystemPiece], measures: ChunkMeasures, order: Sequence[int]) -> Size:
    """What the numbers before the chunks cost: the entries less the chunks' own texts."""
    entries = [piece for piece in pieces if piece.section == "retrieval" and not piece.name]
    rows = list(order)
    tokens = sum(piece.tokens for piece in entries) - int(measures.tokens[rows].sum())
    return Size(tokens, sum(piece.chars for piece in entries) - int(measures.chars[rows].sum()))


def chunk_ids(chunks: Sequence[Chunk]) -> list[str]:
    """The decision id of every chunk: its own id, or its row."""
    return [f"chunk:{name}" for name in unique([chunk.id or str(row + 1) for row, chunk in enumerate(chunks)])]


def _pinned(chunks: Sequence[Chunk], pins: frozenset[str]) -> NDArray[np.bool_]:
    if not any(pin.startswith("chunk:") for pin in pins):
        return np.zeros(len(chunks), np.bool_)
    return np.array([key in pins for key in chunk_ids(chunks)], np.bool_)


def _entry_tokens(measures: ChunkMeasures, row: int, number: int, counter: TokenCounter) -> tuple[int, int]:
    """One numbered entry in tokens: at the end of the message, and with a blank line after it."""
    if not counter.per_message_overhead:
        alone = int(measures.tokens[row])
        return alone, alone
    label = _label_tokens(number, counter)
    return label + int(measures.labelled_tokens[row]), label + int(measures.followed_tokens[row])


def _followed(text: str, counter: TokenCounter) -> int:
    """A short text with a blank line after it, which is free under chars/4."""
    return counter.count(text + JOIN) if counter.per_message_overhead else counter.count(text)


@functools.lru_cache(maxsize=8192)
def _label_tokens(number: int, counter: TokenCounter) -> int:
    return counter.count(chunk_label(number))
