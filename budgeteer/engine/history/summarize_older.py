"""summarizeOlder: the last user turns stay verbatim, everything older becomes one summary (seed: change 3).

The limit is the smaller of `maxChars` and the room left. A summary that fails leaves the last few messages without
one, widened to whole groups; verbatim turns that are over by themselves go to the retry ladder.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from budgeteer.engine.history.ladder import climb
from budgeteer.engine.history.summary import Summary, SummaryFailed
from budgeteer.engine.history.view import HistoryFit, HistoryView, Mask, Over, Rule, Summarising
from budgeteer.engine.sentences import cut_at_word


def summarize_older(view: HistoryView, *, summarising: Summarising, retry: bool) -> HistoryFit:
    """History within `maxChars` and the room, by a summary where it is over."""
    if _fits(view, view.alive):
        rule = np.where(view.alive, int(Rule.KEPT), int(Rule.VALIDITY)).astype(np.int64)
        return HistoryFit(view.alive, rule, view.room_tokens, np.zeros(len(view), np.int64))
    verbatim = view.last_turns(view.config.keep_user_turns) | view.always
    older = view.alive & ~verbatim
    if not _fits(view, verbatim):
        return _over(view, verbatim, retry=retry)
    if not older.any():
        return _over(view, verbatim, retry=retry)
    try:
        return _with_summary(view, verbatim, older, summarising=summarising)
    except SummaryFailed:
        return _without_summary(view, verbatim, retry=retry)


def _fits(view: HistoryView, kept: Mask) -> bool:
    return int(view.chars[kept].sum()) <= view.config.max_chars and view.size_tokens(kept) <= view.room_tokens


def _with_summary(view: HistoryView, verbatim: Mask, older: Mask, *, summarising: Summarising) -> HistoryFit:
    room_chars = view.config.max_chars - int(view.chars[verbatim].sum())
    max_chars = min(view.config.summary_max_chars, room_chars)
    covers = tuple(int(index) for index in np.flatnonzero(older))
    text = summarising.write(summarising.request(covers, max_chars))
    text = cut_at_word(text, max_chars)
    cost = summarising.cost_tokens(text)
    if not text or view.size_tokens(verbatim) + cost > view.room_tokens:
        raise SummaryFailed("the summary itself does not fit")
    rule = np.where(view.alive, int(Rule.SUMMARIZE_OLDER), int(Rule.VALIDITY)).astype(np.int64)
    rule[verbatim] = Rule.KEPT
    needed = np.zeros(len(view), np.int64)
    return HistoryFit(verbatim, rule, view.room_tokens, needed, summary=Summary(text, covers), summary_tokens=cost)


def _without_summary(view: HistoryView, verbatim: Mask, *, retry: bool) -> HistoryFit:
    """The last `fallbackMessages` messages, in whole groups, with what always stays."""
    alive = np.flatnonzero(view.alive)
    count = min(view.config.fallback_messages, len(alive))
    start = int(alive[-count]) if count else len(view)
    kept = view.widened(np.arange(len(view)) >= start) | view.always
    if not _fits(view, kept):
        kept = verbatim
    if not _fits(view, kept):
        return _over(view, kept, retry=retry)
    rule = np.where(view.alive, int(Rule.NO_SUMMARY), int(Rule.VALIDITY)).astype(np.int64)
    rule[kept] = Rule.KEPT
    return HistoryFit(kept, rule, view.room_tokens, np.zeros(len(view), np.int64))


def _over(view: HistoryView, verbatim: Mask, *, retry: bool) -> HistoryFit:
    """The ladder, or the stated error: which of the two limits is passed, in its own unit."""
    if retry:
        allowed = _allowed_tokens(view, view.last_exchange() | view.always)
        fits = partial(_fits, view)
        fit = climb(view, verbatim, fits=fits, name="the turns kept verbatim", limit_tokens=allowed)
        if fit.over is None:
            return fit
        return replace(fit, over=replace(fit.over, sentence=f"{_limits_passed(view, fit.kept)} {fit.over.sentence}"))
    rule = np.where(view.alive, int(Rule.NO_SUMMARY), int(Rule.VALIDITY)).astype(np.int64)
    rule[verbatim] = Rule.KEPT
    allowed = _allowed_tokens(view, verbatim)
    over = Over(view.size_tokens(verbatim), allowed, _limits_passed(view, verbatim))
    return HistoryFit(verbatim, rule, allowed, np.zeros(len(view), np.int64), over=over)


def _allowed_tokens(view: HistoryView, kept: Mask) -> int:
    """The room left; where `maxChars` rules, the tokens it comes to at the same tokens a character."""
    chars = int(view.chars[kept].sum())
    if chars <= view.config.max_chars:
        return view.room_tokens
    return min(view.room_tokens, view.size_tokens(kept) * view.config.max_chars // chars)


def _limits_passed(view: HistoryView, kept: Mask) -> str:
    chars, tokens = int(view.chars[kept].sum()), view.size_tokens(kept)
    if chars > view.config.max_chars:
        return (
            f"What must stay verbatim takes {chars:,} characters; history.maxChars is {view.config.max_chars:,}: "
            f"raise it, or lower history.keepUserTurns."
        )
    return f"What must stay verbatim takes {tokens:,} tokens; {max(view.room_tokens, 0):,} are left for history."
