"""On a phone what is pressed is found by a thumb, and what comes of it is in sight."""

from __future__ import annotations

import re
from typing import Final

from playwright.sync_api import Page, expect

from tests.browser.conftest import NARROW, WORK_MS
from tests.browser.reach.places import IS_SEEN, REACH, workspace_of

THUMB: Final = 44
"""What a thumb finds, in CSS pixels."""
LOW: Final = 32
"""What a thumb finds of a link beside others, in CSS pixels."""


def test_on_a_phone_a_removed_source_is_told_and_brought_back_where_it_was(phone: Page) -> None:
    page = phone
    page.goto(f"{workspace_of(page)}#inputs")
    page.get_by_role("button", name=re.compile("^Remove ")).first.click()
    expect(page.locator("#undo-said")).to_be_in_viewport(timeout=WORK_MS)
    page.locator("#undo-said").click()
    expect(page.locator("#inputs > details > summary")).to_contain_text("3 sources")
    expect(page.locator("#said")).to_have_count(0)


def test_on_a_phone_a_thumb_finds_what_is_pressed(phone: Page) -> None:
    page = phone
    workspace = workspace_of(page)
    for selector in ("#make-it-fit", "#bar-table-toggle", ".tabnav [aria-current]", "#share", "#workspace-menu"):
        assert page.locator(selector).evaluate(REACH) >= THUMB - 2, selector
    page.locator("#export-toggle").click()
    for button in page.locator(".as-model button").all():
        box = button.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= THUMB
        expect(button).to_have_text("Download file")
    for view, links in (
        ("sweep", ".picks button"),
        ("timeline", ".choose-request a.lk, .chart-acts .lk"),
        ("fit", ".note-line .lk, .plan-items summary"),
    ):
        page.goto(f"{workspace}?view={view}")
        expect(page.locator(links).first).to_be_visible(timeout=WORK_MS)
        link = page.locator(links).first
        link.scroll_into_view_if_needed()
        link.evaluate("(element) => element.scrollIntoView({ block: 'center' })")
        assert link.evaluate(REACH) >= LOW, links
    page.goto(f"{workspace}#config")
    expect(page.locator("#undo")).to_be_in_viewport()
    expect(page.locator("#redo")).to_be_in_viewport()


def test_on_a_low_screen_the_form_of_a_range_keeps_its_buttons_beside_its_fields(phone: Page) -> None:
    page = phone
    page.set_viewport_size({"width": NARROW, "height": 480})
    page.goto(f"{workspace_of(page)}?view=messages&start=127&end=134&sel=")
    page.locator("#block-summary").focus()
    for part in ("#block-summary", "#make-block"):
        expect(page.locator(part)).to_be_in_viewport(ratio=1)
    assert page.evaluate(IS_SEEN)
