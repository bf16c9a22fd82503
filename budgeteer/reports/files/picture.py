"""A report as a picture for previews of its link: two numbers and the bar, and no word."""

from __future__ import annotations

import io
import re
from functools import cache
from pathlib import Path
from typing import Final

from django.contrib.staticfiles import finders
from PIL import Image, ImageDraw, ImageFont

from budgeteer.presentation.bar import BarPicture, BarSegment
from budgeteer.reports.document import Document
from budgeteer.reports.report_page import build_page

SIZE: Final = (1200, 630)
"""Pixels; what the Open Graph protocol's readers show without cutting."""

MARGIN: Final = 72
"""Pixels that stay empty at the left and at the right."""

_BAR_TOP, _BAR_HEIGHT = 400, 96
_NOT_SENT_INSET: Final = 3
_STRIPE: Final = 6
_COLOUR: Final = re.compile(r"--([A-Za-z-]+): light-dark\((#[0-9a-f]{6}),")


class Drawing:
    """A picture under way, in the light theme's colours."""

    def __init__(self) -> None:
        self.colours: Final = theme_colours()
        self._image: Final = Image.new("RGB", SIZE, self.colours["surface"])
        self.pen: Final = ImageDraw.Draw(self._image)

    def digits(self, text: str, *, top: int, size: int, colour: str = "text") -> None:
        """A number at the left edge; `size` in pixels, the colour by its role."""
        self.pen.text((MARGIN, top), text, font=_digits(size), fill=self.colours[colour])

    def to_png(self) -> bytes:
        """The PNG, without any text chunk."""
        written = io.BytesIO()
        self._image.save(written, "PNG", optimize=True)
        return written.getvalue()


def to_png(document: Document) -> bytes:
    """What is sent of what may be sent, in digits, over the bar; a PNG without any text chunk."""
    page = build_page(document)
    verdict = document["packing"]["verdict"]
    drawing = Drawing()
    drawing.digits(
        f"{verdict['sentTokens']:,}", top=120, size=150, colour="over" if page.level == "cannotFit" else "text"
    )
    drawing.digits(f"/ {verdict['limitTokens']:,}", top=290, size=64)
    draw_bar_at(drawing, page.picture, top=_BAR_TOP)
    return drawing.to_png()


def draw_bar_at(drawing: Drawing, picture: BarPicture, *, top: int, height: int = _BAR_HEIGHT) -> None:
    """The budget bar from margin to margin; `top` and `height` in pixels."""
    wide = next(bar for bar in picture.drawings if bar.name == "wide")
    for segment in wide.segments:
        _draw_segment(drawing, segment, top, height)
    at = _place(wide.limit_at)
    past = height // 6
    ends = (at, top - past, at, top + height + past)
    drawing.pen.line(ends, fill=drawing.colours["text"], width=4)


def _draw_segment(drawing: Drawing, segment: BarSegment, top: int, height: int) -> None:
    left = _place(segment.left)
    right = max(left + 1.0, left + _place(segment.span) - _place("0%"))
    box = (left, top, right, top + height)
    colour = drawing.colours.get(segment.piece.letter, drawing.colours["border"])
    if segment.is_solid:
        drawing.pen.rounded_rectangle(box, 4, fill=colour)
        return
    drawing.pen.rounded_rectangle(box, 4, outline=colour, width=_NOT_SENT_INSET)
    if segment.piece.kind == "summarised":
        for at in range(round(left), round(right), 2 * _STRIPE):
            drawing.pen.rectangle((at, top, min(at + _STRIPE - 1, right), top + height), fill=colour)


def _place(percent: str) -> float:
    """Where a share of the bar's width ends, in pixels from the left edge of the picture."""
    return MARGIN + (SIZE[0] - 2 * MARGIN) * float(percent.rstrip("%")) / 100


@cache
def _digits(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own font, which it carries along."""
    return ImageFont.load_default(size)


@cache
def theme_colours() -> dict[str, str]:
    """The light theme of the dashboard, by the names of its roles and categories."""
    path = finders.find("budgeteer/css/tokens.css")
    if not isinstance(path, str):
        raise FileNotFoundError("there is no static file budgeteer/css/tokens.css")
    return dict(_COLOUR.findall(Path(path).read_text("utf-8")))
