"""Freeze a comparison. Its document, beside `report` and `inputs`:

{"sides": [{"title", "model", "preset", "config", "configSha256", "bar",
            "packing": {…}}, …],       as in a packed prompt's report, without decisions
 "comparison": {"delta", "differences", "sections",
                "moved": [{…, "category"}]}}    as `budgeteer compare --json` prints them
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from budgeteer.engine.analysis.compare.compare import Comparison, Moved
from budgeteer.engine.config.schema import load_config
from budgeteer.engine.errors import InputError
from budgeteer.engine.packing.result import Packing
from budgeteer.reports.document import Document
from budgeteer.reports.kinds.base import FrozenParts, ReportSubject
from budgeteer.reports.kinds.comparison.page import sentence_of
from budgeteer.reports.kinds.workspace_parts import heading_of, inputs_used, workspace_of
from budgeteer.reports.levels.redacted import message_texts
from budgeteer.reports.models import Report
from budgeteer.reports.snapshot import figures_of_packing, head_of, input_to_json
from budgeteer.workbench.comparing.comparison import compare_frozen, compare_sides
from budgeteer.workbench.comparing.sides import OWN, Comparable, ComparedSide
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.frozen_workspace import read_snapshot, take_snapshot


def sides_of(asked: ReportSubject) -> tuple[ComparedSide, ComparedSide]:
    """The two sides that are shared.

    Raises:
        BudgeteerError: a key names nothing that this person can compare with.
    """
    workspace = workspace_of(asked.workspace)
    given = Comparable(workspace, EditableConfig.of(workspace), asked.owner)
    return given.side(asked.question.get("a") or OWN), given.side(asked.question.get("b") or given.first_other())


def describe(asked: ReportSubject) -> str:
    """Which sides are shared.

    Raises:
        BudgeteerError: a key names nothing that this person can compare with.
    """
    a, b = sides_of(asked)
    return f"Shared is the comparison of A, “{a.title}”, with B, “{b.title}”."


def take(asked: ReportSubject) -> dict[str, Any]:
    """The workspace as it stands, and both configurations, whole.

    Raises:
        BudgeteerError: a source is still being imported or counted, or the sides cannot be compared.
    """
    workspace = workspace_of(asked.workspace)
    snapshot = take_snapshot(workspace)
    sides = sides_of(asked)
    compared = compare_sides(Comparable(workspace, EditableConfig.of(workspace), asked.owner), *sides)
    if compared.problem:
        raise InputError(compared.problem)
    if compared.found is None:
        raise InputError("a source is still being counted", mend="Share it when the page shows the comparison")
    return {"workspace": snapshot, "sides": [_taken(side) for side in sides]}


def _taken(side: ComparedSide) -> dict[str, Any]:
    version = side.config.version
    return {
        "title": side.title,
        "preset": [version.preset.slug, version.number],
        "config": dict(side.config.data),
    }


def freeze(report: Report, progress: Callable[[str], None]) -> FrozenParts:
    """Pack both sides as they stood, and write down what differs.

    Raises:
        BudgeteerError: a source is gone or was imported anew since, or a side cannot be packed.
    """
    workspace, links = read_snapshot(report.snapshot["workspace"], owner_id=report.owner_id)
    taken = report.snapshot["sides"]
    progress("Packing both sides, and looking for what moved each item")
    found = compare_frozen(workspace, links, *(load_config(side["config"]) for side in taken))
    document: Document = {
        "report": head_of(heading_of(report), "comparison"),
        "inputs": [input_to_json(each) for each in inputs_used(links)],
        "sides": [_side(side, packing) for side, packing in zip(taken, (found.a, found.b), strict=True)],
        "comparison": _comparison(found),
        "prompt": None,
    }
    models = (found.a.model, found.b.model)
    return FrozenParts(document, message_texts(found.a), "", sentence_of(document), models)


def _side(taken: dict[str, Any], packing: Packing) -> dict[str, Any]:
    slug, number = taken["preset"]
    return {"title": taken["title"], **figures_of_packing(packing, (slug, number))}


def _comparison(found: Comparison) -> dict[str, Any]:
    told = found.to_json()
    moved = [{**one.to_json(), "category": _category(one)} for one in found.moved]
    return {key: moved if key == "moved" else told[key] for key in ("delta", "differences", "sections", "moved")}


def _category(one: Moved) -> str:
    side = one.b or one.a
    return "" if side is None else side.category
