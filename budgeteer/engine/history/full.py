"""full: everything that can be sent stays; when that is over, the retry ladder or a stated error."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from budgeteer.engine.history.ladder import climb
from budgeteer.engine.history.view import HistoryFit, HistoryView, Mask, Over, Rule


def keep_full(view: HistoryView, *, retry: bool) -> HistoryFit:
    """All messages, or what the ladder leaves of them."""
    limit = view.room_tokens
    whole = view.size_tokens(view.alive)
    if whole > limit and retry:
        fits = _within(view, limit)
        return climb(view, view.alive, fits=fits, name="the full history", limit_tokens=limit)
    rule = np.where(view.alive, int(Rule.KEPT), int(Rule.VALIDITY)).astype(np.int64)
    over = None
    if whole > limit:
        over = Over(whole, limit, f"The full history takes {whole:,} tokens; {max(limit, 0):,} are left for it.")
    return HistoryFit(view.alive, rule, limit, np.zeros(len(view), np.int64), over=over)


def _within(view: HistoryView, limit_tokens: int) -> Callable[[Mask], bool]:
    return lambda kept: view.size_tokens(kept) <= limit_tokens
