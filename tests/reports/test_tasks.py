from __future__ import annotations

import csv
import io
import json
from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.files.base import ContentFile
from django.utils import timezone

from budgeteer import samples
from budgeteer.engine.config.schema import dump_config, load_config
from budgeteer.engine.errors import InputError
from budgeteer.jobs.cleanup import clean_up
from budgeteer.jobs.execution import execute
from budgeteer.jobs.models import Job, JobState
from budgeteer.reports import services
from budgeteer.reports.document import dump, parse
from budgeteer.sources import services as sources
from budgeteer.workbench import services as workbench
from budgeteer.workbench.config_form import undo_steps
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.preview import preview

# Committed rows only: the heartbeat of a job looks for its row over a connection of its own.
pytestmark = pytest.mark.django_db(transaction=True)


def work_off_jobs() -> list[Job]:
    """Do every queued job here, as a worker would."""
    done = []
    while job := Job.objects.filter(state=JobState.QUEUED).order_by("created_at").first():
        execute(job.id, job.attempt)
        job.refresh_from_db()
        done.append(job)
    return done


@pytest.fixture
def filled(owner):
    """A workspace over the agent-session sample, imported and counted."""
    taken = [
        sources.receive_upload(owner, name=name, content=ContentFile(content, name))
        for name, content in samples.read("agent-session")
    ]
    workspace = workbench.open_with_sources(owner, taken)
    assert [job.error for job in work_off_jobs()] == [None] * len(taken)
    count(workspace)
    return workspace


def count(workspace) -> None:
    """Have the tokenizer of the workspace's model count its sources, as its page does."""
    preview(workspace, EditableConfig.of(workspace))
    assert {job.error for job in work_off_jobs()} <= {None}


def publish(workspace, content="full"):
    report = services.publish(workspace, services.PublishRequest("July", content, 7), owner=workspace.owner)
    (job,) = work_off_jobs()
    assert (job.state, job.error) == (JobState.SUCCEEDED, None)
    report.refresh_from_db()
    return report


def test_a_report_that_is_made_while_its_row_is_looked_at_is_ready(filled):
    order = services.PublishRequest("July", "numbers", 7)
    report = services.publish(filled, order, owner=filled.owner)
    read_before = services.reports_of(filled.owner).get(pk=report.pk)
    work_off_jobs()
    state = services.state_of(read_before)
    assert (state.standing, state.job) == ("ready", None), "its job had ended, and the row said that it was not made"
    assert read_before.verdict["sentence"]


def test_a_report_holds_what_the_workspace_showed(filled):
    report = publish(filled)
    document = services.frozen(report)
    packing = workbench.packing_of(filled)
    assert services.state_of(report).standing == "ready"
    assert document["packing"]["total"] == packing.total.to_json()
    assert document["packing"]["verdict"]["sentence"] == packing.verdict.sentence == report.verdict["sentence"]
    assert document["config"] == dump_config(packing.config)
    assert load_config(document["config"]) == packing.config
    assert document["preset"] == {"slug": "agent-default", "version": 1}
    assert [each["sha256"] for each in document["inputs"]] == [
        link.source.sha256 for link in filled.links.select_related("source")
    ]


def test_its_bytes_survive_reading_and_writing(filled):
    written = services.frozen_bytes(publish(filled))
    assert dump(parse(written)) == written


def test_bar_table_csv_and_json_agree_on_every_number(filled, client):
    report = publish(filled)
    address = report.get_absolute_url()
    document = json.loads(client.get(address + "report.json").content)
    total = document["packing"]["total"]["tokens"]
    rows = csv.DictReader(io.StringIO(client.get(address + "report.csv").content.decode()))
    assert sum(int(row["after_tokens"]) for row in rows) == total
    assert sum(share["sent"] for share in document["bar"]["shares"]) == total
    assert sum(section["after"]["tokens"] for section in document["packing"]["sections"]) == total
    assert f"{total:,}" in client.get(address).content.decode()
    asked = sum(share["sent"] + share["notSent"] for share in document["bar"]["shares"])
    assert asked == document["packing"]["verdict"]["askedTokens"]


def test_numbers_only_quotes_nothing_of_the_sources(filled):
    full, numbers = publish(filled), publish(filled, content="numbers")
    names = {each["name"] for each in services.frozen(full)["packing"]["decisions"] if len(each["name"]) > 5}
    written = services.frozen_bytes(numbers).decode()
    allowed = {"System text"}
    assert [name for name in names - allowed if f'"{name}"' in written] == []
    assert services.frozen(numbers)["prompt"] is None
    assert services.frozen(numbers)["bar"] == services.frozen(full)["bar"]


def test_a_report_never_changes_whatever_happens_to_the_workspace(filled):
    report = publish(filled)
    before = services.frozen_bytes(report)
    undo_steps.commit(filled, {"history": {"maxTokens": 5_000}})
    publish(filled)
    report.refresh_from_db()
    assert services.frozen_bytes(report) == before


def test_what_is_shared_is_the_configuration_of_the_moment_of_sharing(filled):
    undo_steps.commit(filled, {"history": {"maxTokens": 9_000}})
    report = services.publish(filled, services.PublishRequest("July", "full", 7), owner=filled.owner)
    undo_steps.commit(filled, {"history": {"maxTokens": 5_000}})
    work_off_jobs()
    report.refresh_from_db()
    assert services.frozen(report)["config"]["history"]["maxTokens"] == 9_000


def test_the_prompt_of_a_report_is_the_packed_prompt(filled, client):
    report = publish(filled)
    text = client.get(report.get_absolute_url() + "prompt.txt").content.decode()
    assert text.startswith("=== system ===\n")
    page = client.get(report.get_absolute_url() + "prompt/")
    assert page.status_code == 200


def test_doing_the_job_twice_changes_nothing(filled):
    report = publish(filled)
    before = services.frozen_bytes(report)
    job = Job.objects.get(subject=report.subject)
    Job.objects.filter(pk=job.pk).update(state=JobState.QUEUED)
    execute(job.id, job.attempt)
    report.refresh_from_db()
    assert services.frozen_bytes(report) == before


def test_a_report_revoked_before_it_was_made_stays_empty(filled):
    report = services.publish(filled, services.PublishRequest("July", "full", 7), owner=filled.owner)
    services.revoke(report)
    work_off_jobs()
    report.refresh_from_db()
    assert (report.document, report.frozen_at) == (None, None)


def test_a_source_that_was_not_packed_is_not_named_as_an_input(filled):
    text = ContentFile(b"A note that is deleted before the report is made.", "note.txt")
    note = sources.receive_upload(filled.owner, name="note.txt", content=text)
    broken = sources.receive_upload(
        filled.owner, name="broken.png", content=ContentFile(b"\x89PNG\r\n\x1a\n\0", "broken.png")
    )
    for source in (note, broken):
        workbench.attach(filled, source)
    work_off_jobs()
    sources.delete(note)
    used = {each["name"] for each in services.frozen(publish(filled))["inputs"]}
    assert used == {link.source.name for link in filled.links.select_related("source")} - {"note.txt", "broken.png"}


def test_a_report_shows_what_stood_there_when_it_was_shared(filled):
    seen = workbench.packing_of(filled)
    report = services.publish(filled, services.PublishRequest("July", "full", 7), owner=filled.owner)
    workbench.write_texts(filled, {"system": "Something else, typed a moment later."})
    workbench.detach(filled, filled.links.last().pk)
    undo_steps.commit(filled, {"history": {"strategy": "newestFirst", "maxTokens": 10}})
    work_off_jobs()
    report.refresh_from_db()
    document = services.frozen(report)
    assert document["packing"]["total"] == seen.total.to_json()
    assert len(document["inputs"]) == 3


def test_a_source_that_was_imported_anew_since_is_not_taken_for_the_one_that_was_shared(filled):
    report = services.publish(filled, services.PublishRequest("July", "full", 7), owner=filled.owner)
    source = filled.links.first().source
    type(source).objects.filter(pk=source.pk).update(revision=source.revision + 1)
    work_off_jobs()
    assert services.state_of(report).job.error["what"] == "it was imported anew after this was shared"


def test_only_the_conversation_that_was_packed_is_named_among_the_inputs(filled):
    second = sources.receive_paste(filled.owner, text='[{"role": "user", "content": "Another talk"}]')
    work_off_jobs()
    workbench.attach(filled, second)
    count(filled)
    assert second.name not in {each["name"] for each in services.frozen(publish(filled))["inputs"]}


def test_a_workspace_whose_source_is_still_being_imported_is_not_shared(filled):
    workbench.attach(filled, sources.receive_paste(filled.owner, text="not read yet"))
    with pytest.raises(InputError, match="still being imported"):
        services.publish(filled, services.PublishRequest("July", "full", 7), owner=filled.owner)


def test_the_same_form_sent_twice_is_one_report(filled):
    order = services.PublishRequest("July", "full", 7, form_key=uuid4())
    first = services.publish(filled, order, owner=filled.owner)
    assert services.publish(filled, order, owner=filled.owner) == first
    assert len(work_off_jobs()) == 1


def test_a_frozen_report_needs_what_it_was_made_from_no_longer(filled):
    workbench.write_texts(filled, {"query": "Who is to be dismissed?"})
    report = services.publish(filled, services.PublishRequest("July", "full", 7), owner=filled.owner)
    assert report.snapshot["texts"]["query"] == "Who is to be dismissed?"
    work_off_jobs()
    report.refresh_from_db()
    assert report.snapshot == {}


def test_the_housekeeping_erases_what_has_ended_and_in_the_end_its_row(make_report):
    now = timezone.now()
    report = make_report(frozen=False, expires_at=now + timedelta(days=1), snapshot={"texts": {}})
    open_still = make_report(expires_at=now + timedelta(days=200))
    assert clean_up(pace="often")["ended reports"] == 0
    assert services.purge(before=now + timedelta(days=2)) == 1
    report.refresh_from_db()
    assert (report.document, report.snapshot, report.token) == (None, {}, "")
    assert services.purge(before=now + timedelta(days=2)) == 0
    services.purge(before=now + timedelta(days=92))
    assert list(services.reports_of(report.owner)) == [open_still]
