"""Answers that cross: whatever comes back in whatever order, the page shows what was asked for last."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from playwright.sync_api import APIResponse, Error, Page, Route, expect

from tests.browser.conftest import Visitor
from tests.browser.steps import change_number, figures, is_saved, open_sample, verdict

#: An answer that nobody wants any more has arrived by then; nothing on the page could be waited for.
AFTERWARDS_MS = 500
SESSION, LIBRARY = "An agent session that overflows", "A skills library that does not fit"


class Held:
    """Answers that the server has given and the browser has not got yet."""

    def __init__(self, page: Page, pattern: str, *, matches: Callable[[Route], bool] = lambda _route: True) -> None:
        self._waiting: list[tuple[Route, APIResponse]] = []
        self._matches = matches
        self._is_open = False
        page.route(pattern, self._take)

    def _take(self, route: Route) -> None:
        if self._is_open or not self._matches(route):
            route.continue_()
        else:
            self._waiting.append((route, route.fetch()))

    def wait(self, page: Page) -> None:
        """Until one is held."""
        while not self._waiting:
            page.wait_for_timeout(20)

    def release(self) -> None:
        """Let them arrive, and hold nothing more."""
        self._is_open = True
        for route, answer in self._waiting:
            with suppress(Error):  # the page does not want it any more
                route.fulfill(response=answer)


def is_no_draft(route: Route) -> bool:
    return "draft=1" not in (route.request.post_data or "")


def opened(visitor: Callable[..., Visitor], title: str = SESSION) -> Page:
    page = visitor().open("/")
    open_sample(page, title)
    return page


def shows(page: Page, view: str) -> None:
    expect(page.locator(".tabnav a[aria-current=page]")).to_have_id(f"tab-{view}")
    expect(page.locator("#result > input[name=view]")).to_have_value(view)


def reloaded(page: Page) -> tuple[str, str]:
    """The verdict and the list as a fresh page has them."""
    page.reload()
    return verdict(page), page.locator("#result .items").inner_text()


def test_a_tab_clicked_while_a_change_is_saved_is_shown_with_the_change(visitor: Callable[..., Visitor]) -> None:
    page = opened(visitor)
    before = figures(page)
    answers = Held(page, "**/config/", matches=is_no_draft)
    change_number(page, "outputReserve", "9000")
    answers.wait(page)
    page.locator("#tab-messages").click()
    expect(page.locator("#result .msgs")).to_be_visible()
    with page.expect_response(lambda response: "view=messages" in response.url):
        answers.release()
    shows(page, "messages")
    expect(page.locator("#figures")).not_to_have_text(before)
    shown = verdict(page), page.locator("#result .items").inner_text()
    assert reloaded(page) == shown


def test_a_change_saved_while_a_tab_is_awaited_is_in_what_the_tab_shows(visitor: Callable[..., Visitor]) -> None:
    page = opened(visitor)
    answers = Held(page, "**/w/*/?view=messages*")
    page.locator("#tab-messages").click()
    answers.wait(page)
    with page.expect_response(is_saved):
        change_number(page, "history.maxTokens", "20000")
    shows(page, "map")
    answers.release()
    shows(page, "messages")  # as they were before the change, until the page has looked again
    expect(page.locator("#result .items")).to_contain_text("newest 20,000 tokens of history")
    shown = verdict(page), page.locator("#result .items").inner_text()
    assert reloaded(page) == shown


def test_of_two_tabs_the_one_clicked_last_is_shown(visitor: Callable[..., Visitor]) -> None:
    page = opened(visitor)
    answers = Held(page, "**/w/*/?view=messages*")
    page.locator("#tab-messages").click()
    answers.wait(page)
    page.locator("#tab-prompt").click()
    expect(page.locator("#result ol.prompt")).to_be_visible()
    answers.release()
    page.wait_for_timeout(AFTERWARDS_MS)
    shows(page, "prompt")
    assert "view=prompt" in page.url


def test_a_change_that_is_saved_does_not_wait_for_one_that_was_only_shown(visitor: Callable[..., Visitor]) -> None:
    page = opened(visitor)
    answers = Held(page, "**/config/", matches=lambda route: not is_no_draft(route))
    box = page.locator('#config-form input[name="config.history.maxTokens"]')
    box.fill("20000")
    answers.wait(page)
    with page.expect_response(is_saved):
        box.press("Tab")
    expect(page.locator("#o-history-maxTokens")).to_contain_text("overridden")
    shown = verdict(page), page.locator("#result .items").inner_text()
    answers.release()
    page.wait_for_timeout(AFTERWARDS_MS)
    assert (verdict(page), page.locator("#result .items").inner_text()) == shown
    assert reloaded(page) == shown


def test_rows_that_read_the_same_stay_and_the_others_are_replaced(visitor: Callable[..., Visitor]) -> None:
    page = opened(visitor, LIBRARY)
    names = page.locator("#result .items tbody tr .c-name")
    before = names.all_inner_texts()
    page.evaluate("() => document.querySelectorAll('#result .items tbody tr').forEach((row) => { row.probe = true; })")
    with page.expect_response(is_saved) as answered:
        change_number(page, "skillsBudget.limits.maxSkillsPromptChars", "4000")
    expect(page.locator("#result .items tbody tr", has_text="Dropped").first).to_be_visible()
    kept, fresh = (
        page.evaluate(
            "(wanted) => [...document.querySelectorAll('#result .items tbody tr')]"
            ".filter((row) => (row.probe === true) === wanted).map((row) => row.querySelector('.c-name').textContent)",
            wanted,
        )
        for wanted in (True, False)
    )
    assert kept, "no row stayed"
    assert fresh, "no row was replaced"
    assert set(kept) <= set(before)
    sent = answered.value.text()
    assert not [name for name in kept if f">{name}</a>" in sent]
    shown = verdict(page), page.locator("#result .items").inner_text()
    assert reloaded(page) == shown
