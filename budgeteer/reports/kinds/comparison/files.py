"""A frozen comparison as CSV, as Markdown and as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from budgeteer.presentation.csv_text import csv_text
from budgeteer.reports.document import Document
from budgeteer.reports.files.exports import markdown_table, plain
from budgeteer.reports.files.picture import Drawing, draw_bar_at
from budgeteer.reports.kinds.comparison.page import build_comparison
from budgeteer.workbench.comparing.moves import CompareState

COLUMNS: Final = (
    "row",
    "id",
    "section",
    "category",
    "name",
    "a_fate",
    "a_tokens",
    "a_chars",
    "b_fate",
    "b_tokens",
    "b_chars",
    "change_tokens",
    "moved_by",
    "rule",
    "sentence",
)
"""`row` is total, section or moved. Sections add up to the total; an item that one side has not has no fate there."""

_BAR_TOPS: Final = (330, 470)


def to_csv(document: Document) -> str:
    """The total, every section, and every item that moved."""
    return csv_text(COLUMNS, _rows(document))


def _rows(document: Document) -> Iterator[tuple[object, ...]]:
    totals = [side["packing"]["total"] for side in document["sides"]]
    yield _sizes_row("total", "", totals[0], totals[1])
    for each in document["comparison"]["sections"]:
        yield _sizes_row("section", each["name"], each["a"], each["b"])
    for each in document["comparison"]["moved"]:
        sides = [_side(each[key]) for key in ("a", "b")]
        cause = each["cause"]
        change = sides[1][1] - sides[0][1]
        moved_by = " and ".join(cause["paths"])
        what = ("moved", each["id"], each["section"], each["category"], each["name"])
        yield (*what, *sides[0], *sides[1], change, moved_by, cause["rule"], cause["sentence"])


def _sizes_row(row: str, section: str, a: Mapping[str, Any], b: Mapping[str, Any]) -> tuple[object, ...]:
    sizes = ("", a["tokens"], a["chars"], "", b["tokens"], b["chars"], b["tokens"] - a["tokens"])
    return (row, "", section, "", "", *sizes, "", "", "")


def _side(side: Mapping[str, Any] | None) -> tuple[str, int, int]:
    return ("", 0, 0) if side is None else (side["fate"], side["after"]["tokens"], side["after"]["chars"])


def to_markdown(document: Document) -> str:
    """Verdicts, sections, settings, and the items that moved most."""
    page = build_comparison(document, CompareState())
    lines = [f"# {plain(page.title)}", "", f"**{page.sentence}**", ""]
    lines += [f"- {side.letter}: {plain(side.title)}: {side.verdict}. {side.figures}" for side in page.sides]
    rows = [(row.title, row.a, row.b, row.change) for row in (*page.sections, page.total)]
    lines += ["", "## Tokens by section", "", *markdown_table(("Section", "A", "B", "B − A"), rows), ""]
    if page.cost:
        lines += [f"A request, uncached: {page.cost[0]}, {page.cost[1]} ({page.cost[2]}).", ""]
    settings = [(plain(row.title), f"`{row.path}`", plain(row.a), plain(row.b)) for row in page.differences]
    lines += ["## Settings that differ", "", *markdown_table(("Setting", "Path", "A", "B"), settings), ""]
    moves = [
        (row.category, plain(row.name), *(f"{cell.word} {cell.figure}".strip() for cell in row.cells), row.change)
        for row in page.moves.rows
    ]
    lines += [f"## Items that changed ({page.moves.sentence})", ""]
    lines += [*markdown_table(("Kind", "Item", "In A", "In B", "Change"), moves), ""]
    made = document["report"]
    lines.append(f"Frozen {made['createdAt']} by {made['application']}.")
    return "\n".join(lines) + "\n"


def to_png(document: Document) -> bytes:
    """What each side sends, in digits, over a bar for each; no word."""
    page = build_comparison(document, CompareState())
    totals = [side["packing"]["total"]["tokens"] for side in document["sides"]]
    drawing = Drawing()
    drawing.digits(f"{totals[0]:,}", top=70, size=96)
    drawing.digits(f"{totals[1]:,}", top=190, size=96)
    for side, top in zip(page.sides, _BAR_TOPS, strict=True):
        draw_bar_at(drawing, side.bar, top=top)
    return drawing.to_png()
