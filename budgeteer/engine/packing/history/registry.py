"""History in the room that is left, by the strategy a configuration names."""

from __future__ import annotations

from budgeteer.engine.config.schema import BudgetConfig
from budgeteer.engine.packing.history.full import keep_full
from budgeteer.engine.packing.history.history_texts import Writing
from budgeteer.engine.packing.history.newest_first import newest_first
from budgeteer.engine.packing.history.recent_exchange import recent_exchange
from budgeteer.engine.packing.history.summarize_older import summarize_older
from budgeteer.engine.packing.history.view import HistoryFit, HistoryView


def fit_history(view: HistoryView, config: BudgetConfig, *, writing: Writing) -> HistoryFit:
    """What stays of history, by the configuration's strategy and with its retry ladder."""
    retry = config.retry.enabled
    match config.history.strategy:
        case "newestFirst":
            return newest_first(view)
        case "summarizeOlder":
            return summarize_older(view, writing=writing, retry=retry)
        case "recentExchange":
            return recent_exchange(view, writing=writing, retry=retry)
        case _:
            return keep_full(view, retry=retry)
