from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.steps import figures, is_saved, publish, verdict, wait_until_packed


def open_session(page: Page) -> None:
    page.get_by_role("button", name=re.compile("long agent session")).click()
    wait_until_packed(page)


def test_what_waits_for_a_job_asks_again_after_an_answer_that_was_none(visitor):
    someone = visitor()
    someone.forgive("503")
    refused = []

    def refuse_the_first(route):
        kind = route.request.url.split("/")[3]
        if kind in refused or route.request.method != "GET":
            route.continue_()
        else:
            refused.append(kind)
            route.fulfill(status=503, headers={"Retry-After": "1"}, body="Too many requests at once")

    page = someone.open("/")
    page.route(re.compile(r"/(jobs|reports)/[0-9a-f-]{36}/"), refuse_the_first)
    open_session(page)
    page.locator("#share").click()
    assert publish(page)
    assert refused  # of each the first; either may have been done before it was asked for


def test_a_range_a_pin_a_limit_and_an_undo_survive_a_reload_and_a_second_tab(visitor):
    page = visitor().open("/")
    open_session(page)
    page.locator("#tab-messages").click()
    rows = page.locator(".msgs tr[data-row] .c-name a")
    rows.nth(2).click()
    expect(page.locator("#pin")).to_be_visible()
    page.locator("#pin").click()
    expect(page.locator("#inspector")).to_contain_text("Pinned")
    rows.nth(8).click(modifiers=["Shift"])
    title = page.locator("#range-title")
    expect(title).to_be_visible()
    chosen = title.inner_text()
    field = page.locator("#i-outputReserve")
    before = figures(page)
    with page.expect_response(is_saved):
        field.fill("20000")
        field.press("Tab")
    expect(page.locator("#figures")).not_to_have_text(before)
    limited = figures(page)
    page.locator("#undo").click()
    expect(page.locator("#figures")).to_have_text(before)

    second = page.context.new_page()
    second.goto(page.url)
    page.reload()
    for tab in (page, second):
        expect(tab.locator("#range-title")).to_have_text(chosen)
        expect(tab.locator("#inspector")).to_contain_text("Pinned")
        expect(tab.locator("#figures")).to_have_text(before)
        expect(tab.locator("#redo")).to_be_enabled()
    second.locator("#redo").click()
    expect(second.locator("#figures")).to_have_text(limited)
    page.reload()
    expect(page.locator("#figures")).to_have_text(limited)
    expect(page.locator("#i-outputReserve")).to_have_value("20,000")
    second.close()


def test_a_range_is_compressed_and_taken_back_by_keyboard(visitor):
    page = visitor().open("/")
    open_session(page)
    page.keyboard.press("2")
    rows = page.locator(".msgs tr[data-row] .c-name a")
    expect(rows.first).to_be_visible()
    rows.first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#inspector h2")).to_be_visible()
    first = int(rows.first.evaluate("(link) => link.closest('tr').dataset.row"))
    for more in range(1, 5):
        page.keyboard.press("Shift+ArrowDown")
        expect(page.locator(f".msgs tr.in-range[data-row='{first + more}']")).to_be_visible()
        expect(page).to_have_url(re.compile(rf"\bend={first + more}\b"))  # the step is there, not only lit
    before = verdict(page)
    page.locator("#generate-block").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#block-summary")).not_to_have_value("")
    page.locator("#make-block").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#verdict")).not_to_have_text(before)
    expect(page.locator("#range-bar")).to_have_count(0)
    expect(page.locator(".msgs")).to_contain_text("b1")
    page.keyboard.press("Control+z")
    expect(page.locator("#verdict")).to_have_text(before)
