"""What is told where one looks, at once: likely secrets, a report that waits, a text that cannot be read."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import WORK_MS
from tests.browser.steps import open_sample, wait_until_packed
from tests.scanning.test_rules import OPENAI


def paste(page: Page, text: str) -> None:
    page.locator("#drop-text").fill(text)
    page.get_by_role("button", name="Open workbench").click()


def test_a_likely_secret_is_told_soon_and_a_held_report_leads_to_its_decision(visitor):
    page = visitor().open("/")
    paste(page, f"User: Use the key {OPENAI} for the ferry.\n\nAssistant: It is set.")
    wait_until_packed(page)
    expect(page.locator("#inputs .warn")).to_contain_text("looks like a secret", timeout=WORK_MS)
    expect(page.locator("#status")).to_contain_text("looks like a secret")

    page.locator("#share").click()
    dialog = page.locator("#share-dialog")
    dialog.locator("input[name=content][value=full]").check()
    dialog.get_by_role("button", name="Create link").click()
    decision = dialog.get_by_role("link", name="Review and decide")
    expect(decision).to_be_visible(timeout=WORK_MS)
    expect(decision).to_be_focused()
    expect(decision).to_be_in_viewport()
    expect(dialog.locator("input[name=content][value=full]")).to_be_checked()
    expect(page.locator("#share-title")).to_be_in_viewport()
    expect(dialog.get_by_role("button", name="Close the dialog")).to_be_in_viewport()
    toast, box = page.locator("#status").bounding_box(), dialog.bounding_box()
    assert toast["x"] + toast["width"] <= box["x"]


def test_a_source_that_was_added_is_told_and_the_focus_stays_with_the_inputs(visitor):
    page = visitor().open("/")
    open_sample(page, "A large tool catalogue")
    page.locator("#inputs summary", has_text="Add a source").click()
    page.locator("#add-text").fill("User: Where is the ferry?\n\nAssistant: At the quay.")
    page.get_by_role("button", name="Add source").click()
    expect(page.locator("#said")).to_contain_text("Added Pasted: User: Where is the ferry?", timeout=WORK_MS)
    expect(page.locator("#announced")).to_contain_text("Added Pasted")
    expect(page.locator("#inputs")).to_be_focused()


def test_a_fix_on_the_map_is_told_with_the_way_back(visitor):
    page = visitor().open("/")
    open_sample(page, "A long agent session")
    page.locator(".note button[name=apply]").first.click()
    expect(page.locator("#status")).to_contain_text("Changed: ")
    page.locator("#status [data-undo]").click()
    expect(page.locator("#status")).to_contain_text("Undid: ")


def test_the_head_of_a_list_without_a_match_is_as_wide_as_the_list(visitor, filled):
    page = visitor().open(f"{filled.pages['workbench-map'].split('?')[0]}?q=nosuchthing")
    expect(page.locator(".items .none")).to_be_visible()
    table, last = page.locator(".items").bounding_box(), page.locator(".items th.c-fate").bounding_box()
    assert table["x"] + table["width"] - last["x"] - last["width"] <= 1


def test_enter_in_the_search_of_the_prompt_leads_from_match_to_match(visitor, filled):
    page = visitor().open(f"{filled.pages['workbench-map'].split('?')[0]}?view=prompt&q=the")
    marks = page.locator(".snippets mark")
    expect(marks.nth(2)).to_be_attached()
    page.wait_for_load_state("load")
    page.locator("#item-filter").focus()
    for key, place in (("Enter", 0), ("Enter", 1), ("Enter", 2), ("Shift+Enter", 1)):
        page.keyboard.press(key)
        expect(page.locator("mark.now")).to_have_count(1)
        assert marks.evaluate_all("all => all.findIndex((one) => one.matches('.now'))") == place
        expect(marks.nth(place)).to_be_in_viewport()
    expect(page.locator("#item-filter")).to_be_focused()


def test_a_question_mark_on_a_shared_report_leads_to_the_keys(visitor, filled):
    page = visitor(known=False).open(filled.pages["report-full"])
    page.keyboard.press("?")
    page.wait_for_url("**/help/#keys")


def test_keys_walk_the_causes_of_a_timeline_and_stay_there(visitor, filled):
    page = visitor().open(filled.pages["workbench-timeline"])
    causes = page.locator(".causes .c-name a")
    expect(causes.first).to_be_visible(timeout=WORK_MS)
    page.wait_for_load_state("load")
    page.keyboard.press("j")
    expect(causes.nth(0)).to_be_focused()
    page.keyboard.press("j")
    expect(causes.nth(1)).to_be_focused()
    page.keyboard.press("k")
    expect(causes.nth(0)).to_be_focused()
    expect(page.locator("#tab-timeline")).to_have_attribute("aria-current", "page")


def test_the_text_of_a_message_has_the_room_of_its_row(visitor, filled):
    page = visitor().open(filled.pages["workbench-messages"])
    row = page.locator(".msgs tbody tr:has(.c-why)").first
    expect(row).to_be_visible()
    assert row.locator(".c-name").evaluate("cell => cell.offsetWidth") > 260


def test_a_pasted_text_that_cannot_be_read_is_refused_once_and_kept(visitor):
    someone = visitor()
    someone.forgive("status of 422")
    page = someone.open("/")
    page.locator("#drop-text").fill('[{"role": "user", "content": "Hello"}, {"role": ')
    expect(page.locator("[data-hint]")).to_contain_text("The JSON is cut off")
    page.get_by_role("button", name="Open workbench").click()
    expect(page.locator("[data-refused]")).to_contain_text("The JSON is cut off")
    expect(page.locator("main").get_by_text("The JSON is cut off")).to_have_count(1)

    page.locator("#drop-text").fill("[1, 2, 3]")
    page.get_by_role("button", name="Open workbench").click()
    expect(page.locator("[data-refused]")).to_contain_text("Nothing that can be read was found")
    expect(page.locator("#drop-text")).to_have_value("[1, 2, 3]")
    page.get_by_role("button", name="Choose a format").click()
    page.wait_for_url(re.compile(r"/sources/[0-9a-f-]{36}/"), timeout=WORK_MS)
    expect(page.locator("#as-format")).to_be_visible(timeout=WORK_MS)
