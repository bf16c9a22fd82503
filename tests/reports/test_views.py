from __future__ import annotations

import re
import uuid
from datetime import UTC, datetime

import pytest

from budgeteer.jobs.models import Job, JobState
from budgeteer.reports.models import Report
from budgeteer.reports.views import ROWS_OF_DIALOG
from budgeteer.sources import services as sources
from budgeteer.workbench import services as workbench
from tests.people import editor

HTMX = {"HX-Request": "true"}


@pytest.fixture
def signed_in(client, owner):
    client.force_login(owner)
    return client


@pytest.fixture
def stranger(client, db):
    client.force_login(editor("stranger"))
    return client


def publish(client, workspace, headers=None, **fields):
    data = {"title": "July", "content": "full", "days": "7", **fields}
    return client.post(f"/w/{workspace.id}/publish/", data, headers=headers or {})


def test_publishing_asks_a_worker_and_shows_the_row(signed_in, workspace):
    answer = publish(signed_in, workspace)
    report = Report.objects.get()
    assert answer.url == f"/w/{workspace.id}/share/#shared"
    assert (report.title, report.content, report.frozen_at) == ("July", "full", None)
    assert 6.9 < (report.expires_at - report.created_at).total_seconds() / 86_400 < 7.1
    job = Job.objects.get(subject=report.subject)
    assert job.arguments == {"report_id": str(report.id)}
    assert (report.snapshot["delta"], len(report.snapshot["sources"])) == ({}, workspace.links.count())
    page = signed_in.get(answer.url)
    assert page.headers["Refresh"] == f"2; url=/w/{workspace.id}/share/"
    assert "Waiting to start" in page.content.decode()


def test_the_dialog_keeps_what_a_report_was_to_include(signed_in, workspace):
    page = publish(signed_in, workspace, headers=HTMX, content="redacted").content.decode()
    [chosen] = re.findall(r'value="(\w+)"[^>]* checked', page)
    assert chosen == "redacted"


def test_the_dialog_gets_its_inside_only(signed_in, workspace):
    page = publish(signed_in, workspace, headers=HTMX).content.decode()
    assert page.lstrip().startswith('<div class="share-panel"')
    assert 'hx-trigger="load delay:700ms, every 5s"' in page


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"title": "x" * 121}, "at most 120 characters"),
        ({"days": "0"}, "from 1 to 365"),
        ({"days": "soon"}, "from 1 to 365"),
        ({"days": ""}, "Say after how many days"),
        ({"content": "everything"}, "everything is not one of the available choices"),
    ],
)
def test_a_wrong_choice_is_named_and_nothing_is_published(signed_in, workspace, fields, sentence):
    assert sentence in publish(signed_in, workspace, **fields).content.decode()
    assert not Report.objects.exists()


def test_tokens_are_long_and_never_alike(make_report):
    tokens = {make_report().token for _ in range(20)}
    assert len(tokens) == 20
    assert min(map(len, tokens)) >= 43


def test_revoking_ends_the_link_and_erases_the_content(signed_in, report):
    address = report.get_absolute_url()
    assert signed_in.get(address).status_code == 200
    assert signed_in.post(f"/reports/{report.id}/revoke/").url == "/reports/"
    report.refresh_from_db()
    assert report.document is None
    assert signed_in.get(address).status_code == 404
    assert "revoked" in signed_in.get("/reports/").content.decode()


def test_revoking_twice_changes_nothing(signed_in, report):
    signed_in.post(f"/reports/{report.id}/revoke/")
    report.refresh_from_db()
    first = report.revoked_at
    signed_in.post(f"/reports/{report.id}/revoke/", headers=HTMX)
    report.refresh_from_db()
    assert report.revoked_at == first


def test_revoking_from_the_workspace_leads_back_there(signed_in, report):
    answer = signed_in.post(f"/reports/{report.id}/revoke/", {"from": "share"})
    assert answer.url == f"/w/{report.workspace_id}/share/#shared"


def test_nobody_shares_lists_or_revokes_what_is_anothers(stranger, report, workspace):
    assert publish(stranger, workspace).status_code == 404
    assert stranger.get(f"/w/{workspace.id}/share/").status_code == 404
    assert stranger.post(f"/reports/{report.id}/revoke/").status_code == 404
    assert stranger.get(f"/reports/{report.id}/", headers=HTMX).status_code == 404
    assert report.title not in stranger.get("/reports/").content.decode()
    report.refresh_from_db()
    assert report.revoked_at is None


def test_what_does_not_exist_is_not_found(signed_in):
    assert signed_in.post(f"/reports/{uuid.uuid4()}/revoke/").status_code == 404


def test_a_ready_row_gives_the_whole_address(signed_in, report):
    page = signed_in.get(f"/reports/{report.id}/", headers=HTMX).content.decode()
    assert f'value="http://testserver{report.get_absolute_url()}"' in page
    assert signed_in.get(f"/reports/{report.id}/").url == f"/reports/#report-{report.id}"


def test_the_dialog_lists_the_newest_and_links_to_all(signed_in, make_report, workspace):
    made = [make_report(title=f"Report {number}") for number in range(ROWS_OF_DIALOG + 1)]
    url = f"/w/{workspace.id}/share/"
    dialog = signed_in.get(url, headers=HTMX).content.decode()
    assert dialog.count('class="report ready"') == ROWS_OF_DIALOG
    assert made[0].title not in dialog
    assert f'href="{url}#shared">All {len(made)} shared reports</a>' in dialog
    page = signed_in.get(url).content.decode()
    assert page.count('class="report ready"') == len(made)
    assert "shared reports</a>" not in page


def test_a_report_that_could_not_be_made_says_why(signed_in, make_report):
    report = make_report(frozen=False)
    error = {"sentence": "session.jsonl is still being imported."}
    Job.objects.create(
        kind="reports.freeze", subject=report.subject, owner=report.owner, state=JobState.FAILED, error=error
    )
    assert "session.jsonl is still being imported." in signed_in.get("/reports/").content.decode()


def test_a_report_outlives_its_workspace(signed_in, report, workspace):
    workspace.delete()
    assert signed_in.get(report.get_absolute_url()).status_code == 200
    assert signed_in.get("/reports/").status_code == 200


def test_the_form_that_is_shown_makes_one_report_however_often_it_is_sent(signed_in, workspace):
    page = signed_in.get(f"/w/{workspace.id}/share/").content.decode()
    key = re.search(r'name="form_key" value="([^"]+)"', page)[1]
    for _ in range(2):
        publish(signed_in, workspace, form_key=key)
    assert Report.objects.count() == 1
    assert f'value="{key}"' not in signed_in.get(f"/w/{workspace.id}/share/").content.decode()


def test_a_damaged_form_says_so(signed_in, workspace):
    page = publish(signed_in, workspace, form_key="nonsense").content.decode()
    assert "load the page again" in page
    assert not Report.objects.exists()


def test_sharing_what_is_still_being_imported_says_so_in_the_form(signed_in, workspace, owner):
    workbench.attach(workspace, sources.receive_paste(owner, text="not read yet"))
    assert "is still being imported" in publish(signed_in, workspace, title="Kept").content.decode()
    assert not Report.objects.exists()


def test_a_new_form_asks_for_numbers_only_and_fills_in_no_title(signed_in, workspace):
    page = signed_in.get(f"/w/{workspace.id}/share/").content.decode()
    [chosen] = re.findall(r'<input type="radio" name="content" value="(\w+)"[^>]* checked', page)
    assert chosen == "numbers"
    title = re.search(r'<input type="text" name="title"[^>]*>', page)[0]
    assert "value=" not in title


@pytest.mark.parametrize(("content", "title"), [("full", "Payroll agent"), ("numbers", "")])
def test_without_a_title_only_a_full_report_is_called_like_its_workspace(signed_in, workspace, content, title):
    publish(signed_in, workspace, content=content, title=" ")
    assert Report.objects.get().title == title
    assert (title or "Report on Payroll agent") in signed_in.get("/reports/").content.decode()


def test_reports_without_a_title_are_told_apart_by_kind_model_and_time(signed_in, make_report):
    for kind, model, hour in (("packing", "gpt-4o", 9), ("sweep", "claude-opus-4-5", 14)):
        verdict = {"level": "", "sentence": "Said", "models": [model]}
        make_report(title="", kind=kind, verdict=verdict, created_at=datetime(2026, 10, 26, hour, 5, tzinfo=UTC))
    rows = re.findall(r'<li class="report.*?</li>', signed_in.get("/reports/").content.decode(), re.DOTALL)
    told = [re.sub(r"<[^>]+>|\s+", " ", row) for row in rows]
    for said, words in zip(
        told,
        (("Sweep of Payroll agent", "claude-opus-4-5", "14:05"), ("Report on Payroll agent", "gpt-4o", "09:05")),
        strict=True,
    ):
        assert all(word in said for word in words), said


def test_a_report_whose_workspace_is_gone_says_what_it_shows(make_report):
    assert str(make_report(title="", workspace=None)) == "Packed prompt"


def test_a_revoked_report_holds_nothing_of_what_it_was_made_from(signed_in, make_report):
    report = make_report(snapshot={"texts": {"query": "Who is to be dismissed?"}})
    signed_in.post(f"/reports/{report.id}/revoke/")
    report.refresh_from_db()
    assert (report.document, report.snapshot, report.token) == (None, {}, "")
    assert signed_in.get("/reports/").status_code == 200
    assert signed_in.get(f"/reports/{report.id}/", headers=HTMX).status_code == 200


def test_deleting_a_workspace_says_that_its_reports_stay(signed_in, report, workspace):
    workbench.delete(workspace)
    page = signed_in.get(f"/w/?deleted={workspace.id}").content.decode()
    assert "Reports that were shared from it stay until they end" in page
    assert signed_in.get(report.get_absolute_url()).status_code == 200


def test_a_workspace_that_cannot_be_packed_is_refused_when_it_is_shared(signed_in, workspace):
    batch = {"topic": "The start", "ranges": [{"startId": "m001", "endId": "m900", "summary": "They met."}]}
    workspace.config_delta = {"pruning": {"mode": "manual", "ranges": [batch]}}
    workspace.query_text = "What is next?"
    workspace.save()
    page = publish(signed_in, workspace, title="Kept").content.decode()
    assert "There is nothing to share yet: pruning.ranges.0.ranges.0.startId: there is no m001" in page
    assert 'value="Kept"' in page
    assert not Report.objects.exists()
    assert not Job.objects.filter(kind="reports.freeze").exists()
