"""What a source recorded of its requests, beside what is counted of its file for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np

from budgeteer.engine.content.conversation import ROLES, RecordedRequest
from budgeteer.engine.counting.library_measures import Ints, NotMeasured
from budgeteer.engine.counting.message_frames import framed_tokens, message_frames
from budgeteer.engine.counting.message_measures import MessageMeasures
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.providers.registry import PROVIDERS

#: Requests from whose difference it is told what a file does not hold: the first ones, before errors add up.
FIRST_REQUESTS: Final = 5

_USER: Final = ROLES.index("user")
#: Where they are kept in `Bundle.prepared`.
_KEPT_AS: Final = "recorded input"


@dataclass(frozen=True)
class RecordedInput:
    """The recorded requests of a history, in tokens of input.

    Attributes:
        rows: for each request the row of the history at which its reply begins.
        recorded: what was reported of it.
        counted: what its file holds of it, as it was sent and is counted here: system texts, tool definitions, messages
            and what stands around them, and what its program is known to have added without a text in the file.
        sealed: the reasoning of its turn that was sent back sealed, as it was reported of the replies before.
        starts: the requests with which another version of its program went on, before which tools ran at the
            provider, or from which on what they had found was gone; the first request among them.
        began: the request with which the last version of its program began.
        unsent: what each message takes here that it did not take then, such as the text of reasoning, of the messages
            before each row together; one more than there are messages.
    """

    rows: Ints
    recorded: Ints
    counted: Ints
    sealed: Ints
    starts: Ints
    began: int
    unsent: Ints

    @cached_property
    def not_in_file_by_request(self) -> Ints:
        """What each request held that its file does not: system texts and tool definitions of its program, most of all.

        The median difference of the first requests that the same version of the program sent, with what tools of the
        provider had found by then, and the sealed reasoning of each.
        """
        difference = self.recorded - self.counted - self.sealed
        ends = np.append(self.starts[1:], len(difference))
        found = [
            max(round(float(np.median(difference[start : min(start + FIRST_REQUESTS, end)]))), 0)
            for start, end in zip(self.starts, ends, strict=True)
        ]
        return np.repeat(np.array(found, np.int64), ends - self.starts) + self.sealed

    @property
    def not_in_file_anew(self) -> int:
        """What the last version of the program sent beside the file when it began: that of a context begun anew."""
        return int((self.not_in_file_by_request - self.sealed)[self.began])

    @property
    def not_in_file(self) -> int:
        """What the last request held that its file does not."""
        return int(self.not_in_file_by_request[-1])

    def not_in_file_before(self, row: int) -> int:
        """What the request before a reply held that its file does not: as much as the last one recorded up to it."""
        at = int(np.searchsorted(self.rows, row, side="right")) - 1
        return int(self.not_in_file_by_request[max(at, 0)])

    def unsent_before(self, row: int | None) -> int:
        """What was not sent of the messages before a row, or of all of them."""
        return int(self.unsent[-1 if row is None else row])

    @property
    def median_growth_error(self) -> float | None:
        """Counted over recorded growth from one request to the next, less 1: its median; None where none grew.

        Sealed reasoning is in neither.
        """
        recorded, counted = np.diff(self.recorded - self.sealed), np.diff(self.counted)
        grew = (recorded > 0) & (counted > 0)
        return float(np.median(counted[grew] / recorded[grew] - 1)) if grew.any() else None


@dataclass(frozen=True, slots=True)
class _CachedInputs:
    """What was found, with what it depends on: a bundle with another history has other measures."""

    provider: str
    measures: MessageMeasures
    found: RecordedInput | None


def recorded_input(bundle: Bundle, provider: str, counter: TokenCounter) -> RecordedInput | None:
    """The recorded requests of a bundle's history; None where none was recorded.

    They are counted in the form in which they were sent, where the source says so, else as the provider is sent them.
    Made once for each bundle and provider.
    """
    kept: _CachedInputs | None = bundle.prepared.get(_KEPT_AS)
    measures = bundle.history_measures
    if kept is None or kept.provider != provider or kept.measures is not measures:
        form = bundle.request_form
        sent_to = form if _is_measured(measures, form) else provider
        found = held_against_counts(measures, bundle.recorded, provider=sent_to, counter=counter, form=form)
        if found is not None:
            head = bundle.file_tool_tokens
            if bundle.file_head_measures is not None:
                head += int(framed_tokens(bundle.file_head_measures, PROVIDERS[sent_to], counter).sum())
            here, then = (framed_tokens(measures, PROVIDERS[name], counter) for name in (provider, sent_to))
            found = replace(found, counted=found.counted + head, unsent=found.unsent + _before(here - then))
        kept = bundle.prepared[_KEPT_AS] = _CachedInputs(provider, measures, found)
    return kept.found


def _is_measured(measures: MessageMeasures, provider: str) -> bool:
    try:
        measures.of(provider)
    except (KeyError, NotMeasured):
        return False
    return True


def held_against_counts(
    measures: MessageMeasures,
    requests: Sequence[RecordedRequest],
    *,
    provider: str,
    counter: TokenCounter,
    form: str = "",
) -> RecordedInput | None:
    """Requests beside the count of the messages before each; None where none of them is among the messages.

    The positions of `requests` are rows of `measures`. `form` is the provider in whose form the source sent them, ""
    where it does not say: whether reasoning went back sealed.
    """
    within = [request for request in requests if request.position <= len(measures)]
    if not within:
        return None
    row = PROVIDERS[provider]
    came = framed_tokens(measures, row, counter)
    sent = measures.column(provider, "tokens") + message_frames(measures, row, counter)
    rows = np.array([request.position for request in within], np.int64)
    unwritten = np.cumsum([request.unwritten_tokens for request in within])
    is_sealed = form in PROVIDERS and PROVIDERS[form].capabilities.reasoning_sealed
    recorded = np.array([request.input_tokens for request in within], np.int64)
    sealed = _sealed_before(measures, rows, within) if is_sealed else np.zeros(len(rows), np.int64)
    return RecordedInput(
        rows=rows,
        recorded=recorded,
        counted=_before(sent)[rows] + unwritten,
        sealed=sealed,
        starts=np.array(list(_starts(within, recorded - sealed)), np.int64),
        began=max(at for at, one in enumerate(within) if not at or one.program != within[at - 1].program),
        unsent=_before(came - sent),
    )


def _before(tokens: Ints) -> Ints:
    """The sum of all before each, and of all at the end."""
    return np.concatenate([[0], np.cumsum(tokens)])


def _starts(requests: Sequence[RecordedRequest], recorded: Ints) -> Iterator[int]:
    """The requests from which on something else is not in the file.

    What tools of a provider found stays in the input, and was found gone again some turns later (Codex), which is seen
    where an input is smaller than the one before. Files that were sent beside a prompt stay in it, too.
    """
    has_found = False
    for at, request in enumerate(requests):
        has_found |= request.ran_at_provider
        is_less = has_found and at > 0 and bool(recorded[at] < recorded[at - 1])
        holds_more = request.ran_at_provider or request.files_unread
        if not at or request.program != requests[at - 1].program or holds_more or is_less:
            yield at


def _sealed_before(measures: MessageMeasures, rows: Ints, requests: Sequence[RecordedRequest]) -> Ints:
    """The recorded reasoning of the replies before each request since somebody last typed a prompt."""
    reasoning = _before(np.array([request.reasoning_tokens or 0 for request in requests], np.int64))
    begins = np.flatnonzero((measures.role == _USER) & (np.diff(measures.turn, prepend=0) > 0))
    prompts = np.concatenate([[0], begins])
    prompt = prompts[np.searchsorted(begins, rows)]
    found: Ints = reasoning[: len(rows)] - reasoning[np.searchsorted(rows, prompt)]
    return found
