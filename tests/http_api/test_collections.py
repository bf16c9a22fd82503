"""Collections by the API: made, evaluated, followed and cancelled; the figures are those of the page and of the CLI."""

from __future__ import annotations

import json

import pytest
from django.contrib.auth.models import User
from django.test import Client

from budgeteer.collections.models import Collection, EvaluationRun
from budgeteer.collections.run_records import evaluation_of, with_names
from budgeteer.jobs.models import Job
from budgeteer.reports.models import Report
from budgeteer.tokens.scopes import Scope
from tests.collections.material import collected, drain, lines
from tests.http_api.callers import token_of
from tests.people import editor
from tests.sources.material import upload

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def owner() -> User:
    return editor("ada")


class Caller:
    """Requests of one token."""

    def __init__(self, owner: User) -> None:
        self.client = Client()
        self.headers = {"Authorization": f"Bearer {token_of(owner, list(Scope))}"}

    def get(self, path: str) -> dict[str, object]:
        answer = self.client.get(f"/api/v1{path}", headers=self.headers)
        assert answer.status_code == 200, answer.content
        return answer.json()

    def post(self, path: str, body: dict[str, object], *, status: int = 201) -> dict[str, object]:
        answer = self.client.post(f"/api/v1{path}", body, content_type="application/json", headers=self.headers)
        assert answer.status_code == status, answer.content
        return answer.json()


@pytest.fixture
def caller(owner: User) -> Caller:
    return Caller(owner)


def test_a_collection_is_made_evaluated_and_read(caller: Caller, owner: User) -> None:
    source = upload(owner, lines(range(12)), name="talks.jsonl")
    drain()
    made = caller.post("/collections", {"name": "Talks  of July", "sources": [str(source.pk)]})
    assert (made["name"], made["sources"], made["isOwn"]) == ("Talks of July", 1, True)
    assert [one["id"] for one in caller.get("/collections")["items"]] == [made["id"]]
    configs = [
        {"changes": {"model": "gpt-4o"}},
        {
            "name": "short",
            "preset": {"slug": "plain"},
            "changes": {"history": {"strategy": "newestFirst", "maxTokens": 200}},
        },
        {"model": "claude-sonnet-4-5"},
    ]
    begun = caller.post(f"/collections/{made['id']}/evaluations", {"configs": configs, "replaySessions": True})
    assert (begun["state"], begun["figures"]) == ("waiting", None)
    assert begun["configs"] == ["Defaults, changed", "short", "Defaults on claude-sonnet-4-5"]
    drain()
    found = caller.get(f"/evaluations/{begun['id']}")
    run = EvaluationRun.objects.get()
    assert (found["state"], found["progress"]) == ("done", {"done": 12, "total": 12, "secondsLeft": None})
    assert found["figures"] == with_names(evaluation_of(run)).to_json()
    assert found["figures"]["configurations"][1]["sessions"] is not None
    assert [one["id"] for one in caller.get(f"/collections/{made['id']}/evaluations")["items"]] == [begun["id"]]


def test_one_that_is_under_way_says_how_far_it_is_and_can_be_cancelled(caller: Caller, owner: User) -> None:
    collection = collected(owner, {"talks.jsonl": lines(range(4))})
    begun = caller.post(f"/collections/{collection.pk}/evaluations", {"configs": [{}]})
    ended = caller.post(f"/evaluations/{begun['id']}/cancel", {}, status=200)
    assert (ended["state"], ended["figures"]) == ("cancelled", None)
    drain()
    assert caller.get(f"/evaluations/{begun['id']}")["state"] == "cancelled"
    assert set(Job.objects.filter(subject=f"evaluation:{begun['id']}").values_list("state", flat=True)) == {"cancelled"}


@pytest.mark.parametrize(
    ("configs", "where"),
    [
        ([], "configs"),
        ([{}] * 7, "configs"),
        ([{"changes": {"history": {"maxTokens": -1}}}], "history.maxTokens"),
        ([{"preset": {"slug": "nothing"}}], "configs.0.preset"),
        ([{"preset": {"slug": "plain", "version": 99}}], "configs.0.preset"),
        ([{"model": "nothing"}], "model"),
        ([{"changes": {"history": {"strategy": "a\u0000b"}}}], "configs.0.changes"),
    ],
)
def test_what_cannot_be_evaluated_is_said_and_begins_nothing(
    caller: Caller, owner: User, configs: list[dict[str, object]], where: str
) -> None:
    collection = collected(owner, {"talks.jsonl": lines(range(2))})
    problem = caller.post(f"/collections/{collection.pk}/evaluations", {"configs": configs}, status=422)
    assert where in str(problem["where"]), problem
    assert not EvaluationRun.objects.exists()


def test_a_collection_whose_sources_are_still_read_is_not_evaluated(caller: Caller, owner: User) -> None:
    source = upload(owner, lines(range(2)), name="talks.jsonl")
    made = caller.post("/collections", {"sources": [str(source.pk)]})
    problem = caller.post(f"/collections/{made['id']}/evaluations", {"configs": [{}]}, status=409)
    assert "still being imported" in str(problem["detail"])


def test_a_source_of_somebody_else_is_in_no_collection(caller: Caller) -> None:
    theirs = upload(editor("bob"), lines(range(2)), name="talks.jsonl")
    problem = caller.post("/collections", {"sources": [str(theirs.pk)]}, status=422)
    assert problem["where"] == "sources.0"
    assert not Collection.objects.exists()


def test_the_same_key_evaluates_once(caller: Caller, owner: User) -> None:
    collection = collected(owner, {"talks.jsonl": lines(range(2))})
    headers = {**caller.headers, "Idempotency-Key": "nightly"}
    body = json.dumps({"configs": [{}]})
    address = f"/api/v1/collections/{collection.pk}/evaluations"
    answers = [
        caller.client.post(address, body, content_type="application/json", headers=headers).json() for _ in range(2)
    ]
    assert answers[0] == answers[1]
    assert EvaluationRun.objects.count() == 1


def test_an_evaluation_a_comparison_and_a_sweep_are_shared(caller: Caller, owner: User) -> None:
    collection = collected(owner, {"talks.jsonl": lines(range(3))})
    begun = caller.post(f"/collections/{collection.pk}/evaluations", {"configs": [{}]})
    early = caller.post(f"/evaluations/{begun['id']}/reports", {}, status=409)
    assert "is not done" in str(early["detail"])
    drain()
    source = collection.links.first()
    workspace = caller.post("/workspaces", {"sources": [str(source.source_id)]})
    caller.client.get(f"/api/v1/workspaces/{workspace['id']}/preview", headers=caller.headers)
    drain()
    asked = [
        (f"/evaluations/{begun['id']}/reports", {}, "evaluation"),
        (f"/workspaces/{workspace['id']}/reports", {"kind": "comparison", "b": "preset:plain@1"}, "comparison"),
        (f"/workspaces/{workspace['id']}/reports", {"kind": "sweep", "over": "inputBudget"}, "sweep"),
        (f"/workspaces/{workspace['id']}/reports", {"kind": "models", "models": ["gpt-4o", "gpt-4.1"]}, "models"),
    ]
    for path, body, kind in asked:
        shared = caller.post(path, body)
        assert (shared["kind"], shared["content"]) == (kind, "numbers")
        drain()
        assert caller.get(f"/reports/{shared['id']}")["state"] == "ready", Report.objects.get(pk=shared["id"]).kind
        assert caller.client.get(str(shared["url"])).status_code == 200
    refused = caller.post(f"/workspaces/{workspace['id']}/reports", {"kind": "sweep", "over": "model"}, status=409)
    assert "cannot be swept" in str(refused["detail"])
