"""What Prometheus reads: who may, that it names nobody, and that its numbers are those of the database."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError
from django.db.models.functions import Now
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

from budgeteer.jobs.models import Job, JobState, Presence, ProcessPart
from budgeteer.operations import readiness, views
from budgeteer.operations.metrics import exposition as exposition_module
from budgeteer.operations.metrics import jobs as jobs_module
from tests.people import editor

ROOT = Path(__file__).parents[2]
TOKEN = "harbour-and-quay-0123"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setattr(views, "readers", readiness.Readers())
    monkeypatch.setattr(readiness, "ANSWER_SECONDS", 60.0)  # what is there is looked at here, not how fast it answers
    settings.METRICS_TOKEN = TOKEN


def read(client: Client) -> str:
    response = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert response.status_code == 200, response.content
    assert response["Content-Type"].startswith("text/plain")
    return response.content.decode()


def samples(text: str) -> Iterator[tuple[str, dict[str, str], float]]:
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            yield sample.name, dict(sample.labels), sample.value


def value(text: str, name: str, **labels: str) -> float | None:
    found = [number for one, has, number in samples(text) if one == name and labels.items() <= has.items()]
    return sum(found) if found else None


def test_it_is_closed_without_the_token(client: Client, settings: Any) -> None:
    assert client.get("/metrics").status_code == 401
    for wrong in ("Bearer ", "Bearer no", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x", "Bearer \u00e9"):
        assert client.get("/metrics", headers={"Authorization": wrong}).status_code == 401
    settings.METRICS_TOKEN = ""
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404
    assert client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 404


def test_requests_are_counted_by_view_and_never_by_address(client: Client) -> None:
    client.force_login(editor("ada"))
    before = read(client)
    for _ in range(3):
        client.get("/sources/?q=secret-words")
    client.get("/nothing/secret-place/")
    client.generic("BREW", "/sources/")
    after = read(client)

    def more(**labels: str) -> float:
        name = "budgeteer_http_requests_total"
        return (value(after, name, **labels) or 0) - (value(before, name, **labels) or 0)

    assert more(view="sources:list", method="GET", status="200") == 3
    assert more(view="none", status="404") == 1
    assert more(view="sources:list", method="other") == 1
    count = "budgeteer_http_request_seconds_count"
    assert (value(after, count, view="sources:list") or 0) - (value(before, count, view="sources:list") or 0) == 4
    assert "secret" not in after


def test_jobs_and_processes_are_those_of_the_database(client: Client) -> None:
    owner = editor("ada")
    for state in (JobState.QUEUED, JobState.QUEUED, JobState.RUNNING):
        Job.objects.create(kind="sources.import", owner=owner, state=state, subject="source:hidden-subject")
    Job.objects.filter(state=JobState.QUEUED).update(created_at=Now() - timedelta(minutes=5))
    for seconds in range(1, 21):
        job = Job.objects.create(kind="sources.count", owner=owner, state=JobState.SUCCEEDED)
        Job.objects.filter(pk=job.pk).update(started_at=Now() - timedelta(seconds=seconds), finished_at=Now())
    old = Job.objects.create(kind="sources.count", owner=owner, state=JobState.FAILED)
    Job.objects.filter(pk=old.pk).update(finished_at=Now() - jobs_module.PERIOD - timedelta(minutes=1))
    Presence.objects.create(name="w", part=ProcessPart.WORKER, host="hidden-host", version="1", seen_at=Now())
    text = read(client)
    assert value(text, "budgeteer_jobs", kind="sources.import", state="queued") == 2
    assert value(text, "budgeteer_jobs", kind="sources.import", state="running", queue="default") == 1
    assert value(text, "budgeteer_jobs_oldest_wait_seconds", queue="default") == pytest.approx(300, abs=60)
    assert value(text, "budgeteer_jobs_ended_last_hour", kind="sources.count", state="succeeded") == 20
    assert value(text, "budgeteer_jobs_ended_last_hour", state="failed") is None
    seconds_of = "budgeteer_jobs_seconds_last_hour"
    assert value(text, seconds_of, kind="sources.count", quantile="0.5") == pytest.approx(11, abs=0.1)
    assert value(text, seconds_of, kind="sources.count", quantile="1") == pytest.approx(20, abs=0.1)
    assert value(text, "budgeteer_processes", part="worker") == 1
    assert value(text, "budgeteer_processes", part="scheduler") == 0
    assert value(text, "budgeteer_part_up", part="database") == 1
    assert value(text, "budgeteer_part_up", part="scheduler") == 0
    assert "hidden" not in text


def test_while_the_database_is_away_the_rest_is_still_told(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(_self: object) -> Iterator[Any]:
        raise OperationalError("the server closed the connection")

    monkeypatch.setattr(exposition_module.JobsCollector, "collect", away)
    text = read(client)
    assert value(text, "budgeteer_info") == 1
    assert value(text, "budgeteer_jobs") is None
    assert "closed the connection" not in text


def test_every_name_of_the_dashboard_is_measured(client: Client) -> None:
    Job.objects.create(kind="sources.import", owner=editor("ada"))
    job = Job.objects.create(kind="sources.import", state=JobState.SUCCEEDED)
    Job.objects.filter(pk=job.pk).update(started_at=Now(), finished_at=Now())
    client.get("/health/")
    measured = {name: set(labels) for name, labels, _ in samples(read(client))}
    board = json.loads((ROOT / "docs" / "grafana-dashboard.json").read_text())
    places = Counter()
    for panel in board["panels"]:
        assert panel["title"]
        for target in panel["targets"]:
            names = set(re.findall(r"\b(?:budgeteer|process)_\w+", target["expr"]))
            assert names, panel["title"]
            assert names <= measured.keys(), panel["title"]
            for label in re.findall(r"{{(\w+)}}", target["legendFormat"]):
                known = set().union(*(measured[name] for name in names)) | {"instance"}
                assert label in known, panel["title"]
        where = panel["gridPos"]
        places.update(
            (x, y)
            for x in range(where["x"], where["x"] + where["w"])
            for y in range(where["y"], where["y"] + where["h"])
        )
    assert max(places.values()) == 1
