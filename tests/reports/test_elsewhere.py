"""Reports and the two ways to the figures that are no pages: the command line over the files, and the HTTP API."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from budgeteer import samples
from budgeteer.cli import main
from budgeteer.reports import services
from budgeteer.reports.models import Report
from budgeteer.workbench.comparing.model_table import model_table
from budgeteer.workbench.comparing.sides import OWN, Comparable
from budgeteer.workbench.config_form import undo_steps
from budgeteer.workbench.config_form.editable import EditableConfig
from tests.http_api.callers import Caller, token_of
from tests.reports.test_tasks import count, filled, work_off_jobs  # noqa: F401 - a fixture

pytestmark = pytest.mark.django_db(transaction=True)

MODELS = ("gpt-4o", "claude-sonnet-4-5", "gpt-4.1-mini")
OTHER = "preset:plain@1"
LIMITED = {"history": {"strategy": "newestFirst", "maxTokens": 5_000}}

type Program = Callable[..., Any]


@pytest.fixture
def program(filled, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Program:  # noqa: F811
    """The command line over the files of the workspace, as JSON."""
    kinds = {link.source.name: link.source.kind for link in filled.links.select_related("source")}
    files = []
    for name, content in samples.read("agent-session"):
        (tmp_path / name).write_bytes(content)
        files += [f"--{kinds[name]}", str(tmp_path / name)]

    def run(command: str, *arguments: str) -> Any:
        capsys.readouterr()
        with pytest.raises(SystemExit):
            main([command, *arguments, *files, "--json"])
        return json.loads(capsys.readouterr().out)

    return run


def saved(folder: Path, name: str, config: EditableConfig) -> str:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(dict(config.data)))
    return str(path)


def shared(workspace, kind: str, **question: str) -> dict[str, Any]:
    """The document of a full report."""
    order = services.PublishRequest("", "full", 7, kind=kind, question=question)
    report = services.publish(workspace, order, owner=workspace.owner)
    assert {job.error for job in work_off_jobs()} <= {None}
    return services.frozen(Report.objects.get(pk=report.pk))


def figures_of(packing: dict[str, Any]) -> dict[str, Any]:
    """What of a packing is a figure of its whole."""
    keys = ("total", "demand", "window", "inputBudget", "outputReserve", "sections", "overhead", "cost", "kind")
    return {key: packing[key] for key in keys} | {"counts": packing["verdict"]["counts"]}


def sizes_of(decisions: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(one["section"], one["fate"], one["rule"], one["before"], one["after"]) for one in decisions]


def test_a_report_is_what_the_command_line_and_the_api_say(filled, program, tmp_path):  # noqa: F811
    undo_steps.commit(filled, LIMITED)
    count(filled)
    document = shared(filled, "packing")
    told = program("pack", "--config", saved(tmp_path, "own", EditableConfig.of(filled)))
    asked = Caller(token_of(filled.owner)).get(f"/workspaces/{filled.pk}/preview?detail=full").json()
    for other in (told, asked):
        assert figures_of(other) == figures_of(document["packing"])
        assert sizes_of(other["decisions"]) == sizes_of(document["packing"]["decisions"])


def test_a_comparison_is_what_the_command_line_says(filled, program, tmp_path):  # noqa: F811
    undo_steps.commit(filled, LIMITED)
    given = Comparable(filled, EditableConfig.of(filled), filled.owner)
    count(filled)
    document = shared(filled, "comparison", a=OWN, b=OTHER)
    sides = [saved(tmp_path, key[0], given.side(key).config) for key in (OWN, OTHER)]
    told = program("compare", *sides)
    frozen = document["comparison"]
    assert frozen["delta"]["tokens"] != 0
    assert (frozen["delta"], frozen["sections"]) == (told["delta"], told["sections"])
    assert [one["path"] for one in frozen["differences"]] == [one["path"] for one in told["differences"]]
    assert [(one["section"], one["a"], one["b"]) for one in frozen["moved"]] == [
        (one["section"], one["a"], one["b"]) for one in told["moved"]
    ]


def test_a_table_of_models_is_what_the_command_line_says_for_each(filled, program, tmp_path):  # noqa: F811
    undo_steps.commit(filled, LIMITED)
    model_table(Comparable(filled, EditableConfig.of(filled), filled.owner), MODELS)
    work_off_jobs()
    document = shared(filled, "models", models=",".join(MODELS))
    config = saved(tmp_path, "own", EditableConfig.of(filled))
    for frozen in document["models"]:
        told = program("pack", "--config", config, "--model", frozen["name"])
        assert figures_of(told) == figures_of(frozen["packing"]), frozen["name"]


def test_a_sweep_is_what_the_command_line_says(filled, program, tmp_path):  # noqa: F811
    undo_steps.commit(filled, LIMITED)
    count(filled)
    document = shared(filled, "sweep", over="inputBudget")
    told = program("sweep", "--config", saved(tmp_path, "own", EditableConfig.of(filled)), "--over", "inputBudget")
    steps = {step["at"]: step for step in told}
    frozen = document["sweep"]["steps"]
    assert len(frozen) > 3
    for step in frozen:
        other = steps[step["at"]]
        sections = {name: section["tokens"] for name, section in other["sections"].items()}
        assert {**{key: other[key] for key in ("at", "tokens", "kept", "fits")}, "sections": sections} == step
