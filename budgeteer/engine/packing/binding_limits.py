"""Binding limits: which limits caused items to be dropped, the most tokens first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

import numpy as np

from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.packing.allocation import SYSTEM_SHARE
from budgeteer.engine.packing.history.registry import reads_max_tokens
from budgeteer.engine.packing.history.strategies.summarize_older import is_triggered
from budgeteer.engine.packing.history.view import HistoryFit, HistoryRule, HistoryView, Mask
from budgeteer.engine.packing.ledger import DROPPED, Ledger, LedgerRows
from budgeteer.engine.packing.result import Selection
from budgeteer.engine.packing.sections.features import FeatureCause
from budgeteer.engine.packing.sections.retrieval import ChunkCause
from budgeteer.engine.packing.sections.skills import SkillCause
from budgeteer.engine.packing.verdict_text import Bound


def limits_that_bind(ledger: Ledger, chosen: Selection, view: HistoryView) -> tuple[Bound, ...]:
    """Every limit that left an item out, the one that took the most tokens first."""
    lost: dict[Bound, tuple[int, int]] = {}
    by_section: dict[str, Callable[[Selection], _Causes]] = {
        "skills": _skill_causes,
        "tools": _tool_causes,
        "features": _feature_causes,
        "retrieval": _chunk_causes,
    }
    for part in ledger.parts:
        if part.section == "history" and part.messages is not None:
            for bound, (tokens, count) in _messages_lost(part, chosen, view).items():
                _add(lost, bound, tokens, count)
            continue
        rows = np.flatnonzero(part.fate == DROPPED)
        if not len(rows):
            continue
        read = by_section.get(part.section)
        causes = _Causes(np.zeros(len(part), np.int64), lambda _: Bound.PROVIDER) if read is None else read(chosen)
        codes = causes.codes[rows]
        for code in dict.fromkeys(codes.tolist()):
            mine = rows[codes == code]
            _add(lost, causes.bound(code), int(part.before_tokens[mine].sum()), len(mine))
    return tuple(sorted(lost, key=lambda bound: lost[bound], reverse=True))


@dataclass(frozen=True, slots=True)
class _Causes:
    """What decided each row of a section, as a code, and the limit that a code stands for."""

    codes: Ints
    bound: Callable[[int], Bound]


def _add(lost: dict[Bound, tuple[int, int]], bound: Bound, tokens: int, count: int) -> None:
    before = lost.get(bound, (0, 0))
    lost[bound] = (before[0] + tokens, before[1] + count)


def _messages_lost(part: LedgerRows, chosen: Selection, view: HistoryView) -> dict[Bound, tuple[int, int]]:
    """By limit, the tokens and the number of the messages it dropped."""
    fit = chosen.history
    if not (part.fate == DROPPED).any():
        return {}
    gone = ~fit.kept
    found: dict[Bound, tuple[int, int]] = {}
    for code in _codes_among(fit.rule, gone):
        mine = gone & (fit.rule == code)
        bound = _message_bound(HistoryRule(code), fit, view, mine)
        _add(found, bound or _room(chosen), view.size_tokens(mine), int(np.count_nonzero(mine)))
    return found or {Bound.PROVIDER: (0, int((part.fate == DROPPED).sum()))}


def _codes_among(rule: Ints, gone: Mask) -> list[int]:
    """The rules of these messages, ascending; they are few, so that taking one after the other is fastest."""
    found = []
    while gone.any():
        found.append(int(rule[int(gone.argmax())]))
        gone = gone & (rule != found[-1])
    return sorted(found)


def _message_bound(rule: HistoryRule, fit: HistoryFit, view: HistoryView, mine: Mask) -> Bound | None:
    """What left these messages out; None for the room that is left for history."""
    match rule:
        case HistoryRule.VALIDITY:
            return Bound.PROVIDER
        case HistoryRule.FIRST_IS_USER:
            return Bound.PROVIDER
        case HistoryRule.START_ON | HistoryRule.END_ON:
            is_own = True
        case (
            HistoryRule.RETRY_OLDEST_HALF
            | HistoryRule.RETRY_LAST_EXCHANGE
            | HistoryRule.RETRY_WITHIN_EXCHANGE
            | HistoryRule.RETRY_TASK
        ):
            return Bound.RETRY
        case (
            HistoryRule.NEWEST_FIRST
            | HistoryRule.KEEP_ENDS
            | HistoryRule.ENDS_SUMMARISED
            | HistoryRule.OLDEST_FIRST
            | HistoryRule.BY_PRIORITY
        ):
            counts = fit.needed_counts
            if counts is not None and (mine & ~counts.within(view.config)).any():
                return Bound.HISTORY
            is_own = reads_max_tokens(view.config.strategy) and fit.limit_tokens == view.max_tokens
        case HistoryRule.RECENT_EXCHANGE:
            is_own = bool((fit.needed_messages[mine] > view.config.max_history_messages).any())
        case HistoryRule.SUMMARIZE_OLDER | HistoryRule.NO_SUMMARY | HistoryRule.NOT_COUNTED:
            is_own = is_triggered(view)
        case HistoryRule.KEPT | HistoryRule.CLEARED | HistoryRule.TOPIC_ANCHOR | HistoryRule.LINE_RENEWED:
            is_own = True
        case other:
            assert_never(other)
    return Bound.HISTORY if is_own else None


def _room(chosen: Selection) -> Bound:
    return Bound.INPUT_BUDGET if chosen.shares is None else Bound.SHARES


def _skill_causes(chosen: Selection) -> _Causes:
    fit = chosen.skills
    tightest = min(fit.token_limits, key=lambda limit: limit[1], default=("", 0))[0]

    def bound(code: int) -> Bound:
        cause = SkillCause(code)
        if cause is SkillCause.NO_ROOM_TOKENS and tightest == SYSTEM_SHARE:
            return Bound.SHARES
        return Bound.POLICY if cause is SkillCause.POLICY_OFF else Bound.SKILLS

    return _Causes(fit.cause[list(fit.sequence)], bound)


def _tool_causes(chosen: Selection) -> _Causes:
    fit = chosen.tools
    bounds = (Bound.TOOLS, Bound.SHARES, Bound.LEFT_OUT_TOOLS, Bound.PROVIDER)
    codes = np.zeros(len(fit.sequence), np.int64)
    if fit.limit_tokens is not None:
        codes[fit.needed_tokens > fit.limit_tokens] = bounds.index(Bound.SHARES)
    codes[fit.left_out] = bounds.index(Bound.LEFT_OUT_TOOLS)
    codes[fit.refused] = bounds.index(Bound.PROVIDER)
    return _Causes(codes[list(fit.sequence)], bounds.__getitem__)


def _feature_causes(chosen: Selection) -> _Causes:
    fit = chosen.features

    def bound(code: int) -> Bound:
        return Bound.SHARES if FeatureCause(code) is FeatureCause.NO_ROOM else Bound.FEATURES

    return _Causes(fit.cause[list(fit.sequence)], bound)


def _chunk_causes(chosen: Selection) -> _Causes:
    fit = chosen.retrieval

    def bound(code: int) -> Bound:
        if ChunkCause(code) is ChunkCause.TOO_MANY:
            return Bound.RETRIEVAL
        match fit.room.rule:
            case "shares.context":
                return Bound.SHARES
            case "room":
                return Bound.INPUT_BUDGET
            case other:
                assert_never(other)

    return _Causes(fit.cause[list(fit.sequence)], bound)
