"""full: everything that can be sent stays; when that is over, the retry ladder or a stated error."""

from __future__ import annotations

import numpy as np

from budgeteer.engine.history.ladder import climb
from budgeteer.engine.history.view import HistoryFit, HistoryView, Over, Rule


def keep_full(view: HistoryView, *, retry: bool) -> HistoryFit:
    """All messages, or what the ladder leaves of them."""
    limit = view.room_tokens
    whole = view.size_tokens(view.alive)
    if whole > limit and retry:
        return climb(view, view.alive, name="the full history", allowed=lambda _, room_tokens: room_tokens)
    rule = np.where(view.alive, int(Rule.KEPT), int(Rule.VALIDITY)).astype(np.int64)
    over = None
    if whole > limit:
        over = Over(whole, limit, f"The full history takes {whole:,} tokens; {max(limit, 0):,} are left for it.")
    return HistoryFit(view.alive, rule, limit, np.zeros(len(view), np.int64), over=over)
