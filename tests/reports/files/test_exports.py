from __future__ import annotations

import copy
import csv
import io

import pytest

from budgeteer.reports.files.exports import to_csv, to_markdown
from tests.reports.documents import ITEMS, sample_document


def rows() -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(to_csv(sample_document()))))


def test_the_csv_adds_up_to_the_total():
    assert sum(int(row["after_tokens"]) for row in rows()) == sample_document()["packing"]["total"]["tokens"]


def test_the_csv_has_a_row_for_every_item_and_overhead_entry():
    assert len(rows()) == len(ITEMS) + 1
    assert rows()[-1]["fate"] == "overhead"


def test_a_name_that_a_spreadsheet_would_run_is_made_text():
    names = [row["name"] for row in rows()]
    assert "'=cmd|' /C calc'!A1" in names
    assert not [name for name in names if name.startswith(("=", "+", "-", "@"))]


@pytest.mark.parametrize(
    "start", ["=", "+", "-", "@", "\t", "\r", "\n", " ", "\xa0", "\uff1d", "\uff0b", "\uff0d", "\uff20"]
)
def test_no_cell_begins_as_a_formula_may(start: str) -> None:
    document = copy.deepcopy(sample_document())
    document["packing"]["decisions"][0]["name"] = f"{start}=1+1"
    assert next(csv.DictReader(io.StringIO(to_csv(document))))["name"].startswith("'")


def test_markdown_says_verdict_figures_and_tables():
    text = to_markdown(sample_document())
    assert "**Fits, with 2 items left out and 1 summarised**" in text
    assert "| Total | 17,430 | 7,000 | 10,430 | 8 of 10 |" in text


def test_markdown_takes_names_as_text():
    text = to_markdown(sample_document())
    assert "Payroll agent, \\<b\\>July\\</b\\>" in text
    assert "release-notes \\| secret-project" in text
