"""The notice to the model: one message that says how many earlier messages were left out.

It is written where `history.notice` asks for it, or keepEnds, and nothing else stands for what went. It is charged:
the strategy fits history into what the notice leaves. A newest message comes before the notice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from budgeteer.engine.config.schema import HistoryConfig
from budgeteer.engine.content.written_messages import left_out_of, notice_text
from budgeteer.engine.packing.history.history_texts import Writing
from budgeteer.engine.packing.history.summary import CountingFailed, Summary
from budgeteer.engine.packing.history.summary_fit import place_after
from budgeteer.engine.packing.history.view import USER, HistoryFit, HistoryRule, HistoryView, Mask


def wants_notice(config: HistoryConfig) -> bool:
    """Whether a configuration asks for a notice."""
    return config.notice or (config.strategy == "keepEnds" and config.ends.between == "notice")


def with_notice(view: HistoryView, fit: Callable[[HistoryView], HistoryFit], writing: Writing) -> HistoryFit:
    """What a strategy keeps, with the notice where messages are left out and it fits."""
    plain = fit(view)
    if plain.summary is not None or not (view.alive & ~plain.kept).any():
        return plain
    try:
        most = writing.message_tokens(notice_text(_count(view, writing, view.alive)))
        # A larger limit has room for the notice first: what would keep a message counts it.
        waiting = replace(plain, beside_tokens=plain.beside_tokens + most)
        if plain.over is not None:
            return waiting
        narrower = replace(view, room_tokens=view.room_tokens - most, max_tokens=view.max_tokens - most)
        found = fit(narrower)
        if not _lacks(view, found) or _newest(view, plain) > _newest(view, found):
            return waiting
        gone = view.alive & ~found.kept
        text = notice_text(_count(view, writing, gone))
        tokens = writing.message_tokens(text)
    except CountingFailed:
        return plain
    if tokens > most:
        return waiting
    covers = tuple(np.flatnonzero(gone).tolist())
    if len(covers) == 1 and left_out_of(writing.messages[covers[0]]):
        # An earlier notice says the same: it stays.
        return found.decided(covers[0], kept=True, rule=HistoryRule.KEPT)
    summary = Summary(text, covers, kind="notice", before=place_after(found.kept, covers[-1]))
    return replace(
        found,
        summary=summary,
        summary_tokens=tokens,
        limit_tokens=found.limit_tokens + most,
        beside_tokens=found.beside_tokens + most,
    )


def _lacks(view: HistoryView, fit: HistoryFit) -> bool:
    """Whether messages are left out of what fits, and nothing stands for them."""
    return fit.over is None and fit.summary is None and bool((view.alive & ~fit.kept).any())


def _newest(view: HistoryView, fit: HistoryFit) -> int:
    """The row of the newest message that is kept, -1 where none is."""
    rows = np.flatnonzero(fit.kept & ~view.system)
    return int(rows[-1]) if len(rows) else -1


def _count(view: HistoryView, writing: Writing, gone: Mask) -> int:
    """How many messages go, those that an earlier notice counted in its place."""
    count = int(gone.sum())
    for row in np.flatnonzero(gone & (view.role == USER) & ~view.typed).tolist():
        earlier = left_out_of(writing.messages[row])
        count += max(earlier - 1, 0)
    return count
