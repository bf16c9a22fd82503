"""The retry ladder: steps taken when a strategy cannot make the history fit (seed: Gemma plan, step 6).

The oldest half of history goes, then the lowest-scored half of the chunks, and the rest is packed again; then only the
last exchange and the best chunk stay; then it is over, with the size of every rung. Unlike the seed, which takes both
halves at once, each step is looked at by itself. A step that takes nothing away is none. Where the last exchange is an
agent's run, of which only the newest steps fit, the message that began it stays with them; where none fits, only what
was asked is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from budgeteer.engine.packing.history.view import (
    HistoryFit,
    HistoryRule,
    HistoryView,
    Mask,
    Over,
    ReducedChunks,
    Rung,
    last_rows,
)

#: What history may take when these messages stay and this room is left, in tokens.
type Allowed = Callable[[Mask, int], int]


@dataclass(frozen=True, slots=True)
class _Step:
    """One try: its name, the messages that stay, by which rule the others go, and what is taken from retrieval."""

    name: str
    kept: Mask
    rule: HistoryRule
    reduced_chunks: ReducedChunks | None


def run_retry_ladder(view: HistoryView, start: Mask, *, name: str, allowed: Allowed) -> HistoryFit:
    """The first rung that fits, or the last one with `over` set. `start`, called `name`, is what did not fit."""
    last = _Step(name, start, HistoryRule.RETRY_LAST_EXCHANGE, None)
    rungs = [_rung(view, last, allowed)]
    for step in _steps(view, start, allowed):
        if step.reduced_chunks == last.reduced_chunks and np.array_equal(step.kept, last.kept):
            continue
        last = step
        rungs.append(_rung(view, step, allowed))
        if rungs[-1].fits:
            break
    rules = np.where(view.alive, int(last.rule), int(HistoryRule.VALIDITY)).astype(np.int64)
    rules[last.kept] = HistoryRule.KEPT
    limit = rungs[-1].allowed_tokens
    return HistoryFit(
        last.kept,
        rules,
        limit,
        np.zeros(len(view), np.int64),
        rungs=tuple(rungs),
        reduced_chunks=last.reduced_chunks,
        over=None if rungs[-1].fits else Over(rungs[-1].tokens, limit, _story(rungs)),
    )


def _steps(view: HistoryView, start: Mask, allowed: Allowed) -> Iterator[_Step]:
    half = _newer_half(view, start) | view.always
    yield _Step("without the oldest half", half, HistoryRule.RETRY_OLDEST_HALF, None)
    yield _Step("without the oldest half and half the chunks", half, HistoryRule.RETRY_OLDEST_HALF, view.half_chunks)
    best = view.best_chunk or view.half_chunks
    name = "only the last exchange" + (" and the best chunk" if best else "")
    exchange = _Step(name, view.last_exchange() | view.always, HistoryRule.RETRY_LAST_EXCHANGE, best)
    yield exchange
    room_tokens = best.room_tokens if best else view.room_tokens
    kept = _within_exchange(view, lambda some: view.size_tokens(some) <= allowed(some, room_tokens))
    if kept is not None:
        name = "the prompt and the newest steps of the last exchange"
        yield _Step(name, kept, HistoryRule.RETRY_WITHIN_EXCHANGE, best)
        yield _Step("only what was asked", view.always | view.task, HistoryRule.RETRY_TASK, best)


def _within_exchange(view: HistoryView, fits: Callable[[Mask], bool]) -> Mask | None:
    """The message that began the last exchange and the newest groups after it that fit, at least the very last.

    None where the exchange is no run: where nothing but one reply follows its prompt.
    """
    exchange = view.last_exchange() & view.alive
    prompt = view.widened(view.asked & exchange)
    stays = view.always | view.task | view.opener | prompt
    free = exchange & ~stays
    rows = np.flatnonzero(free)
    stands = np.where(free, last_rows(view.group, rows)[view.group], -1)
    newest = np.unique(stands[rows])[::-1]
    if len(rows) < 2:
        return None
    lowest, highest = 1, len(newest)
    while lowest < highest:
        middle = (lowest + highest + 1) // 2
        if fits(stays | (stands >= newest[middle - 1])):
            lowest = middle
        else:
            highest = middle - 1
    kept: Mask = stays | (stands >= newest[lowest - 1])
    return kept


def _rung(view: HistoryView, step: _Step, allowed: Allowed) -> Rung:
    room_tokens = step.reduced_chunks.room_tokens if step.reduced_chunks else view.room_tokens
    return Rung(step.name, view.size_tokens(step.kept), allowed(step.kept, room_tokens))


def _newer_half(view: HistoryView, start: Mask) -> Mask:
    """The newer half of what was tried, widened to whole groups; never less than the last exchange."""
    tried = np.flatnonzero(start & ~view.always)
    if not len(tried):
        return start
    return view.widened(np.arange(len(view)) >= int(tried[len(tried) // 2])) | view.last_exchange()


def _story(rungs: list[Rung]) -> str:
    tried = "; ".join(rung.figures for rung in rungs)
    return f"History cannot be made to fit {max(rungs[0].allowed_tokens, 0):,} tokens. Tried {tried}."
