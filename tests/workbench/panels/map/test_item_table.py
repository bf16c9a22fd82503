from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client

from budgeteer.workbench import services
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.item_content.whereabouts import Whereabouts
from budgeteer.workbench.models import Workspace
from budgeteer.workbench.panels.map.item_table import COLUMNS, LARGEST_FIRST, ItemColumn, item_list
from budgeteer.workbench.preview import preview
from budgeteer.workbench.state import ItemSort, ViewState

CSS = Path(__file__).parents[4] / "static/budgeteer/css/workbench.css"
OWN = re.compile(r"\bc-\w+")


def own_class(column: ItemColumn) -> str:
    """The class that only this column has."""
    return OWN.findall(column.css)[0]


def test_every_row_has_a_cell_for_every_column_in_its_order(client: Client, session: Workspace) -> None:
    html = client.get(session.get_absolute_url()).content.decode()
    body = html[html.index('<table class="t fix items"') :]
    rows = re.findall(r"<tr\b.*?</tr>", body[: body.index("</table>")], re.DOTALL)
    assert len(rows) > 3
    for row in rows:
        assert [OWN.findall(css)[0] for css in re.findall(r'<t[hd][^>]*class="([^"]*)"', row)] == [
            own_class(column) for column in COLUMNS
        ]


def test_a_table_without_rows_spans_every_column(client: Client, session: Workspace) -> None:
    html = client.get(f"{session.get_absolute_url()}?q=nothing-is-called-that").content.decode()
    assert f'colspan="{len(COLUMNS)}"' in html


@pytest.mark.parametrize("column", COLUMNS, ids=own_class)
def test_every_column_has_a_width_and_a_place_on_a_narrow_screen(column: ItemColumn) -> None:
    css, own = CSS.read_text(), own_class(column)
    if own != "c-name":  # it takes what the others leave
        assert re.search(rf"^\.items \.{own}\b", css, re.MULTILINE)
    assert re.search(rf"^  \.items tbody .*\.{own}\b", css, re.MULTILINE)


def test_a_column_that_sorts_has_an_order_of_its_own() -> None:
    sorts = [column.sort for column in COLUMNS if column.sort is not None]
    assert len(set(sorts)) == len(sorts)
    assert set(ItemSort) - set(sorts) == {ItemSort.AFTER, ItemSort.ORDER}  # in addresses only


def test_a_click_on_a_column_of_numbers_puts_the_largest_first() -> None:
    numbers = {column.sort for column in COLUMNS if column.sort and "n" in column.css.split()}
    assert numbers == LARGEST_FIRST - {ItemSort.AFTER}


def test_a_result_has_its_tool_apart_from_what_it_was_given(session: Workspace) -> None:
    packing = services.packing_of(session)
    where = Whereabouts.of(packing)
    apart = 0
    for at, decision in enumerate(packing.ledger):
        name = where.split(at, decision.name)
        assert name.tool + name.text == decision.name
        place = int(where.index.subject[where.row[at]]) if where.row[at] >= 0 else -1
        if place >= 0 and where.index.subjects[place].about:
            assert name.tool == where.index.subjects[place].tool
            apart += 1
        else:
            assert not name.tool
    assert apart > 3


def test_the_amount_stands_once_unless_it_changed(session: Workspace) -> None:
    """A row that repeats the amount of its column beside its fate is marked, for a wide table to leave it out."""
    packed = preview(session, EditableConfig.of(session)).packed
    assert packed is not None
    rows = item_list(packed, Whereabouts.of(packed.packing), ViewState()).rows
    assert {row.fate.is_repeated for row in rows if row.fate.key in ("kept", "dropped")} == {True}
    assert all((row.fate.after == row.item.tokens) is row.fate.is_repeated for row in rows)
