"""The first three journeys of the design, by mouse and by keyboard alone, in no more actions than it says."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.actions import Hands
from tests.browser.conftest import WORK_MS
from tests.browser.steps import sample_files, verdict, wait_until_packed

FIRST_RUN, LIBRARY, OVERFLOW = 2, 6, 4
"""The most actions of each journey."""

by_mouse_and_keyboard = pytest.mark.parametrize("by_keyboard", [False, True], ids=["mouse", "keyboard"])


@by_mouse_and_keyboard
def test_a_first_run_ends_with_a_verdict(visitor, by_keyboard):
    page = visitor().open("/")
    hands = Hands(page, by_keyboard)
    hands.press(page.get_by_role("button", name=re.compile("A long agent session")))
    wait_until_packed(page)
    assert re.search(r"Fits, with [\d,]+ items left out by the \w+ limit", verdict(page))
    assert hands.actions <= FIRST_RUN


@by_mouse_and_keyboard
def test_a_skills_library_is_fitted_and_its_configuration_taken_along(visitor, tmp_path, by_keyboard):
    library = sample_files("skills-library", tmp_path)
    page = visitor().open("/")
    assert (
        fit_library(Hands(page, by_keyboard), [path for path in library.values() if path.suffix == ".zip"]) <= LIBRARY
    )


@by_mouse_and_keyboard
def test_why_it_overflowed_is_told_and_mended(visitor, by_keyboard):
    page = visitor().open("/")
    page.get_by_role("button", name=re.compile("A long agent session")).click()
    wait_until_packed(page)
    assert mend_overflow(Hands(page, by_keyboard)) <= OVERFLOW


def fit_library(hands: Hands, files) -> int:
    """Journey 2: from the files to the exported configuration, a must-have pinned; the number of actions."""
    page = hands.page
    hands.drop(*files)
    wait_until_packed(page)
    costs = [
        int(cell.split()[0].replace(",", "")) for cell in page.locator("table.items td.c-tokens").all_inner_texts()
    ]
    assert costs == sorted(costs, reverse=True)
    expect(page.locator("#g-skillsBudget")).to_contain_text(re.compile(r"[\d,]+ of [\d,]+"))

    fix = page.locator(".note button[name=apply]").first
    effect = page.locator(".note:has(button[name=apply]) .fixtext").first
    expect(effect).to_contain_text(re.compile("restores|tokens"))  # what it would come to is said before it is applied
    before = verdict(page)
    hands.press(fix)
    expect(page.locator("#verdict")).not_to_have_text(before)

    must = page.locator("table.items tbody tr.dropped .c-name a, table.items tbody tr .c-name a").first
    hands.press(must)
    pin = page.locator("#pin")
    expect(pin).to_contain_text("Pin")
    hands.shortcut("p", pin)
    expect(page.locator("#pin")).to_contain_text("Unpin")

    hands.press(page.locator("#export-toggle"))
    with page.expect_download() as download:
        hands.press(page.locator("a", has_text="Configuration").filter(visible=True).first)
    config = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert "pinned" in config["skillsBudget"]["policies"].values()
    return hands.actions


def mend_overflow(hands: Hands) -> int:
    """Journey 3: the timeline, the largest cause that did not stay, why, and the change that keeps it; the actions."""
    page = hands.page
    hands.shortcut(_key_of(page, "timeline"), page.locator("#tab-timeline"))
    expect(page.locator("h2.view-title").first).to_contain_text("is the first over the limit", timeout=WORK_MS)
    expect(page.locator("table.causes tbody tr").first).to_contain_text(re.compile(r"\+[\d,]+"))
    gone = page.locator("table.causes tbody tr", has_not=page.locator(".c-fate", has_text="Kept"))
    hands.press(gone.locator(".c-name a").first)
    why = page.locator("#inspector .rule")
    expect(why.locator("b")).to_be_visible()
    expect(page.locator("#tab-messages")).to_have_attribute("aria-current", "page")
    expect(page.locator(".msgs tr.on")).to_have_count(1)
    before = verdict(page)
    fix = page.locator("#apply-fix")
    expect(fix).to_be_visible()
    hands.press(fix)
    expect(page.locator("#verdict")).not_to_have_text(before)
    return hands.actions


def _key_of(page: Page, view: str) -> str:
    return page.locator(f"#tab-{view}").get_attribute("aria-keyshortcuts") or ""
