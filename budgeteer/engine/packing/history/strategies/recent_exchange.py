"""recentExchange: the last exchange is always kept, and earlier messages while they fit (seed: Gemma plan, step 3).

Older groups are taken from the newest on, as long as they are at most `maxHistoryMessages` messages and within the
room. What room is left then goes to the opening of the oldest message (the topic anchor) and to the line that names
what went. A line of an earlier packing counts as no message: it stays, or what it names moves into the new one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from budgeteer.engine.config.schema import MOST_HISTORY_MESSAGES
from budgeteer.engine.content.conversation import TextPart
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.packing.fixes import Demand, Limit, newest_first, raised, spare
from budgeteer.engine.packing.history.earlier_line import (
    Named,
    longest_line,
    opening_of,
    read_line,
    topics_of,
)
from budgeteer.engine.packing.history.history_texts import Writing
from budgeteer.engine.packing.history.retry_ladder import run_retry_ladder
from budgeteer.engine.packing.history.summary import CountingFailed, Summary
from budgeteer.engine.packing.history.view import (
    USER,
    HistoryFit,
    HistoryRule,
    HistoryView,
    Mask,
    Over,
    ShortenedMessages,
    frames_around,
    last_rows,
)


def recent_exchange(view: HistoryView, *, writing: Writing, retry: bool) -> HistoryFit:
    """The last exchange, the messages before it that fit, and what names the rest."""
    exchange = view.last_exchange() | view.always
    earlier = _earlier_line(view, exchange, writing)
    older = view.alive & ~exchange
    if earlier is not None:
        older[earlier.row] = False
    messages, tokens = _reach(view, older, base_tokens=view.size_tokens(exchange))
    within = (messages <= view.config.max_history_messages) & (tokens <= view.room_tokens)
    kept = exchange | (older & within)
    rule = np.where(view.alive, int(HistoryRule.RECENT_EXCHANGE), int(HistoryRule.VALIDITY)).astype(np.int64)
    rule[kept] = HistoryRule.KEPT
    fit = HistoryFit(kept, rule, view.room_tokens, tokens, needed_messages=messages)
    if view.size_tokens(exchange) > view.room_tokens:
        return _over(view, fit, retry=retry)
    try:
        return _with_line(view, _with_anchor(view, fit, older, writing), older, earlier, writing)
    except CountingFailed:
        return fit


def recent_limit(view: HistoryView) -> Limit:
    """`maxHistoryMessages`, with the messages before the last exchange against it."""
    older = int((view.alive & ~view.always & ~view.last_exchange()).sum())
    demand = Demand("history.maxHistoryMessages", older, view.config.max_history_messages)
    fix = raised(demand) if demand.is_passed else spare(older, demand.allowed)
    if older > MOST_HISTORY_MESSAGES:
        fix = newest_first("it keeps as many older messages as fit")
    return Limit("history.maxHistoryMessages", older, demand.allowed, "older messages", fix)


@dataclass(frozen=True, slots=True)
class _EarlierLine:
    """The line of an earlier packing, and its row."""

    row: int
    named: Named


def _earlier_line(view: HistoryView, exchange: Mask, writing: Writing) -> _EarlierLine | None:
    """The line of an earlier packing; it stands before all other messages, and is a user's."""
    first = np.flatnonzero(view.alive & ~view.system)[:1]
    if not view.config.name_previous or not len(first):
        return None
    row = int(first[0])
    if exchange[row] or view.role[row] != USER or view.chars[row] > view.config.summary_max_chars:
        return None
    named = read_line(writing.messages[row])
    return None if named is None else _EarlierLine(row, named)


def _reach(view: HistoryView, older: Mask, *, base_tokens: int) -> tuple[Ints, Ints]:
    """How many older messages, and how many tokens, it takes to reach each of them; 0 for all others.

    From the newest group on, each whole; a group stands where its last message stands. The tokens are those of all
    history that stays then.
    """
    messages, tokens = np.zeros(len(view), np.int64), np.zeros(len(view), np.int64)
    rows = np.flatnonzero(older)
    groups, place = np.unique(view.group[rows], return_inverse=True)
    newest = np.argsort(-last_rows(view.group, rows)[groups])
    for column, sizes, base in ((messages, np.ones(len(rows)), 0), (tokens, view.tokens[rows], base_tokens)):
        running = np.bincount(place, weights=sizes, minlength=len(groups)).astype(np.int64)
        running[newest] = base + np.cumsum(running[newest])
        column[rows] = running[place]
    return messages, tokens


def _with_anchor(view: HistoryView, fit: HistoryFit, older: Mask, writing: Writing) -> HistoryFit:
    """The fit with the opening of the oldest message, where that goes, stands alone and leaves room for it."""
    oldest = np.flatnonzero(older)[:1]
    if not view.config.topic_anchor or not len(oldest) or fit.kept[oldest[0]]:
        return fit
    row = int(oldest[0])
    message = writing.messages[row]
    opening = opening_of(message, writing.topic_chars)
    if not opening or int((view.group == view.group[row]).sum()) > 1:
        return fit
    rows, chars = np.array([row]), np.array([len(opening)])
    frames = frames_around(view, rows, chars, by_chars=not writing.tools.counter.per_message_overhead)
    tokens = writing.text_tokens(opening)
    if int(frames[0]) + tokens > _room_left(view, fit):
        return fit
    fit = fit.decided(row, kept=True, rule=HistoryRule.TOPIC_ANCHOR)
    parts = (TextPart(opening),)
    if message.parts == parts:
        return fit
    anchor = ShortenedMessages(rows, np.array([tokens]), chars, frames, lambda _, whole: replace(whole, parts=parts))
    return replace(fit, shortened=anchor)


def _with_line(
    view: HistoryView, fit: HistoryFit, older: Mask, earlier: _EarlierLine | None, writing: Writing
) -> HistoryFit:
    """The fit with a line that names what went; an earlier line stays where the new one says the same."""
    if not view.config.name_previous:
        return fit
    gone = older & ~fit.kept
    room_tokens, most_chars = _room_left(view, fit), view.config.summary_max_chars

    def fits(line: str) -> bool:
        return len(line) <= most_chars and writing.message_tokens(line) <= room_tokens

    asked = np.flatnonzero(gone & view.asked)[::-1]
    new = topics_of(
        (writing.messages[int(row)] for row in asked), topic_chars=writing.topic_chars, most_chars=most_chars
    )
    line = longest_line(earlier.named.before(new) if earlier else new, fits=fits)
    if earlier is not None and line:
        same = line == earlier.named.line
        fit = fit.decided(earlier.row, kept=same, rule=HistoryRule.KEPT if same else HistoryRule.LINE_RENEWED)
        line = "" if same else line
    if not line:
        return fit
    summary = Summary(line, tuple(int(row) for row in np.flatnonzero(gone)), kind="previous")
    return replace(fit, summary=summary, summary_tokens=writing.message_tokens(line))


def _room_left(view: HistoryView, fit: HistoryFit) -> int:
    return view.room_tokens - fit.as_sent(view).size_tokens(fit.kept)


def _over(view: HistoryView, fit: HistoryFit, *, retry: bool) -> HistoryFit:
    """The ladder, or the stated error: the last exchange alone, with what always stays, is more than the room."""
    if retry:
        return run_retry_ladder(view, fit.kept, name="the last exchange", allowed=lambda _, room_tokens: room_tokens)
    taken, limit = view.size_tokens(fit.kept), view.room_tokens
    sentence = f"The last exchange takes {taken:,} tokens; {max(limit, 0):,} are left for history."
    return replace(fit, over=Over(taken, limit, sentence))
