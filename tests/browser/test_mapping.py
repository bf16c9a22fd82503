"""A file that no format knows, read by a mapping that its page guesses."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import WORK_MS
from tests.browser.steps import UNKNOWN, upload_file


def refused(page: Page, address: str, mark: str, *, script: bool) -> None:
    page.goto(f"{address}/sources/")
    upload_file(page, "robot.json", UNKNOWN.replace("ten past four", mark), script=script)
    expect(page.locator("#mapping")).to_be_visible(timeout=WORK_MS)


@pytest.mark.parametrize("script", [True, False])
def test_a_mapping_is_tried_mended_saved_and_applied_to_the_next_file(visitor, stack, script):
    someone = visitor(script=script)
    someone.forgive("status of 422")
    page = someone.open("/")
    refused(page, stack.address, f"noon {script}", script=script)
    preview = page.locator("#map-preview")
    expect(preview).to_contain_text("Where is the ferry now")
    expect(preview).to_contain_text("1 call")
    page.locator("#map-correct > summary").click()
    text = page.locator("#map-text")
    text.fill("$..words")
    page.get_by_role("button", name="Save and import").click()
    expect(page.locator("#map-text-msg")).to_contain_text("uses more of JSONPath")
    expect(text).to_have_value("$..words")
    text.fill("$.who")
    page.get_by_role("button", name="Preview the mapping").click()
    expect(preview.locator("li").first).to_contain_text("HUMAN")
    text.fill("$.words")
    page.locator("#map-title").fill(f"Robot logs {script}")
    page.get_by_role("button", name="Save and import").click()
    expect(page.locator(".fmt")).to_contain_text(f"Read as Robot logs {script}", timeout=WORK_MS)
    page.goto(f"{stack.address}/sources/")
    upload_file(page, "next.json", UNKNOWN.replace("ten past four", f"midnight {script}"), script=script)
    expect(page.locator(".fmt")).to_contain_text(re.compile(r"It fits the mapping “Robot logs"), timeout=WORK_MS)
    page.goto(f"{stack.address}/sources/")
    row = page.locator("table.own tbody tr").filter(has_text=f"Robot logs {script}")
    with page.expect_download() as download:
        row.get_by_role("link").click()
    assert "budgeteerMapping" in download.value.path().read_text()
    row.get_by_role("button").click()
    expect(page.locator("body")).to_contain_text("was deleted")
