"""`--guess-mapping` of `budgeteer import`, and `--mapping` of every command that reads a conversation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Budgeteer
from tests.formats.mapping.test_mapping import EVENTS, ROBOT


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    file = tmp_path / "robot.json"
    file.write_text(json.dumps(ROBOT))
    return file


def test_a_guess_is_printed_and_read_again(budgeteer: Budgeteer, robot: Path, tmp_path: Path) -> None:
    assert budgeteer("import", robot).status == 2
    guess = budgeteer("import", robot, "--guess-mapping")
    assert guess.status == 0
    mapping = tmp_path / "mapping.json"
    mapping.write_text(guess.out)
    report = json.loads(budgeteer("import", robot, "--mapping", mapping, "--json").out)
    assert report["format"] == "mapping"
    assert report["counts"]["messages"] == 5
    assert report["counts"]["toolCalls"] == report["counts"]["toolResults"] == 1


def test_a_file_in_a_shape_of_ones_own_is_counted_and_packed(budgeteer: Budgeteer, robot: Path, tmp_path: Path) -> None:
    mapping = tmp_path / "mapping.json"
    mapping.write_text(budgeteer("import", robot, "--guess-mapping").out)
    plain = tmp_path / "talk.json"
    kept = budgeteer("import", robot, "--mapping", mapping, "--messages", "1", "--json").out
    assert budgeteer("count", robot).status == 2
    counted = json.loads(budgeteer("count", f"{robot}#1", "--mapping", mapping, "--json").out)
    assert [item["id"] for item in counted["items"]] == [one["id"] for one in json.loads(kept)["messages"]]
    assert budgeteer("pack", "--conversation", robot, "--no-cache").status == 2
    options = ("--conversation", f"{robot}#1", "--mapping", mapping, "--no-cache")
    request = budgeteer("pack", *options, "--request", "openai-chat")
    plain.write_text(request.out)
    assert request.status == 0
    packed, again = (
        json.loads(budgeteer("pack", *given, "--json").out)
        for given in (options, ("--conversation", plain, "--no-cache"))
    )
    assert packed["total"] == again["total"]
    assert packed["total"]["tokens"] == counted["total"]["tokens"]


def test_a_mapping_of_nothing_is_refused(budgeteer: Budgeteer, robot: Path) -> None:
    run = budgeteer("pack", "--query", "Is it late?", "--mapping", robot)
    assert run.status == 2
    assert "--conversation" in run.err


def test_lines_are_mapped_as_well(budgeteer: Budgeteer, tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_text("\n".join(map(json.dumps, EVENTS)))
    assert json.loads(budgeteer("import", file, "--guess-mapping").out)["role"] == "$.author.kind"


@pytest.mark.parametrize(
    ("mapping", "said"),
    [("{", "is no JSON"), ('{"budgeteerMapping": 1, "messages": "$..x", "text": "$.y"}', "messages: '$..x' uses more")],
)
def test_a_mapping_that_cannot_be_used_is_named(
    budgeteer: Budgeteer, robot: Path, tmp_path: Path, mapping: str, said: str
) -> None:
    file = tmp_path / "mapping.json"
    file.write_text(mapping)
    run = budgeteer("import", robot, "--mapping", file)
    assert run.status == 2
    assert said in run.err
    assert "mapping.json" in run.err


def test_what_has_no_mapping_is_said(budgeteer: Budgeteer, robot: Path, tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("Just a note.")
    assert "is no JSON" in budgeteer("import", text, "--guess-mapping").err
    numbers = tmp_path / "numbers.json"
    numbers.write_text('{"a": [1, 2]}')
    assert "no list in it looks like messages" in budgeteer("import", numbers, "--guess-mapping").err
    assert budgeteer("import", tmp_path / "none.json", "--guess-mapping").status == 2
    assert budgeteer("import", robot, "--as", "text", "--mapping", robot).status == 2
    good = tmp_path / "good.json"
    good.write_text(budgeteer("import", robot, "--guess-mapping").out)
    assert "is a folder" in budgeteer("import", tmp_path, "--mapping", good).err
