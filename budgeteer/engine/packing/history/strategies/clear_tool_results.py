"""clearToolResults: old tool results make room once a request is larger than `clearing.trigger`; the newest stay whole.

As Anthropic's clear_tool_uses_20250919 and LangChain's ClearToolUsesEdit do. What is still over the room is left out
group by group, the oldest first, as under newestFirst.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from budgeteer.engine.content.conversation import Message
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.counting.sized import Sized
from budgeteer.engine.packing.history.history_texts import Writing
from budgeteer.engine.packing.history.strategies.newest_first import newest_within
from budgeteer.engine.packing.history.summary import CountingFailed
from budgeteer.engine.packing.history.tool_texts import ResultShape, ToolTexts, with_result, without_arguments
from budgeteer.engine.packing.history.view import (
    HistoryFit,
    HistoryRule,
    HistoryView,
    Mask,
    ShortenedMessages,
    frames_around,
)
from budgeteer.engine.providers.capabilities import Loss


def clear_tool_results(view: HistoryView, *, writing: Writing) -> HistoryFit:
    """The history with old results cleared where the request is over the trigger, then the newest groups that fit."""
    try:
        shortened = _cleared(view, writing.tools)
    except CountingFailed:
        shortened = None
    after = view if shortened is None else shortened.applied(view)
    fit = newest_within(after, after.room_tokens + after.charged_tokens)
    if shortened is None:
        return fit
    rule = fit.rule.copy()
    rule[shortened.rows[fit.kept[shortened.rows]]] = HistoryRule.CLEARED
    return replace(fit, rule=rule, shortened=shortened)


def result_ranks(tools: ToolTexts, alive: Mask) -> Ints:
    """The place of each answered call's result counted from the newest, which is 1; 0 for one that cannot be sent."""
    sent = alive[tools.results.result_row]
    ranks: Ints = np.where(sent, int(sent.sum()) - np.cumsum(sent) + 1, 0)
    return ranks


def _cleared(view: HistoryView, tools: ToolTexts) -> ShortenedMessages | None:
    """The messages that are shortened; None where nothing is."""
    config = view.config.clearing
    total = view.rest_tokens + view.size_tokens(view.alive)
    if not len(view) or not config.trigger < total:  # type: ignore[operator]  # percents are numbers by now
        return None
    rows = np.flatnonzero(_chosen(view, tools))
    if not len(rows):
        return None
    if config.stop == "atLeast" and config.clear_at_least:
        rows = rows[: _enough(view, tools, rows)]
    shortened = _shortened(view, tools, rows)
    enough = config.stop == "atLeast" or config.clear_at_least <= _saved(view, shortened)
    return shortened if len(shortened.rows) and enough else None


def _saved(view: HistoryView, shortened: ShortenedMessages) -> int:
    """The tokens that shortening saves."""
    return view.size_tokens(view.alive) - int(shortened.applied(view).tokens[view.alive].sum())


def _enough(view: HistoryView, tools: ToolTexts, rows: Ints) -> int:
    """How many of these calls, the oldest first, save `clearAtLeast` tokens; all of them where none do."""
    low, high = 1, len(rows)
    while low < high:
        middle = (low + high) // 2
        if view.config.clearing.clear_at_least <= _saved(view, _shortened(view, tools, rows[:middle])):
            high = middle
        else:
            low = middle + 1
    return low


def _chosen(view: HistoryView, tools: ToolTexts) -> Mask:
    """Which answered calls are to be cleared: older than those that stay, or of a tool that is always cleared."""
    config, results = view.config.clearing, tools.results
    excluded, always = _named(tools, config.exclude_tools), _named(tools, config.always_clear_tools)
    ranks = result_ranks(tools, view.alive)
    old = ~(ranks <= config.keep)
    free = view.alive[results.result_row] & ~view.pinned[results.result_row]
    chosen: Mask = free & ~excluded & (old | always)
    return chosen


def _named(tools: ToolTexts, names: list[str]) -> Mask:
    asked = {name.casefold() for name in names}
    mine = np.array([name.casefold() in asked for name in tools.results.tools], np.bool_)
    found: Mask = mine[tools.results.tool]
    return found


def _shortened(view: HistoryView, tools: ToolTexts, chosen: Ints) -> ShortenedMessages:
    """The messages of these calls, as far as clearing makes them smaller."""
    shape, results, counter = ResultShape.of(view.config.clearing), tools.results, tools.counter
    came = Sized(view.tokens - view.frames, view.chars if view.tag_chars is None else view.chars - view.tag_chars)
    result_rows = results.result_row[chosen]
    cleared = tools.results_as(shape, chosen)
    smaller = cleared.tokens < came.tokens[result_rows]
    rows, cleared = result_rows[smaller], Sized(cleared.tokens[smaller], cleared.chars[smaller])
    tokens, chars, changed = came.tokens.copy(), came.chars.copy(), np.zeros(len(view), np.bool_)
    tokens[rows], chars[rows], changed[rows] = cleared.tokens, cleared.chars, True
    emptied: dict[int, list[int]] = {}
    if view.config.clearing.clear_tool_inputs:
        whole = view.alive & ((tools.losses & int(Loss.UNNAMED_CALL | Loss.UNANSWERED_CALL)) == 0)
        calls = chosen[whole[results.call_row[chosen]]]
        saved = tools.arguments_saved(calls)
        worth = (saved.tokens if counter.per_message_overhead else saved.chars) > 0
        calls, at = calls[worth], results.call_row[calls[worth]]
        less_tokens, less_chars = np.zeros(len(view), np.int64), np.zeros(len(view), np.int64)
        np.add.at(less_tokens, at, saved.tokens[worth])
        np.add.at(less_chars, at, saved.chars[worth])
        after = Sized(tokens, chars).changed(-less_tokens, -less_chars, counter=counter)
        lighter = after.tokens < tokens
        tokens, chars, changed = (
            np.where(lighter, after.tokens, tokens),
            np.where(lighter, after.chars, chars),
            changed | lighter,
        )
        for call, row in zip(calls.tolist(), at.tolist(), strict=True):
            emptied.setdefault(row, []).append(int(results.position[call]))

    def write(row: int, message: Message) -> Message:
        places = emptied.get(row)
        return with_result(message, shape) if places is None else without_arguments(message, places)

    mine = np.flatnonzero(changed)
    frames = frames_around(view, mine, chars[mine], by_chars=not counter.per_message_overhead)
    return ShortenedMessages(mine, tokens[mine], chars[mine], frames, write)
