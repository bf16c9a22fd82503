"""CSV that a spreadsheet opens without running anything in it."""

from __future__ import annotations

import csv
import io

from budgeteer.presentation.csv_text import csv_text


def test_a_text_that_a_spreadsheet_would_run_is_made_harmless() -> None:
    cells = ["=1+1", "+1", "@SUM(A1)", "-2", " =1", "plain", 'said "so"', "two\nlines", -3]
    read = list(csv.reader(io.StringIO(csv_text(["cell"], ([cell] for cell in cells)), newline="")))
    assert [row[0] for row in read[1:]] == [
        "'=1+1",
        "'+1",
        "'@SUM(A1)",
        "'-2",
        "' =1",
        "plain",
        'said "so"',
        "two\nlines",
        "-3",
    ]
