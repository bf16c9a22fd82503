"""A conversation as an agent would have sent it: when it compacts, at what size, and what is lost.

Sizes are those of the messages as they came; nothing is packed. Where the source recorded the input of its requests,
what its file does not hold counts towards the trigger as well: tool definitions and a system text, and by how much more
than the file shows a request grew over the one before it (reasoning, reminders that the agent puts in).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self, assert_never

import numpy as np

from budgeteer.engine.analysis.replay.agent_harnesses import ASSISTANT, HARNESSES, AgentHarness, AgentRoom, LiveMessages
from budgeteer.engine.analysis.replay.request_fitting import RequestFitter
from budgeteer.engine.analysis.replay.requests import has_open_request, reply_rows
from budgeteer.engine.analysis.sweep.probe import Subject
from budgeteer.engine.content.conversation import RecordedRequest
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.packing.allocation import Allowance, allowance
from budgeteer.engine.packing.history.view import USER, Mask

_MILLION: Final = 1_000_000
#: Codex' estimate of what no provider has counted yet: a token for four bytes (`approx_token_count`).
_CHARS_A_TOKEN: Final = 4
_LEAST_LEFT: Final = 0.5


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
        room = _room(subject, allowed)
        self._window = room.window
        self._trigger = harness.trigger_tokens(room)
        self._price = allowed.row.input_price
        recorded = fitter.whole.recorded_input
        unseen = fitter.whole.not_in_file_tokens if recorded is None else recorded.not_in_file_anew
        self._unseen = max(unseen or 0, 0)
        measures = self._bundle.history_measures
        self._measures = measures
        self._tokens = fitter.message_tokens[: len(measures)]
        self._chars = measures.column(fitter.whole.provider, "before_chars")
        self._typed = (measures.role == USER) & (np.diff(measures.turn, prepend=0) > 0)
        self._surroundings = (np.cumsum(self._typed) == 0) & (measures.role != ASSISTANT)
        self._requests = {request.position: request for request in self._bundle.recorded}
        self._reasoning = self._reasoning_before()
        self._events = np.maximum(np.maximum(measures.calls, measures.is_result), 1).astype(np.int64)
        self._gone: Mask = np.zeros(len(measures), np.bool_)
        self._instead = 0
        self._unshown = 0
        self._is_first = True
        self._before: tuple[RecordedRequest | None, int] = (None, 0)
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
        self._unshown += self._newly_unshown(rows, self._fitter.before_tokens(end))
        live = np.flatnonzero(~self._gone[:rows])
        if self._counted(before, rows) < self._trigger and not self._has_too_many(live):
            return before
        kept = self._harness.keep(self._live(live, before))
        lost = live[~kept.messages]
        if not len(lost):
            return before
        self._gone[lost] = True
        self._unshown = 0
        self._instead = self._harness.summary_tokens + kept.partial_tokens
        after = self._size(end, rows)
        results = int((self._measures.is_result[lost] > 0).sum())
        self._compactions.append(Compaction(number, before, after, len(lost), int(self._typed[lost].sum()), results))
        return after

    def _size(self, end: int | None, rows: int) -> int:
        """The request as it stands: everything before the reply, less what went, with what stands in its place."""
        return self._fitter.before_tokens(end) - int(self._tokens[:rows][self._gone[:rows]].sum()) + self._instead

    def _newly_unshown(self, rows: int, counted: int) -> int:
        """By how much more than is counted the recorded input grew since the request before; 0 where one is missing.

        The first recorded input is as large as it was, however much the file does not hold of others. An input that
        fell to less than half was made anew, as by a compaction, and says nothing.
        """
        (last, counted_then), now = self._before, self._requests.get(rows)
        self._before = now, counted
        if now is None:
            return 0
        if self._is_first:
            self._is_first = False
            return now.input_tokens - counted - self._unseen
        if last is None or now.input_tokens < last.input_tokens * _LEAST_LEFT:
            return 0
        return (now.input_tokens - last.input_tokens) - (counted - counted_then)

    def _reasoning_before(self) -> Ints:
        """Per message the recorded tokens of the reasoning that its reply begins with, which sizes do not hold."""
        found = np.zeros(len(self._measures), np.int64)
        for row, request in self._requests.items():
            if row < len(found):
                found[row] = request.reasoning_tokens or 0
        return found

    def _counted(self, size: int, rows: int) -> int:
        """What the agent holds against its trigger."""
        size += self._unseen + self._unshown
        if self._harness.counted_by == "request":
            return size
        replies = np.flatnonzero(self._measures.role[:rows] == ASSISTANT)
        new = slice(int(replies[-1]) + 1 if len(replies) else 0, rows)
        live = ~self._gone[new]
        reported = size - int(self._tokens[new][live].sum())
        match self._harness.counted_by:
            case "lastReply":
                return reported
            case "lastReplyAndEstimate":
                typed = np.flatnonzero(self._typed[:rows])
                earlier = slice(0, int(typed[-1]) if len(typed) else 0)
                reasoning = int(self._reasoning[earlier][~self._gone[earlier]].sum())
                return reported + reasoning + int(self._chars[new][live].sum()) // _CHARS_A_TOKEN
            case other:
                assert_never(other)

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
            self._surroundings[rows],
            measures.calls[rows],
            measures.group[rows],
            self._events[rows],
            before + self._unseen,
            self._window,
            self._trigger,
        )


def _room(subject: Subject, allowed: Allowance) -> AgentRoom:
    """What agents know of the model: the window asked for, else the one that the session recorded, else the row's."""
    recorded = subject.bundle.agent_window_tokens if subject.config.context_window is None else None
    window = allowed.window if recorded is None else recorded
    return AgentRoom(window, allowed.window - allowed.input_budget, allowed.row.max_input or window)
