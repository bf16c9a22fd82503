"""A job's page and card: what is shown, to whom, and where it leads."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from budgeteer.jobs.job_view import safe_path
from budgeteer.jobs.models import Job
from tests.people import editor

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true", "HX-Current-URL": "http://testserver/sources/?q=a"}


@pytest.fixture
def signed_in(client: Client, owner: User) -> Client:
    client.force_login(owner)
    return client


def make(owner: User, **columns: object) -> Job:
    return Job.objects.create(kind="probe.count", owner=owner, arguments={"steps": 1}, **columns)


def test_the_page_shows_progress_and_asks_again_while_the_job_runs(signed_in: Client, owner: User) -> None:
    job = make(owner, state="running", done=1204, total=3000, unit="messages", sentence="Counting tokens")
    page = signed_in.get(f"/jobs/{job.id}/").content.decode()
    assert "<!doctype html>" in page
    assert "Count slowly" in page
    assert "Counting tokens" in page
    assert "1,204 of 3,000 messages" in page
    assert 'value="1204" max="3000"' in page
    assert f'hx-get="/jobs/{job.id}/"' in page
    assert '<meta http-equiv="refresh"' in page


def test_htmx_gets_the_card_alone(signed_in: Client, owner: User) -> None:
    job = make(owner)
    response = signed_in.get(f"/jobs/{job.id}/", headers=HTMX)
    assert response.content.decode().lstrip().startswith("<section")
    assert "HX-Request" in response["Vary"]


def test_a_finished_card_stops_asking(signed_in: Client, owner: User) -> None:
    job = make(owner, state="succeeded", result={"next": "/w/1/"})
    card = signed_in.get(f"/jobs/{job.id}/", headers=HTMX).content.decode()
    assert "hx-trigger" not in card
    assert 'href="/w/1/"' in card


def test_a_finished_job_leads_to_what_it_made(signed_in: Client, owner: User) -> None:
    source = str(uuid.uuid4())
    job = Job.objects.create(kind="sources.import", owner=owner, arguments={"source_id": source}, state="succeeded")
    page = signed_in.get(f"/jobs/{job.id}/").content.decode()
    assert "Import a source" in page
    assert f'<a class="btn p" href="/sources/{source}/">Open source</a>' in page
    assert "Continue" in signed_in.get(f"/jobs/{job.id}/?then=/w/").content.decode()
    Job.objects.filter(pk=job.pk).update(state="failed")
    assert "Open source" not in signed_in.get(f"/jobs/{job.id}/").content.decode()


def test_a_young_job_is_asked_for_sooner(signed_in: Client, owner: User) -> None:
    job = make(owner, state="running")
    assert "load delay:250ms" in signed_in.get(f"/jobs/{job.id}/", headers=HTMX).content.decode()
    Job.objects.filter(id=job.id).update(created_at=timezone.now() - timedelta(seconds=10))
    assert "load delay:700ms" in signed_in.get(f"/jobs/{job.id}/", headers=HTMX).content.decode()


def test_a_job_leads_back_to_the_page_it_was_started_on(signed_in: Client, owner: User) -> None:
    job = make(owner, state="running")
    assert (
        '<a href="/w/1/?view=map">Go back' in signed_in.get(f"/jobs/{job.id}/?then=/w/1/%3Fview%3Dmap").content.decode()
    )
    assert "Go back" not in signed_in.get(f"/jobs/{job.id}/?then=https://else.example/").content.decode()


def test_a_failed_job_says_what_where_and_how_to_mend(signed_in: Client, owner: User) -> None:
    error = {"what": "not <JSON>", "where": "line 214", "mend": "Fix it", "sentence": "line 214: not JSON. Fix it"}
    job = make(owner, state="failed", error=error)
    card = signed_in.get(f"/jobs/{job.id}/", headers=HTMX).content.decode()
    for part in ("not &lt;JSON&gt;", "line 214", "Fix it", "Try again"):
        assert part in card


def test_a_job_that_succeeded_says_what_came_of_it_and_how_long_it_took(signed_in: Client, owner: User) -> None:
    now = timezone.now()
    times = {"started_at": now, "finished_at": now + timedelta(milliseconds=320)}
    job = make(owner, state="succeeded", done=5, total=5, unit="workspaces", **times)
    assert "5 workspaces in 320 ms" in signed_in.get(f"/jobs/{job.id}/").content.decode()


def test_a_job_that_succeeded_leads_on(signed_in: Client, owner: User) -> None:
    job = make(owner, state="succeeded")
    response = signed_in.get(f"/jobs/{job.id}/?then=/w/1/", headers=HTMX)
    assert response["HX-Redirect"] == "/w/1/"


def test_a_job_that_succeeded_reloads_the_page_it_stands_on(signed_in: Client, owner: User) -> None:
    job = make(owner, state="succeeded")
    response = signed_in.get(f"/jobs/{job.id}/", {"then": "/sources/?q=a"}, headers=HTMX)
    assert response["HX-Refresh"] == "true"


def test_a_job_that_failed_leads_nowhere(signed_in: Client, owner: User) -> None:
    job = make(owner, state="failed")
    response = signed_in.get(f"/jobs/{job.id}/?then=/w/1/", headers=HTMX)
    assert "HX-Redirect" not in response


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_a_job_whose_page_tells_how_it_ended_reloads_that_page(signed_in: Client, owner: User, state: str) -> None:
    job = Job.objects.create(kind="sources.import", owner=owner, arguments={}, state=state)
    response = signed_in.get(f"/jobs/{job.id}/", {"then": "/sources/?q=a"}, headers=HTMX)
    assert response["HX-Refresh"] == "true"


@pytest.mark.parametrize(
    "elsewhere", ["https://example.org/", "//example.org/", "javascript:alert(1)", "/\\example.org"]
)
def test_nobody_is_led_to_another_site(signed_in: Client, owner: User, elsewhere: str) -> None:
    job = make(owner, state="succeeded")
    response = signed_in.get(f"/jobs/{job.id}/", {"then": elsewhere}, headers=HTMX)
    assert "HX-Redirect" not in response
    assert safe_path(elsewhere) == ""


def test_another_user_does_not_see_the_job(client: Client, owner: User) -> None:
    job = make(owner)
    client.force_login(editor("eve"))
    for method, path in (("get", ""), ("post", "cancel/"), ("post", "retry/")):
        assert getattr(client, method)(f"/jobs/{job.id}/{path}").status_code == 404
    job.refresh_from_db()
    assert job.state == "queued"


def test_a_visitor_is_asked_to_sign_in(client: Client, owner: User) -> None:
    job = make(owner)
    assert client.get(f"/jobs/{job.id}/").status_code == 302


def test_a_job_that_does_not_exist_is_not_found(signed_in: Client) -> None:
    assert signed_in.get(f"/jobs/{uuid.uuid4()}/").status_code == 404


def test_the_cancel_button_works_without_javascript(signed_in: Client, owner: User) -> None:
    job = make(owner)
    response = signed_in.post(f"/jobs/{job.id}/cancel/?then=/w/1/")
    assert response.status_code == 302
    assert response["Location"] == f"/jobs/{job.id}/?then=%2Fw%2F1%2F"
    job.refresh_from_db()
    assert job.state == "cancelled"


def test_the_retry_button_queues_a_stopped_job_again(signed_in: Client, owner: User) -> None:
    job = make(owner, state="failed", error={"what": "x", "where": "", "mend": "", "sentence": "x"})
    card = signed_in.post(f"/jobs/{job.id}/retry/", headers=HTMX).content.decode()
    assert "Waiting to start" in card
    job.refresh_from_db()
    assert (job.state, job.attempt, job.error) == ("queued", 2, None)


def test_looking_changes_nothing(signed_in: Client, owner: User) -> None:
    job = make(owner)
    for path in ("cancel/", "retry/"):
        assert signed_in.get(f"/jobs/{job.id}/{path}").status_code == 405


def test_a_card_names_what_it_works_on_as_long_as_it_asks(signed_in: Client, owner: User) -> None:
    job = make(owner, state="running")
    url = f"/jobs/{job.id}/?about=boats+%26+tides.zip"
    html = signed_in.get(url, headers={"HX-Request": "true"}).content.decode()
    assert "boats &amp; tides.zip</span>: working" in html
    assert 'aria-label="Count slowly: boats &amp; tides.zip"' in html
    assert f'hx-get="{url}"' in html
