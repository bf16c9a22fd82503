"""Binding limits: which limits caused items to be dropped, the most tokens first."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

import numpy as np

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
    by_section: dict[str, Callable[[int], Bound]] = {
        "skills": _skill_bound(chosen),
        "tools": _tool_bound(chosen),
        "features": _feature_bound(chosen),
        "retrieval": _chunk_bound(chosen),
    }
    for part in ledger.parts:
        if part.section == "history" and part.messages is not None:
            for bound, (tokens, count) in _messages_lost(part, chosen, view).items():
                _add(lost, bound, tokens, count)
            continue
        bound_of = by_section.get(part.section, _provider_bound)
        for row in np.flatnonzero(part.fate == DROPPED).tolist():
            _add(lost, bound_of(row), int(part.before_tokens[row]), 1)
    return tuple(sorted(lost, key=lambda bound: lost[bound], reverse=True))


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
    for code in np.flatnonzero(np.bincount(fit.rule[gone])).tolist():  # the codes are few: faster than np.unique
        mine = gone & (fit.rule == code)
        bound = _message_bound(HistoryRule(code), fit, view, mine)
        _add(found, bound or _room(chosen), int(view.tokens[mine].sum()), int(mine.sum()))
    return found or {Bound.PROVIDER: (0, int((part.fate == DROPPED).sum()))}


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
            return Bound.INPUT_BUDGET
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


def _provider_bound(_row: int) -> Bound:
    return Bound.PROVIDER


def _skill_bound(chosen: Selection) -> Callable[[int], Bound]:
    fit = chosen.skills
    tightest = min(fit.token_limits, key=lambda limit: limit[1], default=("", 0))[0]

    def bound(row: int) -> Bound:
        cause = SkillCause(int(fit.cause[fit.sequence[row]]))
        if cause is SkillCause.NO_ROOM_TOKENS and tightest == SYSTEM_SHARE:
            return Bound.SHARES
        return Bound.POLICY if cause is SkillCause.POLICY_OFF else Bound.SKILLS

    return bound


def _tool_bound(chosen: Selection) -> Callable[[int], Bound]:
    fit = chosen.tools

    def bound(row: int) -> Bound:
        tool = fit.sequence[row]
        if fit.refused[tool]:
            return Bound.PROVIDER
        if fit.left_out[tool]:
            return Bound.LEFT_OUT_TOOLS
        is_over = fit.limit_tokens is not None and int(fit.needed_tokens[tool]) > fit.limit_tokens
        return Bound.SHARES if is_over else Bound.TOOLS

    return bound


def _feature_bound(chosen: Selection) -> Callable[[int], Bound]:
    fit = chosen.features

    def bound(row: int) -> Bound:
        cause = FeatureCause(int(fit.cause[fit.sequence[row]]))
        return Bound.SHARES if cause is FeatureCause.NO_ROOM else Bound.FEATURES

    return bound


def _chunk_bound(chosen: Selection) -> Callable[[int], Bound]:
    fit = chosen.retrieval

    def bound(row: int) -> Bound:
        cause = ChunkCause(int(fit.cause[fit.sequence[row]]))
        if cause is ChunkCause.TOO_MANY:
            return Bound.RETRIEVAL
        match fit.room.rule:
            case "shares.context":
                return Bound.SHARES
            case "room":
                return Bound.INPUT_BUDGET
            case other:
                assert_never(other)

    return bound
