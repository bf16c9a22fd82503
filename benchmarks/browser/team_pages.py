"""A dashboard for a team with people in one, for what is measured of the pages that only team mode has."""

from __future__ import annotations

import re
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext

from tests.browser.conftest import sign_in_with
from tests.browser.stack import running_stack

_ROOT = Path(__file__).parents[2]
_PASSWORD = secrets.token_urlsafe(12)
_MAKE = f"""
from django.contrib.auth.models import User
from budgeteer.teams import services
from budgeteer.teams.models import Team
ada = User.objects.create_superuser("ada", password={_PASSWORD!r})
team = Team(name="Harbour office")
services.create(team, owner=ada, by=ada)
for name in ("bob", "carl", "dora", "erin"):
    User.objects.create_user(name)
    services.add(team, name, by=ada)
"""


@contextmanager
def team_pages(browser: Browser, folder: Path) -> Iterator[tuple[BrowserContext, Mapping[str, str]]]:
    """Start the dashboard and sign in an owner; yield the browser with it, and the pages' addresses by name."""
    settings = {
        "BUDGETEER_MODE": "team",
        "BUDGETEER_HTTPS": "no",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "ALLOWED_HOSTS": "127.0.0.1,localhost",
    }
    folder.mkdir()
    with running_stack(folder / "data", **settings) as stack:
        command = [sys.executable, "manage.py", "shell", "-c", _MAKE]
        subprocess.run(command, cwd=_ROOT, env=stack.variables, check=True, capture_output=True)
        context = browser.new_context()
        page = context.new_page()
        page.goto(stack.address)
        sign_in_with(page, "ada", _PASSWORD)
        page.goto(f"{stack.address}/account/teams/")
        team = page.get_by_role("link", name=re.compile("Harbour office")).get_attribute("href")
        page.close()
        yield context, {"teams": f"{stack.address}/account/teams/", "team": f"{stack.address}{team}"}
        context.close()
