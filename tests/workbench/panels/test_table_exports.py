"""Tables as CSV: complete, and what they add up to is what the page says."""

from __future__ import annotations

import csv
import io

import pytest
from django.test import Client

from budgeteer.workbench import deferred_results, services
from budgeteer.workbench.models import Workspace


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    deferred_results.forget_answers()
    monkeypatch.setattr(deferred_results, "PATIENCE_SECONDS", 60.0)


def rows_of(client: Client, workspace: Workspace, table: str, **params: str) -> list[dict[str, str]]:
    response = client.get(f"{workspace.get_absolute_url()}tables/{table}.csv", params)
    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/csv")
    assert f'.{table}.csv"' in response["Content-Disposition"]
    return list(csv.DictReader(io.StringIO(response.content.decode())))


def test_the_items_add_up_to_the_total(client: Client, session: Workspace) -> None:
    packing = services.packing_of(session)
    rows = rows_of(client, session, "items")
    assert sum(int(row["after_tokens"]) for row in rows) == packing.total.tokens
    items = [row for row in rows if row["fate"] != "overhead"]
    assert len(items) == len(packing.ledger)
    dropped = [row for row in items if row["fate"] == "dropped"]
    assert len(dropped) == packing.ledger.counts()["dropped"]
    assert all(row["reason"] for row in dropped)


def test_the_timeline_has_every_request_and_its_categories_add_up(client: Client, session: Workspace) -> None:
    packing = services.packing_of(session)
    rows = rows_of(client, session, "timeline")
    assert [int(row["request"]) for row in rows] == list(range(1, len(rows) + 1))
    assert int(rows[-1]["sent_tokens"]) == packing.total.tokens
    fixed = {"requested_tokens", "sent_tokens", "above_limit_tokens", "reported_tokens"}
    parts = [name for name in rows[0] if name.endswith("_tokens") and name not in fixed]
    for row in rows:
        assert sum(int(row[name]) for name in parts) == int(row["requested_tokens"])


def test_the_sweep_is_the_one_that_is_asked_for(client: Client, session: Workspace) -> None:
    rows = rows_of(client, session, "sweep", over="skillsBudget.limits.maxSkillsInPrompt")
    kept = [int(row["kept_items"]) for row in rows]
    assert kept == sorted(kept)
    assert float(rows[-1]["from_value"]) <= 24
    assert rows != rows_of(client, session, "sweep")


def test_there_is_no_other_table(client: Client, session: Workspace) -> None:
    assert client.get(f"{session.get_absolute_url()}tables/nothing.csv").status_code == 404


def test_a_workspace_that_cannot_be_packed_leads_back_to_its_view(client: Client, importing: Workspace) -> None:
    response = client.get(f"{importing.get_absolute_url()}tables/timeline.csv")
    assert response.status_code == 302
    assert response["Location"].endswith("?view=timeline")
