"""`budgeteer fit`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import budgeteer as library
from tests.cli.conftest import Budgeteer

SMALL = ("--model", "gpt-4o", "--set", "contextWindow=1600", "--set", "outputReserve=100")


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Eight turns that read one file each time, under a limit that leaves the oldest out."""
    talk: list[dict[str, Any]] = []
    for turn in range(8):
        call = {"id": f"c{turn}", "type": "function", "function": {"name": "read", "arguments": '{"path": "a.py"}'}}
        talk.append({"role": "user", "content": f"Question {turn}"})
        talk.append({"role": "assistant", "content": None, "tool_calls": [call]})
        talk.append({"role": "tool", "tool_call_id": f"c{turn}", "content": "a line of the file\n" * 50})
        talk.append({"role": "assistant", "content": f"Answer {turn}"})
    path = tmp_path / "session.json"
    path.write_text(json.dumps({"model": "gpt-4o", "messages": talk}), encoding="utf-8")
    return path


def test_the_plan_as_json_is_the_librarys(budgeteer: Budgeteer, session: Path) -> None:
    run = budgeteer("fit", "--conversation", session, *SMALL, "--json")
    assert run.status == 0
    config = {"model": "gpt-4o", "contextWindow": 1_600, "outputReserve": 100}
    plan = library.fit_plan(library.load(session), config)
    assert json.loads(run.out) == plan.to_json()
    assert plan.start.left_out > 0
    assert plan.final.left_out == 0


def test_the_written_configuration_packs_to_the_stated_end(budgeteer: Budgeteer, session: Path, tmp_path: Path) -> None:
    target = tmp_path / "fitted.json"
    plan = json.loads(budgeteer("fit", "--conversation", session, *SMALL, "--json", "--write", target).out)
    packed = json.loads(budgeteer("pack", "--conversation", session, "--config", target, "--json").out)
    assert packed["total"]["tokens"] == plan["final"]["tokens"]
    assert packed["verdict"]["sentence"] == plan["final"]["sentence"]


def test_the_table_names_steps_losses_and_settings(budgeteer: Budgeteer, session: Path) -> None:
    run = budgeteer("fit", "--conversation", session, *SMALL)
    assert run.status == 0
    assert "staleContent" in run.out
    assert "--set pruning.mode=auto" in run.out
    assert run.out.rstrip().splitlines()[-1].startswith("Then: Fits")


def test_only_named_steps_are_applied(budgeteer: Budgeteer, session: Path) -> None:
    line = ["fit", "--conversation", session, *SMALL, "--json", "--step", "newestFirst"]
    plan = json.loads(budgeteer(*line).out)
    assert [step["name"] for step in plan["steps"] if step["chosen"]] in ([], ["newestFirst"])
    refused = budgeteer(*line, "--step", "magic")
    assert refused.status == 2
    assert "staleContent" in refused.err


def test_what_no_step_makes_fit_leaves_with_1(budgeteer: Budgeteer, session: Path) -> None:
    run = budgeteer("fit", "--conversation", session, *SMALL, "--query", "word " * 2_000)
    assert run.status == 1
    assert run.out.rstrip().splitlines()[-1].startswith("Then: Does not fit") or "No step would help" in run.out
