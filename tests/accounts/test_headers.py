"""The headers of every kind of page: what a browser may load, ask for, keep and tell others."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.http import HttpResponse
from django.test import Client

from tests import people
from tests.accounts.world import World, make_world

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).resolve().parents[2]
PRIVATE = ("/", "/sources/", "/w/", "/reports/", "/presets/", "/account/password/", "/admin/", "/admin/auth/user/")
PUBLIC = ("/sign-in/", "/help/", "/nothing/here/", "/health/")


@pytest.fixture
def world(team: None) -> World:
    return make_world(people.admin("root"))


@pytest.fixture
def answers(world: World) -> dict[str, HttpResponse]:
    """A page of every kind, as an administrator who owns something sees it."""
    client = Client()
    client.force_login(world.owner)
    workspace = world.workspace.get_absolute_url()
    source = world.source.get_absolute_url()
    private = [*PRIVATE, workspace, f"{workspace}export/text/", f"{workspace}share/", source, f"{source}raw/"]
    private += [f"{source}skipped/", f"/jobs/{world.job.id}/", f"/admin/auth/user/{world.owner.pk}/change/"]
    shared = [world.report.get_absolute_url(), f"{world.report.get_absolute_url()}report.json"]
    found = {path: client.get(path) for path in private}
    found |= {path: Client().get(path) for path in (*PUBLIC, *shared)}
    for answer in found.values():
        if answer.streaming:
            b"".join(answer.streaming_content)
    return found


def test_every_answer_carries_the_headers_that_tell_a_browser_what_not_to_do(answers: dict[str, HttpResponse]) -> None:
    for path, answer in answers.items():
        headers = answer.headers
        assert headers["X-Content-Type-Options"] == "nosniff", path
        assert headers["Referrer-Policy"] in {"same-origin", "no-referrer"}, path
        assert headers["Cross-Origin-Opener-Policy"] == "same-origin", path
        assert "Server" not in headers, path
        assert "X-Powered-By" not in headers, path
        if path != "/health/":
            assert headers["X-Frame-Options"] == "DENY", path
            assert "camera=()" in headers["Permissions-Policy"], path
            assert "geolocation=()" in headers["Permissions-Policy"], path


def test_the_content_policy_allows_nothing_but_our_own_files(answers: dict[str, HttpResponse]) -> None:
    for path, answer in answers.items():
        policy = dict(part.strip().split(" ", 1) for part in answer.headers["Content-Security-Policy"].split(";"))
        assert policy["default-src"] == "'none'", path
        assert policy["frame-ancestors"] == policy["base-uri"] == "'none'", path
        assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'", path
        assert "unsafe" not in str(policy), path
        assert "http" not in str(policy), path


def test_no_page_needs_what_the_content_policy_forbids(answers: dict[str, HttpResponse]) -> None:
    for path, answer in answers.items():
        if answer.streaming or not answer["Content-Type"].startswith("text/html"):
            continue
        page = answer.content.decode()
        assert re.findall(r"<style|\sstyle=|\son\w+=|javascript:", page) == [], path
        assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", page) if "application/json" not in tag), path


def test_no_cache_keeps_what_is_private(answers: dict[str, HttpResponse]) -> None:
    for path, answer in answers.items():
        assert "no-store" in answer.headers["Cache-Control"], path
        if path not in PUBLIC and not path.startswith("/r/"):
            assert "private" in answer.headers["Cache-Control"], path


def test_a_shared_report_tells_no_other_site_its_address(answers: dict[str, HttpResponse]) -> None:
    shared = [answer for path, answer in answers.items() if path.startswith("/r/")]
    assert shared
    assert all(answer.headers["Referrer-Policy"] == "no-referrer" for answer in shared)
    assert all("noindex" in answer.headers["X-Robots-Tag"] for answer in shared)


def test_cookies_are_out_of_reach_of_scripts_and_other_sites(team: None) -> None:
    people.editor("ada", password="correct horse battery")
    client = Client()
    client.get("/sign-in/")
    client.post("/sign-in/", {"username": "ada", "password": "correct horse battery"})
    assert set(client.cookies) == {"budgeteer_session", "budgeteer_csrf"}
    for cookie in client.cookies.values():
        assert cookie["httponly"]
        assert cookie["samesite"] == "Lax"


def test_static_files_are_for_our_own_pages(client: Client) -> None:
    answer = client.get("/static/budgeteer/css/base.css")
    assert answer.status_code == 200
    assert "Access-Control-Allow-Origin" not in answer.headers
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    b"".join(answer.streaming_content)


OVER_HTTPS = """
import django; django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from django.contrib.auth.models import User
from django.test import Client
User.objects.create_user("ada", password="correct horse battery")
plain = Client(SERVER_NAME="budget.example").get("/sign-in/")
assert plain.status_code == 301 and plain["Location"].startswith("https://"), plain
client = Client(SERVER_NAME="budget.example")
first = client.get("/sign-in/", secure=True)
assert first["Strict-Transport-Security"] == "max-age=31536000", first.headers
client.post("/sign-in/", {"username": "ada", "password": "correct horse battery"}, secure=True)
assert len(client.cookies) == 2, client.cookies
assert all(cookie["secure"] and cookie["httponly"] for cookie in client.cookies.values()), client.cookies
print("as it should be")
"""


@pytest.mark.slow
def test_over_https_a_team_gets_secure_cookies_and_strict_transport(tmp_path: Path) -> None:
    environment = os.environ | {
        "BUDGETEER_MODE": "team",
        "BUDGETEER_DATA_DIR": str(tmp_path),
        "DATABASE_URL": f"sqlite:///{tmp_path}/https.sqlite3",
        "SECRET_KEY": "only-for-this-test-0123456789-abcdefghijklmnopqrstuvwxyz",
        "ALLOWED_HOSTS": "budget.example",
        "BUDGETEER_HTTPS": "yes",
        "BUDGETEER_TRUST_PROXY": "no",
        "DJANGO_SETTINGS_MODULE": "budgeteer.settings",
    }
    done = subprocess.run(
        [sys.executable, "-c", OVER_HTTPS], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "as it should be", done.stderr
