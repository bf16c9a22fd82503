"""keepEnds: the first messages and the newest that fit; a notice, a summary or nothing stands for what is between.

As agents do that keep the task and cut the middle (sources: docs/engine.md). The task stays in any case; a first
message that does not fit beside it gives way. A newest step comes before the notice or summary.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from budgeteer.engine.packing.history.history_texts import Writing
from budgeteer.engine.packing.history.reach import message_sizes, needed_counts, newest_groups, reaches
from budgeteer.engine.packing.history.strategies.newest_first import over_limit
from budgeteer.engine.packing.history.summary import CountingFailed, SummaryFailed
from budgeteer.engine.packing.history.summary_fit import SummarySize, written_summary
from budgeteer.engine.packing.history.view import HistoryFit, HistoryRule, HistoryView, Mask, NeededCounts


def keep_ends(view: HistoryView, *, writing: Writing) -> HistoryFit:
    """The first `ends.keepFirst` messages, the task, and the newest groups within `maxTokens` and the room.

    The query is charged to `maxTokens`, as under newestFirst.
    """
    limit = min(view.max_tokens, view.room_tokens + view.charged_tokens)
    whole = view.size_tokens(view.alive) + view.charged_tokens
    fit = _ends(view, limit)
    if view.config.ends.between != "summary" or whole <= limit:
        return fit
    size = SummarySize.of(view, writing)
    reserve = size.tokens_of(view.config.summary_max_chars)
    fit = replace(fit, beside_tokens=reserve)  # at a wider limit, short of all, there would be a summary
    if fit.over is not None:
        return fit
    beside = _ends(view, limit - reserve)
    if beside.over is not None or _loses_newest(view, fit, beside):
        beside = fit
    room = limit - view.charged_tokens - view.size_tokens(beside.kept)
    max_chars = min(view.config.summary_max_chars, size.chars_in(room))
    try:
        summary, tokens = written_summary(view, beside.kept, writing, max_chars=max_chars, room_tokens=room)
    except (SummaryFailed, CountingFailed):
        return fit
    rule = beside.rule.copy()
    rule[view.alive & ~beside.kept] = HistoryRule.ENDS_SUMMARISED
    return replace(beside, rule=rule, summary=summary, summary_tokens=tokens, limit_tokens=limit, beside_tokens=reserve)


def first_messages(view: HistoryView) -> Mask:
    """The first `ends.keepFirst` messages beside system texts, in whole groups."""
    first = np.zeros(len(view), np.bool_)
    first[np.flatnonzero(view.alive & ~view.system)[: view.config.ends.keep_first]] = True
    return view.widened(first)


def _loses_newest(view: HistoryView, fit: HistoryFit, beside: HistoryFit) -> bool:
    """Whether the newest message that one fit keeps is left out by the other."""
    kept = np.flatnonzero(fit.kept & ~view.system)
    return bool(len(kept)) and not beside.kept[kept[-1]]


def _ends(view: HistoryView, limit: int) -> HistoryFit:
    always = view.always | view.task
    base = view.size_tokens(always)
    opened = always | view.opener
    ends = opened | first_messages(view)
    whole = view.size_tokens(ends) + view.charged_tokens
    free = view.alive & ~ends
    running, needed = reaches(view, free, whole)
    counts = needed_counts(view, ends, free)
    if whole <= limit and _holds(view, ends):
        fitting = int(np.searchsorted(running, limit, side="right"))
        kept = ends | (free & (needed <= running[fitting - 1])) if fitting else ends
    else:
        kept = _without_all_first(view, limit, ends)
    if counts is not None:
        first = np.where(ends & ~always, view.charged_messages + int(message_sizes(view)[ends].sum()), counts.messages)
        counts = NeededCounts(first, counts.turns)
        kept = kept & (ends | counts.within(view.config))
    needed = np.where(ends & ~always, whole, needed)
    everything = view.size_tokens(view.alive) + view.charged_tokens
    if view.config.ends.remove_percent and not everything <= limit:
        gone = _removed_at_once(view, ends, free)
        kept, needed = kept & ~gone, np.where(gone, everything, needed)
    rule = np.full(len(view), int(HistoryRule.KEEP_ENDS), np.int64)
    rule[~view.alive] = HistoryRule.VALIDITY
    rule[kept] = HistoryRule.KEPT
    return HistoryFit(kept, rule, limit, needed, over=over_limit(view, base, limit), needed_counts=counts)


def _holds(view: HistoryView, ends: Mask) -> bool:
    """Whether `maxMessages` holds all of the first messages beside what always stays."""
    most = view.config.max_messages
    return most is None or bool(view.charged_messages + int(message_sizes(view)[ends].sum()) <= most)


def _removed_at_once(view: HistoryView, ends: Mask, free: Mask) -> Mask:
    """The oldest messages after the first that `ends.removePercent` takes: an even number, in whole groups."""
    between = np.flatnonzero(free | (view.task & ends))
    after_first = len(between) + int(view.query_tokens > 0)
    count = after_first * view.config.ends.remove_percent // 100 // 2 * 2
    gone = np.zeros(len(view), np.bool_)
    gone[between[:count]] = True
    stays = np.unique(view.group[free & ~gone])
    found: Mask = gone & free & ~np.isin(view.group, stays)
    return found


def _without_all_first(view: HistoryView, limit: int, ends: Mask) -> Mask:
    """What stays where not all of the first messages fit beside the task: the oldest of them in a row."""
    kept = view.always | view.task
    if view.size_tokens(kept | view.opener) + view.charged_tokens <= limit:
        kept = kept | view.opener
    kept = kept | _oldest_groups(view, ends & ~kept, base=kept, limit=limit)
    taken = view.size_tokens(kept) + view.charged_tokens
    return kept | newest_groups(view, view.alive & ~kept & ~ends, base=taken, limit=limit)


def _oldest_groups(view: HistoryView, first: Mask, *, base: Mask, limit: int) -> Mask:
    """The oldest groups among the first messages that fit in a row beside `base`, in tokens and messages."""
    groups = np.unique(view.group[first])
    taken = view.size_tokens(base) + view.charged_tokens
    sizes = taken + np.cumsum([view.size_tokens(first & (view.group == group)) for group in groups], dtype=np.int64)
    fitting = int(np.searchsorted(sizes, limit, side="right"))
    if view.config.max_messages is not None:
        each = message_sizes(view)
        count = view.charged_messages + int(each[base].sum())
        counts = count + np.cumsum([each[first & (view.group == group)].sum() for group in groups], dtype=np.int64)
        fitting = min(fitting, int(np.searchsorted(counts, view.config.max_messages, side="right")))
    found: Mask = first & np.isin(view.group, groups[:fitting])
    return found
