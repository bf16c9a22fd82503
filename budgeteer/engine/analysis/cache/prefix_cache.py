"""A provider's cache of prompt prefixes: which prefix of a request it holds, as its published rules say.

A request is a sequence of segments (a tool definition, a text, a message), each with a hash of what is sent of it. Two
prefixes are the same where the hashes of all their segments are. A request is compared with the prefixes that live, not
with each request before it, so that a session takes time in its size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.analysis.cache.cache_rules import CacheRules, Mark
from budgeteer.engine.counting.library_measures import Ints

type Hashes = NDArray[np.uint64]
type Miss = Literal["first", "changed", "expired", "tooShort", "lookback"]
"""Why less was read than the request before had cached: there was none, its prefix is not repeated, it lived no longer,
it was too short to be cached, or it is further back than the rules look."""

#: The factor of the rolling hash: odd, so that a product with it loses nothing of 64 bits (2^64 by the golden ratio).
_FACTOR: Final = 0x9E3779B97F4A7C15


@dataclass(frozen=True, slots=True, eq=False)
class SentRequest:
    """One request as a cache sees it.

    Attributes:
        keys: the hash of each segment's bytes. tokens: what it takes. blocks: its content blocks.
        marks: how many segments stand before each place where the request may mark the end of a prefix.
        seconds: when it is sent, on any clock.
        tail_tokens: what stands behind the segments and is never cached: the priming of the reply.
    """

    keys: Hashes
    tokens: Ints
    blocks: Ints
    marks: Mapping[Mark, int]
    seconds: float
    tail_tokens: int = 0

    @property
    def total_tokens(self) -> int:
        """The tokens of the whole request."""
        return int(self.tokens.sum()) + self.tail_tokens


@dataclass(frozen=True, slots=True)
class CacheUse:
    """What one request reads from the cache and writes to it; the three add up to its tokens.

    Attributes:
        read_tokens: read from the cache. written_tokens: written to it. neither_tokens: the rest.
        miss: why not all that the request before had cached was read, None where it was.
        lost_tokens: what the request before had cached and this one did not read.
        shared: how many segments are the same as those of the request before, from the first on.
    """

    read_tokens: int
    written_tokens: int
    neither_tokens: int
    miss: Miss | None
    lost_tokens: int
    shared: int


class PrefixCache(Protocol):
    """A cache under one set of rules, asked in the order of the requests."""

    def serve(self, request: SentRequest) -> CacheUse:
        """What the request reads and writes; the cache then holds what it wrote."""
        ...


def cache_of(rules: CacheRules) -> PrefixCache:
    """An empty cache under these rules."""
    return StepCache(rules) if rules.matching == "steps" else BreakpointCache(rules)


def shared_segments(one: Hashes, other: Hashes) -> int:
    """How many segments are the same, from the first on."""
    length = min(len(one), len(other))
    differ = one[:length] != other[:length]
    return int(differ.argmax()) if differ.any() else length


@dataclass(slots=True, eq=False)
class _Edge:
    """A stretch of a path through the tree: `keys[start:end]`, when it was last used, and what goes on after it."""

    keys: Hashes
    start: int
    end: int
    used: float
    after: dict[int, _Edge] = field(default_factory=dict)


class _LivingPrefixes:
    """Every prefix that lives, as a tree of the segments of requests. A path is used whenever one through it is."""

    def __init__(self, lifetime: float) -> None:
        self._lifetime = lifetime
        self._first: dict[int, _Edge] = {}

    def use(self, keys: Hashes, now: float) -> int:
        """How many segments of a request live already; all of them do from now on."""
        edges, at = self._first, 0
        edge: _Edge | None = None
        while at < len(keys):
            found = edges.get(int(keys[at]))
            if found is None or now - found.used > self._lifetime:
                break
            same = shared_segments(found.keys[found.start : found.end], keys[at:])
            if same < found.end - found.start:
                self._split(found, found.start + same)
            found.used = now
            edges, edge, at = found.after, found, at + same
        living = at
        if at < len(keys):
            if edge is not None and not edge.after:  # the newest path goes on: one edge, however often it does
                edge.keys, edge.start, edge.end = keys, at - (edge.end - edge.start), len(keys)
            else:
                edges[int(keys[at])] = _Edge(keys, at, len(keys), now)
        return living

    @staticmethod
    def _split(edge: _Edge, at: int) -> None:
        rest = _Edge(edge.keys, at, edge.end, edge.used, edge.after)
        edge.end, edge.after = at, {int(edge.keys[at]): rest}


class _Before:
    """The request before: what it had cached, and when."""

    def __init__(self) -> None:
        self._keys: Hashes | None = None
        self._seconds = 0.0
        self._cached_segments = 0
        self._cached_tokens = 0

    def shared(self, request: SentRequest) -> int:
        """How many segments are the same as those of the request before."""
        return 0 if self._keys is None else shared_segments(self._keys, request.keys)

    def miss(self, request: SentRequest, read: int, shared: int, lifetime: float) -> tuple[Miss | None, int]:
        """Why less was read than was cached then, and how many tokens less."""
        if self._keys is None:
            return "first", 0
        lost = max(self._cached_tokens - read, 0)
        if not self._cached_tokens:
            return "tooShort", 0
        if not lost:
            return None, 0
        if request.seconds - self._seconds > lifetime and not read:
            return "expired", lost
        return ("changed" if shared < self._cached_segments else "lookback"), lost

    def remember(self, request: SentRequest, segments: int, tokens: int) -> None:
        """Take over what the request has cached: so many segments and tokens from the first on."""
        self._keys, self._seconds = request.keys, request.seconds
        self._cached_segments, self._cached_tokens = segments, tokens


class StepCache:
    """A cache that finds any earlier prefix by itself, in steps of tokens (OpenAI up to GPT-5.5, Gemini implicit)."""

    def __init__(self, rules: CacheRules) -> None:
        self._rules = rules
        self._living = _LivingPrefixes(rules.lifetime_seconds)
        self._before = _Before()

    def serve(self, request: SentRequest) -> CacheUse:
        """What the request reads and writes; the cache then holds its whole prefix."""
        rules = self._rules
        shared = self._before.shared(request)
        living = self._living.use(request.keys, request.seconds)
        read = self._cached(int(request.tokens[:living].sum()))
        sent = int(request.tokens.sum())
        held = max(self._cached(sent), read)
        miss, lost = self._before.miss(request, read, shared, rules.lifetime_seconds)
        self._before.remember(request, len(request.keys), held)
        return CacheUse(read, held - read, request.total_tokens - held, miss, lost, shared)

    def _cached(self, tokens: int) -> int:
        """What of a prefix can be cached: whole steps, nothing of a short one."""
        return (
            tokens // self._rules.step_tokens * self._rules.step_tokens if tokens >= self._rules.minimum_tokens else 0
        )


class BreakpointCache:
    """A cache that holds the prefixes that requests marked (Anthropic, OpenAI from GPT-5.6 on, Gemini explicit)."""

    def __init__(self, rules: CacheRules) -> None:
        self._rules = rules
        self._used: dict[int, float] = {}
        self._before = _Before()
        self._powers: Hashes = np.zeros(0, np.uint64)

    def serve(self, request: SentRequest) -> CacheUse:
        """What the request reads and writes; the cache then holds the prefixes that it marks."""
        rules, now = self._rules, request.seconds
        shared = self._before.shared(request)
        prefix, tokens = self._prefixes(request.keys), np.cumsum(request.tokens)
        marks = sorted({at for mark in rules.marks if (at := request.marks.get(mark, 0)) > 0})
        marks = [at for at in marks if tokens[at - 1] >= rules.minimum_tokens]
        hit = max((self._found(request, prefix, at) for at in marks), default=0)
        for at in {*marks, hit} - {0}:
            key = int(prefix[at - 1])
            if rules.renewed or not self._lives(key, now):
                self._used[key] = now
        read = int(tokens[hit - 1]) if hit else 0
        held = max(int(tokens[marks[-1] - 1]) if marks else 0, read)
        miss, lost = self._before.miss(request, read, shared, rules.lifetime_seconds)
        self._before.remember(request, max(marks[-1] if marks else 0, hit), held)
        return CacheUse(read, held - read, request.total_tokens - held, miss, lost, shared)

    def _found(self, request: SentRequest, prefix: Hashes, mark: int) -> int:
        """The longest prefix up to a mark that the cache holds, in segments; 0 where it holds none within reach."""
        blocks, behind = self._rules.lookback_blocks, 0
        for at in range(mark, 0, -1):
            if blocks is not None and behind >= blocks:
                break
            if self._lives(int(prefix[at - 1]), request.seconds):
                return at
            behind += int(request.blocks[at - 1])
        return 0

    def _lives(self, key: int, now: float) -> bool:
        used = self._used.get(key)
        if used is None:
            return False
        if now - used > self._rules.lifetime_seconds:
            del self._used[key]
            return False
        return True

    def _prefixes(self, keys: Hashes) -> Hashes:
        """The rolling hash of each prefix."""
        if len(self._powers) < len(keys):
            self._powers = np.cumprod(np.full(2 * len(keys), _FACTOR, np.uint64), dtype=np.uint64)
        found: Hashes = np.cumsum(keys * self._powers[: len(keys)], dtype=np.uint64)
        return found
