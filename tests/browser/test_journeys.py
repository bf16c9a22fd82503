from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.steps import open_sample, verdict


def test_the_agent_sample_is_one_click_away_and_shows_verdict_bar_items_and_prompt(visitor):
    page = visitor().open("/")
    open_sample(page, "An agent session that overflows")
    assert verdict(page).startswith("Over by")
    expect(page.locator("#budget svg.bar.wide rect").first).to_be_visible()
    assert page.locator("table.items tbody tr").count() > 20
    page.get_by_role("link", name="Prompt").click()
    expect(page.get_by_role("heading", name="What is sent")).to_be_visible()
    expect(page.locator("ol.prompt li").first).to_be_visible()
