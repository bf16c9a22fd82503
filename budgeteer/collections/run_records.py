"""What the runs that are done found, read once in a process."""

from __future__ import annotations

from typing import Final

from budgeteer.collections.models import EvaluationRun
from budgeteer.engine.analysis.evaluation.evaluation import Evaluation
from budgeteer.engine.analysis.evaluation.records import evaluation_from_record
from budgeteer.lru import LruCache

_KEPT_RECORDS: Final = 8

_evaluations: LruCache[Evaluation] = LruCache(_KEPT_RECORDS)


def forget_evaluations() -> None:
    """Drop everything kept in this process (tests start from nothing)."""
    _evaluations.clear()


def evaluation_of(run: EvaluationRun) -> Evaluation:
    """What a run that is done found."""
    return _evaluations.get(run.pk, lambda: evaluation_from_record(run.record or {"totals": [], "sides": []}))
