"""newestFirst: system texts and the task are always kept; then newest to oldest in whole groups until the limit."""

from __future__ import annotations

import numpy as np

from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.packing.fixes import Demand, Fix, Limit, raised, spare
from budgeteer.engine.packing.history.notice import wants_notice
from budgeteer.engine.packing.history.reach import needed_counts, reaches
from budgeteer.engine.packing.history.strategies.summarize_older import least_fits
from budgeteer.engine.packing.history.view import HistoryFit, HistoryRule, HistoryView, Mask, Over, rules_of


def newest_first(view: HistoryView) -> HistoryFit:
    """The longest run of newest groups within the limit, beside what always stays.

    A group stands where its last message stands. What always stays is charged first, with the query: it is the newest
    message. Where no query asks for anything, the last typed message always stays (unlike the seed, which may drop
    it); where a query asks and the first message must be the user's, the last of those comes before all other groups,
    for without it none of them may be sent. `limit_tokens` and `needed_tokens` are in the same terms.
    """
    return newest_within(view, min(view.max_tokens, view.room_tokens + view.charged_tokens))


def newest_within(view: HistoryView, limit: int) -> HistoryFit:
    """As newest_first, within a limit in tokens that the query is charged to."""
    always = view.always | view.task
    base = view.size_tokens(always) + view.charged_tokens
    free = view.alive & ~always
    opener = _opener(view, free)
    running, needed = _reaches_from(view, free, base, opener)
    fitting = int(np.searchsorted(running, limit, side="right"))
    kept = always | (free & (needed <= running[fitting - 1])) if fitting else always
    counts = needed_counts(view, always, free, first=opener)
    if counts is not None:
        kept = kept & (always | counts.within(view.config))
    rule = rules_of(view, kept, HistoryRule.NEWEST_FIRST)
    over = over_limit(view, base - view.charged_tokens, limit)
    return HistoryFit(kept, rule, limit, needed, over=over, needed_counts=counts)


def over_limit(view: HistoryView, own: int, limit: int) -> Over | None:
    """The error where what always stays takes more than it may; None where it fits."""
    allowed = min(limit - view.system_tokens, view.room_tokens)
    if own <= allowed:
        return None
    staying = ["system texts"] if view.system.any() else []
    staying += ["pinned messages"] if view.pinned.any() else []
    staying += ["the last typed message"] if view.task_row >= 0 else []
    *others, last = staying or ["messages that stay"]
    what = f"{', '.join(others)} and {last}" if others else last
    takes = "takes" if staying == ["the last typed message"] else "take"
    sentence = f"{what[:1].upper()}{what[1:]} alone {takes} {own:,} tokens; history may take {max(allowed, 0):,}."
    if own > view.room_tokens:
        return Over(own, allowed, sentence)
    return Over(own, allowed, sentence, "ownLimit", least_limit=own + view.system_tokens)


def newest_first_limit(view: HistoryView) -> Limit:
    """`maxTokens`. Raised as far as all of history needs, or to the least that reaches what the room has space for.

    With a notice, which takes some of the limit, as far as the room reaches.
    """
    reached = _reached_in_room(view)
    if wants_notice(view.config) or min(reached, _whole(view)) <= view.max_tokens:
        return tokens_limit(view, reached)
    within_room = newest_within(view, reached)
    always = view.size_tokens(view.always | view.task) + view.charged_tokens
    return tokens_limit(view, max(always, int(within_room.needed_tokens[within_room.kept].max(initial=0))))


def room_limit(view: HistoryView) -> Limit:
    """`maxTokens` of a strategy that takes groups in another order: raised as far as the room reaches."""
    return tokens_limit(view, _reached_in_room(view))


def tokens_limit(view: HistoryView, reached: int) -> Limit:
    """`maxTokens`, where more than `reached` lets nothing more in, for the prompt leaves history no more room."""
    whole = _whole(view)
    tokens = whole - view.charged_tokens
    demand = Demand("history.maxTokens", min(whole, reached), view.max_tokens, is_bounded=reached < whole)
    if tokens <= view.max_tokens and not demand.is_passed:
        fix = spare(tokens, view.max_tokens)
    elif demand.is_passed:
        fix = raised(demand, or_else="summarise older messages" if least_fits(view) else "")
    else:
        fix = Fix(f"Raising it changes nothing: {max(view.room_tokens, 0):,} tokens are left for history.")
    return Limit("history.maxTokens", tokens, view.max_tokens, "tokens of history", fix)


def _whole(view: HistoryView) -> int:
    """What all of history takes of the limit. The query is charged to it too: it is the newest message."""
    return int(view.tokens.sum()) + view.charged_tokens


def _reached_in_room(view: HistoryView) -> int:
    """The limit from which on the room that the prompt leaves is what bounds history."""
    return max(view.room_tokens, 0) + view.charged_tokens


def _opener(view: HistoryView, free: Mask) -> Mask | None:
    """The group that history begins with, where it is free and there is one."""
    if view.opener_row < 0:
        return None
    found = view.opener & free
    return found if found.any() else None


def _reaches_from(view: HistoryView, free: Mask, base: int, opener: Mask | None) -> tuple[Ints, Ints]:
    """As `reaches`, with the message that history begins with taken before all others."""
    if opener is None:
        return reaches(view, free, base)
    first = base + view.size_tokens(opener)
    running, needed = reaches(view, free & ~opener, first)
    needed = np.where(opener, first, needed)
    return np.concatenate([[first], running]), needed
