"""The history strategies: one row each, read by packing, the form, the tests and the documentation.

A strategy is a function from a HistoryView to a HistoryFit; its settings are the paths of the configuration that only
it (or it among few) reads. The names are those that `history.strategy` of the schema allows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, get_args

from budgeteer.engine.config.schema import BudgetConfig, HistoryStrategy
from budgeteer.engine.packing.history.full import keep_full
from budgeteer.engine.packing.history.history_texts import Writing
from budgeteer.engine.packing.history.newest_first import newest_first
from budgeteer.engine.packing.history.recent_exchange import recent_exchange
from budgeteer.engine.packing.history.summarize_older import summarize_older
from budgeteer.engine.packing.history.view import HistoryFit, HistoryView


@dataclass(frozen=True, slots=True)
class StrategyRow:
    """One history strategy.

    Attributes:
        name: as `history.strategy` names it.
        fit: what stays of a history; takes the view, how texts and summaries are written, and whether to retry.
        settings: the paths that it reads beside those that every strategy reads.
    """

    name: HistoryStrategy
    fit: Callable[[HistoryView, Writing, bool], HistoryFit]
    settings: tuple[str, ...] = ()


STRATEGIES: Final[Mapping[HistoryStrategy, StrategyRow]] = MappingProxyType(
    {
        row.name: row
        for row in (
            StrategyRow("full", lambda view, _writing, retry: keep_full(view, retry=retry)),
            StrategyRow("newestFirst", lambda view, _writing, _retry: newest_first(view), ("history.maxTokens",)),
            StrategyRow(
                "summarizeOlder",
                lambda view, writing, retry: summarize_older(view, writing=writing, retry=retry),
                (
                    "history.maxChars",
                    "history.keepUserTurns",
                    "history.summaryMaxChars",
                    "history.topicChars",
                    "history.fallbackMessages",
                    "history.uncountedFallbackMessages",
                ),
            ),
            StrategyRow(
                "recentExchange",
                lambda view, writing, retry: recent_exchange(view, writing=writing, retry=retry),
                (
                    "history.summaryMaxChars",
                    "history.topicChars",
                    "history.maxHistoryMessages",
                    "history.topicAnchor",
                    "history.namePrevious",
                ),
            ),
        )
    }
)

if missing := set(get_args(HistoryStrategy.__value__)) ^ set(STRATEGIES):
    raise RuntimeError(f"the schema and the registry of history strategies differ: {sorted(missing)}")


def fit_history(view: HistoryView, config: BudgetConfig, *, writing: Writing) -> HistoryFit:
    """Return what stays of history, by the configuration's strategy and with its retry ladder."""
    return STRATEGIES[config.history.strategy].fit(view, writing, config.retry.enabled)


def strategies_reading(path: str) -> tuple[HistoryStrategy, ...]:
    """Return the strategies that read a setting; () for one that no strategy has for itself."""
    return tuple(row.name for row in STRATEGIES.values() if path in row.settings)
