"""Frames: which sites may show a report, and that nothing else may be shown in one."""

from __future__ import annotations

import pytest

from budgeteer.engine.errors import InputError
from budgeteer.reports.models import Report
from budgeteer.reports.sharing.embedding import origins_in
from budgeteer.reports.sharing.password import hashed
from tests.reports.test_views import publish

WIKI = "https://wiki.harbour.org"


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("", []),
        (WIKI, [WIKI]),
        (f"{WIKI}/  HTTPS://Docs.Harbour.org:8443,{WIKI}", [WIKI, "https://docs.harbour.org:8443"]),
        ("http://localhost:3000", ["http://localhost:3000"]),
    ],
)
def test_origins_are_read(text, origins):
    assert origins_in(text) == origins


@pytest.mark.parametrize(
    "text",
    [
        "wiki.harbour.org",
        "http://wiki.harbour.org",
        "https://*",
        "https://*.harbour.org",
        "https://wiki.harbour.org/page",
        "https://wiki.harbour.org?x",
        "https://me@wiki.harbour.org",
        "https://wiki.harbour.org:99999",
        "https://wiki;script-src",
        "https://",
        "'self'",
        "data:",
        " ".join(f"https://w{at}.harbour.org" for at in range(6)),
    ],
)
def test_what_is_no_origin_is_refused(text):
    with pytest.raises(InputError):
        origins_in(text)


def test_a_frame_is_allowed_on_the_named_sites_and_runs_no_script(client, make_report):
    report = make_report(embed_on=f"{WIKI} http://localhost:3000")
    answer = client.get(f"{report.get_absolute_url()}embed/")
    page, policy = answer.content.decode(), answer["Content-Security-Policy"]
    assert f"frame-ancestors {WIKI} http://localhost:3000;" in f"{policy};"
    assert "script-src 'none'" in policy
    assert "default-src 'none'" in policy
    assert "X-Frame-Options" not in answer.headers
    assert "<script" not in page
    assert not answer.cookies
    assert answer["X-Robots-Tag"] == "noindex, nofollow"
    assert 'target="_blank" rel="noopener noreferrer"' in page


def test_without_a_named_site_there_is_no_frame(client, report):
    answer = client.get(f"{report.get_absolute_url()}embed/")
    assert answer.status_code == 404
    assert answer["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]


def test_every_other_page_of_an_embedded_report_stays_out_of_frames(client, make_report):
    report = make_report(embed_on=WIKI)
    for path in ("", "prompt/", "report.html"):
        answer = client.get(report.get_absolute_url() + path)
        assert answer["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in answer["Content-Security-Policy"]


def test_the_form_takes_sites_and_the_list_gives_the_frame(client, owner, workspace):
    client.force_login(owner)
    publish(client, workspace, embed_on=f"{WIKI}/")
    report = Report.objects.get()
    assert report.embed_on == WIKI
    Report.objects.update(frozen_at=report.created_at)
    page = client.get("/reports/").content.decode()
    assert f"{report.get_absolute_url()}embed/&quot;" in page
    assert f"For pages of {WIKI}" in page


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"embed_on": "wiki"}, "it is no address of a site"),
        ({"embed_on": WIKI, "password": "seven grey trawlers"}, "cannot be embedded"),
    ],
)
def test_a_site_that_cannot_be_is_named_in_the_form(client, owner, workspace, fields, sentence):
    client.force_login(owner)
    assert sentence in publish(client, workspace, **fields).content.decode()
    assert not Report.objects.exists()


def test_a_password_and_a_frame_do_not_go_together_even_in_a_row(client, make_report):
    report = make_report(embed_on=WIKI, password=hashed("seven grey trawlers"))
    assert client.get(f"{report.get_absolute_url()}embed/").status_code == 403
