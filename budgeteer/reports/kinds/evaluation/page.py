"""A frozen evaluation as a page, drawn from its document alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from budgeteer.collections.run_page.conversations import LEVEL_WORDS
from budgeteer.collections.run_page.figures import SUMMARY_HEADS
from budgeteer.collections.run_page.tables import EvaluationTables, evaluation_tables, left_out_sentence
from budgeteer.collections.run_state import RunState
from budgeteer.engine.analysis.evaluation.evaluation import Evaluation, PackedConversation
from budgeteer.engine.analysis.evaluation.records import evaluation_from_record
from budgeteer.presentation.header import LEVEL_ICONS, LEVEL_TONES
from budgeteer.presentation.labels import count_of
from budgeteer.reports.document import Document
from budgeteer.reports.report_page import title_of


@dataclass(frozen=True, slots=True)
class LargestRow:
    """One of the largest conversations."""

    name: str
    messages: str
    requested: str
    sent: str
    dropped: str
    level: str
    icon: str
    tone: str


@dataclass(frozen=True, slots=True)
class EvaluationReportPage:
    """Everything the page shows of an evaluation."""

    title: str
    setting: str
    left_out: str
    heads: tuple[str, ...]
    tables: EvaluationTables
    largest: tuple[LargestRow, ...]
    state: RunState


def context_of(document: Document, query: QueryDict) -> Mapping[str, Any]:
    """The page, of the configuration and the pair that its address asks for."""
    return {"page": build_evaluation(document, RunState.read(query, configs=len(document["configs"])))}


def evaluation_in(document: Document) -> Evaluation:
    """What the evaluation found."""
    return evaluation_from_record(document["record"])


def build_evaluation(document: Document, state: RunState) -> EvaluationReportPage:
    """The page of a frozen evaluation."""
    found = evaluation_in(document)
    collection = document["collection"]
    of = f"Evaluation of {collection['name']}" if collection["name"] else "Evaluation of a collection"
    return EvaluationReportPage(
        title=title_of(document),
        setting=f"{of}: {count_of(collection['sources'], 'source')}.",
        left_out=left_out_sentence(document["leftOut"]),
        heads=SUMMARY_HEADS,
        tables=evaluation_tables(found, state),
        largest=tuple(_largest(row) for row in found.totals[state.config].largest),
        state=state,
    )


def _largest(row: PackedConversation) -> LargestRow:
    return LargestRow(
        row.name,
        f"{row.messages:,}",
        f"{row.requested_tokens:,}",
        f"{row.sent_tokens:,}",
        f"{row.dropped:,}",
        LEVEL_WORDS[row.level],
        LEVEL_ICONS[row.level],
        LEVEL_TONES[row.level],
    )
