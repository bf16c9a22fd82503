"""The cache over the requests of a replay: what each reads, writes and costs, and what broke its prefix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from budgeteer.engine.analysis.cache.cache_rules import CacheRules, rules_for
from budgeteer.engine.analysis.cache.prefix_breaks import PrefixBreak, prefix_break
from budgeteer.engine.analysis.cache.prefix_cache import CacheUse, cache_of
from budgeteer.engine.analysis.cache.sent_segments import SegmentMaker, Segments
from budgeteer.engine.content.conversation import Message
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.models.registry import ModelRow
from budgeteer.engine.packing.pack import Fitted, Packer

#: Seconds between two requests where the source has no times, unless something else is said.
DEFAULT_PAUSE_SECONDS: Final = 30.0
_MILLION: Final = 1_000_000
_HOUR_SECONDS: Final = 3_600


@dataclass(frozen=True, slots=True)
class CachePlan:
    """Which cache a replay simulates: the rules of one, by the model and a name (see rules_for), and the pause.

    `pause_seconds` stands between two requests of which the source does not say when they were sent.
    """

    rules: CacheRules
    pause_seconds: float = DEFAULT_PAUSE_SECONDS

    @classmethod
    def of(cls, row: ModelRow, name: str = "", *, pause_seconds: float = DEFAULT_PAUSE_SECONDS) -> CachePlan | None:
        """The plan for a model; None where no rules are known for it and none are named.

        Raises:
            ConfigError: the model is not used with rules of this name.
        """
        rules = rules_for(row, name)
        return None if rules is None else cls(rules, pause_seconds)


@dataclass(frozen=True, slots=True)
class RequestCache:
    """The cache at one request: tokens, US dollars of its input, and where its prefix broke (None where it did not)."""

    use: CacheUse
    cost: float
    uncached_cost: float
    broken: PrefixBreak | None

    def to_json(self) -> dict[str, Any]:
        """`{read, written, neither, lost, miss, cost, uncachedCost, break}`, sizes in tokens, money in US dollars."""
        return {
            "read": self.use.read_tokens,
            "written": self.use.written_tokens,
            "neither": self.use.neither_tokens,
            "lost": self.use.lost_tokens,
            "miss": self.use.miss,
            "cost": self.cost,
            "uncachedCost": self.uncached_cost,
            "break": None if self.broken is None else self.broken.to_json(),
        }


@dataclass(frozen=True, slots=True)
class SessionCache:
    """The cache over all requests of a replay.

    Attributes:
        rules: those of the cache. pause_seconds: the pause where the source has no times.
        timed: how many requests have a time in the source.
        requests: one entry a request.
    """

    rules: CacheRules
    pause_seconds: float
    timed: int
    requests: tuple[RequestCache, ...]

    @property
    def read_tokens(self) -> int:
        """Everything that was read from the cache."""
        return sum(one.use.read_tokens for one in self.requests)

    @property
    def written_tokens(self) -> int:
        """Everything that was written to it."""
        return sum(one.use.written_tokens for one in self.requests)

    @property
    def neither_tokens(self) -> int:
        """Everything else that was sent."""
        return sum(one.use.neither_tokens for one in self.requests)

    @property
    def read_share(self) -> float:
        """What was read from the cache, as a share of all that was sent; 0 where nothing was."""
        sent = self.read_tokens + self.written_tokens + self.neither_tokens
        return self.read_tokens / sent if sent else 0.0

    @property
    def cost(self) -> float:
        """US dollars for the input of all requests."""
        return sum(one.cost for one in self.requests)

    @property
    def uncached_cost(self) -> float:
        """The same without a cache."""
        return sum(one.uncached_cost for one in self.requests)

    def breaks(self) -> list[BreakTotal]:
        """What broke prefixes, the cause and rule that lost most tokens first; pauses that were too long among them."""
        found: dict[tuple[str, str], BreakTotal] = {}
        for one in self.requests:
            if one.use.miss in (None, "first"):
                continue
            changed = one.use.miss == "changed" and one.broken is not None
            key = (one.broken.cause, one.broken.rule) if changed and one.broken is not None else (str(one.use.miss), "")
            known = found.get(key, BreakTotal(*key, 0, 0))
            found[key] = BreakTotal(*key, known.requests + 1, known.lost_tokens + one.use.lost_tokens)
        return sorted(found.values(), key=lambda total: -total.lost_tokens)

    def to_json(self) -> dict[str, Any]:
        """The totals, without the requests: `{rules, …, breaks}`."""
        return {
            "rules": self.rules.name,
            "title": self.rules.title,
            "source": self.rules.source,
            "date": self.rules.date,
            "assumed": self.rules.assumed,
            "pauseSeconds": self.pause_seconds,
            "timed": self.timed,
            "read": self.read_tokens,
            "written": self.written_tokens,
            "neither": self.neither_tokens,
            "readShare": self.read_share,
            "cost": self.cost,
            "uncachedCost": self.uncached_cost,
            "currency": "USD",
            "breaks": [total.to_json() for total in self.breaks()],
        }


@dataclass(frozen=True, slots=True)
class BreakTotal:
    """One cause by one rule over all requests: how many it broke, and the tokens that were not read because of it.

    `cause` is a BreakCause, or a Miss where nothing in the prompt broke the prefix.
    """

    cause: str
    rule: str
    requests: int
    lost_tokens: int

    def to_json(self) -> dict[str, Any]:
        """`{cause, rule, requests, lost}`."""
        return {"cause": self.cause, "rule": self.rule, "requests": self.requests, "lost": self.lost_tokens}


class CacheRun:
    """A simulation under way, asked in the order of the requests."""

    def __init__(self, plan: CachePlan, whole: Bundle, row: ModelRow) -> None:
        self._plan = plan
        self._row = row
        self._cache = cache_of(plan.rules)
        self._segments = SegmentMaker(whole)
        self._clock = RequestClock(plan.pause_seconds)
        self._before: Segments | None = None
        self._found: list[RequestCache] = []

    def serve(self, packer: Packer, fitted: Fitted, *, total_tokens: int, messages: Sequence[Message]) -> RequestCache:
        """The cache at a request; `messages` are the newest of it, with the reply, for the time it was sent."""
        segments = self._segments.segments(
            packer, fitted, total_tokens=total_tokens, seconds=self._clock.seconds(messages)
        )
        use = self._cache.serve(segments.request)
        broken = None
        if self._before is not None and use.miss == "changed":
            broken = prefix_break(self._before, segments, use.shared)
        self._before = segments
        uncached = cost_of_use(CacheUse(0, 0, segments.request.total_tokens, None, 0, 0), self._plan.rules, self._row)
        found = RequestCache(use, cost_of_use(use, self._plan.rules, self._row), uncached, broken)
        self._found.append(found)
        return found

    def session(self) -> SessionCache:
        """What was found so far."""
        return SessionCache(self._plan.rules, self._plan.pause_seconds, self._clock.timed, tuple(self._found))


class RequestClock:
    """When requests were sent: as the source says, else a pause after the one before; never earlier than that one."""

    def __init__(self, pause_seconds: float) -> None:
        self._pause = pause_seconds
        self._last: float | None = None
        self.timed = 0

    def seconds(self, messages: Sequence[Message]) -> float:
        """The time of a request: of the first of these messages that has one."""
        found = next((time for message in messages if (time := seconds_of(message.created)) is not None), None)
        if found is not None:
            self.timed += 1
            self._last = found if self._last is None else max(found, self._last)
        else:
            self._last = 0.0 if self._last is None else self._last + self._pause
        return self._last


def seconds_of(created: str) -> float | None:
    """A time in ISO 8601 as seconds since 1970, UTC where no zone is given; None where it is none."""
    if not created:
        return None
    try:
        time = datetime.fromisoformat(created)
    except ValueError:
        return None
    return (time if time.tzinfo is not None else time.replace(tzinfo=UTC)).timestamp()


def cost_of_use(use: CacheUse, rules: CacheRules, row: ModelRow) -> float:
    """US dollars for the input of one request; 0 for a model without a list price."""
    price, cached = row.input_price or 0.0, row.cached_input_price or 0.0
    dollars = use.neither_tokens * price + use.read_tokens * cached + use.written_tokens * price * rules.write_factor
    stored = use.written_tokens * rules.storage_price * rules.lifetime_seconds / _HOUR_SECONDS
    return (dollars + stored) / _MILLION
