"""The wheel alone, in an environment that has nothing else, is the whole dashboard."""

from __future__ import annotations

import csv
import subprocess
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import WORK_MS
from tests.browser.stack import running_stack
from tests.browser.steps import open_sample, verdict
from tests.deployment.installed import ROOT, Installation, build_wheel, install

pytestmark = pytest.mark.browser

#: Where the wheel keeps what stands at the root of a checkout.
MOVED = {"templates": "budgeteer/_assets/templates", "static": "budgeteer/_assets/static"}


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return install(tmp_path_factory.mktemp("installed"))


def recorded(wheel: Path) -> set[str]:
    """What the wheel says it holds, but for its own description."""
    with zipfile.ZipFile(wheel) as archive:
        [record] = [name for name in archive.namelist() if name.endswith(".dist-info/RECORD")]
        rows = csv.reader(archive.read(record).decode().splitlines())
        return {row[0] for row in rows if ".dist-info/" not in row[0]}


def in_the_checkout() -> set[str]:
    """What the wheel is to hold: everything under version control in the package and its two folders."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "budgeteer", *MOVED],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")
    present = [name for name in filter(None, listed) if (ROOT / name).exists()]
    return {name.replace(folder := name.split("/")[0], MOVED.get(folder, folder), 1) for name in present}


def test_the_wheel_holds_every_file_of_the_product_and_no_other(tmp_path: Path) -> None:
    held, wanted = recorded(build_wheel(tmp_path)), in_the_checkout()
    assert held == wanted
    for ending, least in {".html": 50, ".css": 5, ".js": 4, ".jsonl": 1, "/0001_initial.py": 4, "py.typed": 1}.items():
        assert len([name for name in held if name.endswith(ending)]) >= least, ending


def test_the_wheel_installed_alone_is_the_whole_dashboard(
    installation: Installation, browser: Browser, tmp_path: Path
) -> None:
    inside = {path.name.partition("-")[0] for path in installation.packages.glob("*.dist-info")}
    assert inside.isdisjoint({"pytest", "playwright", "ruff", "mypy"})
    with running_stack(tmp_path / "data", program=[installation.program("budgeteer")]) as running:
        page = browser.new_page()
        page.set_default_timeout(WORK_MS)
        page.goto(running.sign_in_link)
        open_sample(page, "A long agent session")
        assert verdict(page).startswith("Fits, with ")
        page.get_by_role("link", name="Prompt").click()
        expect(page.locator("ol.prompt li").first).to_be_visible()
        page.close()


def test_the_installed_commands_work_in_an_unrelated_folder(installation: Installation, tmp_path: Path) -> None:
    (tmp_path / "chat.txt").write_text("User: What is a budget?\n\nAssistant: A plan for what there is.\n")
    done = subprocess.run(
        [installation.program("budgeteer"), "count", "chat.txt"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "total" in done.stdout.lower()
