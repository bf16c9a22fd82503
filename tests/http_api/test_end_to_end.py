"""From a token to a packed prompt: what a program does with the API, one step after another."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from budgeteer import api as python_api
from tests import people
from tests.http_api.callers import Caller, do_jobs, token_of

TALK = {"model": "gpt-4o", "messages": [{"role": "user", "content": "How deep is the harbour? " * 30}]}


@pytest.fixture
def ada(db: None) -> Caller:
    return Caller(token_of(people.editor("ada")))


def test_a_file_becomes_a_workspace_its_figures_and_its_packed_request(ada: Caller) -> None:
    me = ada.get("/me")
    assert me.status_code == 200, me.content
    assert me.json()["role"] == "editor"
    made = ada.upload("/sources", json.dumps(TALK).encode())
    assert made.status_code == 201, made.content
    source = made.json()
    again = ada.upload("/sources", json.dumps(TALK).encode())
    assert (again.status_code, again.json()["id"]) == (200, source["id"])
    workspace = ada.post("/workspaces", {"name": "Harbour", "sources": [source["id"]]})
    assert workspace.status_code == 201, workspace.content
    place = f"/workspaces/{workspace.json()['id']}"
    assert ada.get(f"{place}/preview").status_code == 202
    do_jobs()
    shown = ada.get(f"{place}/preview")
    assert shown.status_code == 200, shown.content
    figures = shown.json()
    assert figures["decisions"] is None
    assert figures["fits"]
    full = ada.get(f"{place}/preview?detail=full").json()
    assert {**full, "decisions": None} == figures
    total = sum(one["after"]["tokens"] for one in full["decisions"]) + sum(one["tokens"] for one in full["overhead"])
    assert total == full["total"]["tokens"]
    request = ada.get(f"{place}/request").json()
    assert request["messages"][0]["content"] == TALK["messages"][0]["content"]


def test_a_request_body_is_packed_and_nothing_is_kept(ada: Caller) -> None:
    answer = ada.post("/pack", {"request": TALK, "config": {"history": {"strategy": "newestFirst"}}})
    assert answer.status_code == 200, answer.content
    own = python_api.pack_request(TALK, {"history": {"strategy": "newestFirst"}})
    assert answer.json()["request"] == own.body
    assert answer.json()["packing"]["total"] == own.packing.total.to_json()
    assert ada.get("/sources").json() == {"items": [], "next": None}


def test_a_report_is_shared_with_a_password_or_for_the_frames_of_a_site(ada: Caller, client: Client) -> None:
    source = ada.upload("/sources", json.dumps(TALK).encode()).json()
    place = f"/workspaces/{ada.post('/workspaces', {'name': 'Harbour', 'sources': [source['id']]}).json()['id']}"
    ada.get(f"{place}/preview")
    do_jobs()
    locked = ada.post(f"{place}/reports", {"password": "seven grey trawlers"}).json()
    framed = ada.post(f"{place}/reports", {"embedOn": "https://Wiki.example.com, https://b.example.com"}).json()
    do_jobs()
    assert (locked["hasPassword"], locked["embedOn"]) == (True, "")
    assert (framed["hasPassword"], framed["embedOn"]) == (False, "https://wiki.example.com https://b.example.com")
    assert "seven grey" not in json.dumps(ada.get(f"/reports/{locked['id']}").json())
    there = locked["url"].removeprefix("http://testserver")
    assert client.get(f"{there}report.json").status_code == 403
    assert client.post(f"{there}open/", {"password": "seven grey trawlers"}).status_code == 302
    assert client.get(f"{there}report.json").status_code == 200
    policy = client.get(framed["url"].removeprefix("http://testserver") + "embed/")["Content-Security-Policy"]
    assert "frame-ancestors https://wiki.example.com https://b.example.com" in policy


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"password": "short"}, "password"),
        ({"password": "x" * 129}, "password"),
        ({"embedOn": "javascript:alert(1)"}, "embedOn"),
        ({"embedOn": "https://a.example.com/path"}, "embedOn"),
        ({"password": "seven grey trawlers", "embedOn": "https://a.example.com"}, ""),
    ],
)
def test_what_cannot_be_shared_so_is_refused(ada: Caller, body: dict[str, str], where: str) -> None:
    workspace = ada.post("/workspaces", {"name": "Harbour"}).json()["id"]
    answer = ada.post(f"/workspaces/{workspace}/reports", body)
    assert answer.status_code == 422, answer.content
    assert answer.json()["where"].endswith(where)
    assert answer.json()["detail"]
