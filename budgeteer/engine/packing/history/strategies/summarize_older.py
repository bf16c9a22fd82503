"""summarizeOlder: the last user turns are kept verbatim, everything older becomes one summary (seed: change 3).

It begins where history passes `maxChars`, or the whole request `summarizing.trigger`, and where it does not fit the
room. The turns are not limited by that, as in the seed, but by the room and by `summarizing.target`. What is over them
is cut from the oldest on: whole turns first, then groups within a turn, whose prompt stays. What goes is in the
summary, which stands before the newest messages. A summary that fails leaves the last few messages without one, a
summary that cannot be counted some more (seed: 4 and 10), both widened to whole groups.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from budgeteer.engine.content.written_messages import SUMMARY_LINE, is_summary
from budgeteer.engine.packing.fixes import Demand, Limit, raised, spare
from budgeteer.engine.packing.history.history_texts import Writing
from budgeteer.engine.packing.history.reach import newest_groups
from budgeteer.engine.packing.history.retry_ladder import run_retry_ladder
from budgeteer.engine.packing.history.summary import CountingFailed, SummaryFailed
from budgeteer.engine.packing.history.summary_fit import SummarySize, most_that_fits, written_summary
from budgeteer.engine.packing.history.view import HistoryFit, HistoryRule, HistoryView, Mask, Over

#: The least characters of a summary: its line, a heading and a bullet, as the extractive summariser asks for.
_LEAST_SUMMARY_CHARS: Final = len(SUMMARY_LINE) + 62


def summarize_older(view: HistoryView, *, writing: Writing, retry: bool) -> HistoryFit:
    """History as it is up to the trigger and the room; over them the newest of it, and a summary of the rest."""
    tokens = view.size_tokens(view.alive)
    if not is_triggered(view) and tokens <= view.room_tokens:
        return _everything(view)
    turns = kept_verbatim(view) | view.always
    limit = _limit_tokens(view)
    if view.size_tokens(turns) > limit and not retry and view.config.summarizing.target is None:
        return _over(view, turns, limit)
    fit = _summarized(view, limit, turns, writing)
    if fit is not None:
        return fit
    least = view.always | view.task
    if not retry:
        return _over(view, least, limit)
    fit = run_retry_ladder(view, turns, name="the turns kept verbatim", allowed=lambda _, room_tokens: room_tokens)
    if fit.over is not None or fit.reduced_chunks is None:
        return fit
    wider = replace(view, room_tokens=fit.reduced_chunks.room_tokens)
    again = _summarized(wider, _limit_tokens(wider), turns, writing)
    return fit if again is None else replace(again, rungs=fit.rungs, reduced_chunks=fit.reduced_chunks)


def kept_verbatim(view: HistoryView) -> Mask:
    """What stays word for word while it fits: the newest messages where their number is set, else the last turns."""
    count = view.config.summarizing.keep_messages
    return view.last_turns(turns_kept(view)) if count is None else view.last_messages(count)


def turns_kept(view: HistoryView) -> int:
    """How many turns stay word for word: a number of them, or those of the last percent of the characters.

    Of a percent they begin with the first typed message before which all but that percent stands, else with the last.
    """
    percent = view.config.summarizing.keep_percent
    if percent is None:
        return view.config.keep_user_turns
    chars = np.where(view.alive & ~view.system, view.chars, 0)
    before = np.cumsum(chars) - chars
    late = before[view.asked] * 100 >= (100 - percent) * int(chars.sum())
    return max(int(late.sum()), 1)


def is_triggered(view: HistoryView) -> bool:
    """Whether history is over the strategy's own limit: tokens of the request where it has one, else characters."""
    trigger = view.config.summarizing.trigger
    if trigger is None:
        return int(view.chars[view.alive].sum()) > view.config.max_chars
    return bool(trigger < request_tokens(view))  # type: ignore[operator]  # percents are numbers by now


def request_tokens(view: HistoryView) -> int:
    """The whole request, with all of history."""
    return view.rest_tokens + view.size_tokens(view.alive)


def summary_limit(view: HistoryView) -> Limit:
    """The trigger, with all of history against it: the characters, or the tokens of the request."""
    chars, tokens, config = int(view.chars.sum()), int(view.tokens.sum()), view.config
    held = f"the messages take {tokens:,} tokens and {max(view.room_tokens, 0):,} are left for history"
    held = held if tokens > view.room_tokens else ""
    if config.summarizing.trigger is not None:
        allowed, used = int(config.summarizing.trigger), view.rest_tokens + tokens
        demand = Demand("history.summarizing.trigger", used, allowed)
        fix = raised(demand, held_by=held) if demand.is_passed else spare(used, allowed)
        return Limit("history.summarizing.trigger", used, allowed, "tokens of the request", fix)
    demand = Demand("history.maxChars", chars, config.max_chars)
    fix = raised(demand, held_by=held) if demand.is_passed else spare(chars, config.max_chars)
    return Limit("history.maxChars", chars, config.max_chars, "characters of history", fix)


def least_fits(view: HistoryView) -> bool:
    """Whether what this strategy never leaves out fits the room."""
    return view.size_tokens(view.always | view.task) <= view.room_tokens


def _limit_tokens(view: HistoryView) -> int:
    """What history may take once it is summarised: the room, and no more than the target leaves it.

    A target below what always stays with the shortest summary is that.
    """
    target = view.config.summarizing.target
    if target is None:
        return view.room_tokens
    least = view.size_tokens(view.always | view.task | view.opener) + _LEAST_SUMMARY_CHARS
    return min(view.room_tokens, max(target - view.rest_tokens, least))  # type: ignore[operator]  # as above


def _everything(view: HistoryView) -> HistoryFit:
    rule = np.where(view.alive, int(HistoryRule.KEPT), int(HistoryRule.VALIDITY)).astype(np.int64)
    return HistoryFit(view.alive, rule, view.room_tokens, np.zeros(len(view), np.int64))


def _summarized(view: HistoryView, limit: int, turns: Mask, writing: Writing) -> HistoryFit | None:
    """The newest of history within a limit and a summary of the rest; None where not even the task fits."""
    size = SummarySize.of(view, writing)
    kept = _kept_within(view, limit, turns, size)
    if kept is None:
        return None
    gone = np.flatnonzero(view.alive & ~kept)
    # An earlier summary stands for what it says already.
    is_said = not len(gone) or (len(gone) == 1 and is_summary(writing.messages[int(gone[0])]))
    if is_said and view.size_tokens(view.alive) <= limit:
        return _everything(view)
    try:
        return _with_summary(view, limit, kept, size, writing)
    except SummaryFailed:
        last, rule = view.config.fallback_messages, HistoryRule.NO_SUMMARY
    except CountingFailed:
        last, rule = view.config.uncounted_fallback_messages, HistoryRule.NOT_COUNTED
    return _without_summary(view, limit, kept, last=last, rule=rule)


def _kept_within(view: HistoryView, limit: int, turns: Mask, size: SummarySize) -> Mask | None:
    """What stays beside the summary: as many whole turns as fit, and of the next one its prompt and newest groups."""
    stays = view.always | view.task
    if view.size_tokens(stays) > limit:
        return None
    opened = stays | view.opener
    stays = opened if view.size_tokens(opened) <= limit else stays
    config = view.config
    least = size.tokens_of(min(config.summary_max_chars, _LEAST_SUMMARY_CHARS))
    stays = _with_user_messages(view, limit - least, stays, turns)
    every = turns | stays
    beside = least if (view.alive & ~every).any() else 0
    if view.size_tokens(every) + beside <= limit:
        return every
    reserve = size.tokens_of(config.summary_max_chars)
    if config.summarizing.keep_messages is not None:
        most = min(config.summarizing.keep_messages, int((view.alive & ~view.system).sum()))
        fitting = most_that_fits(
            most, lambda count: view.size_tokens(stays | view.last_messages(count)) + reserve <= limit
        )
        return stays | view.last_messages(fitting) if fitting else stays
    users = np.flatnonzero(view.asked)
    most = min(turns_kept(view), max(len(users), 1))

    def whole(count: int) -> Mask:
        return stays | view.last_turns(count) if count else stays

    fitting = most_that_fits(most, lambda count: view.size_tokens(whole(count)) + reserve <= limit)
    kept = whole(fitting)
    if fitting == most:
        return kept
    prompt = np.zeros(len(view), np.bool_)
    if len(users):
        prompt[users[-(fitting + 1)]] = True
    opened = kept | view.widened(prompt)
    free = view.last_turns(fitting + 1) & ~opened
    base = view.size_tokens(opened)
    groups = newest_groups(view, free, base=base, limit=limit - reserve)
    if not groups.any() and not fitting:
        # The newest step matters more than the length of the summary.
        newest = view.alive & (view.group == view.group[int(np.flatnonzero(free)[-1])]) if free.any() else free
        groups = newest if base + view.size_tokens(newest) <= limit else groups
    if groups.any():
        return opened | groups
    return opened if not fitting and base <= limit else kept


def _with_user_messages(view: HistoryView, limit: int, stays: Mask, turns: Mask) -> Mask:
    """`stays` with the newest typed messages before the turns that `summarizing.userMessageTokens` hold."""
    most = view.config.summarizing.user_message_tokens
    older = view.asked & ~turns & ~stays
    if not older.any() or most == 0:
        return stays
    base = view.size_tokens(stays)
    kept = newest_groups(view, older, base=0, limit=most)  # type: ignore[arg-type]  # a number by now
    kept &= newest_groups(view, older, base=base, limit=limit)
    return stays | view.widened(kept)


def _with_summary(view: HistoryView, limit: int, kept: Mask, size: SummarySize, writing: Writing) -> HistoryFit:
    taken = view.size_tokens(kept)
    max_chars = min(_summary_chars(view, kept), size.chars_in(limit - taken))
    summary, tokens = written_summary(view, kept, writing, max_chars=max_chars, room_tokens=limit - taken)
    rule = np.where(view.alive, int(HistoryRule.SUMMARIZE_OLDER), int(HistoryRule.VALIDITY)).astype(np.int64)
    rule[kept] = HistoryRule.KEPT
    return HistoryFit(kept, rule, limit, np.zeros(len(view), np.int64), summary=summary, summary_tokens=tokens)


def _summary_chars(view: HistoryView, kept: Mask) -> int:
    """The most characters of a summary: within `maxChars` beside what is kept, where that leaves room for one."""
    most, left = view.config.summary_max_chars, view.config.max_chars - int(view.chars[kept].sum())
    within = view.config.summarizing.trigger is None and left >= _LEAST_SUMMARY_CHARS
    return min(most, left) if within else most


def _without_summary(view: HistoryView, limit: int, kept: Mask, *, last: int, rule: HistoryRule) -> HistoryFit:
    """The last few messages, in whole groups, with what always stays; `kept` where that is too much.

    The task stays with them, or the message that history has to begin with, and the typed messages that
    `summarizing.userMessageTokens` keeps: they are no part of what a summary would have said.
    """
    alive = np.flatnonzero(view.alive)
    count = min(last, len(alive))
    start = int(alive[-count]) if count else len(view)
    few = view.widened(np.arange(len(view)) >= start) | view.always | view.task | view.opener
    if view.config.summarizing.user_message_tokens != 0:
        few |= view.widened(kept & view.asked)
    stays = few if view.size_tokens(few) <= limit else kept
    rules = np.where(view.alive, int(rule), int(HistoryRule.VALIDITY)).astype(np.int64)
    rules[stays] = HistoryRule.KEPT
    return HistoryFit(stays, rules, limit, np.zeros(len(view), np.int64))


def _over(view: HistoryView, kept: Mask, limit: int) -> HistoryFit:
    """The stated error: what must stay is more than there is room for."""
    rule = np.where(view.alive, int(HistoryRule.NO_SUMMARY), int(HistoryRule.VALIDITY)).astype(np.int64)
    rule[kept] = HistoryRule.KEPT
    tokens = view.size_tokens(kept)
    sentence = f"What must stay verbatim takes {tokens:,} tokens; {max(limit, 0):,} are left for history."
    return HistoryFit(kept, rule, limit, np.zeros(len(view), np.int64), over=Over(tokens, limit, sentence))
