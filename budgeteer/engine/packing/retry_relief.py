"""Retrieval under the retry ladder: half of the chunks, then only the best one (seed: Gemma plan, step 6).

Asked for only where history climbs the ladder: each relief is one more fit of the libraries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from budgeteer.engine.packing.history.view import HistoryView, Relief
from budgeteer.engine.packing.library_fitting import Libraries, LibraryFitter
from budgeteer.engine.packing.sections.retrieval import ChunkCause


@dataclass(frozen=True, slots=True)
class RetryRelief:
    """The libraries as they are, and as each relief leaves them; a relief that gives no room is none."""

    whole: Libraries
    half: tuple[Relief, Libraries] | None
    best: tuple[Relief, Libraries] | None

    def view(self, view: HistoryView) -> HistoryView:
        """What a history strategy sees: the reliefs its ladder may take."""
        return replace(
            view,
            half_chunks=self.half[0] if self.half else None,
            best_chunk=self.best[0] if self.best else None,
        )

    def libraries(self, taken: Relief | None) -> Libraries:
        """The libraries when the ladder took this relief."""
        known: Mapping[Relief, Libraries] = dict(eased for eased in (self.half, self.best) if eased)
        return known[taken] if taken else self.whole


def relief_of(fitter: LibraryFitter, whole: Libraries, called: frozenset[str]) -> RetryRelief:
    """Every relief for a prompt with these libraries; of an odd number of chunks the middle one stays."""
    fit = whole.retrieval
    places = [fit.sequence.index(row) + 1 for row in fit.order]

    def eased(count: int, cause: ChunkCause) -> tuple[Relief, Libraries] | None:
        if count >= len(places):
            return None
        most = places[count - 1]
        libraries = fitter.fit(called, most=most, cause=cause)
        if libraries.room_tokens <= whole.room_tokens:
            return None
        return Relief(most, libraries.room_tokens), libraries

    half = eased(-(-len(places) // 2), ChunkCause.RETRY_HALF)
    best = eased(1, ChunkCause.RETRY_BEST)
    return RetryRelief(whole, half, half if half and best and half[0] == best[0] else best)
