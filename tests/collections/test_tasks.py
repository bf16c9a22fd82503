"""The jobs of collections, done once, done twice, and done too late."""

from __future__ import annotations

import json

import pytest
from django.contrib.auth.models import User
from django.core.files.storage import default_storage

from budgeteer.collections import chunks, runs, services
from budgeteer.collections.models import Collection, EvaluationRun
from budgeteer.collections.run_records import evaluation_of
from budgeteer.jobs import services as jobs
from budgeteer.jobs.execution import execute
from budgeteer.jobs.models import Job
from tests.collections.material import collected, drain, evaluated, lines, named
from tests.sources.material import run_jobs

pytestmark = pytest.mark.django_db


def surveyed_again(collection: Collection) -> Job:
    """The job of a survey, done here and now."""
    arguments = {"collection_id": str(collection.pk), "key": ""}
    job = jobs.enqueue("collections.survey", arguments=arguments, owner=collection.owner, subject=collection.subject)
    execute(job.pk, job.attempt)
    job.refresh_from_db()
    return job


def test_a_second_survey_leaves_what_one_leaves(owner: User, django_capture_on_commit_callbacks: object) -> None:
    collection = collected(owner, {"talks.jsonl": lines(range(5))})
    figures, stored = collection.surveyed, collection.survey.name
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        job = surveyed_again(collection)
    collection.refresh_from_db()
    assert (job.state, job.error) == ("succeeded", None)
    assert collection.surveyed == figures
    assert default_storage.exists(collection.survey.name)
    assert not default_storage.exists(stored)
    assert services.ensure_surveyed(collection) is None


def test_a_survey_of_a_collection_that_is_gone_says_so(owner: User) -> None:
    collection = services.create(owner, name="Gone", members=[])
    services.delete(collection)
    job = surveyed_again(collection)
    assert job.state == "failed"
    assert "was deleted before its turn came" in job.error["sentence"]


def test_a_survey_is_taken_anew_once_the_sources_change(owner: User) -> None:
    collection = collected(owner, {"talks.jsonl": lines(range(5)), "more.jsonl": lines(range(5, 7))})
    assert collection.surveyed["conversations"] == 7
    services.remove(collection, collection.sources.get(name="more.jsonl").pk)
    assert not services.is_surveyed(collection)
    run = evaluated(collection, "full")
    collection.refresh_from_db()
    assert (run.conversations, collection.surveyed["conversations"]) == (5, 5)


def test_a_merge_that_runs_twice_leaves_what_one_leaves(owner: User) -> None:
    collection = collected(owner, {"talks.jsonl": lines(range(9))})
    run = evaluated(collection, "full")
    figures = evaluation_of(run).to_json()
    job = jobs.enqueue("collections.merge", arguments={"run_id": str(run.pk)}, owner=owner, subject=run.subject)
    execute(job.pk, job.attempt)
    run.refresh_from_db()
    assert run.state == EvaluationRun.State.DONE
    assert evaluation_of(run).to_json() == figures
    assert run.segments.count() == 1


def test_a_lane_of_a_run_that_was_cancelled_does_nothing(owner: User) -> None:
    collection = collected(owner, {"talks.jsonl": lines(range(9))})
    run = runs.begin(collection, named("full"), owner=owner)
    run_jobs()  # the one that cuts it into chunks
    EvaluationRun.objects.update(state=EvaluationRun.State.CANCELLED)
    drain()
    assert not run.chunks.filter(is_done=True).exists()
    assert not Job.objects.filter(kind="collections.evaluate", state="failed").exists()
    runs.resume(EvaluationRun.objects.get())
    drain()
    assert EvaluationRun.objects.get().state == EvaluationRun.State.DONE


def test_a_conversation_that_takes_too_long_to_replay_stops_the_evaluation_with_its_name(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = collected(owner, {"talks.jsonl": lines(range(5))})
    monkeypatch.setattr(chunks, "REPLAY_SECONDS", 0.0)
    run = runs.begin(collection, named("full"), owner=owner, replays_sessions=True)
    drain()
    run = runs.refresh_state(run)
    assert (run.state, run.error["where"]) == (EvaluationRun.State.STOPPED, "talks.jsonl")
    assert "takes longer than" in run.error["sentence"]
    assert evaluated(collection, "full").conversations == 5
    monkeypatch.undo()
    assert evaluated(collection, "full", replays_sessions=True).conversations == 5


def test_long_conversations_are_replayed_in_chunks_of_their_own(owner: User) -> None:
    turns = [{"role": role, "content": "And then?"} for _ in range(600) for role in ("user", "assistant")]
    long = json.dumps({"messages": turns})
    collection = collected(owner, {"talks.jsonl": f"{long}\n{long[:-1]} }}\n".encode() + lines(range(4))})
    sizes = []
    for replays in (False, True):
        run = runs.begin(collection, named("full"), owner=owner, keeps_duplicates=True, replays_sessions=replays)
        run_jobs()  # the one that cuts it into chunks
        sizes.append(list(run.chunks.order_by("number").values_list("conversations", flat=True)))
        runs.cancel(run)
    assert sizes == [[6], [2, 4]]
