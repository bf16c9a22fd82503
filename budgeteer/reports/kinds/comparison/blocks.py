"""A comparison as it is printed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from budgeteer.reports.document import Document
from budgeteer.reports.files.blocks import Block, BlockHeading, Column, Grid, Line, name_column
from budgeteer.reports.files.packing_blocks import bar_blocks
from budgeteer.reports.kinds.comparison.page import ComparisonReportPage, build_comparison
from budgeteer.workbench.comparing.moves import CompareState

_MOVE_COLUMNS: Final = (
    name_column("Kind", 1.2),
    name_column("Item", 4),
    name_column("In A", 1.7),
    name_column("In B", 1.7),
    Column("Change"),
    name_column("Because of", 2.4),
)


def to_blocks(document: Document) -> Iterator[Block]:
    """Both sides with their bars, sections, settings, and the items that moved most."""
    page = build_comparison(document, CompareState())
    yield Line(page.setting)
    yield Line(page.sentence, is_strong=True)
    for side in page.sides:
        yield BlockHeading(f"{side.letter}: {side.title}")
        yield Line(f"{side.verdict}. {side.figures}")
        yield from bar_blocks(side.bar)
    yield BlockHeading("Tokens by section")
    yield _sections(page)
    yield BlockHeading("Settings that differ")
    rows = [(row.title, row.path, row.a, row.b) for row in page.differences]
    yield Grid((name_column("Setting", 3), name_column("Path", 3), name_column("A"), name_column("B")), rows)
    yield BlockHeading(f"Items that changed ({page.moves.sentence})")
    yield from (Line(f"{kind.count} {kind.title}. {kind.cause}") for kind in page.moves.kinds)
    moves = [
        (row.category, row.name, *(f"{cell.word} {cell.figure}".strip() for cell in row.cells), row.change, row.cause)
        for row in page.moves.rows
    ]
    yield Grid(_MOVE_COLUMNS, moves, of=len(document["comparison"]["moved"]))


def _sections(page: ComparisonReportPage) -> Grid:
    rows = [(row.title, row.a, row.b, row.change) for row in page.sections]
    total = (page.total.title, page.total.a, page.total.b, page.total.change)
    columns = (name_column("Section"), Column("A"), Column("B"), Column("B − A"))
    if page.cost:
        return Grid(columns, [*rows, total], ("A request, uncached", *page.cost))
    return Grid(columns, rows, total)
