"""From a token to a packed prompt: what a program does with the API, one step after another."""

from __future__ import annotations

import json

import pytest

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
