"""What holds on every page: no accessibility failure, no sideways scroll, no complaint in the console."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import NARROW, WIDE
from tests.browser.filled import NAMES
from tests.browser.steps import cut_buttons, stray_texts

AXE = Axe()
RULES = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
    "resultTypes": ["violations"],
}


#: The other theme is the same page in other colours (only `prefers-color-scheme` rules differ).
OF_COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}


def go(visitor, filled, name: str, **looks: object) -> Page:
    """Open a page as whoever is meant to see it."""
    someone = visitor(known=name not in filled.public(), **looks)
    if name in {"report-gone", "missing"}:
        someone.forgive("status of 404")
    if name == "report-locked":
        someone.forgive("status of 403")
    page = someone.open(filled.pages[name])
    page.wait_for_load_state("networkidle")
    return page


def failures(page: Page, rules: dict[str, object] = RULES) -> list[str]:
    """Every accessibility failure of level A and AA, as rule and element."""
    found = AXE.run(page, options=rules).response["violations"]
    return [f"{rule['id']}: {node['html'][:160]}" for rule in found for node in rule["nodes"]]


@pytest.mark.parametrize("name", NAMES)
def test_wide_and_narrow_light_and_dark_axe_finds_nothing(visitor, filled, name):
    found = {}
    for width in (WIDE, NARROW):
        page = go(visitor, filled, name, width=width)
        for theme, rules in (("light", RULES), ("dark", OF_COLOURS)):
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            found[f"{width} {theme}"] = failures(page, rules)
    assert not any(found.values()), found


@pytest.mark.parametrize("name", NAMES)
def test_one_first_heading_a_title_and_no_sideways_scroll_at_320_pixels_or_200_percent(visitor, filled, name):
    page = go(visitor, filled, name, width=320)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.set_viewport_size({"width": 720, "height": 450})  # 1440 at 200 %
    assert page.evaluate("document.documentElement.scrollWidth") <= 720
    assert page.locator("h1").count() == 1
    assert "Budgeteer" in page.title() or name == "report-prompt"


@pytest.mark.parametrize("name", NAMES)
def test_on_a_phone_every_text_stays_in_its_box_and_every_button_on_the_screen(visitor, filled, name):
    page = go(visitor, filled, name, width=NARROW)
    for opened in page.locator("details.add > summary").all():
        opened.click()
    assert stray_texts(page) == []
    assert cut_buttons(page) == []


def test_a_long_name_of_a_source_breaks_where_it_is_offered_for_a_calibration(visitor, filled):
    page = go(visitor, filled, "workbench-config", width=320)
    page.locator("label[for^=calibrate-]").first.evaluate("label => { label.textContent = 'harbour'.repeat(16); }")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_axe_finds_nothing_in_the_open_share_dialog(visitor, filled):
    for theme in ("light", "dark"):
        page = go(visitor, filled, "workbench-map", theme=theme)
        page.locator("#share").click()
        page.locator(".share-panel").wait_for()
        assert failures(page) == []


@pytest.mark.parametrize("path", ["/admin/", "/admin/presets/preset/", "/admin/presets/preset/1/change/"])
def test_the_admin_raises_no_complaint_under_the_strict_content_policy(visitor, path):
    for theme in ("light", "dark"):
        page = visitor(theme=theme).open(path)
        page.wait_for_load_state("networkidle")
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert background == {"light": "rgb(255, 255, 255)", "dark": "rgb(17, 21, 27)"}[theme]
