"""Answers that cross: whatever comes back in whatever order, the page shows what was asked for last.

And presses while answers are under way: none is lost, refused or sent twice; each acts on what was asked before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress

import pytest
from playwright.sync_api import APIResponse, Error, Page, Request, Route, expect

from tests.browser.conftest import NARROW, WORK_MS, Visitor
from tests.browser.steps import change_number, figures, is_saved, open_sample, verdict, wait_until_packed

#: An answer that nobody wants any more has arrived by then; nothing on the page could be waited for.
AFTERWARDS_MS = 500
SESSION, LIBRARY = "A long agent session", "A large skills library"


class Held:
    """Answers that the server has given and the browser has not got yet."""

    def __init__(
        self,
        page: Page,
        pattern: str,
        *,
        matches: Callable[[Route], bool] = lambda _route: True,
        holds: Callable[[APIResponse], bool] = lambda _answer: True,
    ) -> None:
        self._waiting: list[tuple[Route, APIResponse]] = []
        self._matches = matches
        self._holds = holds
        self._is_open = False
        page.route(pattern, self._take)

    def _take(self, route: Route) -> None:
        if self._is_open or not self._matches(route):
            route.continue_()
            return
        answer = route.fetch()
        if self._is_open or not self._holds(answer):  # it may have come while the others were let go
            self._deliver(route, answer)
        else:
            self._waiting.append((route, answer))

    def wait(self, page: Page) -> None:
        """Until one is held."""
        while not self._waiting:
            page.wait_for_timeout(20)

    def release(self) -> None:
        """Let them arrive, and hold nothing more."""
        self._is_open = True
        for route, answer in self._waiting:
            self._deliver(route, answer)

    def _deliver(self, route: Route, answer: APIResponse) -> None:
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


def seen(page: Page) -> tuple[str, str]:
    """The verdict and the list, its rows below the screen too, which are laid out a moment after an answer."""
    expect(page.locator("#result")).not_to_contain_class("screenful")
    return verdict(page), page.locator("#result .items").inner_text()


def reloaded(page: Page) -> tuple[str, str]:
    """The verdict and the list as a fresh page has them."""
    page.reload()
    return seen(page)


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
    shown = seen(page)
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
    expect(page.locator("#result .items")).to_contain_text("newest 20,000 tokens")
    shown = seen(page)
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
    shown = seen(page)
    answers.release()
    page.wait_for_timeout(AFTERWARDS_MS)
    assert seen(page) == shown
    assert reloaded(page) == shown


def test_rows_that_read_the_same_stay_and_the_others_are_replaced(visitor: Callable[..., Visitor]) -> None:
    page = opened(visitor, LIBRARY)
    names = page.locator("#result .items tbody tr .c-name")
    before = names.all_inner_texts()
    page.evaluate("() => document.querySelectorAll('#result .items tbody tr').forEach((row) => { row.probe = true; })")
    with page.expect_response(is_saved) as answered:
        change_number(page, "skillsBudget.limits.maxSkillsPromptChars", "4000")
    expect(page.locator("#result .items tbody tr", has_text="Left out").first).to_be_visible()
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
    shown = seen(page)
    assert reloaded(page) == shown


@pytest.fixture
def session(visitor: Callable[..., Visitor]) -> Page:
    page = visitor().open("/")
    open_sample(page, SESSION)
    return page


def is_press(request: Request) -> bool:
    """Whether it changes something."""
    return request.method == "POST" and "draft=1" not in (request.post_data or "")


def choose(page: Page, count: int) -> int:
    """A range of the first `count` messages, chosen by keys; the number of its first."""
    page.keyboard.press("2")
    rows = page.locator(".msgs tr[data-row] .c-name a")
    expect(rows.first).to_be_visible()
    rows.first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#inspector h2")).not_to_have_text("By section")
    first = int(rows.first.evaluate("(link) => link.closest('tr').dataset.row"))
    for more in range(1, count):
        page.keyboard.press("Shift+ArrowDown")
        expect(page).to_have_url(re.compile(rf"\bend={first + more}\b"))
    return first


def test_generate_pressed_while_steps_of_its_range_are_under_way_takes_every_step(session: Page) -> None:
    page = session
    first = choose(page, 3)
    last = first + 4
    before = verdict(page)
    page.locator("#block-topic").fill("Tides")
    page.locator(f".msgs tr[data-row='{first + 2}'] .c-name a").focus()
    answers = Held(page, "**/w/*/?*", matches=lambda route: re.search(r"[?&]end=", route.request.url) is not None)
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    page.locator("#generate-block").focus()
    page.keyboard.press("Enter")
    answers.wait(page)
    answers.release()
    expect(page.locator("#block-summary")).not_to_have_value("", timeout=WORK_MS)
    expect(page).to_have_url(re.compile(rf"\bend={last}\b"))
    expect(page.locator(".msgs tr.in-range")).to_have_count(5)
    expect(page.locator("#block-topic")).to_have_value("Tides")  # typed before the steps were answered
    page.locator("#make-block").click()
    expect(page.locator("#verdict")).not_to_have_text(before)
    expect(page.locator("#range-bar")).to_have_count(0)
    expect(page.locator(".msgs tr.block")).to_have_count(1)


@pytest.mark.parametrize("button", ["#generate-block", "#make-it-fit", "#save-edit"])
def test_what_is_pressed_while_a_setting_is_saved_happens_and_the_page_follows_both(session: Page, button: str) -> None:
    page = session
    if button == "#generate-block":
        choose(page, 3)
    if button == "#save-edit":
        page.locator("#chip-skills").click()
        page.locator("table.items tbody tr", has=page.locator(".cK")).locator(".c-name a").first.click()
        page.locator("#edit-toggle").click()
        page.locator("#edit-text").fill("Short.")
    before = figures(page)
    answers = Held(page, "**/config/", matches=is_no_draft)
    change_number(page, "outputReserve", "9000")
    answers.wait(page)
    page.locator(button).click()
    answers.release()
    if button == "#generate-block":
        expect(page.locator("#block-summary")).not_to_have_value("", timeout=WORK_MS)
    elif button == "#make-it-fit":
        expect(page.locator("#fit-verdict")).to_be_visible(timeout=WORK_MS)
        assert "view=fit" in page.url
    else:
        expect(page.locator("#edit-toggle")).to_contain_text("edited")
    expect(page.locator("#figures")).not_to_have_text(before)
    expect(page.locator("#o-outputReserve")).to_contain_text("overridden")
    shown = figures(page)
    page.reload()
    expect(page.locator("#figures")).to_have_text(shown)


def test_a_plan_that_is_applied_while_it_is_drawn_anew_is_applied(session: Page) -> None:
    page = session
    page.locator("#make-it-fit").click()
    expect(page.locator("#apply-plan")).to_be_visible(timeout=WORK_MS)
    answers = Held(page, "**/w/*/?*steps=*")
    page.locator(".tick[aria-checked=false]").first.click()
    answers.wait(page)
    page.locator("#apply-plan").click()
    answers.release()
    expect(page.locator("#status")).to_contain_text("Applied", timeout=WORK_MS)
    expect(page.locator("#undo")).to_be_enabled()


def test_what_was_said_is_said_again_by_each_page_that_takes_the_place_of_another_at_once(session: Page) -> None:
    page = session
    said = "Applied 1 step: Limit history"
    change_number(page, "outputReserve", "9000")
    expect(page.locator("#undo")).to_be_enabled()
    page.evaluate(
        "said => document.dispatchEvent(new CustomEvent('status', {detail: {value: said, undo: true}}))", said
    )
    for _job_that_ended in range(2):
        with page.expect_navigation():
            page.evaluate("document.dispatchEvent(new CustomEvent('leaving')); location.reload()")
    expect(page.locator("#status")).to_contain_text(said)
    page.locator("#status").get_by_role("button", name="Undo").click()
    expect(page.locator("#status")).to_contain_text("Undid: Output reserve")


def test_what_is_said_lies_over_no_primary_button_and_goes_with_a_press(visitor: Callable[..., Visitor]) -> None:
    page = visitor(width=NARROW).open("/")
    open_sample(page, SESSION)
    page.locator("#make-it-fit").click()
    apply = page.locator("#apply-plan")
    expect(apply).to_be_visible(timeout=WORK_MS)
    # Where the line would lie: at the foot of the screen, above the bar of parts.
    apply.evaluate("button => scrollBy(0, button.getBoundingClientRect().bottom - innerHeight + 70)")
    page.evaluate("document.dispatchEvent(new CustomEvent('status', {detail: 'Saved.'}))")
    status = page.locator("#status")
    expect(status).to_have_text("Saved.")
    one, other = status.bounding_box(), apply.bounding_box()
    assert one["y"] + one["height"] <= other["y"] or other["y"] + other["height"] <= one["y"]
    page.wait_for_timeout(1100)  # as long as it is said at least
    page.locator("#fit-verdict").click()
    expect(status).to_have_text("", timeout=1000)


def test_a_press_that_is_made_twice_before_its_answer_is_one_press(session: Page) -> None:
    page = session
    choose(page, 3)
    answers = Held(page, "**/compress/", matches=is_no_draft)
    page.locator("#block-topic").fill("Tides")
    page.locator("#block-summary").fill("The tides are known.")
    page.locator("#make-block").click()
    answers.wait(page)
    page.locator("#make-block").click()
    answers.release()
    expect(page.locator("#range-bar")).to_have_count(0)
    page.wait_for_timeout(AFTERWARDS_MS)
    expect(page.locator(".msgs tr.block")).to_have_count(1)
    expect(page.locator("#compress-problem")).to_have_count(0)


def test_undo_pressed_while_the_change_is_saved_takes_back_that_change_and_redo_brings_it_back(session: Page) -> None:
    page = session
    before = figures(page)
    posts: list[str] = []
    page.on("request", lambda sent: posts.append(sent.url.split("/")[-2]) if is_press(sent) else None)
    answers = Held(page, "**/config/", matches=is_no_draft)
    change_number(page, "outputReserve", "9000")
    answers.wait(page)
    page.locator("#view").focus()
    page.keyboard.press("Control+z")  # its button is not enabled yet
    answers.release()
    expect(page.locator("#status")).to_contain_text("Undid: Output reserve")
    expect(page.locator("#figures")).to_have_text(before)
    held = Held(page, "**/redo/")
    page.keyboard.press("Control+y")
    held.wait(page)
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+y")
    held.release()
    while len(posts) < 5:
        page.wait_for_timeout(20)
    expect(page.locator("#sender[data-sending]")).to_have_count(0)
    assert posts == ["config", "undo", "redo", "undo", "redo"]
    expect(page.locator("#redo")).to_be_disabled()
    expect(page.locator("#i-outputReserve")).to_have_value("9,000")
    shown = figures(page)
    assert shown != before
    page.reload()
    expect(page.locator("#figures")).to_have_text(shown)


def test_two_settings_changed_before_the_first_is_answered_are_both_saved_without_a_word(session: Page) -> None:
    page = session
    answers = Held(page, "**/config/", matches=is_no_draft)
    change_number(page, "outputReserve", "9000")
    answers.wait(page)
    change_number(page, "history.maxTokens", "40000")
    with page.expect_response(is_saved):
        answers.release()
    expect(page.locator("#o-history-maxTokens")).to_contain_text("overridden")
    expect(page.locator("#o-outputReserve")).to_contain_text("overridden")
    expect(page.locator("#status")).to_have_text("")
    shown = seen(page)
    assert reloaded(page) == shown


def test_what_is_typed_stays_when_another_setting_is_saved(session: Page) -> None:
    page = session
    page.locator("#chip-skills").click()
    page.locator("table.items tbody tr", has=page.locator(".cK")).locator(".c-name a").first.click()
    page.locator("#edit-toggle").click()
    page.locator("#edit-text").fill("A wording that is not saved yet.")
    with page.expect_response(is_saved):
        change_number(page, "outputReserve", "9000")
    expect(page.locator("#o-outputReserve")).to_contain_text("overridden")
    expect(page.locator("#edit-text")).to_be_visible()
    expect(page.locator("#edit-text")).to_have_value("A wording that is not saved yet.")


def test_letters_typed_while_a_search_is_answered_are_searched_for(session: Page) -> None:
    page = session
    page.keyboard.press("2")
    expect(page.locator("#result .msgs")).to_be_visible()
    field = page.locator("#item-filter")
    answers = Held(page, "**/w/*/?*q=*")
    field.focus()
    page.keyboard.type("py")
    answers.wait(page)
    page.keyboard.type("test")
    answers.release()
    expect(field).to_have_value("pytest")
    expect(field).to_be_focused()
    expect(page).to_have_url(re.compile(r"\bq=pytest\b"))


def test_a_button_that_is_replaced_under_the_pointer_is_pressed(session: Page) -> None:
    page = session
    page.locator("table.items tbody tr.kept .c-name a").first.click()
    expect(page.locator("#pin")).to_be_visible()
    box = page.locator("#pin").bounding_box()
    assert box
    answers = Held(page, "**/config/", matches=is_no_draft)
    change_number(page, "outputReserve", "9000")
    answers.wait(page)
    page.mouse.move(box["x"] + 6, box["y"] + 6)
    page.mouse.down()
    answers.release()
    expect(page.locator("#o-outputReserve")).to_contain_text("overridden")
    page.mouse.up()
    expect(page.locator("#inspector")).to_contain_text("Pinned")


def test_a_link_pressed_before_the_rest_of_a_view_is_laid_out_stays_under_the_pointer(session: Page) -> None:
    page = session
    cause = page.locator("table.causes tbody .c-name a").first
    page.goto(f"{page.url.partition('?')[0]}?view=timeline")
    expect(cause).to_be_visible(timeout=WORK_MS)
    page.locator("#tab-map").click()
    shows(page, "map")
    seen(page)  # all of it: the next view is shorter
    # The 150 ms after an answer, for as long as the hand of this test needs.
    page.evaluate("""() => {
        const before = window.setTimeout;
        window.setTimeout = (act, ms, ...given) => before(act, ms === 150 ? 60_000 : ms, ...given);
    }""")
    page.locator("#tab-timeline").click()
    expect(cause).to_be_visible()
    expect(page.locator("#result")).to_contain_class("screenful")
    cause.click()
    shows(page, "messages")


def test_the_key_that_pins_means_the_item_that_was_asked_for(session: Page) -> None:
    page = session
    page.keyboard.press("j")
    expect(page.locator("#pin")).to_be_visible()
    answers = Held(page, "**/w/*/?*sel=*")
    page.keyboard.press("j")
    answers.wait(page)
    page.keyboard.press("p")
    second = page.locator("table.items tbody .c-name a").nth(1).inner_text()
    answers.release()
    expect(page.locator("#inspector")).to_contain_text("Pinned")
    expect(page.locator("#inspector h2")).to_have_text(second)


def long_conversation(about: str, messages: int = 30_000) -> bytes:
    """A conversation whose import is under way for longer than the page that shows it takes to be drawn."""
    texts = (
        f"Tide {number} beside {about}: {' '.join(map(str, range(number, number + 40)))}" for number in range(messages)
    )
    said = [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(texts)]
    return json.dumps({"messages": said}).encode()


def ends_of_jobs(page: Page) -> Held:
    """The answers that say that a job has ended."""
    return Held(page, "**/jobs/**", holds=lambda answer: not {"hx-refresh", "hx-redirect"}.isdisjoint(answer.headers))


def add_long_conversation(page: Page, about: str) -> None:
    page.locator("details.sub", has=page.locator("#add-files")).locator("summary").click()
    file = {"name": "tides.json", "mimeType": "application/json", "buffer": long_conversation(about)}
    page.locator("#add-files").set_input_files([file])
    expect(page.locator(".waiting")).to_be_visible()


def test_a_job_that_ends_leaves_the_page_that_somebody_goes_to(session: Page) -> None:
    page = session
    ends = ends_of_jobs(page)
    add_long_conversation(page, "another page")
    ends.wait(page)
    loads = Held(page, "**/w/", matches=lambda route: route.request.is_navigation_request())
    page.get_by_role("link", name="Workspaces").first.click(no_wait_after=True)
    loads.wait(page)
    ends.release()
    page.wait_for_timeout(AFTERWARDS_MS)
    loads.release()
    expect(page).to_have_url(re.compile(r"/w/$"))
    expect(page.get_by_role("heading", name="Workspaces", level=1)).to_be_visible()


def test_a_study_that_ends_for_a_view_that_is_gone_loads_no_page_anew(visitor: Callable[..., Visitor]) -> None:
    page = visitor().open("/")
    file = {"name": "tides.json", "mimeType": "application/json", "buffer": long_conversation("a plan", 2_500)}
    page.locator("#drop-files").set_input_files([file])
    wait_until_packed(page)
    ends = ends_of_jobs(page)
    page.goto(page.url.split("?")[0] + "?view=fit")
    expect(page.locator(".waiting")).to_be_visible()
    page.evaluate("document.body.dataset.drawn = 'before'")
    page.locator("details.sub", has=page.locator("#add-files")).locator("summary").click()
    page.locator("#add-text").fill("A text that nobody has sent")
    ends.release()
    expect(page.locator("#status")).to_contain_text("once what you typed is saved", timeout=WORK_MS)
    page.locator("#tab-messages").click()
    expect(page.locator("#result .msgs")).to_be_visible()
    page.locator("#add-text").fill("")
    page.wait_for_timeout(AFTERWARDS_MS)
    expect(page.locator("body")).to_have_attribute("data-drawn", "before")


@pytest.mark.parametrize("waits_for", ["presses", "what is said", "typing"])
def test_a_page_that_a_job_ends_on_is_loaded_anew_once_nothing_would_be_lost(session: Page, waits_for: str) -> None:
    page = session
    ends = ends_of_jobs(page)
    adding = page.locator("details.sub", has=page.locator("#add-files")).locator("summary")
    adding.click()
    file = {"name": "tides.json", "mimeType": "application/json", "buffer": long_conversation(waits_for)}
    page.locator("#add-files").set_input_files([file])
    expect(page.locator(".waiting")).to_be_visible()
    page.evaluate("document.body.dataset.drawn = 'before'")
    ends.wait(page)
    if waits_for != "typing":
        answers = Held(page, "**/config/", matches=is_no_draft)
        change_number(page, "outputReserve", "9000")
        answers.wait(page)
        # it waits for the first
        if waits_for == "presses":
            change_number(page, "contextWindow", "64000")
        else:
            page.evaluate("document.dispatchEvent(new CustomEvent('press', { detail: 'undo' }))")
        ends.release()
        page.wait_for_timeout(AFTERWARDS_MS)
        expect(page.locator("body")).to_have_attribute("data-drawn", "before")
        answers.release()
    else:
        adding.click()
        page.locator("#add-text").fill("A text that nobody has sent")
        ends.release()
        expect(page.locator("#status")).to_contain_text("once what you typed is saved")
        page.wait_for_timeout(AFTERWARDS_MS)
        expect(page.locator("#add-text")).to_have_value("A text that nobody has sent")
        page.locator("#add-text").fill("")
    expect(page.locator("body:not([data-drawn])")).to_be_attached(timeout=WORK_MS)
    expect(page.locator("#figures")).to_be_visible(timeout=WORK_MS)
    if waits_for == "presses":
        expect(page.locator("#i-outputReserve")).to_have_value("9,000")
        expect(page.locator("#i-contextWindow")).to_have_value("64,000")
    elif waits_for == "what is said":
        expect(page.locator("#status")).to_contain_text("Undid")  # and the page that said it is gone
