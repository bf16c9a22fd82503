"""Charts answer: they are saved as pictures, and follow pointer, keys and touch."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree as ET

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import WORK_MS, Visitor
from tests.browser.steps import figures, open_sample, wait_until_packed


@pytest.fixture
def agent(visitor: Callable[..., Visitor]) -> Page:
    page = visitor().open("/")
    open_sample(page, "A long agent session")
    return page


def test_the_tour_leads_to_an_item_whose_block_is_outlined_whole(visitor: Callable[..., Visitor]) -> None:
    page = visitor().open("/")
    page.locator("#tour-start").click()
    wait_until_packed(page)
    expect(page.locator("#tour")).to_contain_text("Step 1 of 3")
    page.locator("#tour-next").click()
    expect(page.locator("#tour")).to_contain_text("Step 2 of 3")
    expect(page.locator("#inspector")).to_contain_text("Left out")
    block = page.locator(".icicle rect.selected")
    expect(block).to_have_count(1)
    assert block.evaluate("(rect) => rect.getBBox().height") == 62  # as drawn in icicle.html
    page.locator("#tour-next").click()
    expect(page.locator("#tour")).to_contain_text("Step 3 of 3")
    page.locator("#tour-end").click()
    expect(page.locator("#tour")).to_have_count(0)


def test_a_row_and_its_block_light_each_other_and_the_open_item_is_outlined(agent: Page) -> None:
    page = agent
    rows, lit, outlined = map(page.locator, (".items tbody tr", ".icicle rect.lit", ".icicle rect.selected"))
    name = rows.first.locator(".c-name a")
    query = urlsplit(name.get_attribute("href") or "").query
    item = next(pair.removeprefix("sel=") for pair in query.split("&") if pair.startswith("sel="))
    block = page.locator(f".icicle [data-links='#inspector'] a[href*='sel={item}']")
    name.hover()
    expect(lit).to_have_count(1)
    expect(block.locator("rect")).to_contain_class("lit")
    page.locator("#verdict").hover()
    expect(lit).to_have_count(0)
    block.hover()
    expect(page.locator(".items tbody tr.lit")).to_have_count(1)
    expect(rows.first).to_contain_class("lit")
    name.click()  # the block is outlined without the picture being drawn anew
    expect(page.locator("#inspector-close")).to_be_visible()
    expect(outlined).to_have_count(1)
    expect(block.locator("rect")).to_contain_class("selected")
    page.locator("#inspector-close").click()
    expect(outlined).to_have_count(0)


@pytest.mark.parametrize("view", ["map", "timeline", "sweep"])
def test_a_chart_is_saved_as_svg_and_as_png(agent: Page, view: str, tmp_path: Path) -> None:
    page = agent
    page.goto(f"{page.url.split('?')[0]}?view={view}")
    acts = page.locator(".chart-acts")
    expect(acts).to_be_visible(timeout=WORK_MS)
    with page.expect_download() as saved:
        acts.get_by_role("button", name="as SVG").click()
    saved.value.save_as(tmp_path / "chart.svg")
    root = ET.parse(tmp_path / "chart.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    fills = {one.get("fill") for one in root.iter() if one.get("fill")}
    assert len(fills) > 3, "the colours of the page are not in the file"
    assert not [one for one in root.iter() if one.get("class")]
    with page.expect_download() as saved:
        acts.get_by_role("button", name="as PNG").click()
    assert saved.value.suggested_filename.endswith(f".{view}.png")
    saved.value.save_as(tmp_path / "chart.png")
    data = (tmp_path / "chart.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", data[16:24])
    assert width == 2 * round(float(root.get("width") or 0))
    assert height == 2 * round(float(root.get("height") or 0))
    assert len(data) > 5_000, "the picture is empty"


def test_the_timeline_is_read_and_stepped_by_pointer_keys_and_touch(agent: Page) -> None:
    page = agent
    page.goto(f"{page.url.split('?')[0]}?view=timeline")
    readout, slider = page.locator("#timeline-readout"), page.locator("#request-at")
    chart = page.locator("svg.chart.wide")
    expect(chart).to_be_visible(timeout=WORK_MS)
    last = int(slider.get_attribute("max") or 0)
    box = chart.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + box["height"] * 0.5)
    expect(readout).to_contain_text(re.compile(r"^Request \d+ \(turn \d+\): [\d,]+ requested"))
    pointed = readout.inner_text()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.5)
    expect(readout).not_to_have_text(pointed)
    slider.focus()
    slider.press("Home")
    expect(readout).to_contain_text(re.compile(r"^Request 1 "))
    expect(page.locator("#one-request-t")).to_contain_text(f"Request 1 of {last}")
    expect(slider).to_be_focused()
    slider.press("ArrowRight")
    expect(page.locator("#one-request-t")).to_contain_text(f"Request 2 of {last}")
    page.keyboard.press("]")
    expect(page.locator("#one-request-t")).to_contain_text(f"Request 3 of {last}")
    page.keyboard.press("[")
    expect(page.locator("#one-request-t")).to_contain_text(f"Request 2 of {last}")
    page.locator("#request-next").click()
    expect(page.locator("#one-request-t")).to_contain_text(f"Request 3 of {last}")
    page.wait_for_url("**at=3*")
    slider.press("ArrowRight")
    expect(page.locator("#one-request-t")).to_contain_text(f"Request 4 of {last}")
    assert page.url.count("view=") == page.url.count("at=") == 1
    page.go_back()
    expect(page.locator("#one-request-t")).to_contain_text(f"Request 3 of {last}")
    page.locator("svg.chart.wide").click(position={"x": box["width"] * 0.5, "y": box["height"] * 0.5})
    expect(page.locator("#one-request-t")).not_to_contain_text(f"Request 3 of {last}")


def test_the_outline_of_the_prompt_leads_to_a_part_on_another_page(agent: Page) -> None:
    page = agent
    page.goto(f"{page.url.split('?')[0]}?view=prompt")
    link = page.locator("#prompt-outline a[data-part]").last
    part = link.get_attribute("data-part") or "none"
    expect(page.locator(f"#{part}")).to_have_count(0)
    link.click()
    expect(page.locator(f"#{part}")).to_be_focused()
    expect(page.locator(f"#{part}")).to_be_in_viewport()


def test_the_line_of_the_sweep_is_dragged_and_its_value_used(agent: Page) -> None:
    page = agent
    page.goto(f"{page.url.split('?')[0]}?view=sweep")
    chart, readout = page.locator("svg.chart.wide"), page.locator("#sweep-readout")
    expect(chart).to_be_visible(timeout=WORK_MS)
    before = figures(page)
    field = page.locator("#i-history-maxTokens")
    was = field.input_value()
    slider = page.locator("#sweep-at")
    slider.focus()
    slider.press("ArrowLeft")
    expect(readout).to_contain_text("items kept")
    assert figures(page) == before, "to look at a value changes nothing"
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.6)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.6, steps=4)
    expect(readout).to_contain_text("items kept")
    chosen = readout.inner_text().split(":")[0]
    page.mouse.up()
    expect(page.locator("#figures")).not_to_have_text(before)
    expect(field).to_have_value(chosen)
    page.locator("#undo").click()
    expect(page.locator("#figures")).to_have_text(before)
    expect(field).to_have_value(was)


def test_the_least_value_of_the_sweep_is_used_as_it_stands(agent: Page) -> None:
    page = agent
    page.goto(f"{page.url.split('?')[0]}?view=sweep&over=history.maxTokens")
    slider, use = page.locator("#sweep-at"), page.locator("#sweep-use")
    expect(slider).to_be_visible(timeout=WORK_MS)
    least = slider.get_attribute("min")
    slider.press("Home")
    expect(use).to_have_attribute("value", f"history.maxTokens={least}")
    use.click()
    expect(page.locator("#i-history-maxTokens")).to_have_value(least or "")
    expect(page.locator("#sweep-error")).to_have_count(0)


@pytest.mark.parametrize("width", [390, 768, 1440])
def test_a_part_of_the_bar_that_has_the_focus_has_a_ring_and_is_named(visitor, filled, width):
    page = visitor(width=width).open(filled.pages["workbench-map"])
    page.locator("#bar-table-toggle").focus()
    page.keyboard.press("Tab")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    part, ring = page.locator(".bar a:focus"), page.locator(".bar rect.ring:visible")
    assert part.locator("rect").bounding_box()["width"] < 10
    assert ring.bounding_box()["width"] >= 10
    if width > 700:
        expect(page.locator(".bar text.ring")).to_have_text(part.get_attribute("aria-label"))
        axis = page.locator(".bar:visible > text:not(.ring):visible")
        expect(axis).to_have_count(0)
    page.locator("#bar-table-toggle").focus()
    expect(page.locator(".ring")).to_have_count(0)


@pytest.mark.parametrize(
    ("view", "chart", "line"),
    [("timeline", "svg.chart.narrow", "timeline-readout"), ("sweep", "svg.chart.narrow", "sweep-readout")],
)
def test_on_a_phone_what_is_touched_in_a_chart_is_read_beside_it(agent: Page, view: str, chart: str, line: str) -> None:
    page, height = agent, 560
    page.set_viewport_size({"width": 390, "height": height})
    page.goto(f"{page.url.split('?')[0]}?view={view}#view")
    drawing, readout = page.locator(chart), page.locator(f"#{line}")
    expect(drawing).to_be_visible(timeout=WORK_MS)
    drawing.evaluate("one => window.scrollBy(0, one.getBoundingClientRect().bottom - innerHeight + 60)")
    box = readout.bounding_box()
    tabs = page.locator(".tabbar").bounding_box()
    assert box
    assert tabs
    assert 0 < box["y"] < box["y"] + box["height"] <= tabs["y"]
