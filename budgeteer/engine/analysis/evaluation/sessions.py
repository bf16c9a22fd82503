"""What whole sessions take: every request of a conversation replayed, with the provider's prompt cache, as sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from budgeteer.engine.analysis.cache.cache_rules import CacheRules
from budgeteer.engine.analysis.cache.session_cache import CachePlan
from budgeteer.engine.analysis.evaluation.distribution import Distribution
from budgeteer.engine.analysis.replay.replay import replay
from budgeteer.engine.analysis.sweep.probe import Subject
from budgeteer.engine.models.registry import ModelRow

_MILLION = 1_000_000
_HOUR_SECONDS = 3_600


@dataclass(frozen=True, slots=True)
class SessionUse:
    """All requests of one conversation, in tokens.

    Attributes:
        requests: how many there are. overflowing: how many of them request more than may be sent.
        sent_tokens: what all of them send. read_tokens, written_tokens: what of it is read from the cache and written
            to it; 0 where none is simulated.
    """

    requests: int
    overflowing: int
    sent_tokens: int
    read_tokens: int
    written_tokens: int


@dataclass(slots=True)
class SessionTotals:
    """The sessions of a collection under one configuration, as sums that merge.

    Attributes:
        rules: what the rules of the cache are called, "" where none are known for the model: nothing is read then.
        input_price, read_price, write_price: US dollars for a million tokens; None without a list price.
        sent: tokens that each session sends.
        requests, overflowing: see SessionUse. read_tokens, written_tokens: of all sessions.
    """

    rules: str
    input_price: float | None
    read_price: float | None
    write_price: float | None
    sent: Distribution = field(default_factory=Distribution)
    requests: int = 0
    overflowing: int = 0
    read_tokens: int = 0
    written_tokens: int = 0

    @classmethod
    def empty(cls, row: ModelRow) -> Self:
        """The totals under a model before any session."""
        plan = CachePlan.of(row)
        price = row.input_price
        if plan is None or price is None:
            return cls("" if plan is None else plan.rules.title, price, row.cached_input_price, price)
        return cls(plan.rules.title, price, row.cached_input_price or 0.0, _write_price(plan.rules, price))

    def add(self, used: SessionUse) -> None:
        """Take in one session."""
        self.sent.add(np.array([used.sent_tokens], np.int64))
        self.requests += used.requests
        self.overflowing += used.overflowing
        self.read_tokens += used.read_tokens
        self.written_tokens += used.written_tokens

    def merge(self, other: SessionTotals) -> None:
        """Take in another part under the same configuration."""
        self.sent.merge(other.sent)
        self.requests += other.requests
        self.overflowing += other.overflowing
        self.read_tokens += other.read_tokens
        self.written_tokens += other.written_tokens

    @property
    def read_share(self) -> float:
        """What is read from the cache, as a share of all that is sent; 0 where nothing is."""
        return self.read_tokens / self.sent.total if self.sent.total else 0.0

    @property
    def uncached_cost(self) -> float | None:
        """US dollars for the input of all sessions without a cache; None without a list price."""
        return None if self.input_price is None else self.sent.total * self.input_price / _MILLION

    @property
    def cost(self) -> float | None:
        """The same with the cache; without one where no rules are known."""
        if self.input_price is None or self.read_price is None or self.write_price is None or not self.rules:
            return self.uncached_cost
        neither = self.sent.total - self.read_tokens - self.written_tokens
        return (
            neither * self.input_price + self.read_tokens * self.read_price + self.written_tokens * self.write_price
        ) / _MILLION

    def to_json(self) -> dict[str, Any]:
        """`{sessions, requests, …}`, sizes in tokens, money in US dollars."""
        count = max(self.sent.count, 1)
        costs = (self.cost, self.uncached_cost)
        return {
            "rules": self.rules or None,
            "sessions": self.sent.count,
            "requests": self.requests,
            "overflowing": self.overflowing,
            "sent": self.sent.to_json(),
            "read": self.read_tokens,
            "written": self.written_tokens,
            "readShare": self.read_share,
            "cost": {
                "currency": "USD",
                "cached": costs[0],
                "uncached": costs[1],
                "cachedPerSession": None if costs[0] is None else costs[0] / count,
                "uncachedPerSession": None if costs[1] is None else costs[1] / count,
            },
        }


def session_use(subject: Subject, row: ModelRow, watch: Callable[[], None]) -> SessionUse:
    """Replay every request of a subject's conversation; a pause of half a minute stands where the source has no times.

    `watch` is called after each request, and may raise to stop.

    Raises:
        ConfigError: the configuration cannot be used.
    """
    played = replay(subject, cache=CachePlan.of(row), progress=lambda _done, _total: watch())
    used = played.cache
    return SessionUse(
        len(played.turns),
        sum(turn.is_above_limit for turn in played.turns),
        sum(turn.after_tokens for turn in played.turns),
        0 if used is None else used.read_tokens,
        0 if used is None else used.written_tokens,
    )


def _write_price(rules: CacheRules, price: float) -> float:
    """What a million tokens cost that are written, the time they are stored included (see session_cache)."""
    return price * rules.write_factor + rules.storage_price * rules.lifetime_seconds / _HOUR_SECONDS
