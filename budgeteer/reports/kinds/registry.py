"""Every kind of report, one row for each name of models.ReportKindName."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from budgeteer.reports.document import Document, kind_of
from budgeteer.reports.kinds.base import ReportKind
from budgeteer.reports.kinds.comparison.row import COMPARISON
from budgeteer.reports.kinds.evaluation.row import EVALUATION
from budgeteer.reports.kinds.model_table.row import MODEL_TABLE
from budgeteer.reports.kinds.packing import PACKED
from budgeteer.reports.kinds.sweep.row import SWEEP
from budgeteer.reports.models import ReportKindName

KINDS: Final[Mapping[str, ReportKind]] = MappingProxyType(
    {row.name: row for row in (PACKED, COMPARISON, SWEEP, EVALUATION, MODEL_TABLE)}
)
if list(KINDS) != ReportKindName.values:
    raise ImportError("KINDS needs one row for each name of ReportKindName, in its order")


def kind_for(document: Document) -> ReportKind:
    """The kind of a frozen report.

    Raises:
        KeyError: a later version froze it.
    """
    return KINDS[kind_of(document)]
