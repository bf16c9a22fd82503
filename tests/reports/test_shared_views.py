from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from budgeteer.jobs.models import Job, JobState
from budgeteer.reports import services
from budgeteer.reports.models import new_token

FILES = ("report.json", "report.csv", "report.md", "prompt.txt")


def test_a_signed_out_reader_sees_the_report(client, report):
    answer = client.get(report.get_absolute_url())
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "Fits, with 2 items left out and 1 summarised" in page
    assert "Payroll agent, &lt;b&gt;July&lt;/b&gt;" in page


def test_nothing_about_the_reader_is_kept_but_that_there_was_one(client, report, django_assert_num_queries):
    with django_assert_num_queries(2):
        answer = client.get(report.get_absolute_url())
    assert not answer.cookies
    assert "Cookie" not in answer.headers.get("Vary", "")


@pytest.mark.parametrize("path", ["", "prompt/", *FILES])
def test_search_engines_caches_and_referrers_are_kept_out(client, report, path):
    answer = client.get(report.get_absolute_url() + path)
    assert answer.status_code == 200
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Referrer-Policy"] == "no-referrer"
    if not path:
        assert '<meta name="robots" content="noindex, nofollow">' in answer.content.decode()


def test_the_json_is_the_frozen_document_byte_for_byte(client, report):
    answer = client.get(report.get_absolute_url() + "report.json")
    assert answer.content == services.frozen_bytes(report)
    assert answer.headers["Content-Disposition"] == 'attachment; filename="payroll-agent-bjulyb.json"'


@pytest.mark.parametrize("path", ["", "prompt/", *FILES])
def test_expired_revoked_and_unknown_links_all_look_the_same(client, make_report, path):
    past = timezone.now() - timedelta(seconds=1)
    expired, revoked = make_report(expires_at=past), make_report()
    token_of_revoked = revoked.token
    services.revoke(revoked)
    pages = []
    for token in (expired.token, token_of_revoked, new_token(), "x", "%00", "\u2026"):
        answer = client.get(f"/r/{token}/{path}")
        assert answer.status_code == 404
        assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
        pages.append(answer.content)
    assert len(set(pages)) == 1
    assert b"There is no report at this address" in pages[0]


def test_a_report_of_numbers_has_no_prompt_and_no_names(client, make_report):
    report = make_report(content="numbers")
    page = client.get(report.get_absolute_url()).content.decode()
    assert "zeta-skill" not in page
    assert "Packed prompt" not in page
    for path in ("prompt/", "prompt.txt"):
        assert client.get(report.get_absolute_url() + path).status_code == 404


def test_items_are_filtered_by_fate(client, report):
    page = client.get(report.get_absolute_url() + "?fate=dropped").content.decode()
    everything = page[page.index('id="items"') :]
    assert "zeta-skill" in everything
    assert "read_file" not in everything
    assert client.get(report.get_absolute_url() + "?fate=nonsense&page=99").status_code == 200


def test_the_prompt_stands_with_a_line_where_something_went(client, report):
    page = client.get(report.get_absolute_url() + "prompt/").content.decode()
    assert "You are a payroll agent." in page
    assert "1 tool left out" in page
    text = client.get(report.get_absolute_url() + "prompt.txt").content.decode()
    assert text == "=== system ===\nYou are a payroll agent.\n\n=== user ===\nWhat is next?\n"


def test_while_a_worker_is_busy_the_page_says_so_and_looks_again(client, make_report):
    report = make_report(frozen=False)
    Job.objects.create(kind="reports.freeze", subject=report.subject, owner=report.owner)
    answer = client.get(report.get_absolute_url())
    assert (answer.status_code, answer.headers["Refresh"]) == (200, "2")
    assert "This report is being made" in answer.content.decode()


def test_a_report_that_could_not_be_made_is_nowhere(client, make_report):
    report = make_report(frozen=False)
    Job.objects.create(kind="reports.freeze", subject=report.subject, owner=report.owner, state=JobState.FAILED)
    assert client.get(report.get_absolute_url()).status_code == 404


def test_links_take_no_posts(client, report):
    assert client.post(report.get_absolute_url()).status_code == 405
