from __future__ import annotations

import re
from pathlib import Path

CSS = Path(__file__).parents[2] / "static" / "budgeteer" / "css"


def test_every_variable_that_a_sheet_reads_is_set_in_one_or_has_a_fallback() -> None:
    sheets = "".join(sheet.read_text() for sheet in CSS.glob("*.css"))
    defined = set(re.findall(r"(?<![\w-])(--[\w-]+):", sheets))
    read = set(re.findall(r"var\((--[\w-]+)\)", sheets))
    assert read
    assert sorted(read - defined) == []


def test_how_wide_a_page_is_has_one_place() -> None:
    widths = {
        sheet.name: re.findall(r"\.page[.\w]* \{\n  max-width: (\d+)px", sheet.read_text())
        for sheet in CSS.glob("*.css")
    }
    assert {name: found for name, found in widths.items() if found} == {"base.css": ["1120", "720", "1440"]}
