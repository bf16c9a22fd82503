"""What every page may weigh: bytes, elements and layout shift, on the samples and at 10,000 messages."""

from __future__ import annotations

import gzip

import pytest
from playwright.sync_api import expect

from benchmarks.large_files import generated
from benchmarks.page_weight import VIEWS, WATCH_SHIFT, assets
from tests.browser.steps import drop, wait_until_packed

SCRIPT_BYTES, STYLE_BYTES, WORKBENCH_BYTES, REPORT_BYTES = 40_000, 25_000, 150_000, 80_000
"""Most bytes of gzip. Source: the design, measured by."""
ELEMENTS = 3_000
SHIFT = 0.02


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    return generated(tmp_path_factory.mktemp("large")).files


def test_scripts_and_styles_are_small(visitor, filled, stack):
    found = assets(visitor().open("/"), stack.address + filled.pages["workbench-map"])
    assert 5_000 < found["JavaScript"] <= SCRIPT_BYTES
    assert 5_000 < found["CSS"] <= STYLE_BYTES


@pytest.mark.parametrize(("name", "most"), [("workbench-map", WORKBENCH_BYTES), ("report-full", REPORT_BYTES)])
def test_a_page_is_small_and_stands_still(visitor, filled, stack, name, most):
    page = visitor().open("/help/")
    page.add_init_script(WATCH_SHIFT)
    page.goto(stack.address + filled.pages[name])
    page.wait_for_load_state("networkidle")
    assert page.evaluate("() => window.__shift") <= SHIFT
    assert len(gzip.compress(page.content().encode())) <= most


def test_no_view_holds_more_elements_than_a_browser_likes_at_ten_thousand_messages(visitor, large):
    page = visitor().open("/")
    drop(page, *large)
    wait_until_packed(page)
    expect(page.locator("#inputs")).to_contain_text("10,000 messages")
    workspace = page.url.split("?")[0]
    for view in VIEWS:
        page.goto(f"{workspace}?view={view}")
        assert 500 < page.evaluate("() => document.querySelectorAll('*').length") <= ELEMENTS, view
        assert len(gzip.compress(page.content().encode())) <= WORKBENCH_BYTES, view
