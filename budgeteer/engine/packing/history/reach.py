"""What it takes to reach each group of a history, counted from the newest on."""

from __future__ import annotations

import numpy as np

from budgeteer.engine.config.schema import HistoryConfig
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.packing.history.view import HistoryView, Mask, NeededCounts, last_rows


def newest_groups(view: HistoryView, free: Mask, *, base: int, limit: int) -> Mask:
    """The newest whole groups among `free` that fit a limit in tokens, of which `base` is taken."""
    running, needed = reaches(view, free, base)
    fitting = int(np.searchsorted(running, limit, side="right"))
    if not fitting:
        return np.zeros(len(view), np.bool_)
    kept: Mask = free & (needed <= running[fitting - 1])
    return kept


def reaches(view: HistoryView, free: Mask, base: int, *, sizes: Ints | None = None) -> tuple[Ints, Ints]:
    """What it takes to reach each group, from the newest on: the groups', ascending, and each free message's (or 0).

    `base` is what is taken before any of them, `sizes` what each message takes: its tokens, if nothing else is given.
    """
    is_all = bool(free.all())
    sizes = view.tokens if sizes is None else sizes
    group, tokens = (view.group, sizes) if is_all else (view.group[free], sizes[free])
    if not len(group):
        return np.zeros(0, np.int64), np.zeros(len(view), np.int64)
    order = _by_last_message(group)
    if order is not None:
        group, tokens = group[order], tokens[order]
    starts = np.flatnonzero(np.append(True, group[1:] != group[:-1]))
    up_to = np.cumsum(tokens)
    reached = base + up_to[-1] - up_to[starts] + tokens[starts]
    of_group = np.zeros(int(view.group.max()) + 1, np.int64)
    of_group[group[starts]] = reached
    needed: Ints = of_group[view.group]
    return reached[::-1], needed if is_all else np.where(free, needed, 0)


def reaches_from_oldest(view: HistoryView, free: Mask, base: int, *, sizes: Ints | None = None) -> tuple[Ints, Ints]:
    """As `reaches`, counted from the oldest group on; a group stands where its first message stands."""
    first = np.full(int(view.group.max(initial=-1)) + 1, len(view))
    np.minimum.at(first, view.group, np.arange(len(view)))
    return reaches_in_order(view, free, base, first, sizes=sizes)


def reaches_in_order(
    view: HistoryView, free: Mask, base: int, order: Ints, *, sizes: Ints | None = None
) -> tuple[Ints, Ints]:
    """As `reaches`, with groups taken in the order of the numbers that `order` has for them."""
    sizes = view.tokens if sizes is None else sizes
    group, tokens = view.group[free], sizes[free]
    if not len(group):
        return np.zeros(0, np.int64), np.zeros(len(view), np.int64)
    row_order = np.argsort(order[group], kind="stable")
    group, tokens = group[row_order], tokens[row_order]
    ends = np.flatnonzero(np.append(group[1:] != group[:-1], True))
    reached = base + np.cumsum(tokens)[ends]
    of_group = np.zeros(int(view.group.max()) + 1, np.int64)
    of_group[group[ends]] = reached
    return reached, np.where(free, of_group[view.group], 0)


def limits_counts(config: HistoryConfig) -> bool:
    """Whether messages or turns are limited."""
    return config.max_messages is not None or config.max_turns is not None


def message_sizes(view: HistoryView) -> Ints:
    """What each message takes of a limit of messages: one; a system text none unless `countSystem` charges it.

    A notice or summary takes none, as it took none when it was written.
    """
    counted = view.alive & ~view.written
    if not view.config.count_system:
        counted = counted & ~view.system
    return counted.astype(np.int64)


def needed_counts(
    view: HistoryView, taken: Mask, free: Mask, *, is_oldest_first: bool = False, first: Mask | None = None
) -> NeededCounts | None:
    """How many messages and turns must be allowed for each free message; None where neither is limited.

    `taken` is kept before any of them, and of the free ones `first` before all others. A query is a message and a turn.
    """
    if not limits_counts(view.config):
        return None
    sizes = message_sizes(view)
    base = view.charged_messages + int(sizes[taken].sum())
    if is_oldest_first:
        messages = reaches_from_oldest(view, free, base, sizes=sizes)[1]
    elif first is None or not first.any():
        messages = reaches(view, free, base, sizes=sizes)[1]
    else:
        opened = base + int(sizes[first].sum())
        messages = np.where(first, opened, reaches(view, free & ~first, opened, sizes=sizes)[1])
    turns = _turns(view, free, is_oldest_first=is_oldest_first)
    return NeededCounts(messages, turns if first is None else np.where(first, 0, turns))


def _turns(view: HistoryView, free: Mask, *, is_oldest_first: bool) -> Ints:
    """The turns from the end that a strategy begins at up to each message's group, a query's among them."""
    begun = np.cumsum(view.asked.astype(np.int64))
    has_query = int(view.query_tokens > 0)
    of_group = np.zeros(int(view.group.max(initial=0)) + 1, np.int64)
    if is_oldest_first:
        np.maximum.at(of_group, view.group[free], np.maximum(begun, 1)[free] + has_query)
    else:
        after = (int(begun[-1]) if len(begun) else 0) - np.maximum(begun, 1) + 1
        np.maximum.at(of_group, view.group[free], after[free] + has_query)
    return np.where(free, of_group[view.group], 0)


def _by_last_message(group: Ints) -> Ints | None:
    """The order in which each group stands together, where its last message stands; None where that is as it is."""
    if (group[1:] >= group[:-1]).all():
        return None
    return np.argsort(last_rows(group)[group], kind="stable")
