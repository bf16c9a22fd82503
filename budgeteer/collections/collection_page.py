"""The pages of collections: the list, what one holds, and the choice of sources, as frozen objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.contrib.auth.models import User
from django.db.models import Count, QuerySet

from budgeteer.collections import runs, services
from budgeteer.collections.models import Collection, EvaluationRun
from budgeteer.collections.row_columns import RowName
from budgeteer.collections.row_search import names_of
from budgeteer.jobs.job_view import JobCard, job_card
from budgeteer.lru import LruCache
from budgeteer.presentation.labels import count_of
from budgeteer.sources.models import Source
from budgeteer.sources.source_rows import COUNT_WORDS, KINDS, SourceRow, Window, format_title, window
from budgeteer.teams.sharing import sharing_words

LIST_ROWS: Final = 50
#: Sums of import reports kept in a process, by what they are sums of.
_KEPT_SUMS: Final = 32


@dataclass(frozen=True, slots=True)
class CollectionRow:
    """One collection of a list."""

    collection: Collection
    sources: str
    conversations: str
    evaluations: str
    shared: str


@dataclass(frozen=True, slots=True)
class SummedReports:
    """The import reports of a collection's sources, summed up.

    Attributes:
        found: what was read, as in ("212", "tool calls").
        formats: by format how many sources, the commonest first.
        skipped: lines and entries that were not read, by reason, the commonest first.
    """

    found: tuple[tuple[str, str], ...]
    formats: tuple[tuple[str, str], ...]
    skipped: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SameConversations:
    """Conversations that say the same: the one that is kept, and the others."""

    first: str
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SurveyView:
    """What a survey found: figures with their words, and which conversations are the same."""

    figures: tuple[tuple[str, str], ...]
    duplicates: str
    same: tuple[SameConversations, ...]


@dataclass(frozen=True, slots=True)
class CollectionPage:
    """The page of a collection.

    Attributes:
        sources: how many it has. importing, failed, other: how many of them are being imported, could not be, or hold
            no conversation; as sentences, "" for none.
        job: the survey that is being taken, or failed. problem: why it cannot be evaluated, "" where it can.
    """

    collection: Collection
    sources: int
    importing: str
    failed: str
    other: str
    reports: SummedReports
    surveyed: SurveyView | None
    job: JobCard | None
    problem: str
    rows: tuple[SourceRow, ...]
    window: Window
    runs: tuple[RunRow, ...]


@dataclass(frozen=True, slots=True)
class RunRow:
    """One evaluation of a collection."""

    run: EvaluationRun
    title: str
    state: str
    conversations: str


_sums: LruCache[SummedReports] = LruCache(_KEPT_SUMS)


def forget_sums() -> None:
    """Drop everything kept in this process (tests start from nothing)."""
    _sums.clear()


def collection_rows(found: QuerySet[Collection], reader: User) -> list[CollectionRow]:
    """The rows of a list of collections with `sources_count`."""
    listed = list(found[:LIST_ROWS])
    counts = dict(
        EvaluationRun.objects.filter(collection__in=listed)
        .order_by()
        .values_list("collection")
        .annotate(count=Count("pk"))
    )
    return [_collection_row(one, reader, counts.get(one.pk, 0)) for one in listed]


def _collection_row(one: Collection, reader: User, evaluations: int) -> CollectionRow:
    owner = "" if one.owner_id == reader.pk else one.owner.get_full_name() or one.owner.get_username()
    surveyed: Mapping[str, Any] = one.surveyed
    return CollectionRow(
        one,
        f"{getattr(one, 'sources_count', 0):,}",
        f"{surveyed['conversations']:,}" if surveyed else "",
        f"{evaluations:,}" if evaluations else "",
        sharing_words(one, owner=owner),
    )


def collection_page(collection: Collection, *, page: int, may_change: bool) -> CollectionPage:
    """The page as it stands; where the reader may change the collection, a survey that is due is begun."""
    members = services.members_of(collection)
    total = members.count()
    importing = services.waiting_for(collection)
    holding = Counter(members.exclude(state=Source.State.IMPORTING).values_list("state", "kind"))
    failed = sum(count for (state, _), count in holding.items() if state == Source.State.FAILED)
    talks = sum(count for (state, kind), count in holding.items() if (state, kind) == ("ready", "conversation"))
    other = total - importing - failed - talks
    job = None if importing or not talks or not may_change else services.ensure_surveyed(collection)
    shown = window(page, total=total, rows=LIST_ROWS)
    return CollectionPage(
        collection,
        total,
        f"{count_of(importing, 'source')} {'is' if importing == 1 else 'are'} being imported" if importing else "",
        f"{count_of(failed, 'source')} could not be imported" if failed else "",
        f"{count_of(other, 'source')} {'holds' if other == 1 else 'hold'} no conversation" if other > 0 else "",
        _sums.get(_sums_key(collection, members), lambda: _summed(members)),
        _survey_view(collection) if services.is_surveyed(collection) else None,
        job_card(job, then=collection.get_absolute_url()) if job else None,
        _problem(total, talks, importing),
        tuple(SourceRow(source) for source in members[max(shown.first - 1, 0) : shown.last]),
        shown,
        tuple(_run_row(run) for run in collection.runs.defer("record")[: runs.MOST_RUNS]),
    )


def _problem(total: int, talks: int, importing: int) -> str:
    if not total:
        return "Add sources with conversations first."
    if importing:
        return "It can be evaluated once all of its sources are imported."
    return "" if talks else "None of its sources holds a conversation."


def _sums_key(collection: Collection, members: QuerySet[Source]) -> tuple[object, ...]:
    states = members.order_by("pk").values_list("pk", "revision", "state")
    return (collection.pk, hash(tuple(states)))


def _summed(members: QuerySet[Source]) -> SummedReports:
    counts: Counter[str] = Counter()
    formats: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    for report, name in members.values_list("report", "format").iterator(chunk_size=500):
        if name:
            formats[str(report.get("formatTitle") or format_title(name))] += 1
        for key, count in report.get("counts", {}).items():
            counts[key] += count
        for entry in report.get("skipped", ()):
            skipped[entry["why"]] += entry["count"]
    words = [(counts[key], *pair) for key, pair in COUNT_WORDS.items() if counts[key]]
    return SummedReports(
        tuple((f"{count:,}", one if count == 1 else many) for count, one, many in words),
        tuple((name, f"{count:,}") for name, count in formats.most_common()),
        tuple((why, f"{count:,}") for why, count in skipped.most_common(10)),
    )


def _survey_view(collection: Collection) -> SurveyView:
    found: Mapping[str, Any] = collection.surveyed
    figures = [
        (found["conversations"], "conversation", "conversations"),
        (found["messages"], "message", "messages"),
        (found["branches"], "other branch", "other branches"),
        (found["duplicates"], "duplicate", "duplicates"),
    ]
    read = [[RowName.read(text) for text in names] for names in found["same"]]
    names = names_of([name for same in read for name in same])
    count = found["duplicates"]
    once = f"{'' if count == 1 else 'each '}counted once unless you ask otherwise"
    sentence = f"{count_of(count, 'duplicate conversation')}, {once}" if count else "No duplicate conversations"
    return SurveyView(
        tuple((f"{count:,}", one if count == 1 else many) for count, one, many in figures),
        sentence,
        tuple(_same(names[name].text for name in same) for same in read),
    )


def _same(texts: Iterable[str]) -> SameConversations:
    first, *others = texts
    return SameConversations(first, tuple(others))


def _run_row(run: EvaluationRun) -> RunRow:
    runs.refresh_state(run)
    title = " · ".join(run.names)
    return RunRow(
        run, title, EvaluationRun.State(run.state).label, f"{run.conversations:,}" if run.conversations else ""
    )


@dataclass(frozen=True, slots=True)
class ChoicePage:
    """The choice of sources for a collection: those that match, a page of them at a time."""

    query: str
    kind: str
    rows: tuple[SourceRow, ...]
    window: Window
    total: int
    kinds: tuple[tuple[str, str], ...]
    into: Collection | None


def kinds_offered() -> tuple[tuple[str, str], ...]:
    """The kinds of sources a choice may be narrowed to: conversations first, as nothing else is evaluated."""
    return tuple((kind, words[0]) for kind, words in KINDS.items())
