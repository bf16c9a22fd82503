"""The table of real sessions at shares of their size: its promises are checked, and broken ones are told."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.accuracy import session_budgets
from budgeteer.engine.content.conversation import Conversation
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.packing.history.registry import STRATEGIES
from budgeteer.engine.providers.registry import PROVIDERS
from tests.engine.packs import assistant, result, user

RUN = Conversation(
    "run",
    "run",
    (
        user("Look at the harbour."),
        assistant("", "c1"),
        result("c1", "stone " * 50),
        user("Mend the bell tower."),
        *(one for at in range(2, 8) for one in (assistant("", f"c{at}"), result(f"c{at}", "stone " * 40))),
        assistant("It is done."),
    ),
)


def test_every_strategy_and_provider_is_packed_at_every_share_and_keeps_its_promises() -> None:
    rows = list(session_budgets.packings("run", RUN, (100, 50, 1)))
    assert len(rows) == len(STRATEGIES) * len(PROVIDERS) * 3
    assert {row.outcome for row in rows if row.percent > 1} == {"fits"}
    assert {row.outcome for row in rows if row.percent == 1} == {"cannot fit"}
    assert all(row.sent <= row.budget for row in rows if row.outcome == "fits")
    newest = next(row for row in rows if row.strategy == "newestFirst" and row.percent == 50)
    assert newest.prompts_sent < newest.prompts
    assert 0 < newest.results_sent < newest.results


def test_what_is_broken_is_told_and_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = list(session_budgets.packings("run", RUN, (50,)))
    monkeypatch.setattr(session_budgets, "sessions", lambda _folder, _fewest: [("run", RUN)])
    assert session_budgets.main([str(tmp_path), "--shares", "50", "--rows", str(tmp_path / "rows.csv")]) == 0
    written = (tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()
    assert len(list(csv.DictReader(written))) == len(rows)
    broken = replace(rows[0], outcome="without its task")
    monkeypatch.setattr(session_budgets, "packings", lambda *_: [broken])
    assert session_budgets.main([str(tmp_path)]) == 1
    assert "without its task" in capsys.readouterr().err


def test_the_task_is_the_query_or_what_somebody_typed_last() -> None:
    bundle = build_bundle(Inputs(conversation=RUN), counter=counter_for("o200k_base"))
    assert session_budgets.task_texts(bundle) == ["Mend the bell tower."]
    asked = build_bundle(Inputs(conversation=RUN, query="And the clock?"), counter=counter_for("o200k_base"))
    assert session_budgets.task_texts(asked) == ["And the clock?"]
