"""Tables of figures of an evaluation: sizes by configuration, costs, and where tokens go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Final

from budgeteer.collections.run_state import RunState
from budgeteer.engine.analysis.cost_and_usage import money_column
from budgeteer.engine.analysis.evaluation.distribution import Distribution
from budgeteer.engine.analysis.evaluation.evaluation import Evaluation, Flow, Totals, by_tokens
from budgeteer.engine.analysis.evaluation.sessions import SessionTotals
from budgeteer.engine.packing.ledger import DRAWN
from budgeteer.presentation.labels import share_text

FLOW_ROWS: Final = 12


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """One configuration of the table: what stands in each column, and whether the page shows it in detail.

    `letter` names it where its name is too long: the first is A.
    """

    letter: str
    name: str
    model: str
    url: str
    is_shown: bool
    cells: tuple[str, ...]


#: Heads of the table beside the configuration.
SUMMARY_HEADS: Final = (
    "Limit",
    "Requested p50",
    "Requested p95",
    "Requested p99",
    "Sent p50",
    "Sent p95",
    "Sent p99",
    "Over the limit",
    "Cannot fit",
    "Messages left out",
)


@dataclass(frozen=True, slots=True)
class ConfigCost:
    """What one configuration costs, under its letter and name in the table of configurations."""

    letter: str
    name: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CostTable:
    """What each configuration costs at list prices of input; "-" stands where no price is known.

    Attributes:
        heads: of the columns. rows: one for each configuration.
        note: what the costs are, in sentences.
        is_replayed: whether every request was replayed: the costs are of sessions then, else of the next request.
    """

    heads: tuple[str, ...]
    rows: tuple[ConfigCost, ...]
    note: str
    is_replayed: bool


@dataclass(frozen=True, slots=True)
class FlowRow:
    """Tokens of a category, a tool or a rule; `share` is its part of what is requested, in percent."""

    name: str
    letter: str
    count: str
    requested: str
    sent: str
    share: float


@dataclass(frozen=True, slots=True)
class FlowTable:
    """One table of where tokens go. `more` says how many rows stand in the file of figures alone, "" for none."""

    key: str
    title: str
    counted: str
    rows: tuple[FlowRow, ...]
    more: str


def _share(count: int, one: Totals) -> str:
    return f"{share_text(count / one.conversations)} ({count:,})" if one.conversations else "-"


def percentile_text(values: Distribution, percent: int) -> str:
    """A percentile; of more values than are kept it is marked as approximate."""
    return f"{'' if values.is_exact else '≈ '}{values.percentile(percent):,}"


def letter_of(place: int) -> str:
    """The letter of the configuration at a place."""
    return ascii_uppercase[place]


def summary_row(one: Totals, at: int, state: RunState) -> SummaryRow:
    """The row of the configuration at a place."""
    sizes = [percentile_text(side, percent) for side in (one.requested, one.sent) for percent in (50, 95, 99)]
    rates = (_share(one.overflowing, one), _share(one.levels["cannotFit"], one), share_text(one.drop_rate))
    url = state.query(config=at, low=-1, high=-1, before="", after="", page=1)
    cells = (f"{one.limit_tokens:,}", *sizes, *rates)
    return SummaryRow(letter_of(at), one.name, one.model, url, at == state.config, cells)


def cost_table(found: Evaluation, a_day: int) -> CostTable:
    """What each configuration costs, and what so many requests (or replayed sessions) a day come to."""
    replayed = [(at, one.name, one.sessions) for at, one in enumerate(found.totals) if one.sessions is not None]
    if replayed:
        return _session_costs(replayed, a_day)
    heads = ("Per request", "If cached", "Per day", "Per day, if cached")
    amounts = []
    for one in found.totals:
        each = [None if cost is None else cost / max(one.conversations, 1) for cost in (one.cost, one.cached_cost)]
        amounts.append((*each, *(None if cost is None else cost * a_day for cost in each)))
    rows = [
        ConfigCost(letter_of(at), one.name, costs)
        for (at, one), costs in zip(enumerate(found.totals), _amounts(amounts), strict=True)
    ]
    note = (
        "List prices of the next request of each conversation, without a cache and as if all of it were cached. What "
        "whole sessions cost, and what the cache answers, is told where every request is replayed."
    )
    return CostTable(heads, tuple(rows), note, is_replayed=False)


def _session_costs(replayed: list[tuple[int, str, SessionTotals]], a_day: int) -> CostTable:
    figures, amounts = [], []
    sizes_heads = tuple(f"Sent per session p{percent}" for percent in (50, 95))
    money_heads = ("Per request", "Per session", "Per session, uncached", "Per day", "Per day, uncached")
    heads = ("Requests per session", "Over the limit", *sizes_heads, "From the cache", *money_heads)
    for _, _, one in replayed:
        sessions, requests = max(one.sent.count, 1), max(one.requests, 1)
        costs = (one.cost, one.uncached_cost)
        request = None if one.cost is None else one.cost / requests
        each = [None if cost is None else cost / sessions for cost in costs]
        days = [None if cost is None else cost * a_day for cost in each]
        rates = (f"{one.requests / sessions:,.1f}", share_text(one.overflowing / requests))
        sizes = (percentile_text(one.sent, 50), percentile_text(one.sent, 95))
        share = share_text(one.read_share) if one.rules else "-"
        figures.append((*rates, *sizes, share))
        amounts.append((request, *each, *days))
    rows = [
        ConfigCost(letter_of(at), name, (*sizes, *costs))
        for (at, name, _), sizes, costs in zip(replayed, figures, _amounts(amounts), strict=True)
    ]
    rules = sorted({one.rules for *_, one in replayed if one.rules})
    known = (
        f"Simulated prompt caches: {'; '.join(rules)}."
        if rules
        else "No cache rules are known for these models: costs are without one."
    )
    note = f"Every request of each session replayed, at list prices of input. {known}"
    return CostTable(heads, tuple(rows), note, is_replayed=True)


def _amounts(rows: Sequence[Sequence[float | None]]) -> Iterator[tuple[str, ...]]:
    """Costs as they stand under each other, each column with one number of decimals."""
    return zip(*(money_column(column, "USD", unknown="-") for column in zip(*rows, strict=True)), strict=True)


def flow_tables(totals: Totals) -> Iterator[FlowTable]:
    """Where tokens go: by category, by tool and by rule; a table that would be empty is left out."""
    categories = [(letter, totals.categories[letter]) for letter in DRAWN if letter in totals.categories]
    named = [(DRAWN[letter], letter, flow) for letter, flow in categories]
    tables = (
        ("categories", "By category", "Items", named),
        ("tools", "Tool results, by tool", "Results", [(name, "X", flow) for name, flow in by_tokens(totals.tools)]),
        ("rules", "Not sent whole, by rule", "Items", [(name, "", flow) for name, flow in by_tokens(totals.rules)]),
    )
    for key, title, counted, rows in tables:
        if rows:
            most = max(flow.requested_tokens for _, _, flow in rows) or 1
            listed = tuple(_flow_row(name, letter, flow, most) for name, letter, flow in rows[:FLOW_ROWS])
            more = f"{len(rows) - FLOW_ROWS:,} more stand in the JSON." if len(rows) > FLOW_ROWS else ""
            yield FlowTable(key, title, counted, listed, more)


def _flow_row(name: str, letter: str, flow: Flow, most: int) -> FlowRow:
    share = round(100 * flow.requested_tokens / most, 1)
    return FlowRow(name, letter, f"{flow.count:,}", f"{flow.requested_tokens:,}", f"{flow.sent_tokens:,}", share)
