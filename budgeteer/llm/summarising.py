"""The summariser that calls a language model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Self

from budgeteer.engine.content.written_messages import SUMMARY_LINE
from budgeteer.engine.counting.text_boundaries import cut_at_sentence
from budgeteer.engine.packing.history.summary import SummaryFailed, SummaryRequest, storable
from budgeteer.llm.conversation_text import pieces_of, question
from budgeteer.llm.endpoint import Asker
from budgeteer.llm.settings import Endpoint
from budgeteer.llm.summary import AuthoredSummary, EndpointFailed

LEAST_CHARS = 60
"""Room below which no summary is asked for (as the extractive summariser)."""


def _do_nothing() -> None:
    pass


@dataclass(slots=True)
class ModelSummariser:
    """Writes summaries by asking an endpoint, piece by piece where the messages are many; a context manager.

    Attributes:
        keep_waiting: see `Asker`.
        progress: told (pieces done, pieces there are) after each answer.
    """

    endpoint: Endpoint
    keep_waiting: Callable[[], None] = _do_nothing
    progress: Callable[[int, int], None] | None = None
    _asker: Asker = field(init=False)

    def __post_init__(self) -> None:
        self._asker = Asker(self.endpoint, keep_waiting=self.keep_waiting)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._asker.close()

    def write(self, request: SummaryRequest) -> AuthoredSummary:
        """The summary, under the line that says what it is, within `max_chars`.

        Where a model gives no usable answer, the endpoint's next one writes it, and a note says so. An answer that is
        too long is cut at the end of a sentence, and a note says so too.

        Raises:
            SummaryFailed: there is no room or no text, or no model gave a usable answer (EndpointFailed).
        """
        failed: list[str] = []
        *first, last = self.endpoint.models
        for model in first:
            try:
                return self._written(request, model, failed)
            except EndpointFailed as error:
                failed.append(f"{model} did not write it: {error}.")
        return self._written(request, last, failed)

    def _written(self, request: SummaryRequest, model: str, failed: Sequence[str]) -> AuthoredSummary:
        """The summary by one model; `failed` says of those that were asked before why they did not write it."""
        self._asker.model = model
        room = request.max_chars - len(SUMMARY_LINE) - 2
        pieces = list(pieces_of(request.messages))
        if room < LEAST_CHARS:
            raise SummaryFailed(f"{request.max_chars} characters leave no room for a summary")
        if not pieces:
            raise SummaryFailed("the messages hold no text to summarise")
        notes = list(failed)
        summary = ""
        for done, piece in enumerate(pieces, start=1):
            asked = question(piece, before=summary, max_chars=room, instructions=request.instructions)
            answer = self._asker.ask(asked)
            summary = answer.text
            if answer.was_cut_off:
                notes.append("The model reached its own limit before it was done.")
            if self.progress is not None:
                self.progress(done, len(pieces))
        if len(summary) > room:
            notes.append(f"The answer had {len(summary):,} characters; it was cut to fit {room:,}.")
            summary = cut_at_sentence(summary, room)
        if not summary:
            raise SummaryFailed("no sentence of the answer fits")
        text = storable(f"{SUMMARY_LINE}\n\n{summary}")
        return AuthoredSummary(text, model, tuple(dict.fromkeys(notes)))
