"""Fewer chunks for the retry ladder: half of them, then only the best one (seed: Gemma plan, step 6).

Asked for only where history climbs the ladder: each step is one more fit of the libraries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from budgeteer.engine.packing.history.view import HistoryView, ReducedChunks
from budgeteer.engine.packing.library_fitting import Libraries, LibraryFitter
from budgeteer.engine.packing.sections.retrieval import ChunkCause


@dataclass(frozen=True, slots=True)
class ChunkReduction:
    """The libraries as they are, with half of the chunks and with the best one; None where that gives no room."""

    whole: Libraries
    half: tuple[ReducedChunks, Libraries] | None
    best: tuple[ReducedChunks, Libraries] | None

    def view(self, view: HistoryView) -> HistoryView:
        """What a history strategy sees: the chunks its ladder may take away."""
        return replace(
            view,
            half_chunks=self.half[0] if self.half else None,
            best_chunk=self.best[0] if self.best else None,
        )

    def libraries(self, taken: ReducedChunks | None) -> Libraries:
        """The libraries with the chunks that the ladder left."""
        known: Mapping[ReducedChunks, Libraries] = dict(fewer for fewer in (self.half, self.best) if fewer)
        return known[taken] if taken else self.whole


def chunk_reduction(fitter: LibraryFitter, whole: Libraries, called: frozenset[str]) -> ChunkReduction:
    """The libraries of a prompt with fewer chunks; of an odd number the middle one stays in half of them."""
    fit = whole.retrieval
    places = [fit.sequence.index(row) + 1 for row in fit.order]

    def reduced(count: int, cause: ChunkCause) -> tuple[ReducedChunks, Libraries] | None:
        if count >= len(places):
            return None
        most = places[count - 1]
        libraries = fitter.fit(called, most=most, cause=cause)
        if libraries.room_tokens <= whole.room_tokens:
            return None
        return ReducedChunks(most, libraries.room_tokens), libraries

    half = reduced(-(-len(places) // 2), ChunkCause.RETRY_HALF)
    best = reduced(1, ChunkCause.RETRY_BEST)
    return ChunkReduction(whole, half, half if half and best and half[0] == best[0] else best)
