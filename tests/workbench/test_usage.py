"""Usage files in a workspace: they order skills and tools, are not sent, and count as on the command line."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from budgeteer.cli.program import program
from budgeteer.engine.analysis.packing_json import packing_to_json
from budgeteer.engine.rendering.validity import check_every_provider
from budgeteer.workbench import services
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.models import Workspace

NAMES = ("anchor", "berth", "crane-check", "dredge")
USED = json.dumps(
    {
        "dredge": {"count": 2, "last": "2026-03-01"},
        "crane-check": {"count": 9, "last": "2026-01-01"},
        "gone-away": {"count": 1, "last": "2026-01-01"},
    }
).encode()
TALK = b'[{"role": "user", "content": "Use /berth today."}]'
type Open = Callable[..., Workspace]


def library() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in NAMES:
            text = f"---\nname: {name}\ndescription: How to {name} in a harbour.\n---\nFirst, {name}.\n"
            archive.writestr(f"{name}/SKILL.md", text)
    return file.getvalue()


def by(order: str) -> dict[str, Any]:
    limits = {"maxSkillsInPrompt": 2}
    return {"skillsBudget": {"enabled": True, "limits": limits, "optimization": {"prioritization": order}}}


def kept_skills(workspace: Workspace) -> list[str]:
    ledger = services.packing_of(workspace).ledger
    return [row.name for row in ledger if row.section == "skills" and row.fate == "kept"]


@pytest.mark.parametrize(
    ("order", "first"), [("recent", ["dredge", "crane-check"]), ("frequent", ["crane-check", "dredge"])]
)
def test_a_usage_file_orders_the_skills(
    open_over: Open, run_jobs, client: Client, order: str, first: list[str]
) -> None:
    workspace = open_over(("lib.zip", library()), ("talk.json", TALK), delta=by(order))
    run_jobs()
    assert kept_skills(workspace) == ["berth", "anchor"]
    url = f"{workspace.get_absolute_url()}sources/"
    client.post(url, {"files": [SimpleUploadedFile("used.json", USED)]})
    run_jobs()
    assert kept_skills(workspace) == first
    html = client.get(workspace.get_absolute_url()).content.decode()
    assert "(in the usage file, in which 1 name(s) belong to no skill or tool here)." in html
    assert "Nothing of it is sent: it orders skills and tools where they are taken by use." in html
    assert "3 names · Usage of skills and tools" in html
    link = workspace.links.get(source__kind="usage")
    client.post(f"{url}{link.pk}/", {"remove": "1"})
    assert kept_skills(workspace) == ["berth", "anchor"]
    html = client.get(workspace.get_absolute_url()).content.decode()
    assert "(in the conversation)." in html


def test_the_counts_of_several_files_are_added(open_over: Open, run_jobs) -> None:
    more = b'{"anchor/SKILL.md": 5, "dredge": 4}'
    workspace = open_over(("lib.zip", library()), ("used.json", USED), ("more.json", more), delta=by("frequent"))
    run_jobs()
    assert kept_skills(workspace) == ["crane-check", "dredge"]
    assert services.packing_of(workspace).bundle.usage["dredge/SKILL.md"].count == 6


def test_a_usage_file_alone_is_nothing_to_pack(open_over: Open, run_jobs, client: Client) -> None:
    workspace = open_over(("used.json", USED), delta=by("recent"))
    run_jobs()
    assert "Nothing to pack yet" in client.get(workspace.get_absolute_url()).content.decode()


@pytest.mark.parametrize("order", ["recent", "frequent", "alphabetical"])
def test_the_numbers_are_those_of_the_command_line(open_over: Open, run_jobs, tmp_path: Path, order: str) -> None:
    files = {"lib.zip": library(), "talk.json": TALK, "used.json": USED}
    workspace = open_over(*files.items(), delta=by(order))
    run_jobs()
    files["config.json"] = json.dumps(EditableConfig.of(workspace).data).encode()
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    named = {"--skills": "lib.zip", "--conversation": "talk.json", "--usage": "used.json", "--config": "config.json"}
    given = [word for option, name in named.items() for word in (option, str(tmp_path / name))]
    run = CliRunner().invoke(program, ["pack", "--json", *given])
    assert run.exit_code == 0, run.output
    told = json.loads(run.stdout)
    packing = services.packing_of(workspace)
    ours = json.loads(json.dumps(packing_to_json(packing, validity=check_every_provider(packing))))
    assert told == ours
