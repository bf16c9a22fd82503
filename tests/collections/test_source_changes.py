"""What became of the sources of an evaluation since it read them is said on its page, in its files and by the API."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from html import unescape
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client
from django.urls import reverse
from pyarrow import parquet

from budgeteer.collections import runs, services
from budgeteer.collections.models import Collection, EvaluationRun
from budgeteer.collections.row_columns import RowName, dump_arrays, load_arrays
from budgeteer.collections.row_search import forget_segments, source_changes
from budgeteer.sources import services as sources
from budgeteer.sources.appending import ExpectedBytes
from budgeteer.sources.models import Source
from tests.collections.material import collected, drain, evaluated, lines, named
from tests.sources.material import upload

pytestmark = pytest.mark.django_db

FILES = {"grown.jsonl": lines(range(6)), "gone.jsonl": lines(range(6, 10)), "same.jsonl": lines(range(10, 13))}


@pytest.fixture
def client(owner: User) -> Client:
    client = Client(SERVER_NAME="localhost")
    client.force_login(owner)
    return client


@pytest.fixture
def collection(owner: User) -> Collection:
    return collected(owner, FILES)


@pytest.fixture
def run(collection: Collection) -> EvaluationRun:
    return evaluated(collection, "full", "newest")


def grow(collection: Collection, name: str) -> None:
    """Put two conversations behind those of a source."""
    source = collection.sources.get(name=name)
    known = ExpectedBytes(len(FILES[name]), hashlib.sha256(FILES[name]).hexdigest())
    sources.append(source, ContentFile(lines(range(40, 42))), known=known)
    drain()
    source.refresh_from_db()
    assert source.counts["conversations"] == 8


def spoil(collection: Collection) -> None:
    grow(collection, "grown.jsonl")
    sources.delete(collection.sources.get(name="gone.jsonl"))


def words(answer: Any) -> str:
    return " ".join(unescape(answer.content.decode()).split())


def table_of(client: Client, run: EvaluationRun) -> list[dict[str, Any]]:
    answer = client.get(reverse("collections:csv", args=[run.pk]))
    return list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))


def test_sources_that_stayed_are_not_spoken_of(client: Client, run: EvaluationRun) -> None:
    assert "sources-changed" not in words(client.get(run.get_absolute_url()))
    assert {row["sourceState"] for row in table_of(client, run)} == {"as evaluated"}
    assert {row["sourceRevision"] for row in table_of(client, run)} == {"1"}
    assert source_changes(run).to_json() == {"total": 3, "readAnew": 0, "deleted": 0, "notKnown": 0}


def test_the_page_says_what_was_read_anew_and_what_is_gone(
    client: Client, collection: Collection, run: EvaluationRun
) -> None:
    spoil(collection)
    page = words(client.get(run.get_absolute_url()))
    assert "Of its 3 sources, 1 was read anew since (grown or replaced) and 1 was deleted since" in page
    assert page.count("read anew since</span>") == 6, "of the largest, which are all, those of the source that grew"
    bar = words(client.get(f"{run.get_absolute_url()}?low=0&high=1000000"))
    assert bar.count("read anew since</span>") == 12


def test_files_say_of_each_row_what_was_read_and_what_became_of_it(
    client: Client, collection: Collection, run: EvaluationRun
) -> None:
    spoil(collection)
    table = table_of(client, run)
    told = {(row["name"].partition("#")[0], row["sourceRevision"], row["sourceState"]) for row in table}
    assert told == {
        ("grown.jsonl", "1", "read anew since"),
        ("a source that was deleted", "1", "deleted since"),
        ("same.jsonl", "1", "as evaluated"),
    }
    stored = client.get(reverse("collections:parquet", args=[run.pk]))
    rows = parquet.read_table(io.BytesIO(b"".join(stored.streaming_content))).to_pylist()
    assert [(row["name"], str(row["sourceRevision"]), row["sourceState"]) for row in rows] == [
        (row["name"], row["sourceRevision"], row["sourceState"]) for row in table
    ]
    figures = json.loads(client.get(reverse("collections:json", args=[run.pk])).content)
    assert figures["sources"] == {"total": 3, "readAnew": 1, "deleted": 1, "notKnown": 0}


def test_an_evaluation_after_the_change_is_of_what_is_there_now(collection: Collection, run: EvaluationRun) -> None:
    spoil(collection)
    anew = evaluated(collection, "full")
    assert source_changes(anew).to_json() == {"total": 2, "readAnew": 0, "deleted": 0, "notKnown": 0}
    assert source_changes(run).changed == 1


def test_a_conversation_of_a_changed_source_is_opened_with_a_word_of_it(
    client: Client, collection: Collection, run: EvaluationRun
) -> None:
    spoil(collection)
    for name, is_said in (("grown.jsonl", True), ("same.jsonl", False)):
        posted = {"conversation": f"{collection.sources.get(name=name).pk.hex}#{0:08d}", "config": "0"}
        answer = client.post(reverse("collections:open_conversation", args=[run.pk]), posted, follow=True)
        assert ("Its source was read anew since the evaluation" in words(answer)) is is_said


def test_nothing_is_opened_before_an_evaluation_is_done_and_nothing_of_it_is_remembered(
    client: Client, collection: Collection
) -> None:
    run = runs.begin(collection, named("full"), owner=collection.owner)
    source = services.members_of(collection)[0]
    posted = {"conversation": RowName(source.pk, 0).text, "config": "0"}
    assert client.post(reverse("collections:open_conversation", args=[run.pk]), posted).status_code == 404
    drain()
    run.refresh_from_db()
    assert source_changes(run).total == services.members_of(collection).count()


def test_rows_of_an_earlier_version_say_that_it_is_not_known(
    client: Client, collection: Collection, run: EvaluationRun
) -> None:
    segment = run.segments.get()
    with segment.rows.open("rb") as file:
        arrays = {name: array for name, array in load_arrays(file).items() if name != "revisions"}
    assert "sources" in arrays
    assert np.issubdtype(arrays["number"].dtype, np.integer)
    segment.rows = default_storage.save("collections/earlier.npz", ContentFile(dump_arrays(arrays)))
    segment.save()
    forget_segments()
    sources.delete(collection.sources.get(name="gone.jsonl"))
    page = words(client.get(run.get_absolute_url()))
    assert "Of its 3 sources, 1 was deleted since" in page
    assert "did not note which state of its sources it read" in page
    assert {(row["sourceRevision"], row["sourceState"]) for row in table_of(client, run)} == {
        ("", "not known"),
        ("", "deleted since"),
    }


def test_a_source_that_holds_fewer_conversations_now_keeps_its_rows_apart(
    client: Client, collection: Collection, run: EvaluationRun
) -> None:
    Source.objects.filter(pk=collection.sources.get(name="grown.jsonl").pk).update(counts={"conversations": 1})
    names = {row["name"] for row in table_of(client, run)}
    assert {"grown.jsonl", *(f"grown.jsonl#{number}" for number in range(2, 7))} <= names


def test_another_upload_under_the_same_name_is_another_source(collection: Collection, run: EvaluationRun) -> None:
    upload(collection.owner, lines(range(30, 33)), name="grown.jsonl")
    assert source_changes(run).changed == 0
