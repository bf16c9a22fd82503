"""Freeze the table of models. Its document, beside `report` and `inputs`:

{"models": [{"name", "problem",
             "model", "preset", "config", "configSha256", "bar",
             "packing": {…}}, …]}       as in a packed prompt's report, without decisions

Of a model that the configuration cannot be used with there are the first two keys alone; `problem` says why.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from budgeteer.engine.errors import BudgeteerError, InputError
from budgeteer.engine.models.registry import MODELS
from budgeteer.engine.packing.result import Packing
from budgeteer.presentation.labels import count_of
from budgeteer.reports.document import Document
from budgeteer.reports.kinds.base import FrozenParts, ReportSubject
from budgeteer.reports.kinds.model_table.page import sentence_of
from budgeteer.reports.kinds.workspace_parts import heading_of, inputs_used, workspace_of
from budgeteer.reports.levels.redacted import message_texts
from budgeteer.reports.models import Report
from budgeteer.reports.snapshot import figures_of_packing, head_of, input_to_json
from budgeteer.workbench import services as workbench
from budgeteer.workbench.comparing.model_table import MOST_MODELS, SEPARATOR, model_table
from budgeteer.workbench.comparing.sides import Comparable
from budgeteer.workbench.config_form.apply import error_parts
from budgeteer.workbench.config_form.editable import EditableConfig, preset_of
from budgeteer.workbench.frozen_workspace import read_snapshot, take_snapshot


def names_in(asked: ReportSubject) -> list[str]:
    """The models that are shared, each once.

    Raises:
        InputError: there is none, there are too many, or one is not known.
    """
    given = asked.question.get("models", "").split(SEPARATOR)
    names = list(dict.fromkeys(name.strip() for name in given if name.strip()))
    unknown = next((name for name in names if name not in MODELS), None)
    if unknown is not None:
        raise InputError("there is no such model", where=unknown[:80], mend="Choose one from the menu")
    if not 0 < len(names) <= MOST_MODELS:
        raise InputError(
            f"a report shows 1 to {MOST_MODELS} models, not {len(names):,}", where="models", mend="Choose them again"
        )
    return names


def describe(asked: ReportSubject) -> str:
    """Which models are shared.

    Raises:
        InputError: as names_in.
    """
    return f"Shared is this configuration on {', '.join(names_in(asked))}."


def take(asked: ReportSubject) -> dict[str, Any]:
    """The workspace as it stands, and the names of the models.

    Raises:
        BudgeteerError: a source is still being imported or counted, or nothing can be packed for any of the models.
    """
    workspace = workspace_of(asked.workspace)
    names = names_in(asked)
    snapshot = take_snapshot(workspace)
    table = model_table(Comparable(workspace, EditableConfig.of(workspace), asked.owner), names)
    if table.jobs:
        raise InputError("a source is still being counted", mend="Share it when the page shows every model")
    if all(row.problem for row in table.rows):
        raise InputError(table.rows[0].problem.rstrip("."), where=table.rows[0].name, mend="Choose another model")
    return {"workspace": snapshot, "models": names}


def freeze(report: Report, progress: Callable[[str], None]) -> FrozenParts:
    """Pack the workspace as it stood for each model, and write down what that comes to.

    Raises:
        BudgeteerError: a source is gone or was imported anew since, or no model can be packed for.
    """
    workspace, links = read_snapshot(report.snapshot["workspace"], owner_id=report.owner_id)
    names = report.snapshot["models"]
    progress(f"Packing for {count_of(len(names), 'model')}")
    version = preset_of(workspace)
    preset = (version.preset.slug, version.number)
    packings: list[Packing] = []
    models: list[dict[str, Any]] = []
    for name in names:
        try:
            packing = workbench.packing_of(workspace, links, model=name)
        except BudgeteerError as error:
            models.append({"name": name, "problem": error_parts(error)["sentence"]})
            continue
        packings.append(packing)
        models.append({"name": name, "problem": "", **figures_of_packing(packing, preset)})
    if not packings:
        raise InputError(models[0]["problem"].rstrip("."), where=names[0], mend="Share the workspace again")
    document: Document = {
        "report": head_of(heading_of(report), "models"),
        "inputs": [input_to_json(each) for each in inputs_used(links)],
        "models": models,
        "prompt": None,
    }
    return FrozenParts(document, message_texts(packings[0]), "", sentence_of(document), tuple(names))
