"""The result of a summary request or the reason it failed: plain types that load no client."""

from __future__ import annotations

from dataclasses import dataclass

from budgeteer.engine.packing.history.summary import SummaryFailed


class EndpointFailed(SummaryFailed):
    """The endpoint gave no usable answer; `sentence` says why and how to mend it."""


@dataclass(frozen=True, slots=True)
class AuthoredSummary:
    """A summary as it may stand in a prompt, who wrote it, and what is to be said about it."""

    text: str
    writer: str
    notes: tuple[str, ...] = ()
