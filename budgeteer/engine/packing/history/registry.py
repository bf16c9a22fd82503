"""The history strategies: one row each, read by packing, the form, the sweeps, reports, tests and documentation.

A strategy is a function from a HistoryView to a HistoryFit; its settings are the paths of the configuration that only
it (or it among few) reads. The names are those that `history.strategy` of the schema allows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, assert_never, get_args

from budgeteer.engine.config.schema import BudgetConfig, HistoryStrategy
from budgeteer.engine.packing.fixes import Limit, LimitName
from budgeteer.engine.packing.history.history_texts import Writing
from budgeteer.engine.packing.history.notice import wants_notice, with_notice
from budgeteer.engine.packing.history.strategies.by_priority import by_priority
from budgeteer.engine.packing.history.strategies.clear_tool_results import clear_tool_results
from budgeteer.engine.packing.history.strategies.full import keep_full
from budgeteer.engine.packing.history.strategies.keep_ends import keep_ends
from budgeteer.engine.packing.history.strategies.newest_first import newest_first, newest_first_limit, room_limit
from budgeteer.engine.packing.history.strategies.oldest_first import oldest_first
from budgeteer.engine.packing.history.strategies.recent_exchange import recent_exchange, recent_limit
from budgeteer.engine.packing.history.strategies.summarize_older import summarize_older, summary_limit
from budgeteer.engine.packing.history.view import HistoryFit, HistoryView

type LimitUnit = Literal["tokens", "characters", "messages"]


@dataclass(frozen=True, slots=True)
class StrategyLimit:
    """The limit that a strategy has of its own, beside the room that is left for history.

    Attributes:
        name: the limit that bounds history. Where another takes its place, a trigger of the whole request, that one is
            watched and history has no limit of its own.
        unit: what it counts.
        watch: its value with the demand against it and the cheapest fix.
    """

    name: LimitName
    unit: LimitUnit
    watch: Callable[[HistoryView], Limit]

    def of_section(self, view: HistoryView) -> tuple[int | None, int | None]:
        """The limit in tokens and in characters, as the history section is shown with; None for what it is not in."""
        limit = self.watch(view)
        if limit.name != self.name:
            return None, None
        match self.unit:
            case "tokens":
                return limit.allowed, None
            case "characters":
                return None, limit.allowed
            case "messages":
                return None, None
            case other:
                assert_never(other)


@dataclass(frozen=True, slots=True)
class StrategyRow:
    """One history strategy. No field has a default, so that a new row decides about each.

    Attributes:
        name: as `history.strategy` names it.
        fit: what stays of a history; takes the view, how texts and summaries are written, and whether to retry.
        settings: the paths that it reads beside those that every strategy reads.
        swept: those of them whose sweep the dashboard offers.
        limit: its own limit, None where it has none but the room.
        cuts_exchange: whether its limit may cut the last exchange; the limit is then `maxTokens`.
        keeps_task_apart: whether the task and the opener stay by an exception to its order, as their reasons say.
        keeps_task: whether the task is always kept. One that keeps the beginning has no task to keep beside it, and no
            notice of earlier messages.
        writes_summary: whether a language model may write what stands in the place of messages.
        takes: what it takes away, in a clause for reports; "" where it takes nothing.
    """

    name: HistoryStrategy
    fit: Callable[[HistoryView, Writing, bool], HistoryFit]
    settings: tuple[str, ...]
    swept: tuple[str, ...]
    limit: StrategyLimit | None
    cuts_exchange: bool
    keeps_task_apart: bool
    keeps_task: bool
    writes_summary: bool
    takes: str


#: Limits in messages and turns, of the strategies that take groups in a row; with them, whether system texts count.
_COUNTS: Final = ("history.maxMessages", "history.maxTurns")
_COUNTED: Final = (*_COUNTS, "history.countSystem")

_ROWS: Final = (
    StrategyRow(
        "full",
        lambda view, _writing, retry: keep_full(view, retry=retry),
        settings=(),
        swept=(),
        limit=None,
        cuts_exchange=False,
        keeps_task_apart=False,
        keeps_task=True,
        writes_summary=False,
        takes="",
    ),
    StrategyRow(
        "newestFirst",
        lambda view, _writing, _retry: newest_first(view),
        settings=("history.maxTokens", *_COUNTED),
        swept=("history.maxTokens", *_COUNTS),
        limit=StrategyLimit("history.maxTokens", "tokens", newest_first_limit),
        cuts_exchange=True,
        keeps_task_apart=True,
        keeps_task=True,
        writes_summary=False,
        takes="the oldest messages, where not all fit",
    ),
    StrategyRow(
        "summarizeOlder",
        lambda view, writing, retry: summarize_older(view, writing=writing, retry=retry),
        settings=(
            "history.maxChars",
            "history.keepUserTurns",
            "history.summaryMaxChars",
            "history.topicChars",
            "history.fallbackMessages",
            "history.uncountedFallbackMessages",
            "history.summarizing.trigger",
            "history.summarizing.target",
            "history.summarizing.keepMessages",
            "history.summarizing.keepPercent",
            "history.summarizing.userMessageTokens",
            "history.summarizing.instructions",
        ),
        swept=(
            "history.maxChars",
            "history.keepUserTurns",
            "history.summarizing.trigger",
            "history.summarizing.target",
            "history.summarizing.keepMessages",
        ),
        limit=StrategyLimit("history.maxChars", "characters", summary_limit),
        cuts_exchange=False,
        keeps_task_apart=False,
        keeps_task=True,
        writes_summary=True,
        takes="older messages, replaced by a summary",
    ),
    StrategyRow(
        "recentExchange",
        lambda view, writing, retry: recent_exchange(view, writing=writing, retry=retry),
        settings=(
            "history.summaryMaxChars",
            "history.topicChars",
            "history.maxHistoryMessages",
            "history.topicAnchor",
            "history.namePrevious",
        ),
        swept=("history.maxHistoryMessages",),
        limit=StrategyLimit("history.maxHistoryMessages", "messages", recent_limit),
        cuts_exchange=False,
        keeps_task_apart=False,
        keeps_task=True,
        writes_summary=False,
        takes="all but the last exchange and a few messages before it",
    ),
    StrategyRow(
        "clearToolResults",
        lambda view, writing, _retry: clear_tool_results(view, writing=writing),
        settings=(
            "history.clearing.trigger",
            "history.clearing.keep",
            "history.clearing.clearAtLeast",
            "history.clearing.stop",
            "history.clearing.excludeTools",
            "history.clearing.alwaysClearTools",
            "history.clearing.clearToolInputs",
            "history.clearing.placeholder",
            "history.clearing.headChars",
            "history.clearing.tailChars",
            *_COUNTED,
        ),
        swept=("history.clearing.trigger", "history.clearing.keep", *_COUNTS),
        limit=None,
        cuts_exchange=False,
        keeps_task_apart=True,
        keeps_task=True,
        writes_summary=False,
        takes="old tool results, then the oldest messages, where not all fit",
    ),
    StrategyRow(
        "keepEnds",
        lambda view, writing, _retry: keep_ends(view, writing=writing),
        settings=(
            "history.maxTokens",
            "history.summaryMaxChars",
            "history.topicChars",
            "history.summarizing.instructions",
            "history.ends.keepFirst",
            "history.ends.between",
            "history.ends.removePercent",
            *_COUNTED,
        ),
        swept=("history.maxTokens", "history.ends.keepFirst", *_COUNTS),
        limit=StrategyLimit("history.maxTokens", "tokens", room_limit),
        cuts_exchange=True,
        keeps_task_apart=True,
        keeps_task=True,
        writes_summary=True,
        takes="messages between the first and the newest that fit",
    ),
    StrategyRow(
        "oldestFirst",
        lambda view, _writing, _retry: oldest_first(view),
        settings=("history.maxTokens", *_COUNTED),
        swept=("history.maxTokens", *_COUNTS),
        limit=StrategyLimit("history.maxTokens", "tokens", room_limit),
        cuts_exchange=True,
        keeps_task_apart=False,
        keeps_task=False,
        writes_summary=False,
        takes="the newest messages, where not all fit",
    ),
    StrategyRow(
        "byPriority",
        lambda view, _writing, _retry: by_priority(view),
        settings=("history.maxTokens", "history.countSystem", "history.priorities"),
        swept=("history.maxTokens",),
        limit=StrategyLimit("history.maxTokens", "tokens", room_limit),
        cuts_exchange=True,
        keeps_task_apart=True,
        keeps_task=True,
        writes_summary=False,
        takes="messages of the lowest priority, where not all fit",
    ),
)

STRATEGIES: Final[Mapping[HistoryStrategy, StrategyRow]] = MappingProxyType({row.name: row for row in _ROWS})

if missing := set(get_args(HistoryStrategy.__value__)) ^ set(STRATEGIES):
    raise RuntimeError(f"the schema and the registry of history strategies differ: {sorted(missing)}")


def fit_history(view: HistoryView, config: BudgetConfig, *, writing: Writing) -> HistoryFit:
    """Return what stays of history, by the configuration's strategy and with its retry ladder."""
    row = STRATEGIES[config.history.strategy]
    fit = row.fit
    if not wants_notice(config.history) or not row.keeps_task:
        return fit(view, writing, config.retry.enabled)
    return with_notice(view, lambda narrower: fit(narrower, writing, config.retry.enabled), writing)


#: Settings that every strategy reads.
SHARED_SETTINGS: Final = frozenset({"history.notice", "history.startOn", "history.endOn", "history.keepWith"})


def strategies_reading(path: str) -> tuple[HistoryStrategy, ...]:
    """Return the strategies that read a setting; () for one that no strategy has for itself."""
    if path in SHARED_SETTINGS:
        return tuple(STRATEGIES)
    return tuple(row.name for row in STRATEGIES.values() if path in row.settings)


def reads_max_tokens(strategy: HistoryStrategy) -> bool:
    """Return whether `history.maxTokens` limits what a strategy keeps."""
    return "history.maxTokens" in STRATEGIES[strategy].settings
