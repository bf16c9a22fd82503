"""oldestFirst: the oldest groups within the limit, beside system texts and what is pinned (trim_messages' "first").

For what needs the beginning of a conversation: its title, its subject. The last message that is kept is the newest, so
no task is kept beside it; a request still holds a message of the user's, or the query.
"""

from __future__ import annotations

import numpy as np

from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.packing.history.ending import end_places
from budgeteer.engine.packing.history.reach import needed_counts, reaches_from_oldest
from budgeteer.engine.packing.history.strategies.newest_first import over_limit
from budgeteer.engine.packing.history.view import USER, HistoryFit, HistoryRule, HistoryView, Mask, NeededCounts, Over


def oldest_first(view: HistoryView) -> HistoryFit:
    """The longest run of oldest groups within `maxTokens` and the room; the query is charged, as under newestFirst."""
    limit = min(view.max_tokens, view.room_tokens + view.charged_tokens)
    always = view.always
    base = view.size_tokens(always) + view.charged_tokens
    free = view.alive & ~always
    running, needed = reaches_from_oldest(view, free, base)
    fitting = int(np.searchsorted(running, limit, side="right"))
    kept = always | (free & (needed <= running[fitting - 1])) if fitting else always
    counts = needed_counts(view, always, free, is_oldest_first=True)
    if counts is not None:
        kept = kept & (always | counts.within(view.config))
    said = needed
    if view.config.end_on != "any" and view.query_tokens == 0:
        ends = _ends(view, needed, free)
        said = np.maximum(needed, needed[ends])
        if counts is not None:
            messages, turns = (np.maximum(column, column[ends]) for column in (counts.messages, counts.turns))
            counts = NeededCounts(messages, turns)
    rule = np.full(len(view), int(HistoryRule.OLDEST_FIRST), np.int64)
    rule[~view.alive] = HistoryRule.VALIDITY
    rule[kept] = HistoryRule.KEPT
    over = over_limit(view, base - view.charged_tokens, limit) or _asks_nothing(view, kept, needed, limit)
    return HistoryFit(kept, rule, limit, said, over=over, needed_counts=counts)


def _ends(view: HistoryView, needed: Ints, free: Mask) -> Ints:
    """The message that each one is kept with where `endOn` takes back what follows the last one that it asks for.

    That is the next such message, whose tokens, place and turn it needs as well; itself where it waits for none: one
    that stands before the first of them stays while none is kept. `needed` tells the order, in tokens. What follows
    such a message that always stays waits for the next.
    """
    rows = np.arange(len(view))
    ends = np.flatnonzero(end_places(view, view.alive) & free)
    if not len(ends):
        return rows
    ends = ends[np.argsort(needed[ends], kind="stable")]
    following = ends[np.minimum(np.searchsorted(needed[ends], needed), len(ends) - 1)]
    staying = np.flatnonzero(end_places(view, view.always))
    waits = (needed > needed[ends[0]]) | (rows > (staying[-1] if len(staying) else len(view)))
    return np.where(free & waits, following, rows)


def _asks_nothing(view: HistoryView, kept: np.ndarray, needed: np.ndarray, limit: int) -> Over | None:
    """The error where no message of the user's is kept and no query follows; None where nobody says anything."""
    users = view.alive & (view.role == USER)
    if view.query_tokens > 0 or not users.any() or (kept & users).any():
        return None
    tokens = int(needed[users].min())
    allowed = min(limit, view.room_tokens)
    if tokens <= limit:
        return Over(0, allowed, "No message of the user's is among those that the limits of messages keep.", "empty")
    sentence = (
        f"The oldest messages take {tokens:,} tokens up to the user's first; history may take {max(allowed, 0):,}."
    )
    return Over(tokens, allowed, sentence)
