"""Where parts of a page are, and whether they are seen."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Page

IS_SEEN: Final = """() => {
    const row = document.activeElement.closest("tr") ?? document.activeElement;
    const box = row.getBoundingClientRect();
    const at = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return at !== null && row.contains(at);
}"""
"""Whether the row with the focus is in the window and behind nothing."""

REACH: Final = """(element) => {
    const box = element.getBoundingClientRect();
    const x = box.left + box.width / 2;
    const isHit = (y) => element.contains(document.elementFromPoint(x, y));
    let [top, bottom] = [box.top + box.height / 2, box.top + box.height / 2];
    while (isHit(top - 1)) top -= 1;
    while (isHit(bottom + 1)) bottom += 1;
    return bottom - top + 2;
}"""
"""The height at which a press lands on an element, itself and what reaches past it; within a pixel at either end."""


def workspace_of(page: Page) -> str:
    return page.url.split("?", maxsplit=1)[0].split("#", maxsplit=1)[0]
