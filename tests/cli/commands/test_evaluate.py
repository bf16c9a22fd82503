"""`budgeteer evaluate`: a collection of conversations, summed up."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from budgeteer.cli import evaluation_files
from budgeteer.cli.evaluation_files import batches_of, pieces_of, read_piece
from tests.cli.conftest import Budgeteer

COLUMNS = ("requested", "sent", "dropped", "messages")


def conversation(number: int) -> dict[str, Any]:
    said = []
    for turn in range(1 + number % 4):
        said.append({"role": "user", "content": f"Question {turn}. " * (1 + number)})
        said.append({"role": "assistant", "content": f"Ferry {turn}. " * (5 * number)})
    return {"messages": [*said, {"role": "user", "content": "And then?"}]}


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """A folder: 40 conversations in a file of lines, two files of one, a library, and a file that is nothing."""
    folder = tmp_path / "sessions"
    (folder / "deep").mkdir(parents=True)
    lines = [json.dumps(conversation(number)) for number in range(40)]
    (folder / "many.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for number in (50, 51):
        (folder / "deep" / f"one{number}.json").write_text(json.dumps(conversation(number)), encoding="utf-8")
    tools = [{"name": "run", "description": "Runs.", "input_schema": {"type": "object"}}]
    (folder / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    (folder / "broken.json").write_bytes(b'{"messages": [\xff')
    return folder


@pytest.fixture
def configs(tmp_path: Path) -> tuple[Path, Path]:
    a, b = tmp_path / "a.json", tmp_path / "b.json"
    a.write_text(json.dumps({"model": "gpt-4o"}), encoding="utf-8")
    history = {"strategy": "newestFirst", "maxTokens": 400}
    b.write_text(json.dumps({"model": "gpt-4o", "history": history}), encoding="utf-8")
    return a, b


def evaluated(budgeteer: Budgeteer, *line: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(budgeteer("evaluate", *line, "--json").out)
    return found


def test_no_cell_of_the_rows_begins_as_a_formula_may(
    budgeteer: Budgeteer, configs: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = tmp_path / "=1+1.json"
    session.write_text(json.dumps({"messages": [{"role": "user", "content": "How deep?"}]}), encoding="utf-8")
    rows = tmp_path / "rows.csv"
    monkeypatch.chdir(tmp_path)
    assert budgeteer("evaluate", session.name, "--config", configs[0], "--csv", rows).status == 0
    with rows.open(encoding="utf-8") as file:
        assert [row["name"] for row in csv.DictReader(file)] == ["'=1+1.json"]


def test_the_figures_are_those_of_packing_each_conversation(
    budgeteer: Budgeteer, collection: Path, configs: tuple[Path, Path], tmp_path: Path
) -> None:
    rows = tmp_path / "rows.csv"
    found = evaluated(budgeteer, collection, "--config", configs[1], "--workers", 1, "--csv", rows)
    totals = found["configurations"][0]
    assert (found["files"], totals["conversations"], totals["name"]) == (3, 42, "b")
    with rows.open(encoding="utf-8") as file:
        written = list(csv.DictReader(file))
    assert len(written) == 42
    for row in (written[0], written[1], written[-1]):
        packed = json.loads(budgeteer("pack", "--conversation", row["name"], "--config", configs[1], "--json").out)
        assert int(row["sent"]) == packed["total"]["tokens"]
        assert int(row["requested"]) == packed["verdict"]["askedTokens"]
        assert row["level"] == packed["verdict"]["level"]
        assert float(row["cost"]) == pytest.approx(packed["cost"]["uncached"], abs=1e-6)
    for name in COLUMNS[:2]:
        assert totals[name]["total"] == sum(int(row[name]) for row in written)
    for name in COLUMNS[2:]:
        assert totals[name] == sum(int(row[name]) for row in written)


def test_what_cannot_be_read_is_listed_with_its_reason(budgeteer: Budgeteer, collection: Path) -> None:
    found = evaluated(budgeteer, collection, "--workers", 1)
    reasons = {Path(one["where"]).name: one["why"] for one in found["notRead"]}
    assert set(reasons) == {"broken.json", "tools.json"}
    assert "no conversation" in reasons["tools.json"]
    shown = budgeteer("evaluate", collection, "--workers", 1)
    assert shown.status == 0
    assert "Not read (2):" in shown.out
    assert shown.out.startswith("42 conversations of 3 files, ")


def test_several_processes_come_to_the_same(
    process: Budgeteer, budgeteer: Budgeteer, collection: Path, configs: tuple[Path, Path]
) -> None:
    line = (collection, "--config", configs[0], "--config", configs[1], "--workers")
    assert json.loads(process("evaluate", *line, 2, "--json").out) == evaluated(budgeteer, *line, 1)


def test_a_long_file_of_lines_is_read_in_pieces_that_come_to_the_same(
    budgeteer: Budgeteer, collection: Path, configs: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = (collection, "--config", configs[0], "--config", configs[1], "--workers", 1)
    whole = evaluated(budgeteer, *line)
    monkeypatch.setattr(evaluation_files, "PIECE_BYTES", 10_000)
    pieces = [piece for piece in pieces_of([str(collection)]) if piece.path.endswith("many.jsonl")]
    assert len(pieces) > 3
    names = [name for piece in pieces for name, _ in read_piece(piece).conversations]
    assert [name.rpartition("#")[2] for name in names] == [str(number) for number in range(1, 41)]
    assert len(list(batches_of(iter(pieces)))) == len(pieces)
    assert evaluated(budgeteer, *line) == whole


def test_a_session_whose_lines_are_events_is_one_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation_files, "PIECE_BYTES", 500)
    lines = [
        json.dumps(
            {"type": kind, "uuid": str(at), "sessionId": "s", "message": {"role": kind, "content": f"Line {at}."}}
        )
        for at, kind in enumerate(["user", "assistant"] * 30)
    ]
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert [piece.end for piece in pieces_of([str(path)])] == [None]


def test_a_gate_for_continuous_integration(budgeteer: Budgeteer, collection: Path, configs: tuple[Path, Path]) -> None:
    line = ("evaluate", collection, "--workers", 1, "--set", "contextWindow=1000", "--set", "outputReserve=100")
    rate = json.loads(budgeteer(*line, "--json").out)["configurations"][0]["overflowRate"]
    assert 0 < rate < 1
    passed = budgeteer(*line, "--max-overflow", f"{rate * 100 + 0.1:.1f}%")
    assert (passed.status, passed.err) == (0, "")
    failed = budgeteer(*line, "--max-overflow", str(rate - 0.01))
    assert failed.status == 1
    assert f"{rate:.1%} overflow" in failed.err
    assert budgeteer(*line, "--max-overflow", "much").status == 2
    assert budgeteer(*line, "--max-overflow", "150%").status == 2


def test_who_changes_sides_between_two_configurations(
    budgeteer: Budgeteer, collection: Path, configs: tuple[Path, Path]
) -> None:
    line = (collection, "--config", configs[0], "--config", configs[1], "--workers", 1)
    sides = evaluated(budgeteer, *line)["comparisons"][0]
    assert (sides["a"], sides["b"]) == ("a", "b")
    assert sum(level["conversations"] for level in sides["levels"]) == 42
    assert f"{sides['changing']} conversations change sides between a and b:" in budgeteer("evaluate", *line).out


def test_whole_sessions_are_replayed_where_that_is_requested(
    budgeteer: Budgeteer, collection: Path, configs: tuple[Path, Path], tmp_path: Path
) -> None:
    line = (collection, "--config", configs[0], "--sessions", "--csv", tmp_path / "rows.csv")
    one, two = (evaluated(budgeteer, *line, "--workers", number) for number in (1, 2))
    assert one == two
    sessions = one["configurations"][0]["sessions"]
    assert sessions["sessions"] == 42
    assert sessions["requests"] > 42
    assert 0 < sessions["read"] < sessions["sent"]["total"]
    assert sessions["cost"]["cached"] < sessions["cost"]["uncached"]
    rows = list(csv.DictReader((tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()))
    assert sum(int(row["sessionSent"]) for row in rows) == sessions["sent"]["total"]
    assert sum(int(row["sessionRead"]) for row in rows) == sessions["read"]
    assert "Whole sessions, every request replayed:" in budgeteer("evaluate", *line, "--workers", 1).out


def test_rows_are_the_same_as_csv_and_as_parquet(
    budgeteer: Budgeteer, collection: Path, configs: tuple[Path, Path], tmp_path: Path
) -> None:
    line = ("evaluate", collection, "--config", configs[0], "--config", configs[1], "--workers", 1)
    table, columns = tmp_path / "rows.csv", tmp_path / "rows.parquet"
    assert budgeteer(*line, "--csv", table).status == budgeteer(*line, "--parquet", columns).status == 0
    with table.open(encoding="utf-8") as file:
        as_csv = list(csv.DictReader(file))
    as_parquet = parquet.read_table(columns).to_pylist()
    texts = [{key: "" if value is None else str(value) for key, value in row.items()} for row in as_parquet]
    assert texts == as_csv
    assert len(as_csv) == 84
    refused = budgeteer(*line, "--csv", tmp_path / "no" / "rows.csv")
    assert refused.status == 2
    assert "cannot be written" in refused.err


def test_a_collection_without_a_conversation_is_bad_input(budgeteer: Budgeteer, collection: Path) -> None:
    run = budgeteer("evaluate", collection / "broken.json")
    assert run.status == 2
    assert "hold no conversation" in run.err
    missing = budgeteer("evaluate", collection / "missing")
    assert missing.status == 2
    assert "does not exist" in missing.err
