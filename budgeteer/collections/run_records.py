"""What the runs that are done found, read once in a process."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from budgeteer.collections.models import EvaluationRun
from budgeteer.collections.row_columns import RowName
from budgeteer.collections.row_search import names_of
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


def with_names(found: Evaluation) -> Evaluation:
    """The evaluation with its conversations under the names that people read."""
    rows = [RowName.read(row.name) for one in found.totals for row in one.largest]
    rows += [RowName.read(name) for sides in found.sides.values() for name, _, _ in sides.changed]
    names = {row.text: name.text for row, name in names_of(rows).items()}
    totals = [replace(one, largest=[replace(row, name=names[row.name]) for row in one.largest]) for one in found.totals]
    sides = {
        pair: replace(one, changed=[(names[name], a, b) for name, a, b in one.changed])
        for pair, one in found.sides.items()
    }
    return Evaluation(totals, sides)
