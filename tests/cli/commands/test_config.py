"""`budgeteer config`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Budgeteer


@pytest.fixture
def config_file(tmp_path: Path) -> Path:
    return tmp_path / "budget.json"


def test_schema_is_json_schema_with_every_top_key(budgeteer: Budgeteer) -> None:
    run = budgeteer("config", "schema")
    assert run.status == 0
    assert {"model", "skillsBudget", "history", "pruning"} <= set(json.loads(run.out)["properties"])


def test_show_prints_what_holds_and_where_it_comes_from(budgeteer: Budgeteer, config_file: Path) -> None:
    config_file.write_text('{\n  "model": "gemma-1b",\n  "history": {"maxChars": 900}\n}')
    run = budgeteer("config", "show", config_file, "--set", "skillsBudget.enabled=true")
    rows = {line.split()[0]: line.split(maxsplit=2)[1:] for line in run.out.splitlines()}
    assert rows["model"] == ['"gemma-1b"', f"{config_file}:2"]
    assert rows["history.maxChars"] == ["900", f"{config_file}:3"]
    assert rows["skillsBudget.enabled"] == ["true", "--set"]
    assert rows["contextWindow"] == ["2048", "default, then model gemma-1b"]
    assert rows["safetyMarginPercent"] == ["10", "default, then model gemma-1b"]
    assert rows["retry.enabled"] == ["true", "default"]


def test_show_as_json_is_canonical_and_a_fixed_point(budgeteer: Budgeteer, config_file: Path) -> None:
    first = budgeteer("config", "show", "--json", "--model", "claude-opus-5-5").out
    config_file.write_text(first, encoding="utf-8")
    assert budgeteer("config", "show", config_file, "--json").out == first


def test_validate_accepts_a_good_file(budgeteer: Budgeteer, config_file: Path) -> None:
    config_file.write_text('{"model": "gpt-4o", "pins": ["tool:x"]}')
    run = budgeteer("config", "validate", config_file)
    assert run.status == 0
    assert "all usable" in run.out


def test_validate_names_line_and_nearest_name_of_everything_that_is_wrong(
    budgeteer: Budgeteer, config_file: Path
) -> None:
    config_file.write_text(
        '{\n"skillsBudget": {\n"limits": {\n"maxSkillsPromtChars": 3,\n"maxSkillsInPrompt": "x"}},\n"modle": 1}'
    )
    run = budgeteer("config", "validate", config_file)
    assert run.status == 2
    complaints = sorted(run.err.splitlines())
    assert len(complaints) == 3
    assert complaints[0].startswith(f"budgeteer: {config_file}:4: skillsBudget.limits.maxSkillsPromtChars: ")
    assert "Did you mean skillsBudget.limits.maxSkillsPromptChars?" in complaints[0]
    assert complaints[1].startswith(f"budgeteer: {config_file}:5: skillsBudget.limits.maxSkillsInPrompt: “x” ")
    assert complaints[2].startswith(f"budgeteer: {config_file}:6: modle: ")
    assert "Did you mean model?" in complaints[2]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", ":1: is not JSON"),
        ('{"model": "gpt-4o",\n}', ":2: is not JSON"),
        ("[]", ": a configuration is a JSON object"),
        ('{"model": "gpt4o"}', ":1: model: there is no model 'gpt4o'. Did you mean "),
        ('{"pruning":\n{"mode": "on"}}', ":2: pruning.mode: “on” cannot be used here"),
        ("[" * 100_000, ": is nested too deeply"),
    ],
)
def test_validate_says_what_is_wrong_and_where(
    budgeteer: Budgeteer, config_file: Path, text: str, sentence: str
) -> None:
    config_file.write_text(text)
    run = budgeteer("config", "validate", config_file)
    assert run.status == 2
    assert f"budgeteer: {config_file}{sentence}" in run.err


def test_a_missing_or_binary_file_is_named(budgeteer: Budgeteer, tmp_path: Path) -> None:
    picture = tmp_path / "picture.json"
    picture.write_bytes(b"\x89PNG\r\n\x1a\n\xff\xfe")
    assert "is not UTF-8 text" in budgeteer("config", "validate", picture).err
    assert "cannot be read: No such file" in budgeteer("config", "validate", tmp_path / "none.json").err
    assert "cannot be read: Is a directory" in budgeteer("config", "validate", tmp_path).err


@pytest.mark.parametrize(
    ("assignment", "sentence"),
    [
        ("skillsBudget.enabled", "--set skillsBudget.enabled: needs the form path=value"),
        ("skillsBudget.enabld=true", "--set skillsBudget.enabld: this key is not known. Did you mean"),
        ("skillsBudget.enabled=yes", "--set skillsBudget.enabled: “yes” cannot be used here"),
        ("history.maxTokens=130%", "--set history.maxTokens: “130%” cannot be used here"),
    ],
)
def test_a_set_that_cannot_be_used_is_named(budgeteer: Budgeteer, assignment: str, sentence: str) -> None:
    run = budgeteer("config", "show", "--set", assignment)
    assert run.status == 2
    assert sentence in run.err


def test_set_values_are_json_where_they_are_json_and_text_otherwise(budgeteer: Budgeteer) -> None:
    sets = [
        "pins=[]",
        "history.maxTokens=30%",
        "skillsBudget.optimization.prioritization=recent",
        "system.marker=null =",
    ]
    run = budgeteer("config", "show", "--json", *(part for one in sets for part in ("--set", one)))
    shown = json.loads(run.out)
    assert shown["pins"] == []
    assert shown["history"]["maxTokens"] == "30%"
    assert shown["skillsBudget"]["optimization"]["prioritization"] == "recent"
    assert shown["system"]["marker"] == "null ="
