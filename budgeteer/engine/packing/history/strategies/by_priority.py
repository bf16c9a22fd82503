"""byPriority: the most important messages that fit, in their order; among equals the newest (prompt-tsx, priompt).

Whole groups, a group as important as its most important message. The task stays in any case, as under every strategy
that keeps it. Equal to prompt-tsx, which takes away the least important element until the rest fits.
"""

from __future__ import annotations

import numpy as np

from budgeteer.engine.packing.history.reach import reaches_in_order
from budgeteer.engine.packing.history.strategies.newest_first import over_limit
from budgeteer.engine.packing.history.view import HistoryFit, HistoryRule, HistoryView


def by_priority(view: HistoryView) -> HistoryFit:
    """The groups by priority, then from the newest on, up to the first that `maxTokens` or the room does not hold.

    The query is charged to the limit, as under newestFirst. `needed_tokens` count in that order.
    """
    limit = min(view.max_tokens, view.room_tokens + view.charged_tokens)
    always = view.always | view.task
    base = view.size_tokens(always) + view.charged_tokens
    free = view.alive & ~always
    order = order_of_groups(view)
    running, needed = reaches_in_order(view, free, base, order)
    fitting = int(np.searchsorted(running, limit, side="right"))
    kept = always | (free & (needed <= running[fitting - 1])) if fitting else always
    rule = np.full(len(view), int(HistoryRule.BY_PRIORITY), np.int64)
    rule[~view.alive] = HistoryRule.VALIDITY
    rule[kept] = HistoryRule.KEPT
    return HistoryFit(kept, rule, limit, needed, over=over_limit(view, base - view.charged_tokens, limit))


def order_of_groups(view: HistoryView) -> np.ndarray:
    """The place of each group in the order in which groups are taken, the opener's first, by the group's number."""
    count = int(view.group.max(initial=-1)) + 1
    last = np.zeros(count, np.int64)
    np.maximum.at(last, view.group, np.arange(len(view)))
    priority = np.full(count, np.iinfo(np.int64).min)
    np.maximum.at(priority, view.group, np.zeros(len(view), np.int64) if view.priority is None else view.priority)
    is_opener = np.zeros(count, np.bool_)
    is_opener[view.group[view.opener]] = True
    places = np.empty(count, np.int64)
    places[np.lexsort((-last, -priority, ~is_opener))] = np.arange(count)
    return places
