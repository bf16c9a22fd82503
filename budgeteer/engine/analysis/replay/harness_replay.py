"""A conversation as an agent would have sent it: when it compacts, at what size, and what is lost.

Sizes are those of the messages as they came; nothing is packed. Where the source recorded the input of its requests,
what its file does not hold (tool definitions, a system text) counts towards the trigger as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np

from budgeteer.engine.analysis.replay.agent_harnesses import ASSISTANT, HARNESSES, AgentHarness, LiveMessages
from budgeteer.engine.analysis.replay.request_fitting import RequestFitter
from budgeteer.engine.analysis.replay.requests import has_open_request, reply_rows
from budgeteer.engine.analysis.sweep.probe import Subject
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.packing.allocation import allowance
from budgeteer.engine.packing.history.view import USER, Mask

_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Compaction:
    """One time that an agent compacts.

    Attributes:
        request: before which one, counted from 1.
        before_tokens, after_tokens: of that request, without it and with it.
        messages, prompts, results: how many messages go, how many of them somebody typed, how many are tool results.
    """

    request: int
    before_tokens: int
    after_tokens: int
    messages: int
    prompts: int
    results: int

    def to_json(self) -> dict[str, int]:
        """`{request, before, after, messages, prompts, results}`."""
        return {
            "request": self.request,
            "before": self.before_tokens,
            "after": self.after_tokens,
            "messages": self.messages,
            "prompts": self.prompts,
            "results": self.results,
        }


@dataclass(frozen=True, slots=True)
class HarnessReplay:
    """A conversation under one agent's rule; tokens, and US dollars of input without a cache.

    Attributes:
        name: of the harness. trigger_tokens: from which size on it compacts.
        sent: what each request takes. compactions: in order.
        over_window: how many requests pass the window all the same.
        uncached_cost: list price of all input, None where there is none.
        not_in_file_tokens: what counts towards the trigger beside what the file holds.
    """

    name: str
    trigger_tokens: int
    sent: tuple[int, ...]
    compactions: tuple[Compaction, ...]
    over_window: int
    uncached_cost: float | None
    not_in_file_tokens: int

    @property
    def sent_tokens(self) -> int:
        """All requests together."""
        return sum(self.sent)

    @property
    def peak_tokens(self) -> int:
        """The largest request."""
        return max(self.sent, default=0)

    def to_json(self, *, with_requests: bool = False) -> dict[str, Any]:
        """`{name, …, compactions}`, and `bySent`, the size of each request, where that is wanted."""
        row = next(row for row in HARNESSES.values() if row.name == self.name)
        return {
            "name": self.name,
            "title": row.title,
            "rule": row.rule,
            "source": row.source,
            "date": row.date,
            "assumed": row.assumed,
            "trigger": self.trigger_tokens,
            "triggerEvents": row.most_events,
            "requests": len(self.sent),
            "sent": self.sent_tokens,
            "peak": self.peak_tokens,
            "overWindow": self.over_window,
            "currency": "USD",
            "uncachedCost": self.uncached_cost,
            "notInFile": self.not_in_file_tokens,
            "compactions": [one.to_json() for one in self.compactions],
            **({"bySent": self.sent} if with_requests else {}),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of to_json with its requests."""
        return cls(
            name=data["name"],
            trigger_tokens=data["trigger"],
            sent=tuple(data["bySent"]),
            compactions=tuple(
                Compaction(one["request"], one["before"], one["after"], one["messages"], one["prompts"], one["results"])
                for one in data["compactions"]
            ),
            over_window=data["overWindow"],
            uncached_cost=data["uncachedCost"],
            not_in_file_tokens=data["notInFile"],
        )


def replay_harnesses(subject: Subject) -> tuple[HarnessReplay, ...]:
    """The subject's conversation under the rule of every agent, in the registry's order; () without one.

    Raises:
        ConfigError: the configuration cannot be used.
    """
    if not len(subject.bundle.history):
        return ()
    fitter = RequestFitter(subject)
    return tuple(_HarnessRun(subject, fitter, row).replay() for row in HARNESSES.values())


class _HarnessRun:
    """One agent's way through the requests of a conversation."""

    def __init__(self, subject: Subject, fitter: RequestFitter, harness: AgentHarness) -> None:
        allowed = allowance(subject.config, subject.counter)
        self._bundle = subject.bundle
        self._fitter = fitter
        self._harness = harness
        self._window = allowed.window
        self._trigger = harness.trigger_tokens(allowed.window, allowed.window - allowed.input_budget)
        self._price = allowed.row.input_price
        self._unseen = max(fitter.whole.not_in_file_tokens or 0, 0)
        measures = self._bundle.history_measures
        self._measures = measures
        self._tokens = fitter.message_tokens[: len(measures)]
        self._chars = measures.column(fitter.whole.provider, "before_chars")
        self._typed = (measures.role == USER) & (np.diff(measures.turn, prepend=0) > 0)
        self._events = np.maximum(np.maximum(measures.calls, measures.is_result), 1).astype(np.int64)
        self._gone: Mask = np.zeros(len(measures), np.bool_)
        self._instead = 0
        self._compactions: list[Compaction] = []

    def replay(self) -> HarnessReplay:
        ends: list[int | None] = [int(row) for row in reply_rows(self._bundle)]
        if has_open_request(self._bundle):
            ends.append(None)
        sent = tuple(self._request(number, end) for number, end in enumerate(ends, 1))
        return HarnessReplay(
            self._harness.name,
            self._trigger,
            sent,
            tuple(self._compactions),
            sum(size > self._window for size in sent),
            None if self._price is None else sum(sent) * self._price / _MILLION,
            self._unseen,
        )

    def _request(self, number: int, end: int | None) -> int:
        """What the request before the reply at row `end` takes; it is compacted first where that is due."""
        rows = len(self._measures) if end is None else end
        before = self._size(end, rows)
        live = np.flatnonzero(~self._gone[:rows])
        if self._counted(before, rows) < self._trigger and not self._has_too_many(live):
            return before
        kept = self._harness.keep(self._live(live, before))
        lost = live[~kept.messages]
        if not len(lost):
            return before
        self._gone[lost] = True
        self._instead = self._harness.summary_tokens + kept.partial_tokens
        after = self._size(end, rows)
        results = int((self._measures.is_result[lost] > 0).sum())
        self._compactions.append(Compaction(number, before, after, len(lost), int(self._typed[lost].sum()), results))
        return after

    def _size(self, end: int | None, rows: int) -> int:
        """The request as it stands: everything before the reply, less what went, with what stands in its place."""
        return self._fitter.before_tokens(end) - int(self._tokens[:rows][self._gone[:rows]].sum()) + self._instead

    def _counted(self, size: int, rows: int) -> int:
        """What the agent holds against its trigger."""
        size += self._unseen
        if self._harness.counts_new:
            return size
        replies = np.flatnonzero(self._measures.role[:rows] == ASSISTANT)
        new = slice(int(replies[-1]) + 1 if len(replies) else 0, rows)
        return size - int(self._tokens[new][~self._gone[new]].sum())

    def _has_too_many(self, rows: Ints) -> bool:
        """Whether these messages, with the system text and a summary, are more events than the agent allows."""
        most = self._harness.most_events
        return most is not None and int(self._events[rows].sum()) + 1 + bool(self._instead) > most

    def _live(self, rows: Ints, before: int) -> LiveMessages:
        measures = self._measures
        return LiveMessages(
            self._tokens[rows],
            self._chars[rows],
            measures.role[rows],
            self._typed[rows],
            measures.calls[rows],
            measures.group[rows],
            self._events[rows],
            before + self._unseen,
            self._window,
            self._trigger,
        )
