"""Requests at the same moment: one key is answered once, one append is taken, no request goes uncounted."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections

from budgeteer.http_api.models import RequestCount
from budgeteer.sources.models import Source
from budgeteer.workbench.models import Workspace
from tests import people
from tests.http_api.callers import Caller, do_jobs, token_of

pytestmark = pytest.mark.django_db(transaction=True)

THREADS = 6
TALK = json.dumps({"messages": [{"role": "user", "content": "How deep is the harbour?"}]}).encode() + b"\n"


def at_once(send: Callable[[int], Any]) -> list[Any]:
    """The answers to requests of several threads, each with connections of its own."""

    def one(number: int) -> Any:
        try:
            return send(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(one, range(THREADS)))


def test_one_key_makes_one_workspace_and_every_request_is_counted() -> None:
    token = token_of(people.editor("ada"))
    answers = at_once(lambda _: Caller(token).post("/workspaces", {"name": "Harbour"}, Idempotency_Key="one"))
    statuses = Counter(answer.status_code for answer in answers)
    assert set(statuses) <= {201, 409}
    assert statuses[201] >= 1
    assert Workspace.objects.count() == 1
    assert sum(row.requests for row in RequestCount.objects.all()) == THREADS
    again = Caller(token).post("/workspaces", {"name": "Harbour"}, Idempotency_Key="one")
    assert (again.status_code, again["Idempotent-Replayed"]) == (201, "true")


def test_of_appends_to_the_same_bytes_one_is_taken() -> None:
    token = token_of(people.editor("ada"))
    source = Caller(token).upload("/sources", TALK, name="talk.jsonl").json()
    do_jobs()
    known = {"offset": str(source["sizeBytes"]), "sha256": source["sha256"]}
    lines = [TALK.replace(b"harbour", b"berth %d" % number) for number in range(THREADS)]
    place = f"/sources/{source['id']}/append"
    answers = at_once(lambda number: Caller(token).upload(place, lines[number], fields=known))
    assert Counter(answer.status_code for answer in answers) == {200: 1, 409: THREADS - 1}
    row = Source.objects.get()
    with row.upload.open("rb") as stored:
        content = stored.read()
    assert content in [TALK + line for line in lines]
    assert (row.size_bytes, row.sha256) == (len(content), hashlib.sha256(content).hexdigest())
    do_jobs()
    row.refresh_from_db()
    assert (row.state, row.counts["messages"]) == ("ready", 2)


def test_an_append_that_makes_the_bytes_of_a_source_in_the_bin_brings_that_one_back() -> None:
    token = token_of(people.editor("ada"))
    line = TALK.replace(b"harbour", b"berth")
    short, whole = (Caller(token).upload("/sources", data, name="t.jsonl").json() for data in (TALK, TALK + line))
    do_jobs()
    Caller(token).send("DELETE", f"/sources/{whole['id']}")
    assert Source.objects.get(pk=whole["id"]).deleted_at is not None
    known = {"offset": str(short["sizeBytes"]), "sha256": short["sha256"]}
    answer = Caller(token).upload(f"/sources/{short['id']}/append", line, fields=known)
    assert answer.status_code == 409
    assert whole["id"] in answer.content.decode()
    assert Caller(token).get(f"/sources/{whole['id']}").status_code == 200
