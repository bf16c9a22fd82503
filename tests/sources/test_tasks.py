from __future__ import annotations

import json
import threading

import pytest
from django.core.files.storage import default_storage
from django.db import connection

from budgeteer.engine.counting.message_measures import measure_messages
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.jobs import services as jobs
from budgeteer.jobs.execution import execute
from budgeteer.jobs.models import Job
from budgeteer.sources import services, tasks
from budgeteer.sources.models import SourceMeasures
from tests.sources.material import chat, chats, imported, run_jobs, skills_zip, upload


def files_of(source) -> list[str]:
    """Every stored file of a source beside its upload."""
    folder = f"sources/{source.pk}"
    if not default_storage.exists(folder):
        return []
    return sorted(
        f"{folder}/{attempt}/{name}"
        for attempt in default_storage.listdir(folder)[0]
        for name in default_storage.listdir(f"{folder}/{attempt}")[1]
    )


def published(source) -> list[str]:
    return sorted([source.items.name, *(row.arrays.name for row in source.measures.all())])


@pytest.mark.django_db
def test_an_import_fills_the_row_and_says_why(owner):
    source = imported(owner, chat(3))
    assert (source.state, source.kind, source.format, source.revision) == ("ready", "conversation", "openai-chat", 1)
    assert source.counts["messages"] == 7
    assert source.counts["tokens"]["o200k_base"] > 0
    assert source.report["reason"]
    assert source.error == {}


@pytest.mark.django_db
def test_a_file_of_which_far_more_is_read_than_it_holds_is_refused(owner, monkeypatch):
    """A log may put one text aside and let each of its messages name it."""
    monkeypatch.setattr(tasks, "MOST_STORED_BYTES", 10_000)
    messages = [{"role": "user", "content": "attachment://long"}] * 500
    sample = {
        "id": 1,
        "epoch": 1,
        "input": "",
        "target": "",
        "messages": messages,
        "attachments": {"long": "word " * 9_000},
    }
    log = {"eval": {"task": "piers", "model": "m"}, "plan": {}, "samples": [sample]}
    source = upload(owner, json.dumps(log).encode())
    run_jobs()
    source.refresh_from_db()
    assert source.state == "failed"
    assert "many messages repeat one text" in source.error["what"]
    assert files_of(source) == []
    assert imported(owner, chat(3)).state == "ready"


@pytest.mark.django_db
def test_measures_are_those_of_a_fresh_count(owner):
    source = imported(owner, chat(5))
    counter = counter_for("o200k_base")
    loaded = services.load_inputs(source, tokenizer="o200k_base")
    fresh = measure_messages(list(loaded.conversation.messages), counter=counter)
    for name, column in fresh.to_arrays().items():
        assert column.tolist() == loaded.conversation_measures.to_arrays()[name].tolist(), name


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("model", "tokenizers"),
    [
        ("claude-sonnet-4-5-20250929", {"o200k_base", "chars/4", "claude-v3"}),
        ("gpt-4.1", {"o200k_base", "chars/4"}),
        ("our-own-model", {"o200k_base", "chars/4"}),
    ],
)
def test_an_import_counts_with_the_tokenizer_of_the_model_its_conversation_names(owner, model, tokenizers):
    talk = {"model": model, "messages": [{"role": "user", "content": "Which crane?"}]}
    source = imported(owner, json.dumps(talk).encode())
    assert {row.tokenizer for row in source.measures.all()} == tokenizers == set(source.counts["tokens"])
    assert services.load_inputs(source, tokenizer=max(tokenizers)).conversation is not None


@pytest.mark.django_db
def test_the_items_are_there_after_the_transaction_that_published_them(owner, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        source = upload(owner, skills_zip())
    with django_capture_on_commit_callbacks(execute=True):
        run_jobs()
    source.refresh_from_db()
    assert files_of(source) == published(source)
    assert [skill.name for skill in services.contents_of(source).skills()] == ["dredge", "moor"]


@pytest.mark.django_db
def test_importing_again_replaces_everything_and_removes_the_old_files(owner, django_capture_on_commit_callbacks):
    source = imported(owner, chat(2))
    old = published(source)
    with django_capture_on_commit_callbacks(execute=True):
        services.import_again(source, as_format="text")
        run_jobs()
    source.refresh_from_db()
    assert (source.format, source.kind, source.revision) == ("text", "text", 2)
    assert files_of(source) == published(source)
    assert not set(old) & set(files_of(source))


@pytest.mark.django_db
def test_running_the_same_import_twice_leaves_what_one_run_leaves(owner, django_capture_on_commit_callbacks):
    source = imported(owner, chat(2))
    job = Job.objects.get()
    Job.objects.update(state="queued", attempt=2)
    with django_capture_on_commit_callbacks(execute=True):
        execute(job.id, 2)
    source.refresh_from_db()
    assert (source.state, source.counts["messages"]) == ("ready", 5)
    assert files_of(source) == published(source)
    assert SourceMeasures.objects.filter(source=source).count() == 2


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00", "PNG image"),
        (b'{"messages": [{"role": "user", "content": "hi', "cut off"),
        (b"PK\x03\x04 not really", ""),
    ],
)
def test_a_bad_upload_becomes_a_failed_source_with_its_sentence(owner, data, sentence):
    source = imported(owner, data, name="session.json")
    assert source.state == "failed"
    assert sentence in source.error["sentence"]
    assert source.error["mend"]
    assert Job.objects.get().state == "failed"
    assert files_of(source) == []


@pytest.mark.django_db
def test_a_failed_second_import_keeps_the_good_source_as_it_was_and_says_what_failed(owner):
    source = imported(owner, chat(2))
    services.import_again(source, as_format="skills")
    run_jobs()
    source.refresh_from_db()
    assert (source.state, source.format, source.requested_format, source.revision) == ("ready", "openai-chat", "", 1)
    assert source.error["asked"] == "skills"
    assert source.error["sentence"]
    assert services.contents_of(source).reader.count("messages") == 5
    assert services.load_inputs(source, tokenizer="o200k_base").conversation_measures is not None


@pytest.mark.django_db
def test_the_next_good_import_takes_the_sentence_of_a_failed_one_away(owner):
    source = imported(owner, chat(2))
    for asked in ("skills", "text"):
        services.import_again(source, as_format=asked)
        run_jobs()
    source.refresh_from_db()
    assert (source.state, source.format, source.error) == ("ready", "text", {})
    services.import_again(source, as_format="skills")
    run_jobs()
    source.refresh_from_db()
    assert (source.state, source.format, source.requested_format) == ("ready", "text", "text")


@pytest.mark.django_db
def test_a_failed_second_import_can_be_tried_again_by_its_job(owner):
    source = imported(owner, chat(2))
    services.import_again(source, as_format="text")
    job = Job.objects.get(state="queued")
    jobs.cancel(job)
    assert services.refresh_state(source).state == "ready"
    assert source.requested_format == ""
    jobs.retry(job)
    run_jobs()
    source.refresh_from_db()
    assert (source.state, source.format, source.requested_format) == ("ready", "text", "text")


@pytest.mark.django_db
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_imports_asked_for_in_a_row_the_last_one_wins_whichever_runs_first(
    owner, order, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        source = imported(owner, chat(2))
        for asked in ("pasted-chat", "text"):
            services.import_again(source, as_format=asked)
        waiting = list(Job.objects.filter(state="queued").order_by("created_at"))
        for place in order:
            execute(waiting[place].id, waiting[place].attempt)
    source.refresh_from_db()
    assert (source.state, source.format, source.requested_format, source.error) == ("ready", "text", "text", {})
    assert source.revision == 2
    assert files_of(source) == published(source)


@pytest.mark.django_db
def test_an_overtaken_import_that_fails_says_nothing_about_the_source(owner):
    source = imported(owner, chat(2))
    for asked in ("skills", "text"):
        services.import_again(source, as_format=asked)
    first = Job.objects.filter(state="queued").order_by("created_at").first()
    execute(first.id, first.attempt)
    source.refresh_from_db()
    assert (source.state, source.error) == ("importing", {})
    run_jobs()
    source.refresh_from_db()
    assert (source.state, source.format) == ("ready", "text")


@pytest.mark.django_db
def test_an_import_that_was_overtaken_by_another_choice_of_format_publishes_nothing(owner):
    source = upload(owner, chat(2))
    services.import_again(source, as_format="text")
    run_jobs()
    source.refresh_from_db()
    assert (source.format, source.revision) == ("text", 1)
    assert files_of(source) == published(source)


@pytest.mark.django_db
def test_a_worker_that_lost_its_claim_publishes_nothing_and_leaves_no_file(owner, monkeypatch):
    source = upload(owner, chat(2))
    job = Job.objects.get()
    measure = tasks.measure_known

    def overtaken(*args, **kwargs):
        Job.objects.update(attempt=2)
        return measure(*args, **kwargs)

    monkeypatch.setattr(tasks, "measure_known", overtaken)
    execute(job.id, 1)
    source.refresh_from_db()
    assert source.state == "importing"
    assert files_of(source) == []


@pytest.mark.django_db
def test_a_cancelled_import_leaves_no_file_and_the_source_says_so(owner, monkeypatch):
    source = upload(owner, chat(2))
    job = Job.objects.get()
    measure = tasks.measure_known

    def called_off(*args, **kwargs):
        jobs.cancel(Job.objects.get())
        return measure(*args, **kwargs)

    monkeypatch.setattr(tasks, "measure_known", called_off)
    execute(job.id, 1)
    source = services.refresh_state(services.visible_source(owner, source.pk))
    assert source.state == "failed"
    assert "cancelled" in source.error["sentence"]
    assert files_of(source) == []


@pytest.mark.django_db
def test_an_import_of_a_source_that_is_gone_ends_with_a_sentence(owner):
    upload(owner, chat(1)).delete()
    (job,) = run_jobs()
    assert job.state == "failed"
    assert "deleted" in job.error["sentence"]


@pytest.mark.django_db
def test_another_tokenizer_is_counted_once_by_a_job(owner):
    source = imported(owner, chats(3))
    job = services.ensure_measured(source, "cl100k_base")
    assert job.kind == "sources.measure"
    assert services.ensure_measured(source, "cl100k_base").pk == job.pk
    run_jobs()
    source.refresh_from_db()
    assert services.ensure_measured(source, "cl100k_base") is None
    loaded = services.load_inputs(source, tokenizer="cl100k_base", conversation=2)
    assert len(loaded.conversation_measures) == len(loaded.conversation.messages)
    assert set(source.counts["tokens"]) == {"o200k_base", "chars/4", "cl100k_base"}


@pytest.mark.django_db
def test_what_a_version_with_fewer_columns_counted_is_counted_anew(owner):
    source = imported(owner, chat(1))
    SourceMeasures.objects.filter(source=source).update(columns="")
    assert services.load_inputs(source, tokenizer="o200k_base").conversation_measures is None
    assert services.ensure_measured(source, "o200k_base") is not None
    run_jobs()
    assert services.ensure_measured(source, "o200k_base") is None
    assert services.load_inputs(source, tokenizer="o200k_base").conversation_measures is not None
    assert SourceMeasures.objects.filter(source=source, tokenizer="o200k_base").count() == 1


@pytest.mark.django_db
def test_counting_a_revision_that_is_gone_is_refused(owner):
    source = imported(owner, chat(1))
    job = services.ensure_measured(source, "cl100k_base")
    services.import_again(source, as_format="text")
    assert job.pk
    Job.objects.filter(pk=job.pk).update(state="cancelled")
    run_jobs()
    Job.objects.filter(pk=job.pk).update(state="queued")
    run_jobs()
    job.refresh_from_db()
    assert job.state == "failed"
    assert not SourceMeasures.objects.filter(tokenizer="cl100k_base").exists()


@pytest.mark.django_db(transaction=True)
def test_two_workers_with_two_formats_asked_for_in_a_row_leave_the_last_one(owner):
    source = imported(owner, chats(12))
    for asked in ("pasted-chat", "text", "skills", "openai-chat"):
        services.import_again(source, as_format=asked)
    waiting = [(job.id, job.attempt) for job in Job.objects.filter(state="queued").order_by("created_at")]

    def work(mine) -> None:
        for each in mine:
            execute(*each)
        connection.close()

    workers = [threading.Thread(target=work, args=(mine,)) for mine in (waiting[::2], waiting[::-1])]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    source.refresh_from_db()
    assert (source.state, source.format, source.error, source.revision) == ("ready", "openai-chat", {}, 2)
    assert files_of(source) == published(source)
