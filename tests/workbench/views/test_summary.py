"""The summary of older history: read, edited, restored, written again, by extraction and by a language model."""

from __future__ import annotations

import html as html_text
import re

import pytest
from django.test import Client

from budgeteer.engine.content.written_messages import SUMMARY_LINE
from budgeteer.jobs.models import Job
from budgeteer.llm.settings import Endpoint
from budgeteer.workbench import services
from budgeteer.workbench.config_form import undo_steps
from budgeteer.workbench.models import Summary, Workspace
from tests.llm.model_server import ModelServer, fails, hangs, model_server, says

HTMX = {"HX-Request": "true"}
SEL = "?sel=summary:history"


@pytest.fixture
def asking(settings):
    """Let summaries be written by the endpoint of this server."""

    def ask(server: ModelServer) -> None:
        settings.LLM_ENDPOINT = Endpoint(server.url, "harbour-7b", timeout_seconds=5, tries=1)

    return ask


@pytest.fixture
def summarised(session: Workspace) -> Workspace:
    undo_steps.commit(session, {"history": {"strategy": "summarizeOlder", "maxChars": 120_000}})
    return session


def open_summary(client: Client, workspace: Workspace, run_jobs) -> str:
    """The page with the summary in the inspector, once a worker has written it."""
    client.get(workspace.get_absolute_url())
    run_jobs()
    return client.get(workspace.get_absolute_url() + SEL).content.decode()


def shown(html: str) -> str:
    found = re.search(r'<textarea[^>]*id="summary-text"[^>]*>(.*?)</textarea>', html, re.DOTALL)
    assert found, "no summary to edit on the page"
    return html_text.unescape(found[1]).strip()


def post(client: Client, workspace: Workspace, **fields: str):
    fields = {"key": Summary.objects.get().key, "sel": "summary:history", **fields}
    return client.post(f"{workspace.get_absolute_url()}summary/", fields)


def test_an_extracted_summary_says_so_and_can_be_read(client, summarised, run_jobs) -> None:
    html = open_summary(client, summarised, run_jobs)
    row = Summary.objects.get()
    assert f"{SUMMARY_LINE}\n\n{shown(html)}" == row.text
    assert "Extracted from the messages, without a language model." in html
    assert row.writer == "extractive"


def test_the_owner_s_wording_is_used_at_once_and_counted(client, summarised, run_jobs) -> None:
    open_summary(client, summarised, run_jobs)
    before = services.packing_of(summarised)
    answer = post(client, summarised, text="Key decisions:\r\n- the blue crane")
    assert answer.status_code == 303
    after = services.packing_of(summarised)
    assert shown(client.get(answer.url).content.decode()) == "Key decisions:\n- the blue crane"
    assert after.chosen.history.summary.text == f"{SUMMARY_LINE}\n\nKey decisions:\n- the blue crane"
    assert after.total.tokens < before.total.tokens
    assert after.ledger.total().tokens == after.total.tokens


def test_what_was_written_can_be_had_back(client, summarised, run_jobs) -> None:
    open_summary(client, summarised, run_jobs)
    summary_store = Summary.objects.get().text
    post(client, summarised, text="- mine")
    html = client.get(summarised.get_absolute_url() + SEL).content.decode()
    assert "edited since" in html
    post(client, summarised, act="restore")
    row = Summary.objects.get()
    assert (row.text, row.edited_at) == (summary_store, None)
    assert 'id="restore-summary"' not in client.get(summarised.get_absolute_url() + SEL).content.decode()


@pytest.mark.parametrize(
    ("text", "sentence"), [("  ", "the summary is empty"), ("word " * 500, "characters and 2,000 may be used")]
)
def test_a_wording_that_cannot_be_used_is_kept_in_the_form_with_the_reason(
    client, summarised, run_jobs, text: str, sentence: str
) -> None:
    open_summary(client, summarised, run_jobs)
    before = Summary.objects.get().text
    answer = post(client, summarised, text=text)
    html = answer.content.decode()
    assert (answer.status_code, Summary.objects.get().text) == (422, before)
    assert sentence in html
    assert shown(html) == text.strip()


def test_a_language_model_writes_it_where_there_is_one(client, summarised, run_jobs, asking) -> None:
    with model_server(says("Topics discussed:\n- a marina's payroll")) as server:
        asking(server)
        html = open_summary(client, summarised, run_jobs)
    assert shown(html) == "Topics discussed:\n- a marina's payroll"
    assert "Written by harbour-7b." in html
    assert len(server.asked) >= 1


def test_an_endpoint_that_fails_leaves_an_extracted_summary_that_says_why(client, summarised, run_jobs, asking) -> None:
    with model_server(fails(503)) as server:
        asking(server)
        html = open_summary(client, summarised, run_jobs)
    row = Summary.objects.get()
    assert (row.writer, len(row.notes)) == ("extractive", 1)
    assert f"The endpoint at {server.url} failed (503). The summary was extracted instead" in html
    assert row.notes[0] in [line["sentence"] for line in Job.objects.get(kind="workbench.summarise").log]


def test_it_can_be_written_again_and_replaces_the_wording(client, summarised, run_jobs, asking) -> None:
    open_summary(client, summarised, run_jobs)
    post(client, summarised, text="- mine")
    with model_server(says("- by the model")) as server:
        asking(server)
        answer = post(client, summarised, act="again")
        job = Job.objects.filter(kind="workbench.summarise").latest("created_at")
        assert answer.url == f"/jobs/{job.id}/?then=%2Fw%2F{summarised.id}%2F%3Fsel%3Dsummary%253Ahistory"
        run_jobs()
    html = client.get(summarised.get_absolute_url() + SEL).content.decode()
    assert (shown(html), Summary.objects.get().edited_at) == ("- by the model", None)


def test_a_job_that_waits_for_a_hanging_endpoint_can_be_called_off(
    client, summarised, run_jobs, asking, monkeypatch
) -> None:
    from budgeteer.jobs import context
    from budgeteer.jobs import services as jobs

    monkeypatch.setattr(context, "CHECK_SECONDS", 0.0)
    client.get(summarised.get_absolute_url())
    job = Job.objects.get(kind="workbench.summarise")

    def hang_and_cancel(handler) -> None:
        cancelled.append(handler)
        hangs(handler)

    cancelled: list[object] = []
    check = context.JobContext.check

    def check_and_cancel(self) -> None:
        if cancelled:
            jobs.cancel(job)
        check(self)

    monkeypatch.setattr(context.JobContext, "check", check_and_cancel)
    with model_server(hang_and_cancel) as server:
        asking(server)
        run_jobs()
    job.refresh_from_db()
    assert (job.state, Summary.objects.count()) == ("cancelled", 0)


def test_the_summary_of_somebody_else_is_not_there(client, summarised, run_jobs, other) -> None:
    open_summary(client, summarised, run_jobs)
    stranger = Client(SERVER_NAME="localhost")
    stranger.force_login(other)
    assert post(stranger, summarised, text="- theirs").status_code == 404
    mine = services.open_with_sources(other, [])
    assert post(stranger, mine, text="- theirs").status_code == 404


def test_a_summary_that_was_written_while_a_page_was_made_is_not_waited_for(
    client, summarised, run_jobs, monkeypatch
) -> None:
    from budgeteer.workbench import preview as module

    request_summary = module.request_summary

    def overtaken(workspace, key, config):
        request_summary(workspace, key, config)
        run_jobs()
        return request_summary(workspace, key, config)

    monkeypatch.setattr(module, "request_summary", overtaken)
    html = client.get(summarised.get_absolute_url() + SEL).content.decode()
    assert shown(html)
    assert 'data-state="' not in html


def test_a_summary_that_was_written_while_its_job_was_being_made_is_not_written_twice(
    client, summarised, run_jobs, monkeypatch
) -> None:
    from budgeteer.workbench import summary_store

    enqueue_once = summary_store.jobs.enqueue_once
    first = client.get(summarised.get_absolute_url() + SEL).content.decode()
    assert 'data-state="' in first

    def overtaken(*asked, **more):
        run_jobs()
        return enqueue_once(*asked, **more)

    monkeypatch.setattr(summary_store.jobs, "enqueue_once", overtaken)
    html = client.get(summarised.get_absolute_url() + SEL).content.decode()
    assert shown(html)
    assert Job.objects.filter(kind="workbench.summarise").count() == 1


def test_a_key_that_no_database_can_hold_is_no_summary(client, summarised, run_jobs) -> None:
    open_summary(client, summarised, run_jobs)
    assert post(client, summarised, key="a\0b", text="- mine").status_code == 404
