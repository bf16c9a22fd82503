"""What a picture would show, as measures of a page that is open: text out of its box, buttons off the screen."""

from __future__ import annotations

from playwright.sync_api import Page

#: A text that is cut on purpose, or scrolls, stands in a box with another `overflow`.
_STRAY = """() => [...document.querySelectorAll("main *, header *")].filter((part) => {
  const style = getComputedStyle(part);
  if (["inline", "contents"].includes(style.display) || style.overflowX !== "visible") return false;
  if (style.whiteSpaceCollapse === "preserve") return false;  // spaces that hang at the end of a line are not seen
  if (part.closest("svg, .vh") || part.matches("details:not([open])")) return false;
  if (!part.checkVisibility() || !part.clientWidth) return false;
  const box = part.getBoundingClientRect();
  return [...part.childNodes].some((node) => {
    if (node.nodeType !== Node.TEXT_NODE || !node.data.trim()) return false;
    const range = document.createRange();
    range.selectNodeContents(node);
    return [...range.getClientRects()].some((line) => line.right > box.right + 1 || line.left < box.left - 1);
  });
}).map((part) => `${part.tagName.toLowerCase()}.${part.className}: ${part.textContent.trim().slice(0, 60)}`)"""

#: The bars that scroll by a finger, with what is off the screen half seen at its edge.
_SCROLLING = ".tabs, .chips, .filters"

_CUT = """(bars) => [...document.querySelectorAll(".btn")]
  .filter((part) => part.checkVisibility() && !part.closest(bars) && getComputedStyle(part).position !== "absolute")
  .filter((part) => part.getBoundingClientRect().right > innerWidth + 1 || part.getBoundingClientRect().left < -1)
  .map((part) => part.textContent.trim() || part.getAttribute("aria-label"))"""


def stray_texts(page: Page) -> list[str]:
    """Texts that are wider than what holds them, and so lie over what stands beside it."""
    found: list[str] = page.evaluate(_STRAY)
    return found


def cut_buttons(page: Page) -> list[str]:
    """Buttons that lie off the screen, wholly or in part."""
    found: list[str] = page.evaluate(_CUT, _SCROLLING)
    return found
