"""What a source recorded of its requests, beside what is counted of its file for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from budgeteer.engine.content.conversation import RecordedRequest
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.counting.message_frames import framed_tokens
from budgeteer.engine.counting.message_measures import MessageMeasures
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.providers.registry import PROVIDERS

#: Requests from whose difference it is told what a file does not hold: the first ones, before errors add up.
FIRST_REQUESTS: Final = 5


#: Where they are kept in `Bundle.prepared`.
_KEPT_AS: Final = "recorded input"


@dataclass(frozen=True)
class RecordedInput:
    """The recorded requests of a history, in tokens of input.

    Attributes:
        rows: for each request the row of the history at which its reply begins.
        recorded: what was reported of it.
        counted: what its file holds of it, as it is counted here: system texts, tool definitions, messages and what
            stands around them, and what its program is known to have added without a text in the file.
        starts: the requests with which another version of its program went on, the first request among them.
    """

    rows: Ints
    recorded: Ints
    counted: Ints
    starts: Ints

    @cached_property
    def not_in_file_by_request(self) -> Ints:
        """What each request held that its file does not: system texts and tool definitions of its program, most of all.

        The median difference of the first requests that the same version of the program sent.
        """
        difference = self.recorded - self.counted
        ends = np.append(self.starts[1:], len(difference))
        found = [
            max(round(float(np.median(difference[start : min(start + FIRST_REQUESTS, end)]))), 0)
            for start, end in zip(self.starts, ends, strict=True)
        ]
        return np.repeat(np.array(found, np.int64), ends - self.starts)

    @property
    def not_in_file(self) -> int:
        """What the last request held that its file does not."""
        return int(self.not_in_file_by_request[-1])

    def not_in_file_before(self, row: int) -> int:
        """What the request before a reply held that its file does not: as much as the last one recorded up to it."""
        at = int(np.searchsorted(self.rows, row, side="right")) - 1
        return int(self.not_in_file_by_request[max(at, 0)])

    @property
    def median_growth_error(self) -> float | None:
        """Counted over recorded growth from one request to the next, less 1: its median; None where none grew."""
        recorded, counted = np.diff(self.recorded), np.diff(self.counted)
        grew = (recorded > 0) & (counted > 0)
        return float(np.median(counted[grew] / recorded[grew] - 1)) if grew.any() else None


@dataclass(frozen=True, slots=True)
class _CachedInputs:
    """What was found, with what it depends on: a bundle with another history has other measures."""

    provider: str
    measures: MessageMeasures
    found: RecordedInput | None


def recorded_input(bundle: Bundle, provider: str, counter: TokenCounter) -> RecordedInput | None:
    """The recorded requests of a bundle's history, as its provider is sent them; None where none was recorded.

    Made once for each bundle and provider.
    """
    kept: _CachedInputs | None = bundle.prepared.get(_KEPT_AS)
    if kept is None or kept.provider != provider or kept.measures is not bundle.history_measures:
        head = bundle.file_tool_tokens
        if bundle.file_head_measures is not None:
            head += int(framed_tokens(bundle.file_head_measures, PROVIDERS[provider], counter).sum())
        measures = bundle.history_measures
        found = held_against_counts(measures, bundle.recorded, provider=provider, counter=counter, head=head)
        kept = bundle.prepared[_KEPT_AS] = _CachedInputs(provider, measures, found)
    return kept.found


def held_against_counts(
    measures: MessageMeasures,
    requests: Sequence[RecordedRequest],
    *,
    provider: str,
    counter: TokenCounter,
    head: int = 0,
) -> RecordedInput | None:
    """Requests beside the count of the messages before each; None where none of them is among the messages.

    The positions of `requests` are rows of `measures`; `head` are the tokens of what stands before the messages.
    """
    within = [request for request in requests if request.position <= len(measures)]
    if not within:
        return None
    before = np.cumsum(framed_tokens(measures, PROVIDERS[provider], counter))
    rows = np.array([request.position for request in within], np.int64)
    unwritten = np.cumsum([request.unwritten_tokens for request in within])
    programs = [request.program for request in within]
    starts = [at for at, program in enumerate(programs) if not at or program != programs[at - 1]]
    counted: Ints = head + np.concatenate([[0], before])[rows] + unwritten
    recorded = np.array([request.input_tokens for request in within], np.int64)
    return RecordedInput(rows, recorded, counted, np.array(starts, np.int64))
