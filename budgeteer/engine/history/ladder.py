"""The retry ladder: what is tried when a strategy cannot make history fit (seed: Gemma plan, step 6).

Oldest half of history, then (once retrieval is part of a prompt) the lowest-scored half of the chunks, then only the
last exchange; then it is over, with every rung's size.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from budgeteer.engine.history.view import HistoryFit, HistoryView, Mask, Over, Rule, Rung


def climb(view: HistoryView, start: Mask, *, fits: Callable[[Mask], bool], name: str, limit_tokens: int) -> HistoryFit:
    """The first rung that fits, or the last one with `over` set. `start`, called `name`, is what did not fit."""
    rungs = [Rung(name, view.size_tokens(start), fits=False)]
    steps = (
        ("without the oldest half", Rule.RETRY_OLDEST_HALF, _newer_half(view, start)),
        ("only the last exchange", Rule.RETRY_LAST_EXCHANGE, view.last_exchange()),
    )
    needed = np.zeros(len(view), np.int64)
    kept, decided = view.alive, Rule.KEPT
    for step, rule, chosen in steps:
        kept, decided = chosen | view.always, rule
        rungs.append(Rung(step, view.size_tokens(kept), fits(kept)))
        if rungs[-1].fits:
            break
    rules = np.where(view.alive, int(decided), int(Rule.VALIDITY)).astype(np.int64)
    rules[kept] = Rule.KEPT
    over = None if rungs[-1].fits else Over(rungs[-1].tokens, limit_tokens, _story(rungs, limit_tokens))
    return HistoryFit(kept, rules, limit_tokens, needed, rungs=tuple(rungs), over=over)


def _newer_half(view: HistoryView, start: Mask) -> Mask:
    """The newer half of what was tried, widened to whole groups; never less than the last exchange."""
    tried = np.flatnonzero(start & ~view.always)
    if not len(tried):
        return start
    return view.widened(np.arange(len(view)) >= int(tried[len(tried) // 2])) | view.last_exchange()


def _story(rungs: list[Rung], limit_tokens: int) -> str:
    tried = "; ".join(f"{rung.name}: {rung.tokens:,}" for rung in rungs)
    return f"History cannot be made to fit {limit_tokens:,} tokens. Tried {tried}."
