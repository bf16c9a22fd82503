"""The seed's TokenBudget and its context builder (Gemma plan, steps 2 and 4), written again from its text.

Slow and obvious; shares no code with the engine. Tokens are characters over four, as the seed's `_estimateTokens`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class TokenBudget:
    context: int
    history: int
    system: int


@dataclass(frozen=True)
class SearchResult:
    content: str
    score: float


def allocate_budget(max_tokens: int, query_tokens: int, reserve: int = 256, *, shares: Sequence[float]) -> TokenBudget:
    """`available` times each share, floored by itself."""
    available = max_tokens - query_tokens - reserve
    context, history, system = shares
    return TokenBudget(math.floor(available * context), math.floor(available * history), math.floor(available * system))


def estimate_tokens(text: str) -> int:
    return math.ceil(len(text) / 4)


def retrieve(results: Sequence[SearchResult], top_k: int) -> list[SearchResult]:
    """What the seed's search hands over: the best `searchTopK`, equals in the order found."""
    remaining = list(results)
    found: list[SearchResult] = []
    while remaining and len(found) < top_k:
        best = remaining[0]
        for result in remaining:
            if result.score > best.score:
                best = result
        remaining.remove(best)
        found.append(best)
    return found


def build_context(results: Sequence[SearchResult], token_budget: int) -> str:
    """The seed's _buildContextWithBudget: until the first that does not fit; a sentence when none does."""
    chunks: list[str] = []
    tokens = 0
    for result in results:
        size = estimate_tokens(result.content)
        if tokens + size <= token_budget:
            chunks.append(f"[Source {len(chunks) + 1}]: {result.content}")
            tokens += size
        else:
            break
    return "\n\n".join(chunks) if chunks else "No relevant context."


def longest_rendered(contents: Sequence[str], header: str, fits: object) -> list[int]:
    """The same with the section rendered anew for each chunk: how many fit by their real text. `fits(text) -> bool`."""
    kept: list[int] = []
    for index in range(len(contents)):
        entries = [f"[Source {number}]: {contents[at]}" for number, at in enumerate([*kept, index], 1)]
        if not fits("\n\n".join([header, *entries])):  # type: ignore[operator] # a function of the test
            break
        kept.append(index)
    return kept
