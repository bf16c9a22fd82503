from __future__ import annotations

import csv
import io
import json

import pytest
from django.core.files.base import ContentFile

from budgeteer import samples
from budgeteer.engine.config import dump_config, load_config
from budgeteer.jobs.execution import execute
from budgeteer.jobs.models import Job, State
from budgeteer.reports import services
from budgeteer.reports.document import dump, parse
from budgeteer.sources import services as sources
from budgeteer.workbench import services as workbench

# Committed rows only: the heartbeat of a job looks for its row over a connection of its own.
pytestmark = pytest.mark.django_db(transaction=True)


def work_off_jobs() -> list[Job]:
    """Do every queued job here, as a worker would."""
    done = []
    while job := Job.objects.filter(state=State.QUEUED).order_by("created_at").first():
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
    return workspace


def publish(workspace, content="full"):
    report = services.publish(workspace, owner=workspace.owner, title="July", content=content, days=7)
    (job,) = work_off_jobs()
    assert (job.state, job.error) == (State.SUCCEEDED, None)
    report.refresh_from_db()
    return report


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
    workbench.commit(filled, {"history": {"maxTokens": 5_000}})
    publish(filled)
    report.refresh_from_db()
    assert services.frozen_bytes(report) == before


def test_what_is_shared_is_the_configuration_of_the_moment_of_sharing(filled):
    workbench.commit(filled, {"history": {"maxTokens": 9_000}})
    report = services.publish(filled, owner=filled.owner, title="July", content="full", days=7)
    workbench.commit(filled, {"history": {"maxTokens": 5_000}})
    work_off_jobs()
    report.refresh_from_db()
    assert services.frozen(report)["config"]["history"]["maxTokens"] == 9_000


def test_the_prompt_of_a_report_is_the_packed_prompt(filled, client):
    report = publish(filled)
    text = client.get(report.get_absolute_url() + "prompt.txt").content.decode()
    assert text.startswith("[system]\n")
    page = client.get(report.get_absolute_url() + "prompt/")
    assert page.status_code == 200


def test_doing_the_job_twice_changes_nothing(filled):
    report = publish(filled)
    before = services.frozen_bytes(report)
    job = Job.objects.get(subject=report.subject)
    Job.objects.filter(pk=job.pk).update(state=State.QUEUED)
    execute(job.id, job.attempt)
    report.refresh_from_db()
    assert services.frozen_bytes(report) == before


def test_a_report_revoked_before_it_was_made_stays_empty(filled):
    report = services.publish(filled, owner=filled.owner, title="July", content="full", days=7)
    services.revoke(report)
    work_off_jobs()
    report.refresh_from_db()
    assert (report.document, report.frozen_at) == (None, None)


def test_sources_that_are_not_ready_fail_with_their_sentence(owner):
    name, content = samples.read("agent-session")[0]
    source = sources.receive_upload(owner, name=name, content=ContentFile(content, name))
    workspace = workbench.open_with_sources(owner, [source])
    importing = Job.objects.get()
    Job.objects.filter(pk=importing.pk).update(state=State.RUNNING)
    report = services.publish(workspace, owner=owner, title="July", content="full", days=7)
    (job,) = work_off_jobs()
    assert job.state == State.FAILED
    assert "still" in job.error["sentence"]
    assert services.state_of(report).standing == "failed"


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
