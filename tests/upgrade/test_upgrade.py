"""Whoever upgrades keeps everything: a data folder that an older Budgeteer filled is opened by this one.

`first.zip` is the data folder of a checkout at commit 2dc88ca after two samples were opened there and a report of each
was shared, `second.zip` of one at commit 832f2d8 with three workspaces, a full report and two of numbers only; the JSON
beside each is what its pages say. Nothing in them was written by hand, but that their reports expire in 2126. On
PostgreSQL the same rows are put into a database at the same schema first.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from budgeteer import __version__
from tests.browser.conftest import WORK_MS
from tests.browser.stack import Stack, running_stack
from tests.own_servers import own_servers

pytestmark = pytest.mark.browser

HERE = Path(__file__).parent
#: On servers the oldest alone: all that came after it is done to its rows too.
FILLED = ("first",) if "DATABASE_URL" in os.environ else ("first", "second")
ROOT = HERE.parents[1]


@dataclass(frozen=True)
class Used:
    """A data folder in use, and the variables a dashboard over it needs."""

    folder: Path
    variables: dict[str, str]
    seen: dict[str, dict[str, Any]]

    @property
    def database(self) -> Path:
        return self.folder / "budgeteer.sqlite3"


@pytest.fixture(params=FILLED)
def used(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Used]:
    folder = tmp_path / "var"
    with zipfile.ZipFile(HERE / f"{request.param}.zip") as archive:
        archive.extractall(folder)
    with own_servers() as variables:
        if variables:
            command = [sys.executable, "-m", "tests.upgrade.filling", str(folder / "budgeteer.sqlite3")]
            subprocess.run(command, cwd=ROOT, env=os.environ | variables, check=True)
        yield Used(folder, variables, json.loads((HERE / f"{request.param}.json").read_text()))


def page_of(browser: Browser, running: Stack) -> Page:
    page = browser.new_page()
    page.goto(running.sign_in_link)
    return page


def test_everything_is_there_after_the_upgrade(browser: Browser, used: Used) -> None:
    with running_stack(used.folder, **used.variables) as running:
        page = page_of(browser, running)
        for path, said in used.seen["workspaces"].items():
            page.goto(running.address + path)
            # A version that counts more than the last one did counts anew first.
            expect(page.locator("#verdict")).to_have_text(said, timeout=WORK_MS)
        for path, name in used.seen["sources"].items():
            page.goto(running.address + path)
            assert page.locator("h1").inner_text() == name
            assert page.locator("#items").is_visible()
            assert page.locator("ol.pv > li").count() >= 1
        for path, said in used.seen["reports"].items():
            page.goto(running.address + path)
            assert page.locator(".verdict strong").first.inner_text() == said
        for path, words in used.seen["numbers"].items():  # reports of numbers only are made again without any word
            for form in ("", "report.json", "report.csv", "report.md"):
                answer = page.request.get(running.address + path + form)
                assert answer.ok
                assert [word for word in words if word in answer.text().lower()] == []
        page.close()
        told = "".join(running.said)
    assert "Preparing the database" in told
    assert "Traceback" not in told
    if used.variables:  # PostgreSQL is backed up by whoever runs it
        assert list(used.folder.glob("*.before-*")) == []
    else:
        check_the_copy(used)
    check_the_next_start(browser, used)


def check_the_copy(used: Used) -> None:
    """One copy of the SQLite file is kept, whole, and it is the file as it was."""
    [kept] = used.folder.glob("budgeteer.sqlite3.before-*")
    assert kept.name.endswith(__version__)
    with closing(sqlite3.connect(kept)) as copy, closing(sqlite3.connect(used.database)) as now:
        question = "SELECT app, name FROM django_migrations"
        assert set(copy.execute(question)) < set(now.execute(question))
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert copy.execute("SELECT count(*) FROM reports_report").fetchone() == (len(used.seen["reports"]),)


def check_the_next_start(browser: Browser, used: Used) -> None:
    """The second time there is nothing to prepare."""
    with running_stack(used.folder, **used.variables) as running:
        page = page_of(browser, running)
        page.goto(f"{running.address}/w/")
        assert page.locator("main a[href^='/w/']").count() >= len(used.seen["workspaces"])
        page.close()
        assert "Preparing the database" not in "".join(running.said)
