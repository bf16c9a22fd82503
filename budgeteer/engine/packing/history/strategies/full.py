"""full: everything that can be sent is kept; beyond the limit, the retry ladder or a stated error."""

from __future__ import annotations

from typing import Final

import numpy as np

from budgeteer.engine.packing.history.retry_ladder import run_retry_ladder
from budgeteer.engine.packing.history.view import HistoryFit, HistoryRule, HistoryView, Over

#: What is tried first. It may be less than what is requested: parts that the provider cannot be sent are not in it.
WHOLE: Final = "all of history that can be sent"


def keep_full(view: HistoryView, *, retry: bool) -> HistoryFit:
    """All messages, or what the ladder leaves of them."""
    limit = view.room_tokens
    whole = view.size_tokens(view.alive)
    if whole > limit and retry:
        return run_retry_ladder(view, view.alive, name=WHOLE, allowed=lambda _, room_tokens: room_tokens)
    rule = np.where(view.alive, int(HistoryRule.KEPT), int(HistoryRule.VALIDITY)).astype(np.int64)
    over = None
    if whole > limit:
        sentence = f"What can be sent of history takes {whole:,} tokens; {max(limit, 0):,} are left for it."
        over = Over(whole, limit, sentence)
    return HistoryFit(view.alive, rule, limit, np.zeros(len(view), np.int64), over=over)
