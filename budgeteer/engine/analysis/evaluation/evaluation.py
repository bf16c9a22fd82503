"""What an evaluation found: sums, distributions, and the few conversations that are worth a look, as values that merge.

Merging is associative and commutative: the parts of a collection may be evaluated in any order, on any machine, and
come to the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final

from budgeteer.engine.analysis.evaluation.distribution import Distribution
from budgeteer.engine.analysis.evaluation.sessions import SessionTotals, SessionUse
from budgeteer.engine.models.registry import dollars
from budgeteer.engine.packing.ledger import DRAWN
from budgeteer.engine.packing.verdict_text import Level

#: So many conversations are named: the largest, and those whose level two configurations differ in.
MOST_NAMED: Final = 20


@dataclass(frozen=True, slots=True)
class PackedConversation:
    """One conversation under one configuration, in tokens; what `--csv` and `--parquet` write a row of.

    `session` is what all of its requests take, None where they were not replayed.
    """

    name: str
    messages: int
    requested_tokens: int
    sent_tokens: int
    limit_tokens: int
    level: Level
    dropped: int
    summarised: int
    shortened: int
    cost: float | None
    cached_cost: float | None
    session: SessionUse | None = None

    @property
    def overflows(self) -> bool:
        """Whether more is requested than may be sent, or it cannot be made to fit."""
        return self.requested_tokens > self.limit_tokens or self.level == "cannotFit"

    def to_json(self) -> dict[str, Any]:
        """`{name, messages, requested, sent, limit, level, dropped, summarised, shortened, cost, cachedCost, …}`.

        `{sessionRequests, sessionSent, sessionRead, sessionWritten}` are None where the requests were not replayed.
        """
        session = self.session
        return {
            "name": self.name,
            "messages": self.messages,
            "requested": self.requested_tokens,
            "sent": self.sent_tokens,
            "limit": self.limit_tokens,
            "level": self.level,
            "dropped": self.dropped,
            "summarised": self.summarised,
            "shortened": self.shortened,
            "cost": self.cost,
            "cachedCost": self.cached_cost,
            "sessionRequests": None if session is None else session.requests,
            "sessionSent": None if session is None else session.sent_tokens,
            "sessionRead": None if session is None else session.read_tokens,
            "sessionWritten": None if session is None else session.written_tokens,
        }


@dataclass(slots=True)
class Flow:
    """Tokens that were requested and that are sent of something, and how often it occurs."""

    count: int = 0
    requested_tokens: int = 0
    sent_tokens: int = 0

    def add(self, count: int, requested_tokens: int, sent_tokens: int) -> None:
        """Take more of it in."""
        self.count += count
        self.requested_tokens += requested_tokens
        self.sent_tokens += sent_tokens

    def to_json(self) -> dict[str, int]:
        """`{count, requested, sent}`."""
        return {"count": self.count, "requested": self.requested_tokens, "sent": self.sent_tokens}


@dataclass(slots=True)
class Totals:
    """All conversations under one configuration.

    Attributes:
        name, model: of the configuration. limit_tokens: what may be sent.
        requested, sent: tokens of each conversation.
        messages: how many messages there are in all. dropped, summarised, shortened: how many of them were.
        levels: how many conversations fit, fit with something left out, or cannot be made to fit.
        overflowing: how many of them request more than may be sent.
        input_price, cached_price: US dollars for a million tokens of input, None without a list price.
        categories: by letter (ledger.DRAWN), counted in items. tools: results by the tool that was called.
        rules: items that are not sent whole, by the rule of their decision.
        largest: those with the largest requests.
        sessions: what all requests of all conversations take, None where they are not replayed.
    """

    name: str
    model: str
    limit_tokens: int
    requested: Distribution = field(default_factory=Distribution)
    sent: Distribution = field(default_factory=Distribution)
    messages: int = 0
    dropped: int = 0
    summarised: int = 0
    shortened: int = 0
    levels: Counter[Level] = field(default_factory=Counter)
    overflowing: int = 0
    input_price: float | None = None
    cached_price: float | None = None
    categories: dict[str, Flow] = field(default_factory=dict)
    tools: dict[str, Flow] = field(default_factory=dict)
    rules: dict[str, Flow] = field(default_factory=dict)
    largest: list[PackedConversation] = field(default_factory=list)
    sessions: SessionTotals | None = None

    @property
    def conversations(self) -> int:
        """How many conversations were packed."""
        return self.requested.count

    @property
    def overflow_rate(self) -> float:
        """The share of conversations that request more than may be sent."""
        return self.overflowing / self.conversations if self.conversations else 0.0

    @property
    def drop_rate(self) -> float:
        """The share of messages that are not sent at all."""
        return self.dropped / self.messages if self.messages else 0.0

    @property
    def cost(self) -> float | None:
        """US dollars for one request of each conversation; None without a list price."""
        return dollars(self.sent.total, self.input_price)

    @property
    def cached_cost(self) -> float | None:
        """The same where all of it is cached."""
        return dollars(self.sent.total, self.cached_price)

    def merge(self, other: Totals) -> None:
        """Take in another part under the same configuration."""
        self.requested.merge(other.requested)
        self.sent.merge(other.sent)
        self.messages += other.messages
        self.dropped += other.dropped
        self.summarised += other.summarised
        self.shortened += other.shortened
        self.levels.update(other.levels)
        self.overflowing += other.overflowing
        for mine, theirs in ((self.categories, other.categories), (self.tools, other.tools), (self.rules, other.rules)):
            for name, flow in theirs.items():
                mine.setdefault(name, Flow()).add(flow.count, flow.requested_tokens, flow.sent_tokens)
        self.name_largest(other.largest)
        if self.sessions is not None and other.sessions is not None:
            self.sessions.merge(other.sessions)

    def name_largest(self, found: Sequence[PackedConversation]) -> None:
        """Keep the largest of those named so far and of these."""
        self.largest = sorted([*self.largest, *found], key=_largest_first)[:MOST_NAMED]

    def to_json(self) -> dict[str, Any]:
        """`{name, model, limit, conversations, …}`, sizes in tokens, money in US dollars."""
        count = max(self.conversations, 1)
        return {
            "name": self.name,
            "model": self.model,
            "limit": self.limit_tokens,
            "conversations": self.conversations,
            "messages": self.messages,
            "requested": self.requested.to_json(),
            "sent": self.sent.to_json(),
            "levels": {level: self.levels[level] for level in ("fits", "limited", "cannotFit")},
            "overflowing": self.overflowing,
            "overflowRate": self.overflow_rate,
            "dropped": self.dropped,
            "summarised": self.summarised,
            "shortened": self.shortened,
            "dropRate": self.drop_rate,
            "cost": {
                "currency": "USD",
                "uncached": self.cost,
                "cached": self.cached_cost,
                "uncachedPerRequest": dollars(self.sent.total, self.input_price and self.input_price / count),
                "cachedPerRequest": dollars(self.sent.total, self.cached_price and self.cached_price / count),
            },
            "categories": {DRAWN[one]: self.categories[one].to_json() for one in DRAWN if one in self.categories},
            "tools": {name: flow.to_json() for name, flow in by_tokens(self.tools)},
            "rules": {name: flow.to_json() for name, flow in by_tokens(self.rules)},
            "largest": [one.to_json() for one in self.largest],
            "sessions": None if self.sessions is None else self.sessions.to_json(),
        }


@dataclass(slots=True)
class Sides:
    """Two configurations: how often each pair of levels occurs, and conversations that change sides."""

    levels: Counter[tuple[Level, Level]] = field(default_factory=Counter)
    changed: list[tuple[str, Level, Level]] = field(default_factory=list)

    def add(self, name: str, a: Level, b: Level) -> None:
        """Take in one conversation with its level under either configuration."""
        self.levels[a, b] += 1
        if a != b:
            self._name([(name, a, b)])

    def merge(self, other: Sides) -> None:
        """Take in another part."""
        self.levels.update(other.levels)
        self._name(other.changed)

    def _name(self, found: Sequence[tuple[str, Level, Level]]) -> None:
        self.changed = sorted([*self.changed, *found])[:MOST_NAMED]

    @property
    def changing(self) -> int:
        """How many conversations have another level under the second configuration."""
        return sum(count for (a, b), count in self.levels.items() if a != b)

    def to_json(self) -> dict[str, Any]:
        """`{changing, levels: [{a, b, conversations}], changed: [{name, a, b}]}`."""
        return {
            "changing": self.changing,
            "levels": [{"a": a, "b": b, "conversations": count} for (a, b), count in sorted(self.levels.items())],
            "changed": [{"name": name, "a": a, "b": b} for name, a, b in self.changed],
        }


@dataclass(slots=True)
class Evaluation:
    """A collection, or a part of it, under one or several configurations.

    Attributes:
        totals: one for each configuration, in their order.
        sides: for each pair of configurations, by their places, how conversations change sides.
    """

    totals: list[Totals]
    sides: dict[tuple[int, int], Sides] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for pair in combinations(range(len(self.totals)), 2):
            self.sides.setdefault(pair, Sides())

    def merge(self, other: Evaluation) -> None:
        """Take in another part under the same configurations."""
        for mine, theirs in zip(self.totals, other.totals, strict=True):
            mine.merge(theirs)
        for pair, sides in other.sides.items():
            self.sides[pair].merge(sides)

    def to_json(self) -> dict[str, Any]:
        """`{configurations, comparisons: [{a, b, …}]}`; `a` and `b` are names of configurations."""
        names = [totals.name for totals in self.totals]
        return {
            "configurations": [totals.to_json() for totals in self.totals],
            "comparisons": [
                {"a": names[a], "b": names[b], **sides.to_json()} for (a, b), sides in sorted(self.sides.items())
            ],
        }


def by_tokens(flows: dict[str, Flow]) -> list[tuple[str, Flow]]:
    """The flows, those with most requested tokens first."""
    return sorted(flows.items(), key=lambda item: (-item[1].requested_tokens, item[0]))


def _largest_first(one: PackedConversation) -> tuple[int, str]:
    return -one.requested_tokens, one.name
