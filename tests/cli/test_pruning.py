"""The commands that pack, with pruning in the configuration: every output, in every provider's form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from budgeteer.cli.commands.pack import REQUESTS
from budgeteer.engine.packing.pruning.placeholders import REPEATED_NOTE
from tests.cli.conftest import Budgeteer
from tests.conformance.recount import recount_texts

SUMMARY = "Asked for both timetables; the ferries of Monday are known."
RANGES = [{"topic": "timetables", "ranges": [{"startId": "m001", "endId": "m004", "summary": SUMMARY}]}]
PRUNING: dict[str, dict[str, Any]] = {
    "auto": {"mode": "auto"},
    "ranges": {"mode": "manual", "ranges": RANGES},
    "both": {"mode": "auto", "ranges": RANGES},
}
SHOWN = {"auto": REPEATED_NOTE, "ranges": SUMMARY, "both": SUMMARY}
MODELS = {"openai-chat": "gpt-4o", "anthropic": "claude-opus-5-5", "gemini": "gemini-4-argon"}


@pytest.fixture
def repeating_chat(tmp_path: Path) -> Path:
    """A chat in which one call is made three times, with a question at its end."""
    messages: list[dict[str, Any]] = []
    for number in range(3):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "timetable", "arguments": '{"day":1}'}}
        messages += [
            {"role": "user", "content": f"Question {number}: which ferry goes on Monday?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": "06:10 Skarholm, 07:40 Vik. " * 40},
            {"role": "assistant", "content": "The 06:10 to Skarholm."},
        ]
    path = tmp_path / "repeating.json"
    path.write_text(json.dumps([*messages, {"role": "user", "content": "And the last?"}]), encoding="utf-8")
    return path


@pytest.fixture(params=PRUNING)
def pruning(request: pytest.FixtureRequest) -> str:
    """One way to prune, by its name in PRUNING."""
    return str(request.param)


@pytest.fixture
def config(pruning: str, tmp_path: Path) -> Path:
    """A configuration that prunes in this way."""
    path = tmp_path / f"{pruning}.json"
    path.write_text(json.dumps({"pruning": PRUNING[pruning]}), encoding="utf-8")
    return path


@pytest.mark.parametrize("form", REQUESTS)
def test_every_form_of_a_pruned_prompt_is_printed(
    budgeteer: Budgeteer, repeating_chat: Path, pruning: str, config: Path, form: str
) -> None:
    run = budgeteer("pack", "--conversation", repeating_chat, "--config", config, "--request", form)
    assert (run.status, run.err) == (0, "")
    assert SHOWN[pruning] in run.out


@pytest.mark.parametrize("form", MODELS)
def test_a_pruned_request_is_what_the_json_counts(
    budgeteer: Budgeteer, repeating_chat: Path, config: Path, form: str
) -> None:
    line = ["pack", "--conversation", repeating_chat, "--config", config, "--model", MODELS[form]]
    request = json.loads(budgeteer(*line, "--request", form).out)
    data = json.loads(budgeteer(*line, "--json").out)
    assert data["profile"] == form
    assert recount_texts(request).chars == data["total"]["chars"]
    assert all(check["ok"] for check in data["validity"])


@pytest.mark.parametrize("shown", [(), ("--before-after",), ("--no-cache",)])
def test_the_tables_of_a_pruned_packing_have_the_totals_of_the_json(
    budgeteer: Budgeteer, repeating_chat: Path, config: Path, shown: tuple[str, ...]
) -> None:
    line = ["pack", "--conversation", repeating_chat, "--config", config]
    run = budgeteer(*line, *shown)
    total = json.loads(budgeteer(*line, "--json").out)["total"]
    assert (run.status, run.err) == (0, "")
    sums = next(row for row in run.out.splitlines() if row.startswith("total"))
    assert f"{total['tokens']:,}" in sums
    assert f"{total['chars']:,}" in sums


def test_sweep_replay_and_compare_take_pruning(
    budgeteer: Budgeteer, repeating_chat: Path, config: Path, tmp_path: Path
) -> None:
    given = ["--conversation", repeating_chat]
    total = json.loads(budgeteer("pack", *given, "--config", config, "--json").out)["total"]
    swept = budgeteer("sweep", *given, "--config", config, "--over", "inputBudget", "--json")
    assert [step["tokens"] for step in json.loads(swept.out) if step["current"]] == [total["tokens"]]
    replayed = json.loads(budgeteer("replay", *given, "--config", config, "--json").out)
    assert replayed["turns"][-1]["after"] == total["tokens"]
    plain = tmp_path / "plain.json"
    plain.write_text("{}", encoding="utf-8")
    compared = json.loads(budgeteer("compare", plain, config, *given, "--json").out)
    assert compared["b"]["total"] == total
    for line in (["sweep", "--config", config, "--over", "inputBudget"], ["replay", "--config", config]):
        assert budgeteer(line[0], *given, *line[1:]).status == 0
    assert budgeteer("compare", plain, config, *given).status == 0
