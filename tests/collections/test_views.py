"""The pages of collections: making one, what it says of its sources, evaluating it, and looking at what was found."""

from __future__ import annotations

import io
import json
import re
import zipfile
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from budgeteer.collections import chunks, runs, services, tasks
from budgeteer.collections.cleanup import remove_orphans
from budgeteer.collections.models import Collection, EvaluationRun
from budgeteer.collections.row_search import find_rows, names_of
from budgeteer.collections.run_page.page import run_page
from budgeteer.collections.run_records import evaluation_of
from budgeteer.collections.run_state import RunState
from budgeteer.jobs import services as jobs
from budgeteer.jobs.execution import execute
from budgeteer.jobs.models import Job
from budgeteer.sources import services as sources
from budgeteer.sources.models import Source
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.services import packing_of
from tests.collections.material import CONFIGS, collected, conversation, drain, evaluated, lines, named
from tests.sources.material import run_jobs, upload

pytestmark = pytest.mark.django_db

TEXT = re.compile(r"<[^>]+>")


@pytest.fixture
def client(owner: User) -> Client:
    client = Client(SERVER_NAME="localhost")
    client.force_login(owner)
    return client


def words(html: bytes) -> str:
    """What a page says, without its marks."""
    return " ".join(TEXT.sub(" ", html.decode()).split())


def sessions_zip(count: int) -> bytes:
    """An archive of sessions, a file each."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as zipped:
        for number in range(count):
            zipped.writestr(f"talks/{number}.json", json.dumps(conversation(number)))
    return archive.getvalue()


def assert_asks_again(answer: Any) -> None:
    """The page looks again by itself; where scripts run it is not loaded anew while somebody types or uploads."""
    assert "Refresh" not in answer.headers
    assert '<noscript><meta http-equiv="refresh"' in answer.content.decode()


def test_files_that_are_uploaded_together_become_a_collection(client: Client, owner: User) -> None:
    files = [io.BytesIO(lines(range(3))), io.BytesIO(lines(range(3))), io.BytesIO(lines(range(3, 5)))]
    for number, file in enumerate(files):
        file.name = f"talks-{number}.jsonl"
    answer = client.post(reverse("collections:upload"), {"files": files}, follow=True)
    collection = Collection.objects.get()
    assert collection.links.count() == 2
    assert "1 file was here already, byte for byte" in words(answer.content)
    assert "being imported" in words(answer.content)
    assert_asks_again(answer)
    asked = client.get(collection.get_absolute_url(), headers={"HX-Request": "true"})
    assert ('id="importing"' in asked.content.decode(), "HX-Refresh" in asked.headers) == (True, False)
    drain()
    asked = client.get(collection.get_absolute_url(), headers={"HX-Request": "true"})
    assert asked.headers["HX-Refresh"] == "true"
    assert_asks_again(client.get(collection.get_absolute_url()))
    drain()
    assert "refresh" not in client.get(collection.get_absolute_url()).content.decode().partition("</head>")[0]
    page = words(client.get(collection.get_absolute_url()).content)
    assert "5 conversations" in page
    assert "No duplicate conversations" in page
    assert "Nothing was skipped" in page


def test_an_archive_of_sessions_is_a_source_with_all_of_them(client: Client, owner: User) -> None:
    file = io.BytesIO(sessions_zip(6))
    file.name = "talks.zip"
    client.post(reverse("collections:upload"), {"files": [file]})
    drain()
    collection = Collection.objects.get()
    services.ensure_surveyed(collection)
    drain()
    collection.refresh_from_db()
    assert (collection.name, collection.surveyed["conversations"]) == ("talks.zip", 6)


def test_sources_are_chosen_by_a_search_and_added_to_one_that_is_there(client: Client, owner: User) -> None:
    for name in ("quay-a.jsonl", "quay-b.jsonl", "crane.jsonl"):
        upload(owner, lines(range(len(name), len(name) + 2)) + name.encode(), name=name)
    drain()
    page = client.get(reverse("collections:choose"), {"q": "quay"})
    assert "quay-a.jsonl" in words(page.content)
    assert "crane.jsonl" not in words(page.content)
    client.post(reverse("collections:choose"), {"q": "quay", "kind": "conversation", "all": "1", "name": "Quays"})
    collection = Collection.objects.get(name="Quays")
    assert collection.links.count() == 2
    crane = Source.objects.get(name="crane.jsonl")
    into = {"kind": "conversation", "source": [str(crane.pk), str(crane.pk)], "into": str(collection.pk)}
    assert client.post(reverse("collections:choose"), into).status_code == 302
    assert collection.links.count() == 3
    refused = client.post(reverse("collections:choose"), {"kind": "conversation", "into": str(collection.pk)})
    assert refused.status_code == 422
    assert "No source was ticked" in words(refused.content)
    client.post(reverse("collections:remove", args=[collection.pk, crane.pk]))
    assert collection.links.count() == 2
    assert Source.objects.filter(pk=crane.pk).exists()


def test_sources_are_added_to_no_collection_that_is_gone_or_anothers(client: Client, owner: User, other: User) -> None:
    source = upload(owner, lines(range(2)), name="quay.jsonl")
    gone = services.create(owner, name="Gone", members=[])
    services.delete(gone)
    theirs = services.create(other, name="Theirs", members=[])
    for into in (str(gone.pk), str(theirs.pk), "no id"):
        posted = {"kind": "any", "source": str(source.pk), "into": into}
        assert client.post(reverse("collections:choose"), posted).status_code == 404
    assert Collection.objects.count() == 2
    assert not source.collections.exists()


def test_a_search_for_a_word_of_any_length_finds_nothing(client: Client, owner: User) -> None:
    upload(owner, lines(range(2)), name="quay.jsonl")
    drain()
    answer = client.post(reverse("collections:choose"), {"kind": "any", "q": "q" * 100_000, "all": "1"})
    assert answer.status_code == 422
    assert not Collection.objects.exists()


def test_another_owners_sources_cannot_be_chosen(client: Client, other: User) -> None:
    source = upload(other, lines(range(2)), name="theirs.jsonl")
    drain()
    answer = client.post(reverse("collections:choose"), {"kind": "any", "source": str(source.pk)})
    assert answer.status_code == 422
    assert not Collection.objects.exists()


def test_a_collection_is_renamed_deleted_and_brought_back(client: Client, owner: User) -> None:
    collection = services.create(owner, name="Talks", members=[])
    client.post(reverse("collections:rename", args=[collection.pk]), {"name": " The  harbour "})
    collection.refresh_from_db()
    assert collection.name == "The harbour"
    client.post(reverse("collections:rename", args=[collection.pk]), {"name": " "})
    collection.refresh_from_db()
    assert collection.name == "The harbour"
    listed = client.post(reverse("collections:delete", args=[collection.pk]), follow=True)
    assert "“The harbour” was deleted" in words(listed.content)
    assert client.get(collection.get_absolute_url()).status_code == 404
    client.post(reverse("collections:restore", args=[collection.pk]))
    assert client.get(collection.get_absolute_url()).status_code == 200


def test_a_form_that_cannot_be_used_says_what_is_wrong_and_keeps_what_was_typed(client: Client, owner: User) -> None:
    collection = collected(owner, {"talks.jsonl": lines(range(3))})
    address = reverse("collections:evaluate", args=[collection.pk])
    for posted, said in (
        ({}, "no configuration is chosen"),
        ({"config": "preset:none"}, "there is no configuration"),
        ({"config": "preset:plain", "model": "gpt-none"}, "there is no model"),
        ({"typed": '{"history": {"maxTokenz": 3}}'}, "maxTokenz"),
        ({"typed": "{"}, "not JSON"),
        ({"config": f"workspace:{collection.pk}"}, "there is no configuration"),
    ):
        answer = client.post(address, posted)
        assert answer.status_code == 422
        assert said in words(answer.content), posted
        assert posted.get("typed", "") in answer.content.decode().replace("&quot;", '"')
    assert not EvaluationRun.objects.exists()


def test_presets_workspaces_models_and_typed_configurations_are_evaluated_side_by_side(
    client: Client, owner: User
) -> None:
    collection = collected(owner, {"talks.jsonl": lines(range(12))})
    workspace = Workspace.objects.create(
        owner=owner, name="Tight", preset_slug="plain", config_delta={"history": {"strategy": "newestFirst"}}
    )
    posted = {
        "config": ["preset:plain", "preset:plain", f"workspace:{workspace.pk}", "defaults"],
        "model": ["", "claude-sonnet-4-5", "gpt-4o", ""],
        "typed": json.dumps(CONFIGS["newest"]),
    }
    answer = client.post(reverse("collections:evaluate", args=[collection.pk]), posted)
    run = EvaluationRun.objects.get()
    assert answer["Location"] == run.get_absolute_url()
    waiting = client.get(run.get_absolute_url())
    assert waiting["Refresh"]
    assert "Preparing" in words(waiting.content)
    drain()
    page = client.get(run.get_absolute_url())
    assert "Refresh" not in page.headers
    assert len(run.names) == 5
    assert all(name in words(page.content) for name in run.names)
    models = [totals.model for totals in evaluation_of(EvaluationRun.objects.get()).totals]
    assert models[1:3] == ["claude-sonnet-4-5", "gpt-4o"]


def test_every_bar_leads_to_the_conversations_behind_it(client: Client, owner: User) -> None:
    run = evaluated(collected(owner, {"talks.jsonl": lines(range(40))}), "newest")
    for of in ("requested", "sent"):
        page = run_page(run, RunState(of=of), now=timezone.now())
        counts = 0
        for bar in page.chart[0].bars:
            listed = client.get(f"{run.get_absolute_url()}{bar.url.partition('#')[0]}")
            shown = listed.context["page"].listed
            counts += shown.window.total
            assert f": {shown.window.total:,} conversation" in bar.title
            assert len(shown.rows) == min(shown.window.total, 50)
        assert counts == 40


def test_who_changes_sides_is_listed(client: Client, owner: User) -> None:
    run = evaluated(collected(owner, {"talks.jsonl": lines(range(40))}), "full", "newest")
    page = run_page(run, RunState(), now=timezone.now())
    assert page.changes is not None
    sides = evaluation_of(run).sides[0, 1]
    assert sides.changing > 0
    state = RunState(before="fits", after="limited")
    listed = run_page(run, state, now=timezone.now()).listed
    assert listed is not None
    assert listed.window.total == sides.levels["fits", "limited"]
    rows = find_rows(run, state.wanted, start=0, stop=1000)
    names = {name.text for name in names_of([row.name for row in rows]).values()}
    assert {names_of([row.name for row in rows])[row.name].text for row in rows} == names
    answer = client.get(f"{run.get_absolute_url()}{state.query()}")
    assert f"{sides.levels['fits', 'limited']} conversations: Fits under full" in words(answer.content)


def test_a_conversation_is_opened_under_the_configuration_it_was_looked_at_with(client: Client, owner: User) -> None:
    run = evaluated(collected(owner, {"talks.jsonl": lines(range(9))}), "full", "newest")
    largest = evaluation_of(run).totals[1].largest[0]
    posted = {"conversation": largest.name, "config": "1"}
    answer = client.post(reverse("collections:open_conversation", args=[run.pk]), posted)
    workspace = Workspace.objects.get()
    assert answer["Location"] == workspace.get_absolute_url()
    assert workspace.links.get().conversation_index == int(largest.name.partition("#")[2])
    assert packing_of(workspace).total.tokens == largest.sent_tokens
    assert client.get(workspace.get_absolute_url()).status_code == 200


@pytest.mark.parametrize("number", ["-1", "9", "99999999999999999999"])
def test_a_conversation_that_is_not_there_is_not_opened(client: Client, owner: User, number: str) -> None:
    collection = collected(owner, {"talks.jsonl": lines(range(9))})
    run = evaluated(collection, "full")
    posted = {"conversation": f"{collection.sources.get().pk.hex}#{number}", "config": "0"}
    answer = client.post(reverse("collections:open_conversation", args=[run.pk]), posted, follow=True)
    assert "cannot be opened any more" in words(answer.content)
    assert not Workspace.objects.exists()


def test_a_source_that_is_deleted_or_imported_anew_stops_an_evaluation_with_a_reason(owner: User) -> None:
    collection = collected(owner, {"talks.jsonl": lines(range(9))})
    source = collection.sources.get()
    for spoil, said in (
        (lambda: Source.objects.filter(pk=source.pk).update(revision=7), "imported anew since the evaluation began"),
        (lambda: sources.delete(source), "a source of the collection was deleted meanwhile"),
    ):
        run = runs.begin(collection, [], owner=owner)
        EvaluationRun.objects.filter(pk=run.pk).update(configs=[{"name": "full", "config": CONFIGS["full"]}])
        run_jobs()
        spoil()
        drain()
        run.refresh_from_db()
        runs.refresh_state(run)
        assert run.state == EvaluationRun.State.STOPPED
        assert said in run.error["sentence"]


def test_files_go_with_what_names_them_and_orphans_are_swept(
    owner: User, django_capture_on_commit_callbacks: Any
) -> None:
    collection = collected(owner, {"talks.jsonl": lines(range(9))})
    run = evaluated(collection, "full")
    orphan = default_storage.save(f"{collection.folder}/orphan.npz", io.BytesIO(b"x"))
    assert remove_orphans(before=timezone.now() + timedelta(hours=1)) >= 1
    assert not default_storage.exists(orphan)
    (name,) = run.segments.values_list("rows", flat=True)
    survey = collection.survey.name
    assert default_storage.exists(name)
    assert default_storage.exists(survey)
    services.delete(collection)
    Collection.objects.update(deleted_at=timezone.now() - timedelta(days=3))
    with django_capture_on_commit_callbacks(execute=True):
        assert services.purge(before=timezone.now() - timedelta(days=1)) == 1
    assert not default_storage.exists(name)
    assert not default_storage.exists(survey)
    assert Source.objects.count() == 1


def test_an_evaluation_that_is_deleted_while_a_lane_ends_leaves_no_job(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "CONVERSATIONS_A_CHUNK", 5)
    monkeypatch.setattr(tasks, "LANE_SECONDS", -1.0)
    run = runs.begin(collected(owner, {"talks.jsonl": lines(range(20))}), named("full"), owner=owner)
    run_jobs()
    cancel = jobs.cancel

    def cancel_late(job: Job) -> None:
        execute(job.id, job.attempt)
        cancel(job)

    monkeypatch.setattr(jobs, "cancel", cancel_late)
    runs.remove(run)
    drain()
    assert not Job.objects.filter(state="failed").exists()
    assert not EvaluationRun.objects.exists()


def test_an_address_that_makes_no_sense_shows_the_page_as_it_is(client: Client, owner: User) -> None:
    run = evaluated(collected(owner, {"talks.jsonl": lines(range(5))}), "full")
    for query in ("?config=9&of=x&low=a&high=-3", "?before=fits&after=none", "?sessions=0&page=99999", "?low=5&high=1"):
        assert client.get(f"{run.get_absolute_url()}{query}").status_code == 200
