"""Whoever upgrades keeps everything: a data folder that an older Budgeteer filled is opened by this one.

`first.zip` is the data folder of a checkout at commit 2dc88ca after two samples were opened there and a report of each
was shared; `first.json` is what its pages said. Nothing in it was written by hand. On PostgreSQL the same rows are put
into a database at the same schema first.
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

import pytest
from playwright.sync_api import Browser, Page

from budgeteer import __version__
from tests.browser.stack import Stack, running_stack
from tests.browser.steps import verdict

pytestmark = pytest.mark.browser

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SEEN: dict[str, dict[str, str]] = json.loads((HERE / "first.json").read_text())


@dataclass(frozen=True)
class Used:
    """A data folder in use, and the variables a dashboard over it needs."""

    folder: Path
    variables: dict[str, str]

    @property
    def database(self) -> Path:
        return self.folder / "budgeteer.sqlite3"


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Used]:
    from tests.own_servers import own_servers

    folder = tmp_path_factory.mktemp("used") / "var"
    with zipfile.ZipFile(HERE / "first.zip") as archive:
        archive.extractall(folder)
    with own_servers() as variables:
        if variables:
            command = [sys.executable, "-m", "tests.upgrade.filling", str(folder / "budgeteer.sqlite3")]
            subprocess.run(command, cwd=ROOT, env=os.environ | variables, check=True)
        yield Used(folder, variables)


def page_of(browser: Browser, running: Stack) -> Page:
    page = browser.new_page()
    page.goto(running.sign_in_link)
    return page


def test_everything_is_there_after_the_upgrade(browser: Browser, used: Used) -> None:
    with running_stack(used.folder, **used.variables) as running:
        page = page_of(browser, running)
        for path, said in SEEN["workspaces"].items():
            page.goto(running.address + path)
            assert verdict(page) == said
        for path, name in SEEN["sources"].items():
            page.goto(running.address + path)
            assert page.locator("h1").inner_text() == name
            assert page.locator("main table tbody tr").count() > 0
        for path, said in SEEN["reports"].items():
            page.goto(running.address + path)
            assert page.locator(".verdict strong").first.inner_text() == said
        page.close()
        told = "".join(running.said)
    assert "Preparing the database" in told
    assert "Traceback" not in told


def test_the_next_start_has_nothing_to_prepare(browser: Browser, used: Used) -> None:
    with running_stack(used.folder, **used.variables) as running:
        page = page_of(browser, running)
        page.goto(f"{running.address}/w/")
        assert page.locator("main a[href^='/w/']").count() >= len(SEEN["workspaces"])
        page.close()
        assert "Preparing the database" not in "".join(running.said)


def test_the_sqlite_file_as_it_was_is_kept_once(used: Used) -> None:
    if used.variables:  # PostgreSQL is backed up by whoever runs it
        assert list(used.folder.glob("*.before-*")) == []
        return
    [kept] = used.folder.glob("budgeteer.sqlite3.before-*")
    assert kept.name.endswith(__version__)
    with closing(sqlite3.connect(kept)) as copy, closing(sqlite3.connect(used.database)) as now:
        question = "SELECT app, name FROM django_migrations"
        assert set(copy.execute(question)) < set(now.execute(question))
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert copy.execute("SELECT count(*) FROM reports_report").fetchone() == (len(SEEN["reports"]),)
