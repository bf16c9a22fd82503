"""The retry ladder: what is tried when a strategy cannot make history fit (seed: Gemma plan, step 6).

Oldest half of history, then (once retrieval is part of a prompt) the lowest-scored half of the chunks, then only the
last exchange; then it is over, with every rung's size.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from budgeteer.engine.history.view import HistoryFit, HistoryView, Mask, Over, Rule, Rung


def climb(view: HistoryView, *, fits: Callable[[Mask], bool], first: Rung, limit_tokens: int) -> HistoryFit:
    """The first rung that fits, or the last one with `over` set. `first` is the attempt that led here."""
    rungs = [first]
    steps = (
        ("without the oldest half", Rule.RETRY_OLDEST_HALF, _newer_half(view)),
        ("only the last exchange", Rule.RETRY_LAST_EXCHANGE, view.last_exchange()),
    )
    needed = np.zeros(len(view), np.int64)
    kept, decided = view.alive, Rule.KEPT
    for name, rule, chosen in steps:
        kept, decided = chosen | view.always, rule
        rungs.append(Rung(name, view.size_tokens(kept), fits(kept)))
        if rungs[-1].fits:
            break
    rules = np.where(view.alive, int(decided), int(Rule.VALIDITY)).astype(np.int64)
    rules[kept] = Rule.KEPT
    over = None if rungs[-1].fits else Over(rungs[-1].tokens, limit_tokens, _story(rungs, limit_tokens))
    return HistoryFit(kept, rules, limit_tokens, needed, rungs=tuple(rungs), over=over)


def _newer_half(view: HistoryView) -> Mask:
    """The newer half of the messages, widened to whole groups; never less than the last exchange."""
    alive = np.flatnonzero(view.alive & ~view.always)
    if not len(alive):
        return view.alive
    start = int(alive[len(alive) // 2])
    return view.widened(np.arange(len(view)) >= start) | view.last_exchange()


def _story(rungs: list[Rung], limit_tokens: int) -> str:
    tried = "; ".join(f"{rung.name}: {rung.tokens:,}" for rung in rungs)
    return f"History cannot be made to fit {limit_tokens:,} tokens. Tried {tried}."
