"""The page of an evaluation, as one frozen object: everything its template prints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from string import ascii_uppercase
from typing import Final

from budgeteer.collections import runs
from budgeteer.collections.histogram import ChartQuestion, Histogram, draw_histogram
from budgeteer.collections.models import EvaluationRun
from budgeteer.collections.row_columns import LEVELS, RowName
from budgeteer.collections.row_search import ConversationName, count_rows, find_rows, names_of, prices_of
from budgeteer.collections.run_state import RunState
from budgeteer.engine.analysis.cost_and_usage import money
from budgeteer.engine.analysis.evaluation.evaluation import Evaluation, Flow, PackedConversation, Totals, by_tokens
from budgeteer.engine.analysis.evaluation.records import evaluation_from_record
from budgeteer.engine.analysis.evaluation.sessions import SessionTotals
from budgeteer.engine.packing.ledger import CATEGORIES
from budgeteer.engine.packing.verdict_text import Level, level_of
from budgeteer.lru import LruCache
from budgeteer.presentation.header import LEVEL_ICONS, LEVEL_TONES
from budgeteer.presentation.labels import count_of
from budgeteer.sources.source_rows import Window, window

LEVEL_WORDS: Final[dict[Level, str]] = {
    "fits": "fits",
    "limited": "fits, with items left out",
    "cannotFit": "cannot fit",
}
LIST_ROWS: Final = 50
FLOW_ROWS: Final = 12
_KEPT_RECORDS: Final = 8

type HeadedCell = tuple[str, str]
"""What a cell says under the head of its column, which a narrow screen prints beside it."""

_evaluations: LruCache[Evaluation] = LruCache(_KEPT_RECORDS)


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
    cells: tuple[HeadedCell, ...]


#: Heads of the table beside the configuration.
SUMMARY_HEADS: Final = (
    "May be sent",
    "Requested p50",
    "Requested p95",
    "Requested p99",
    "Sent p50",
    "Sent p95",
    "Sent p99",
    "Overflow",
    "Cannot fit",
    "Messages dropped",
)


@dataclass(frozen=True, slots=True)
class CostTable:
    """What each configuration costs at list prices of input; "-" stands where no price is known.

    Attributes:
        heads: of the columns. rows: by configuration its name and its cells.
        note: what the costs are, in sentences.
        is_replayed: whether every request was replayed: the costs are of sessions then, else of the next request.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[HeadedCell, ...]], ...]
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


@dataclass(frozen=True, slots=True)
class ListedConversation:
    """One conversation of a list."""

    name: ConversationName
    messages: str
    requested: str
    sent: str
    dropped: str
    level: str
    icon: str
    tone: str


@dataclass(frozen=True, slots=True)
class ConversationList:
    """The conversations behind a bar, or that change sides."""

    title: str
    rows: tuple[ListedConversation, ...]
    window: Window
    query: str
    close_url: str


@dataclass(frozen=True, slots=True)
class ChangeCell:
    """How many conversations are at one level under A and at another under B; `url` lists them."""

    count: str
    url: str
    is_same: bool
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class ChangeTable:
    """A pair of configurations: by level under A a row, by level under B a cell."""

    a: str
    b: str
    sentence: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[ChangeCell, ...]], ...]


@dataclass(frozen=True, slots=True)
class PairChoice:
    """A pair of configurations that can be compared."""

    title: str
    url: str
    is_on: bool


@dataclass(frozen=True, slots=True)
class ProgressView:
    """How far a run is: a sentence, done and total for a bar, and how long the rest takes ("" where not known)."""

    sentence: str
    done: int
    total: int
    left: str


@dataclass(frozen=True, slots=True)
class RunPage:
    """The page. Without `heads` there are no figures yet."""

    run: EvaluationRun
    state: RunState
    progress: ProgressView | None = None
    sentence: str = ""
    left_out: str = ""
    pace: str = ""
    heads: tuple[str, ...] = ()
    summary: tuple[SummaryRow, ...] = ()
    costs: CostTable | None = None
    shown: str = ""
    values: tuple[tuple[str, str, bool], ...] = ()
    chart: tuple[Histogram, ...] = ()
    listed: ConversationList | None = None
    flows: tuple[FlowTable, ...] = ()
    largest: tuple[ListedConversation, ...] = ()
    pairs: tuple[PairChoice, ...] = ()
    changes: ChangeTable | None = None


def forget_evaluations() -> None:
    """Drop everything kept in this process (tests start from nothing)."""
    _evaluations.clear()


def evaluation_of(run: EvaluationRun) -> Evaluation:
    """What a run that is done found."""
    return _evaluations.get(run.pk, lambda: evaluation_from_record(run.record or {"totals": [], "sides": []}))


def run_page(run: EvaluationRun, state: RunState, *, now: datetime) -> RunPage:
    """The page of a run as it stands."""
    page = RunPage(run, state)
    if run.state != EvaluationRun.State.DONE:
        return replace(page, progress=_progress(run, now=now))
    found = evaluation_of(run)
    totals = found.totals[state.config]
    return replace(
        page,
        sentence=_sentence(found),
        left_out=_left_out(run),
        pace=_pace(run),
        heads=SUMMARY_HEADS,
        summary=tuple(_summary_row(one, at, state) for at, one in enumerate(found.totals)),
        costs=_costs(found, state.sessions),
        shown=totals.name,
        values=tuple(
            (title, state.query(of=key, low=-1, high=-1, before="", after="", page=1), state.of == key)
            for key, title in (("requested", "Requested"), ("sent", "Sent"))
        ),
        chart=_chart(totals, state),
        listed=_listed(run, found, state),
        flows=tuple(_flows(totals)),
        largest=_largest(totals),
        pairs=_pairs(found, state),
        changes=_changes(found, state),
    )


def _progress(run: EvaluationRun, *, now: datetime) -> ProgressView:
    reached = runs.progress_of(run, now=now)
    if run.state == EvaluationRun.State.WAITING:
        return ProgressView("Looking at what is in the collection", 0, 0, "")
    sentence = f"{reached.done:,} of {count_of(reached.total, 'conversation')}"
    if run.state == EvaluationRun.State.RUNNING and reached.total and reached.done == reached.total:
        return ProgressView(f"{sentence}; summing up", reached.done, reached.total, "")
    return ProgressView(sentence, reached.done, reached.total, _time_left(reached.seconds_left))


def _time_left(seconds: float | None) -> str:
    if seconds is None:
        return ""
    if seconds < 90:
        return f"about {count_of(max(round(seconds), 1), 'second')} left"
    minutes = round(seconds / 60)
    return f"about {count_of(minutes, 'minute')} left" if minutes < 90 else f"about {minutes / 60:.1f} hours left"


def _sentence(found: Evaluation) -> str:
    first = found.totals[0]
    many = f"{count_of(first.conversations, 'conversation')} with {count_of(first.messages, 'message')}"
    under = f" under {len(found.totals)} configurations" if len(found.totals) > 1 else ""
    return f"{many}{under}. Each is packed as its next request would be."


def _left_out(run: EvaluationRun) -> str:
    parts = []
    if count := run.left_out.get("duplicates", 0):
        parts.append(f"{count_of(count, 'duplicate')} (counted once each)")
    if count := run.left_out.get("branches", 0):
        parts.append(f"{count:,} other {'branch' if count == 1 else 'branches'} of conversations")
    return f"Left out: {' and '.join(parts)}." if parts else ""


def _pace(run: EvaluationRun) -> str:
    if run.started_at is None or run.finished_at is None:
        return ""
    seconds = max((run.finished_at - run.started_at).total_seconds(), 0.001)
    spent = f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min"
    return f"Evaluated in {spent}, {run.conversations / seconds:,.0f} conversations a second."


def _share(count: int, one: Totals) -> str:
    return f"{count / one.conversations:.1%} ({count:,})" if one.conversations else "-"


def letter_of(place: int) -> str:
    """The letter of the configuration at a place."""
    return ascii_uppercase[place]


def _summary_row(one: Totals, at: int, state: RunState) -> SummaryRow:
    sizes = [f"{side.percentile(percent):,}" for side in (one.requested, one.sent) for percent in (50, 95, 99)]
    rates = (_share(one.overflowing, one), _share(one.levels["cannotFit"], one), f"{one.drop_rate:.1%}")
    url = state.query(config=at, low=-1, high=-1, before="", after="", page=1)
    cells = _headed(SUMMARY_HEADS, (f"{one.limit_tokens:,}", *sizes, *rates))
    return SummaryRow(letter_of(at), one.name, one.model, url, at == state.config, cells)


def _headed(heads: Sequence[str], texts: Iterable[str]) -> tuple[HeadedCell, ...]:
    return tuple(zip(heads, texts, strict=True))


def _costs(found: Evaluation, a_day: int) -> CostTable:
    replayed = [(one.name, one.sessions) for one in found.totals if one.sessions is not None]
    if replayed:
        return _session_costs(replayed, a_day)
    rows = []
    heads = ("A request", "All of it cached", "A day", "A day cached")
    for one in found.totals:
        each = [None if cost is None else cost / max(one.conversations, 1) for cost in (one.cost, one.cached_cost)]
        days = [None if cost is None else cost * a_day for cost in each]
        rows.append((one.name, _headed(heads, map(_amount, (*each, *days)))))
    note = (
        "List prices of the next request of each conversation, without a cache and as if all of it were cached. What "
        "whole sessions cost, and what the cache answers, is told where every request is replayed."
    )
    return CostTable(heads, tuple(rows), note, is_replayed=False)


def _session_costs(replayed: list[tuple[str, SessionTotals]], a_day: int) -> CostTable:
    rows = []
    sizes_heads = ("Requests a session", "Over the limit", "Sent p50", "Sent p95", "From the cache")
    heads = (*sizes_heads, "A request", "A session", "Uncached", "A day", "A day uncached")
    for name, one in replayed:
        sessions, requests = max(one.sent.count, 1), max(one.requests, 1)
        costs = (one.cost, one.uncached_cost)
        request = None if one.cost is None else one.cost / requests
        each = [None if cost is None else cost / sessions for cost in costs]
        days = [None if cost is None else cost * a_day for cost in each]
        figures = (f"{one.requests / sessions:,.1f}", f"{one.overflowing / requests:.1%}")
        sizes = (f"{one.sent.percentile(50):,}", f"{one.sent.percentile(95):,}")
        share = f"{one.read_share:.1%}" if one.rules else "-"
        rows.append((name, _headed(heads, (*figures, *sizes, share, *map(_amount, (request, *each, *days))))))
    rules = sorted({one.rules for _, one in replayed if one.rules})
    known = (
        f"Cache: {'; '.join(rules)}." if rules else "No cache rules are known for these models: costs are without one."
    )
    note = f"Every request of each session replayed, at list prices of input. {known}"
    return CostTable(heads, tuple(rows), note, is_replayed=True)


def _amount(cost: float | None) -> str:
    return "-" if cost is None else money(cost, "USD")


def _chart(totals: Totals, state: RunState) -> tuple[Histogram, ...]:
    if not totals.conversations:
        return ()
    values = totals.requested if state.of == "requested" else totals.sent
    chosen = (state.low, state.high) if state.low >= 0 and not state.before else None

    def url(low: int, high: int) -> str:
        return f"{state.query(low=low, high=high, before='', after='', page=1)}#behind"

    return draw_histogram(values, ChartQuestion(totals.limit_tokens, chosen, url))


def _listed(run: EvaluationRun, found: Evaluation, state: RunState) -> ConversationList | None:
    wanted = state.wanted
    if wanted is None:
        return None
    total = count_rows(run, wanted)
    shown = window(state.page, total=total, rows=LIST_ROWS)
    rows = find_rows(run, wanted, start=max(shown.first - 1, 0), stop=shown.last)
    price = prices_of(found)[wanted.place]
    names = names_of([row.name for row in rows])
    listed = [_listed_row(names[row.name], row.segment.packed(row.row, wanted.place, price, name="")) for row in rows]
    return ConversationList(
        _list_title(found, state, total),
        tuple(listed),
        shown,
        state.query(page=1).removeprefix("?"),
        state.query(low=-1, high=-1, before="", after="", page=1),
    )


def _list_title(found: Evaluation, state: RunState, total: int) -> str:
    many = count_of(total, "conversation")
    if state.before:
        names = (found.totals[state.a].name, found.totals[state.b].name)
        before, after = (LEVEL_WORDS[level_of(level)] for level in (state.before, state.after))
        return f"{many}: {before} under {names[0]}, {after} under {names[1]}"
    size = f"{state.low:,}" if state.low == state.high else f"{state.low:,} to {state.high:,}"
    return f"{many} with {size} tokens {state.of} under {found.totals[state.config].name}"


def _listed_row(name: ConversationName, row: PackedConversation) -> ListedConversation:
    return ListedConversation(
        name,
        f"{row.messages:,}",
        f"{row.requested_tokens:,}",
        f"{row.sent_tokens:,}",
        f"{row.dropped:,}",
        LEVEL_WORDS[row.level],
        LEVEL_ICONS[row.level],
        LEVEL_TONES[row.level],
    )


def _largest(totals: Totals) -> tuple[ListedConversation, ...]:
    read = [RowName.read(row.name) for row in totals.largest]
    names = names_of(read)
    return tuple(_listed_row(names[name], row) for name, row in zip(read, totals.largest, strict=True))


def _flows(totals: Totals) -> Iterator[FlowTable]:
    """Where tokens go: by category, by tool and by rule; a table that would be empty is left out."""
    categories = [(letter, totals.categories[letter]) for letter in CATEGORIES if letter in totals.categories]
    named = [(CATEGORIES[letter], letter, flow) for letter, flow in categories]
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


def _pairs(found: Evaluation, state: RunState) -> tuple[PairChoice, ...]:
    return tuple(
        PairChoice(
            f"{letter_of(a)} against {letter_of(b)}",
            f"{state.query(a=a, b=b, before='', after='', page=1)}#sides",
            (a, b) == _pair(state),
        )
        for a, b in sorted(found.sides)
    )


def _pair(state: RunState) -> tuple[int, int]:
    """The pair that is shown, the earlier configuration first."""
    return (min(state.a, state.b), max(state.a, state.b)) if state.a != state.b else (0, 1)


def _changes(found: Evaluation, state: RunState) -> ChangeTable | None:
    pair = _pair(state)
    if pair not in found.sides:
        return None
    sides = found.sides[pair]
    a, b = (found.totals[place] for place in pair)
    used = [level for level in LEVELS if any(level in levels for levels in sides.levels)]

    def cell(before: Level, after: Level) -> ChangeCell:
        count = sides.levels[before, after]
        url = f"{state.query(a=pair[0], b=pair[1], before=before, after=after, low=-1, high=-1, page=1)}#behind"
        chosen = (state.before, state.after) == (before, after)
        return ChangeCell(f"{count:,}", url if count else "", before == after, chosen)

    changing = sides.changing
    sentence = (
        f"{count_of(changing, 'conversation')} {'changes' if changing == 1 else 'change'} sides."
        if changing
        else "No conversation changes sides."
    )
    rows = tuple((LEVEL_WORDS[before], tuple(cell(before, after) for after in used)) for before in used)
    named = (f"{letter_of(place)}: {one.name}" for place, one in zip(pair, (a, b), strict=True))
    return ChangeTable(next(named), next(named), sentence, tuple(LEVEL_WORDS[level] for level in used), rows)
