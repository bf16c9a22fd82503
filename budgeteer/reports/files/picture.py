"""A report as a picture for previews of its link: two numbers and the bar, and no word."""

from __future__ import annotations

import io
import re
from functools import cache
from pathlib import Path
from typing import Final

from django.contrib.staticfiles import finders
from PIL import Image, ImageDraw, ImageFont

from budgeteer.presentation.bar import Bar, BarSegment
from budgeteer.reports.document import Document
from budgeteer.reports.report_page import build_page

SIZE: Final = (1200, 630)
"""Pixels; what the Open Graph protocol's readers show without cutting."""

_MARGIN: Final = 72
_BAR_TOP, _BAR_HEIGHT = 400, 96
_NOT_SENT_INSET: Final = 3
_COLOUR: Final = re.compile(r"--([A-Za-z-]+): light-dark\((#[0-9a-f]{6}),")


def to_png(document: Document) -> bytes:
    """What is sent of what may be sent, in digits, over the bar; a PNG without any text chunk."""
    colours = _colours()
    page = build_page(document)
    verdict = document["packing"]["verdict"]
    image = Image.new("RGB", SIZE, colours["surface"])
    draw = ImageDraw.Draw(image)
    is_over = page.level == "cannotFit"
    sent, limit = f"{verdict['sentTokens']:,}", f"/ {verdict['limitTokens']:,}"
    draw.text((_MARGIN, 120), sent, font=_digits(150), fill=colours["over" if is_over else "text"])
    draw.text((_MARGIN, 290), limit, font=_digits(64), fill=colours["text"])
    wide = next(bar for bar in page.picture.drawings if bar.name == "wide")
    for segment in wide.segments:
        _draw_segment(draw, segment, colours)
    _draw_limit(draw, wide, colours)
    written = io.BytesIO()
    image.save(written, "PNG", optimize=True)
    return written.getvalue()


def _draw_segment(draw: ImageDraw.ImageDraw, segment: BarSegment, colours: dict[str, str]) -> None:
    left = _place(segment.left)
    right = max(left + 1.0, left + _place(segment.span) - _place("0%"))
    box = (left, _BAR_TOP, right, _BAR_TOP + _BAR_HEIGHT)
    colour = colours.get(segment.piece.letter, colours["border"])
    if segment.is_solid:
        draw.rounded_rectangle(box, 4, fill=colour)
    else:
        draw.rounded_rectangle(box, 4, outline=colour, width=_NOT_SENT_INSET)


def _draw_limit(draw: ImageDraw.ImageDraw, bar: Bar, colours: dict[str, str]) -> None:
    at = _place(bar.limit_at)
    draw.line((at, _BAR_TOP - 16, at, _BAR_TOP + _BAR_HEIGHT + 16), fill=colours["text"], width=4)


def _place(percent: str) -> float:
    """Where a share of the bar's width ends, in pixels from the left edge of the picture."""
    return _MARGIN + (SIZE[0] - 2 * _MARGIN) * float(percent.rstrip("%")) / 100


@cache
def _digits(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own font, which it carries along."""
    return ImageFont.load_default(size)


@cache
def _colours() -> dict[str, str]:
    """The light theme of the dashboard, by the names of its roles and categories."""
    path = finders.find("budgeteer/css/tokens.css")
    if not isinstance(path, str):
        raise FileNotFoundError("there is no static file budgeteer/css/tokens.css")
    return dict(_COLOUR.findall(Path(path).read_text("utf-8")))
