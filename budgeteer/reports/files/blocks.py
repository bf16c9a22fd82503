"""What a printed report is made of, top to bottom: headings, texts, tables and bars. Each kind gives its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from budgeteer.presentation.bar import BarPicture


@dataclass(frozen=True, slots=True)
class BlockHeading:
    """The heading of what follows."""

    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph; `is_strong` where it says what the report comes to."""

    text: str
    is_strong: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its title, its width in shares of the page, and whether it holds figures, which stand to the right."""

    title: str
    share: float = 1.0
    is_figure: bool = True


@dataclass(frozen=True, slots=True)
class Grid:
    """A table.

    Attributes:
        columns: one for each cell of a row.
        rows: cells as they read. A file holds the first ones of a long table and says so.
        total: a row below the others that stands out, () for none.
        part: a last row, of what the total holds beside the rows, () for none.
        of: how many rows there are where these are the first of more, 0 where these are all.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    total: Sequence[str] = ()
    part: Sequence[str] = ()
    of: int = 0


@dataclass(frozen=True, slots=True)
class BudgetBar:
    """The stacked bar of a budget."""

    picture: BarPicture


@dataclass(frozen=True, slots=True)
class StepCurve:
    """A curve of steps from left to right: where each begins and how high it is; the last one ends at `last`."""

    steps: Sequence[tuple[float, float]]
    last: float


type Block = BlockHeading | Line | Grid | BudgetBar | StepCurve


def name_column(title: str, share: float = 2.0) -> Column:
    """A column of names or words."""
    return Column(title, share, is_figure=False)
