"""An evaluation in the dashboard says what the command line says of the same files, on its page and in every file."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pyarrow import parquet

from budgeteer.cli.commands.evaluate import command
from budgeteer.collections import chunks
from budgeteer.collections.models import EvaluationChunk, EvaluationRun
from budgeteer.collections.row_columns import RowColumns, segments_of
from budgeteer.collections.row_search import segments_of_run
from budgeteer.collections.run_records import evaluation_of
from budgeteer.engine.analysis.cost_and_usage import money
from tests.collections.material import CONFIGS, collected, conversation, evaluated, lines

pytestmark = pytest.mark.django_db

FILES = {"many.jsonl": lines(range(60)), "one.json": json.dumps(conversation(71)).encode()}


def by_command_line(folder: Path, *names: str) -> dict[str, Any]:
    """What `budgeteer evaluate --json` prints of the same files, with its rows as CSV under `rows`."""
    sessions = folder / "sessions"
    sessions.mkdir()
    for name, data in FILES.items():
        (sessions / name).write_bytes(data)
    options: list[str] = []
    for name in names:
        (folder / f"{name}.json").write_text(json.dumps(CONFIGS[name]), encoding="utf-8")
        options += ["--config", str(folder / f"{name}.json")]
    rows = folder / "rows.csv"
    options += ["--json", "--sessions", "--workers", "1", "--csv", str(rows)]
    done = CliRunner().invoke(command, [str(sessions), *options])
    assert done.exit_code == 0, done.output
    return {**json.loads(done.stdout), "rows": list(csv.DictReader(io.StringIO(rows.read_text(encoding="utf-8"))))}


def plain(figures: dict[str, Any]) -> dict[str, Any]:
    """The figures without names of conversations, which are paths on the command line."""
    for one in figures["configurations"]:
        for row in one["largest"]:
            row["name"] = ""
        one["largest"].sort(key=lambda row: sorted(row.items(), key=str), reverse=True)
    for one in figures["comparisons"]:
        one["changed"] = len(one["changed"])
    return {key: figures[key] for key in ("configurations", "comparisons")}


def of_rows(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Rows as figures, without names, in an order of their own."""
    kept = ("configuration", "messages", "requested", "sent", "limit", "level", "dropped", "summarised", "shortened")
    kept += ("sessionRequests", "sessionSent", "sessionRead", "sessionWritten")
    money = ("cost", "cachedCost")
    found = [(*(str(row[key]) for key in kept), *(float(row[key]) for key in money)) for row in rows]
    return sorted(found)


def test_page_csv_parquet_json_and_command_line_say_the_same(owner: User, tmp_path: Path) -> None:
    told = by_command_line(tmp_path, *CONFIGS)
    run = evaluated(collected(owner, FILES), replays_sessions=True)
    client = Client(SERVER_NAME="localhost")
    client.force_login(owner)

    figures = json.loads(client.get(reverse("collections:json", args=[run.pk])).content)
    assert plain(figures) == plain(told)

    answer = client.get(reverse("collections:csv", args=[run.pk]))
    table = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert of_rows(table) == of_rows(told["rows"])
    assert {row["name"] for row in table} == {*(f"many.jsonl#{number}" for number in range(1, 61)), "one.json"}

    answer = client.get(reverse("collections:parquet", args=[run.pk]))
    assert of_rows(parquet.read_table(io.BytesIO(b"".join(answer.streaming_content))).to_pylist()) == of_rows(table)

    page = client.get(run.get_absolute_url()).content.decode()
    for one in told["configurations"]:
        for size in ("requested", "sent"):
            assert f"{one[size]['p95']:,}" in page
        assert f"{one['overflowRate'] * 100:.1f} % ({one['overflowing']:,})" in page
        assert f"{one['dropRate'] * 100:.1f} %" in page
        assert one["sessions"]["requests"] > one["conversations"]
        assert f"{one['sessions']['readShare'] * 100:.1f} %" in page
        assert money(one["sessions"]["cost"]["cachedPerSession"], "USD") in page


def test_what_was_counted_before_and_what_is_counted_anew_come_to_the_same(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = collected(owner, FILES)
    known = evaluated(collection)
    monkeypatch.setattr(chunks.sources, "read_message_measures", lambda _source, _tokenizer: None)
    anew = evaluated(collection)
    assert evaluation_of(known).to_json() == evaluation_of(anew).to_json()


@pytest.mark.parametrize("size", [1, 7])
def test_chunks_of_any_size_come_to_the_same(owner: User, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    collection = collected(owner, FILES)
    whole = evaluated(collection)
    monkeypatch.setattr(chunks, "CONVERSATIONS_A_CHUNK", size)
    parts = evaluated(collection)
    assert evaluation_of(parts).to_json() == evaluation_of(whole).to_json()
    assert not EvaluationChunk.objects.exists()


def test_duplicates_are_counted_once_unless_each_is_wanted(owner: User) -> None:
    again = lines(range(20))
    moved = again.replace(b'{"messages"', b'{"model": "gpt-4o", "messages"')
    collection = collected(owner, {"first.jsonl": again, "second.jsonl": moved})
    assert (collection.surveyed["conversations"], collection.surveyed["duplicates"]) == (40, 20)
    assert len(collection.surveyed["same"]) == 20
    once, each = evaluated(collection, "full"), evaluated(collection, "full", keeps_duplicates=True)
    assert (once.conversations, once.left_out["duplicates"]) == (20, 20)
    assert (each.conversations, each.left_out["duplicates"]) == (40, 0)
    assert 2 * evaluation_of(once).totals[0].sent.total == evaluation_of(each).totals[0].sent.total


def test_segments_join_chunks_and_lose_no_row(owner: User) -> None:
    run = evaluated(collected(owner, FILES), "full")
    (whole,) = segments_of_run(run)
    parts = [_part(whole, start, min(start + 9, len(whole))) for start in range(0, len(whole), 9)]
    joined = list(segments_of(iter(parts), rows=20))
    assert [len(one) for one in joined] == [27, 27, 7]
    names = [one.name(row) for one in joined for row in range(len(one))]
    assert names == [whole.name(row) for row in range(len(whole))]
    stored = RowColumns.load(io.BytesIO(joined[0].dump()))
    assert stored.by_config[0]["sent"].tolist() == whole.by_config[0]["sent"][:27].tolist()


def _part(whole: RowColumns, start: int, stop: int) -> RowColumns:
    columns = tuple({name: column[start:stop] for name, column in one.items()} for one in whole.by_config)
    return RowColumns(whole.sources, whole.revisions, whole.source[start:stop], whole.number[start:stop], columns)


def test_an_evaluation_of_nothing_stops_with_a_reason(owner: User) -> None:
    from budgeteer.collections import runs, services
    from tests.collections.material import drain, named

    run = runs.begin(
        services.create(owner, name="Empty", members=[]), named("full"), owner=owner, keeps_duplicates=False
    )
    drain()
    runs.refresh_state(run)
    assert run.state == EvaluationRun.State.STOPPED
    assert run.error["what"] == "the collection holds no conversation"
