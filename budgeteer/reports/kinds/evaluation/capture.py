"""Freeze an evaluation. Its document, beside `report`:

    {"collection": {"name", "sources"},
     "leftOut": {reason: conversations},
     "configs": [{"name", "model", "config", "configSha256"}],
     "record": {…},           with the bins of every distribution (engine's evaluation/records.py)
     "figures": {…}}          the same as `budgeteer evaluate --json` prints it

No text of a conversation is in it at any level, and no name of one but the largest and those that change sides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from budgeteer.collections.models import EvaluationRun
from budgeteer.collections.run_records import evaluation_of, with_names
from budgeteer.collections.services import members_of
from budgeteer.engine.analysis.evaluation.records import evaluation_from_record, evaluation_to_record
from budgeteer.engine.errors import InputError
from budgeteer.presentation.labels import count_of
from budgeteer.reports.document import Document, fingerprint
from budgeteer.reports.kinds.base import FrozenParts, ReportSubject
from budgeteer.reports.kinds.workspace_parts import heading_of
from budgeteer.reports.models import Report
from budgeteer.reports.snapshot import head_of


def take(asked: ReportSubject) -> dict[str, Any]:
    """What the evaluation found, under the names that people read.

    Raises:
        InputError: it is not done yet.
        ValueError: no evaluation is shared.
    """
    run = asked.run
    if run is None:
        raise ValueError("this kind of report is made from an evaluation")
    if run.state != EvaluationRun.State.DONE:
        raise InputError("the evaluation is not done", mend="Share it when its page shows the figures")
    return {
        "collection": {"name": run.collection.name, "sources": members_of(run.collection).count()},
        "leftOut": run.left_out,
        "configs": run.configs,
        "record": evaluation_to_record(with_names(evaluation_of(run))),
    }


def freeze(report: Report, progress: Callable[[str], None]) -> FrozenParts:
    """Write down what the evaluation found."""
    progress("Writing down the figures")
    taken = report.snapshot
    found = evaluation_from_record(taken["record"])
    document: Document = {
        "report": head_of(heading_of(report), "evaluation"),
        "collection": taken["collection"],
        "leftOut": taken["leftOut"],
        "configs": [_config(each) for each in taken["configs"]],
        "record": taken["record"],
        "figures": found.to_json(),
        "prompt": None,
    }
    many = count_of(found.totals[0].conversations, "conversation")
    models = tuple(config["model"] for config in document["configs"])
    return FrozenParts(document, (), "", f"{many} under {count_of(len(found.totals), 'configuration')}", models)


def _config(given: Mapping[str, Any]) -> dict[str, Any]:
    config = given["config"]
    return {"name": given["name"], "model": config["model"], "config": config, "configSha256": fingerprint(config)}
