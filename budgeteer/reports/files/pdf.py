"""A report as a PDF file, drawn from its document alone: selectable text on A4, the same bytes at every drawing.

Its pages are bounded: of a long table the first rows are printed, with a line that says where the others stand.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final, assert_never, override

from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_RIGHT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Spacer, Table

from budgeteer.presentation.scale import Scale
from budgeteer.reports.document import Document
from budgeteer.reports.files.blocks import Block, BlockHeading, BudgetBar, Column, Grid, Line, StepCurve, name_column
from budgeteer.reports.files.pdf_text import BOLD, REGULAR, TextSetter, load_fonts
from budgeteer.reports.files.picture import theme_colours
from budgeteer.reports.models import LEVEL_NAMES
from budgeteer.reports.report_page import title_of
from budgeteer.sources.source_rows import format_title

MOST_ROWS: Final = 500
"""Rows that are printed of one table: some fifteen pages."""
MOST_CELL_CHARS: Final = 400
"""Characters that are printed of one cell."""
MOST_LINE_CHARS: Final = 2_000
"""Characters that are printed of one paragraph."""
MARGIN: Final = 40
WIDTH: Final = A4[0] - 2 * MARGIN
"""Points between the margins."""

_BAR_HEIGHT: Final = 22
_CURVE_HEIGHT: Final = 120
_SMALL: Final = 7.5
_CELL_PADDING: Final = 3
_LEAST_CHAR_WIDTH: Final = 2
"""Points; a longer text is not even measured."""
_ANY_SIZE: Final = ParagraphStyle("text", fontName=REGULAR, fontSize=9, leading=13, spaceAfter=4)
_STRONG: Final = ParagraphStyle("strong", _ANY_SIZE, fontName=BOLD, fontSize=11, leading=15)
_TITLE: Final = ParagraphStyle("title", _ANY_SIZE, fontName=BOLD, fontSize=18, leading=24, spaceAfter=6)
_HEADING: Final = ParagraphStyle(
    "heading", _ANY_SIZE, fontName=BOLD, fontSize=12, leading=16, spaceBefore=10, keepWithNext=True
)
_CELL: Final = ParagraphStyle("cell", fontName=REGULAR, fontSize=_SMALL, leading=10, splitLongWords=True)
_FIGURE: Final = ParagraphStyle("figure", _CELL, alignment=TA_RIGHT)
_HEAD_CELL: Final = ParagraphStyle("head", _CELL, fontName=BOLD)
_HEAD_FIGURE: Final = ParagraphStyle("head-figure", _FIGURE, fontName=BOLD)
_NOTE: Final = ParagraphStyle("note", _ANY_SIZE, fontSize=_SMALL, leading=10, textColor=HexColor("#4a5361"))


def to_pdf(document: Document, blocks: Iterable[Block]) -> bytes:
    """The file of a document whose kind is made of these blocks."""
    load_fonts()
    head = document["report"]
    texts = TextSetter()
    title = texts.plain(title_of(document))
    written = io.BytesIO()
    template = SimpleDocTemplate(
        written,
        pagesize=A4,
        leftMargin=MARGIN,
        rightMargin=MARGIN,
        topMargin=MARGIN,
        bottomMargin=MARGIN + 10,
        title=title,
        author="",
        creator=head["application"],
        subject="",
        lang="en",
        invariant=1,
        pageCompression=1,
    )
    made = datetime.fromisoformat(head["createdAt"]).astimezone(UTC)

    def foot(canvas: Any, _template: object) -> None:
        # A file is dated as its report, not at the moment somebody asks for it.
        canvas._doc._timeStamp.YMDhms = made.timetuple()[:6]  # noqa: SLF001 - the library has no other way in
        canvas.setFont(REGULAR, _SMALL)
        canvas.drawRightString(A4[0] - MARGIN, MARGIN - 12, f"Page {canvas.getPageNumber()}")

    template.build(list(_story(document, blocks, texts)), onFirstPage=foot, onLaterPages=foot)
    return written.getvalue()


def _story(document: Document, blocks: Iterable[Block], texts: TextSetter) -> Iterator[Flowable]:
    head = document["report"]
    yield Paragraph(texts.markup(title_of(document), MOST_LINE_CHARS), _TITLE)
    level = LEVEL_NAMES[head["content"]]
    config = f", configuration {document['configSha256'][:12]}" if "configSha256" in document else ""
    yield _paragraph(f"{level}. Frozen {head['createdAt'][:10]}{config}.", texts, _NOTE)
    for block in (*blocks, *_inputs(document), *_notes(document)):
        yield from _drawn(block, texts)
    yield Spacer(0, 8)
    yield _paragraph(f"{head['application']} report. Numbers do not change after sharing.", texts, _NOTE)
    if texts.missing:
        many = f"{texts.missing:,} characters that no font of this file has stand as ?."
        yield _paragraph(f"{many} The report's HTML and JSON files have them.", texts, _NOTE)


def _inputs(document: Document) -> Iterator[Block]:
    if "inputs" not in document:
        return
    yield BlockHeading("Made from")
    columns = (name_column("Source", 3), name_column("Format", 2), Column("Bytes"), name_column("SHA-256"))
    rows = [
        (each["name"], format_title(each["format"]), f"{each['bytes']:,}", each["sha256"][:12] or "withheld")
        for each in document["inputs"]
    ]
    yield Grid(columns, rows) if rows else Line("No source: texts typed into the workspace only.")


def _notes(document: Document) -> Iterator[Block]:
    """What stands below every report of its kind: masks, and what the packing says of itself."""
    if masks := document.get("masks"):
        yield Line(f"Masked before sharing: {', '.join(f'{each["kind"]} ({each["places"]})' for each in masks)}.")
    notes = document.get("packing", {}).get("notes", ())
    yield from (Line(note) for note in notes[:MOST_ROWS])


def _drawn(block: Block, texts: TextSetter) -> Iterator[Flowable]:
    match block:
        case BlockHeading(text):
            yield _paragraph(text, texts, _HEADING)
        case Line(text, is_strong):
            yield _paragraph(text, texts, _STRONG if is_strong else _ANY_SIZE)
        case Grid():
            yield from _table(block, texts)
        case BudgetBar() | StepCurve():
            yield _Drawing(block)
        case other:
            assert_never(other)


def _paragraph(text: str, texts: TextSetter, style: ParagraphStyle) -> Paragraph:
    return Paragraph(texts.markup(text, MOST_LINE_CHARS), style)


def _table(grid: Grid, texts: TextSetter) -> Iterator[Flowable]:
    if not grid.rows:
        yield _paragraph("None.", texts, _ANY_SIZE)
        return
    shown = grid.rows[:MOST_ROWS]
    heads = [
        Paragraph(texts.markup(column.title, MOST_CELL_CHARS), _HEAD_FIGURE if column.is_figure else _HEAD_CELL)
        for column in grid.columns
    ]
    shares = sum(column.share for column in grid.columns)
    widths = [WIDTH * column.share / shares for column in grid.columns]
    cells: list[list[Any]] = [heads, *(_cells(row, grid.columns, widths, texts) for row in shown)]
    rule = HexColor(theme_colours()["border"])
    style: list[tuple[Any, ...]] = [
        ("FONT", (0, 0), (-1, -1), REGULAR, _SMALL, 10),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LINEBELOW", (0, 0), (-1, -1), 0.25, rule),
        ("TOPPADDING", (0, 0), (-1, -1), 2),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 2),
        ("LEFTPADDING", (0, 0), (-1, -1), _CELL_PADDING),
        ("RIGHTPADDING", (0, 0), (-1, -1), _CELL_PADDING),
        *(("ALIGN", (at, 1), (at, -1), "RIGHT") for at, column in enumerate(grid.columns) if column.is_figure),
    ]
    if grid.total:
        cells.append(_cells(grid.total, grid.columns, widths, texts, is_total=True))
        style.append(("FONT", (0, len(cells) - 1), (-1, len(cells) - 1), BOLD, _SMALL, 10))
    if grid.part:
        cells.append(_cells(grid.part, grid.columns, widths, texts))
    yield Table(cells, colWidths=widths, repeatRows=1, style=style, hAlign="LEFT")
    everything = max(grid.of, len(grid.rows))
    if len(shown) < everything:
        many = f"The first {len(shown):,} of {everything:,} rows; the report's CSV and JSON files have all."
        yield _paragraph(many, texts, _NOTE)
    yield Spacer(0, 4)


def _cells(
    row: Sequence[str], columns: Sequence[Column], widths: Sequence[float], texts: TextSetter, *, is_total: bool = False
) -> list[Paragraph | str]:
    """A text that fits on one line as it is, which is quick; what needs more lines or another font as a paragraph."""
    styles = (_HEAD_CELL, _HEAD_FIGURE) if is_total else (_CELL, _FIGURE)
    found: list[Paragraph | str] = []
    for text, column, width in zip(row, columns, widths, strict=True):
        line, style = texts.plain(text), styles[column.is_figure]
        room = width - 2 * _CELL_PADDING
        fits = len(line) * _LEAST_CHAR_WIDTH <= room and texts.is_plain(line)
        fits = fits and pdfmetrics.stringWidth(line, style.fontName, _SMALL) <= room
        found.append(line if fits else Paragraph(texts.markup(line, MOST_CELL_CHARS), style))
    return found


class _Drawing(Flowable):
    """A bar or a curve over the width of the page."""

    def __init__(self, block: BudgetBar | StepCurve) -> None:
        super().__init__()
        self._block: Final = block
        self.width = WIDTH
        self.height = (_BAR_HEIGHT if isinstance(block, BudgetBar) else _CURVE_HEIGHT) + 12

    @override
    def wrap(self, aW: float, aH: float) -> tuple[float, float]:
        return self.width, self.height

    def draw(self) -> None:
        match self._block:
            case BudgetBar():
                _draw_bar(self.canv, self._block)
            case StepCurve():
                _draw_curve(self.canv, self._block)
            case other:
                assert_never(other)


def _draw_bar(canvas: Canvas, bar: BudgetBar) -> None:
    colours = theme_colours()
    wide = next(each for each in bar.picture.drawings if each.name == "wide")
    for segment in wide.segments:
        colour = HexColor(colours.get(segment.piece.letter, colours["border"]))
        canvas.setFillColor(colour)
        canvas.setStrokeColor(colour)
        span = max(_place(segment.span), 0.5)
        solid = int(segment.is_solid)
        canvas.rect(_place(segment.left), 6, span, _BAR_HEIGHT, stroke=1 - solid, fill=solid)
        if segment.piece.kind == "summarised":
            _draw_stripes(canvas, _place(segment.left), span)
    canvas.setStrokeColor(HexColor(colours["text"]))
    canvas.setLineWidth(1.2)
    canvas.line(_place(wide.limit_at), 3, _place(wide.limit_at), _BAR_HEIGHT + 9)
    if wide.break_at:
        for left in (-2.0, 2.0):
            at = _place(wide.break_at) + left
            canvas.line(at - 1.5, 6, at + 1.5, _BAR_HEIGHT + 6)


def _draw_stripes(canvas: Canvas, left: float, span: float) -> None:
    """What a summary stands for, as on the page."""
    stripe = _BAR_HEIGHT / 15
    for number in range(int(span / (2 * stripe)) + 1):
        at = 2 * stripe * number
        canvas.rect(left + at, 6, min(stripe, span - at), _BAR_HEIGHT, stroke=0, fill=1)


def _place(percent: str) -> float:
    """A share of the width, in points."""
    return WIDTH * float(percent.rstrip("%")) / 100


def _draw_curve(canvas: Canvas, curve: StepCurve) -> None:
    colours = theme_colours()
    x = Scale(curve.steps[0][0], max(curve.last, curve.steps[0][0] + 1), 0, WIDTH)
    y = Scale(0, max(1.0, *(height for _, height in curve.steps)), 6, _CURVE_HEIGHT)
    path = canvas.beginPath()
    path.moveTo(x.at(curve.steps[0][0]), y.at(curve.steps[0][1]))
    before = curve.steps[0][1]
    for at, height in curve.steps[1:]:
        path.lineTo(x.at(at), y.at(before))
        path.lineTo(x.at(at), y.at(height))
        before = height
    path.lineTo(WIDTH, y.at(before))
    canvas.setStrokeColor(HexColor(colours["link"]))
    canvas.setLineWidth(1.5)
    canvas.drawPath(path)
    canvas.setStrokeColor(HexColor(colours["border"]))
    canvas.setLineWidth(0.5)
    canvas.line(0, 6, WIDTH, 6)
