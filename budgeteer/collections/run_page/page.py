"""The page of an evaluation, as one frozen object: everything its template prints."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from budgeteer.collections import runs
from budgeteer.collections.histogram import ChartQuestion, Histogram, draw_histogram
from budgeteer.collections.models import EvaluationRun
from budgeteer.collections.run_page.changes import ChangeTable, PairChoice, change_table, pair_choices
from budgeteer.collections.run_page.conversations import (
    ConversationList,
    ListedConversation,
    conversation_list,
    largest_conversations,
)
from budgeteer.collections.run_page.figures import (
    SUMMARY_HEADS,
    CostTable,
    FlowTable,
    SummaryRow,
    cost_table,
    flow_tables,
    summary_row,
)
from budgeteer.collections.run_records import evaluation_of
from budgeteer.collections.run_state import RunState
from budgeteer.engine.analysis.evaluation.evaluation import Evaluation, Totals
from budgeteer.presentation.labels import count_of


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
        summary=tuple(summary_row(one, at, state) for at, one in enumerate(found.totals)),
        costs=cost_table(found, state.sessions),
        shown=totals.name,
        values=tuple(
            (title, state.query(of=key, low=-1, high=-1, before="", after="", page=1), state.of == key)
            for key, title in (("requested", "Requested"), ("sent", "Sent"))
        ),
        chart=_chart(totals, state),
        listed=conversation_list(run, found, state),
        flows=tuple(flow_tables(totals)),
        largest=largest_conversations(totals),
        pairs=pair_choices(found, state),
        changes=change_table(found, state),
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


def _chart(totals: Totals, state: RunState) -> tuple[Histogram, ...]:
    if not totals.conversations:
        return ()
    values = totals.requested if state.of == "requested" else totals.sent
    chosen = (state.low, state.high) if state.low >= 0 and not state.before else None

    def url(low: int, high: int) -> str:
        return f"{state.query(low=low, high=high, before='', after='', page=1)}#behind"

    return draw_histogram(values, ChartQuestion(totals.limit_tokens, chosen, url))
