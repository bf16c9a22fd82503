"""newestFirst: system always stays; newest to oldest in whole groups until the limit; no result without its call."""

from __future__ import annotations

import numpy as np

from budgeteer.engine.history.view import HistoryFit, HistoryView, Over, Rule


def newest_first(view: HistoryView) -> HistoryFit:
    """The longest run of newest groups within the limit, beside what always stays.

    A group stands where its last message stands. What always stays is charged first, with the query: it is the newest
    message. `limit_tokens` and `needed_tokens` are in the same terms.
    """
    limit = min(view.max_tokens, view.room_tokens + view.query_tokens)
    always = view.always
    base = view.size_tokens(always) + view.query_tokens
    rule = np.where(view.alive, int(Rule.NEWEST_FIRST), int(Rule.VALIDITY)).astype(np.int64)
    needed = np.zeros(len(view), np.int64)
    free = view.alive & ~always
    kept = always.copy()
    if free.any():
        count = int(view.group.max()) + 1
        cost = np.bincount(view.group[free], weights=view.tokens[free], minlength=count).astype(np.int64)
        last = np.full(count, -1, np.int64)
        np.maximum.at(last, view.group[free], np.flatnonzero(free))
        newest = np.argsort(-last, kind="stable")[: int((last >= 0).sum())]
        running = base + np.cumsum(cost[newest])
        fitting = newest[: int(np.searchsorted(running, limit, side="right"))]
        kept |= free & np.isin(view.group, fitting)
        reach = np.zeros(count, np.int64)
        reach[newest] = running
        needed = np.where(free, reach[view.group], 0)
    rule[kept] = Rule.KEPT
    over = None
    own, allowed = base - view.query_tokens, min(view.max_tokens, view.room_tokens)
    if own > allowed:
        sentence = f"System texts and pinned messages alone take {own:,} tokens; history may take {allowed:,}."
        over = Over(own, allowed, sentence)
    return HistoryFit(kept, rule, limit, needed, over=over)
