"""Idempotency keys, cursors, entity tags, rate limits and problem documents: what docs/api.md promises."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from budgeteer.http_api import idempotency, rate_limits
from budgeteer.http_api.models import KeyedAnswer, RequestCount
from budgeteer.http_api.operations import sources as source_operations
from budgeteer.jobs.cleanup import clean_up
from budgeteer.sources.models import Source
from budgeteer.tokens.scopes import Scope
from budgeteer.workbench.models import Workspace
from tests import people
from tests.http_api.callers import Caller, do_jobs, token_of

TALK = json.dumps({"messages": [{"role": "user", "content": f"How deep is berth {n}?"} for n in range(25)]}).encode()
KEY = {"Idempotency_Key": "a8098c1a"}


@pytest.fixture
def ada(db: None) -> Caller:
    return Caller(token_of(people.editor("ada")))


@pytest.fixture
def bob(db: None) -> Caller:
    return Caller(token_of(people.editor("bob")))


# ---- idempotency keys


def test_the_same_post_with_the_same_key_is_done_once(ada: Caller) -> None:
    first = ada.post("/workspaces", {"name": "Harbour"}, **KEY)
    second = ada.post("/workspaces", {"name": "Harbour"}, **KEY)
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    assert second["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first
    assert Workspace.objects.count() == 1


def test_an_upload_is_known_again_whatever_its_boundary(ada: Caller) -> None:
    first = ada.upload("/sources", TALK, **KEY)
    again = ada.upload("/sources", TALK, **KEY)
    assert (first.status_code, again.status_code, again["Idempotent-Replayed"]) == (201, 201, "true")
    other = ada.upload("/sources", TALK + b" ", **KEY)
    assert (other.status_code, other.json()["type"]) == (422, "/api/#key-reused")
    assert Source.objects.count() == 1


def test_a_key_is_its_owners_and_means_one_request(ada: Caller, bob: Caller) -> None:
    ada.post("/workspaces", {"name": "Harbour"}, **KEY)
    assert ada.post("/workspaces", {"name": "Quay"}, **KEY).status_code == 422
    theirs = bob.post("/workspaces", {"name": "Harbour"}, **KEY)
    assert "Idempotent-Replayed" not in theirs
    assert Workspace.objects.count() == 2


def test_a_kept_answer_is_not_given_to_a_token_without_the_scope(ada: Caller) -> None:
    ada.post("/workspaces", {"name": "Harbour"}, **KEY)
    owner = Workspace.objects.get().owner
    weak = Caller(token_of(owner, [Scope.PACK]))
    assert weak.post("/workspaces", {"name": "Harbour"}, **KEY).status_code == 403


def test_a_token_that_may_only_write_reads_nothing_by_a_change_or_a_kept_answer(ada: Caller) -> None:
    made = ada.post("/workspaces", {"name": "Harbour", "texts": {"system": "You keep the harbour's secret."}}).json()
    owner = Workspace.objects.get().owner
    weak = Caller(token_of(owner, [Scope.WORKSPACES_WRITE, Scope.JOBS_WRITE]))
    answer = weak.send("PATCH", f"/workspaces/{made['id']}", {"name": "Quay"})
    assert (answer.status_code, answer.content) == (204, b"")
    read = ada.get(f"/workspaces/{made['id']}").json()
    assert (read["name"], read["texts"]["system"]) == ("Quay", "You keep the harbour's secret.")
    ada.upload("/sources", TALK)
    job = f"/jobs/{Source.objects.get().import_job}/cancel"
    assert ada.post(job, **KEY).json()["state"] == "cancelled"
    again = weak.post(job, **KEY)
    assert (again.status_code, again.content) == (204, b"")


def test_a_refused_request_is_kept_and_one_under_way_is_told(ada: Caller) -> None:
    assert ada.post("/workspaces", {"name": "x", "preset": {"slug": "nothing"}}, **KEY).status_code == 422
    again = ada.post("/workspaces", {"name": "x", "preset": {"slug": "nothing"}}, **KEY)
    assert again["Idempotent-Replayed"] == "true"
    KeyedAnswer.objects.update(status=None)
    busy = ada.post("/workspaces", {"name": "x", "preset": {"slug": "nothing"}}, **KEY)
    assert (busy.status_code, busy["Retry-After"]) == (409, "1")
    KeyedAnswer.objects.update(created_at=timezone.now() - idempotency.STUCK_TIME - timedelta(seconds=1))
    assert ada.post("/workspaces", {"name": "y"}, **KEY).status_code == 201, "a process that died frees its key"


def test_an_answer_whose_key_was_freed_meanwhile_is_given(ada: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    keep = idempotency._keep

    def late(taken: KeyedAnswer, response: Any) -> None:
        KeyedAnswer.objects.all().delete()
        keep(taken, response)

    monkeypatch.setattr(idempotency, "_keep", late)
    assert ada.post("/workspaces", {"name": "Harbour"}, **KEY).status_code == 201
    assert KeyedAnswer.objects.count() == 0


def test_keys_are_bounded_and_cleaned_up(ada: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    ada.post("/workspaces", {"name": "Harbour"}, **KEY)
    monkeypatch.setattr(idempotency, "MOST_KEYS", 1)
    assert ada.post("/workspaces", {"name": "Quay"}, Idempotency_Key="b").status_code == 429
    assert ada.post("/workspaces", {"name": "Quay"}, Idempotency_Key="\x7f" * 3).status_code == 422
    assert ada.post("/workspaces", {"name": "Quay"}, Idempotency_Key="k" * 129).status_code == 422
    KeyedAnswer.objects.update(created_at=timezone.now() - idempotency.KEEP - timedelta(seconds=1))
    assert clean_up(pace="often")["answers by idempotency key"] == 1
    assert KeyedAnswer.objects.count() == 0


def test_kept_answers_are_bounded_in_bytes(ada: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ada.post("/workspaces", {"name": "Harbour"}, **KEY).status_code == 201
    monkeypatch.setattr(idempotency, "MOST_KEPT_BYTES", len(KeyedAnswer.objects.get().body))
    assert ada.post("/workspaces", {"name": "Quay"}, Idempotency_Key="b").status_code == 429
    assert ada.post("/workspaces", {"name": "Harbour"}, **KEY)["Idempotent-Replayed"] == "true"
    assert ada.post("/workspaces", {"name": "Quay"}).status_code == 201


# ---- cursors


def test_pages_follow_each_other_without_a_gap(ada: Caller) -> None:
    for number in range(7):
        ada.post("/workspaces", {"name": f"Berth {number}"})
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = ada.get(f"/workspaces?limit=3&cursor={cursor}").json()
        seen += [row["name"] for row in page["items"]]
        cursor = page["next"]
        if len(seen) == 3:  # what comes and goes between two pages moves nothing
            ada.post("/workspaces", {"name": "New"})
            ada.send("DELETE", f"/workspaces/{page['items'][0]['id']}")
    assert seen == [f"Berth {number}" for number in range(6, -1, -1)]


@pytest.mark.parametrize(
    "cursor",
    ["x", "%00", "W10", "WyIwMDAxLTAxLTAxVDAwOjAwOjAwKzE0OjAwIiwgIngiXQ", "Wy0xXQ", "e30", "A" * 300, "WzFd"],
)
def test_a_cursor_that_is_none_is_refused_with_its_place(ada: Caller, cursor: str) -> None:
    answer = ada.get(f"/workspaces?cursor={cursor}")
    assert (answer.status_code, answer.json()["where"]) == (422, "query.cursor")


def test_items_come_in_pages_that_are_bounded_in_size(ada: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    source = ada.upload("/sources", TALK).json()
    assert ada.get(f"/sources/{source['id']}/items").json()["items"] == []
    do_jobs()
    whole = ada.get(f"/sources/{source['id']}/items?limit=100").json()
    assert (len(whole["items"]), whole["total"], whole["next"]) == (25, 25, None)
    monkeypatch.setattr(source_operations, "ITEMS_BYTES", 1)
    numbers, cursor = [], ""
    while cursor is not None:
        page = ada.get(f"/sources/{source['id']}/items?cursor={cursor}").json()
        numbers += [row["number"] for row in page["items"]]
        cursor = page["next"]
    assert numbers == list(range(1, 26))


# ---- entity tags


def test_an_unchanged_answer_is_not_sent_again(ada: Caller) -> None:
    place = f"/workspaces/{ada.post('/workspaces', {'name': 'Harbour'}).json()['id']}"
    tag = ada.get(place)["ETag"]
    unchanged = ada.get(place, If_None_Match=f'"other", W/{tag}')
    assert (unchanged.status_code, unchanged.content, unchanged["ETag"]) == (304, b"", tag)
    changed = ada.send("PATCH", place, {"name": "Quay"}, If_Match=tag)
    assert changed.status_code == 200, changed.content
    assert ada.get(place, If_None_Match=tag).status_code == 200
    stale = ada.send("PATCH", place, {"name": "Pier"}, If_Match=tag)
    assert (stale.status_code, stale.json()["where"]) == (412, "If-Match")
    assert ada.get(place).json()["name"] == "Quay"
    assert ada.send("DELETE", place, If_Match=tag).status_code == 412
    assert ada.send("DELETE", place, If_Match=ada.get(place)["ETag"]).status_code == 204
    assert ada.get(place).status_code == 404


def test_a_look_at_the_figures_changes_no_tag(ada: Caller) -> None:
    source = ada.upload("/sources", TALK).json()
    place = f"/workspaces/{ada.post('/workspaces', {'sources': [source['id']]}).json()['id']}"
    do_jobs()
    ada.get(f"{place}/preview")
    tag = ada.get(place)["ETag"]
    ada.get(f"{place}/preview?provider=anthropic")
    assert ada.get(place)["ETag"] == tag


# ---- rate limits


def test_requests_are_counted_for_each_token_and_told(ada: Caller, bob: Caller, settings: Any) -> None:
    settings.API_REQUESTS_PER_MINUTE = 3
    answers = [ada.get("/me") for _ in range(4)]
    minutes = RequestCount.objects.filter(who__startswith="token:").count()
    if minutes > 1:  # a minute began in between: all four are sent within the next one
        answers = [ada.get("/me") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[0]["RateLimit-Policy"] == '"token";q=3;w=60'
    assert answers[0]["RateLimit"].startswith('"token";r=2;t=')
    assert 1 <= int(answers[3]["Retry-After"]) <= 60
    assert answers[3].json()["type"] == "/api/#rate"
    assert bob.get("/me").status_code == 200


def test_strangers_count_by_address_and_counts_are_forgotten(db: None, settings: Any) -> None:
    settings.API_STRANGERS_PER_MINUTE = 10**6
    for caller in (Caller(""), Caller("bgt_made-up"), Caller("bgt_other")):
        assert caller.get("/me").status_code == 401
    counts = RequestCount.objects.all()
    assert {row.who for row in counts} == {counts[0].who}
    assert sum(row.requests for row in counts) == 3
    assert counts[0].who.startswith("address:")
    assert "127.0.0.1" not in counts[0].who
    RequestCount.objects.all().delete()
    RequestCount.objects.create(who="token:1", minute=1000, requests=5)
    assert rate_limits.forget(before=(1000 + rate_limits.KEEP_MINUTES) * 60.0) == 0
    assert rate_limits.forget(before=(1001 + rate_limits.KEEP_MINUTES) * 60.0) == 1


# ---- problem documents


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"set": {"history.maxTokens": "many"}}, "history.maxTokens"),
        ({"set": {"history.nothing": 1}}, "history.nothing"),
        ({"changes": {"history": {"strategy": "sideways"}}}, "history.strategy"),
        ({"reset": ["nothing"]}, "nothing"),
        ({"preset": {"slug": "nothing"}}, "preset"),
        ({"preset": {"slug": "plain", "version": 99}}, "preset"),
        ({"sources": ["00000000-0000-0000-0000-000000000000"]}, "body.sources.0"),
        ({"texts": {"system": "x" * 20_001}}, "body.texts.system"),
        ({"texts": {"system": "a\0b"}}, "body.texts.system"),
        ({"name": " "}, "body.name"),
        ({"nam": "Quay"}, "body.nam"),
        ({"changes": {"pins": ["a\0b"]}}, "body.changes"),
    ],
)
def test_an_error_says_where_and_nothing_of_it_is_changed(ada: Caller, body: Any, where: str) -> None:
    place = f"/workspaces/{ada.post('/workspaces', {'name': 'Harbour'}).json()['id']}"
    before = ada.get(place).content
    answer = ada.send("PATCH", place, {"texts": {"query": "How deep?"}, **body})
    document = answer.json()
    assert answer.status_code == 422, document
    assert answer["Content-Type"] == "application/problem+json"
    assert document["where"] == where
    assert document["detail"]
    assert ada.get(place).content == before


@pytest.mark.parametrize(
    ("content", "kind", "status", "where"),
    [
        (b"{", "application/json", 400, "body, line 1, column 2"),
        (b"[]", "application/json", 422, "body"),
        (b"\xff", "application/json", 400, "body"),
        (b"{}", "text/plain", 415, "Content-Type"),
        (b'{"request": {"messages": [{"a": NaN}]}}', "application/json", 422, "body.request.messages.0.a"),
        (b'{"request": {"temperature": -Infinity}}', "application/json", 422, "body.request.temperature"),
        (b'{"request": {"temperature": 1e999}}', "application/json", 422, "body.request.temperature"),
        (b'{"request": ' + b"[" * 200 + b"]" * 200 + b"}", "application/json", 400, "body"),
    ],
)
def test_a_body_that_cannot_be_read_is_told_with_its_place(
    ada: Caller, content: bytes, kind: str, status: int, where: str
) -> None:
    answer = ada.client.post("/api/v1/pack", content, content_type=kind, headers=ada.headers)
    assert (answer.status_code, answer.json()["where"]) == (status, where), answer.content


@pytest.mark.parametrize("place", ["/workspaces", "/pack"])
@pytest.mark.parametrize("key", [{}, KEY])
def test_a_form_where_json_is_taken_is_told(ada: Caller, place: str, key: dict[str, str]) -> None:
    answer = ada.upload(place, b"{}", **key)
    assert (answer.status_code, answer.json()["where"]) == (415, "Content-Type")
    assert KeyedAnswer.objects.count() == 0


def test_methods_addresses_and_heads_are_answered_as_http_says(ada: Caller) -> None:
    wrong = ada.send("PUT", "/sources")
    assert (wrong.status_code, wrong["Allow"], wrong.json()["status"]) == (405, "GET, HEAD, POST", 405)
    assert ada.get("/nothing").json()["type"] == "/api/#not-found"
    assert ada.send("HEAD", "/me").status_code == 200
    assert ada.send("HEAD", "/pack").status_code == 405


def test_a_session_opens_nothing(db: None) -> None:
    caller = Caller("")
    caller.client.force_login(people.admin("root"))
    assert caller.get("/me").status_code == 401
    assert caller.post("/workspaces", {"name": "x"}).status_code == 401
    assert Workspace.objects.count() == 0


def test_the_answer_to_a_refused_token_says_how_to_get_one(db: None) -> None:
    answer = Caller("").get("/me")
    assert answer["WWW-Authenticate"] == 'Bearer realm="budgeteer"'
    assert answer.json()["hint"].startswith("Send the header")


# ---- parts that are away


def test_a_database_or_a_storage_that_is_away_is_a_problem_too(ada: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    from django.db import OperationalError

    from budgeteer.sources.files.storage import StorageAway

    source = ada.upload("/sources", TALK).json()
    do_jobs()

    def away(error: Exception) -> Any:
        def raise_it(*_: Any, **__: Any) -> Any:
            raise error

        return raise_it

    for error, status, kind in (
        (StorageAway("The bucket does not answer", mend="Try again"), 503, "/api/#away"),
        (OperationalError("the connection was closed"), 503, "/api/#away"),
        (ZeroDivisionError("a mistake of ours"), 500, "/api/#server"),
    ):
        monkeypatch.setattr("budgeteer.sources.services.contents_of", away(error))
        answer = ada.get(f"/sources/{source['id']}/items")
        assert (answer.status_code, answer.json()["type"]) == (status, kind)
        assert "a mistake of ours" not in answer.content.decode()
        assert answer["RateLimit"]
    monkeypatch.undo()
    monkeypatch.setattr("budgeteer.sources.services.receive_upload", away(ZeroDivisionError()))
    assert ada.upload("/sources", b"{}", **KEY).status_code == 500
    assert KeyedAnswer.objects.count() == 0, "an answer that says we failed frees its key"


def test_a_body_of_more_messages_than_are_packed_at_once_is_refused(ada: Caller) -> None:
    said = [{"role": "user", "content": "x"}] * 20_001
    answer = ada.post("/pack", {"request": {"model": "gpt-4o", "messages": said}})
    assert (answer.status_code, answer.json()["where"]) == (422, "body.request.messages")
    assert "20,000" in answer.json()["detail"]
