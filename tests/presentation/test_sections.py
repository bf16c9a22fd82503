from __future__ import annotations

from pathlib import Path

import pytest

from budgeteer.engine.packing.ledger import CATEGORIES, SECTIONS
from budgeteer.presentation.sections import LETTERS, LOOKS, look_of

CSS = Path(__file__).parents[2] / "static" / "budgeteer" / "css"


@pytest.mark.parametrize("letter", LETTERS)
def test_every_letter_is_a_colour_of_chips_shapes_and_outlines(letter: str) -> None:
    assert f"  --{letter}: " in (CSS / "tokens.css").read_text()
    base = (CSS / "base.css").read_text()
    assert [kind for kind in "cfk" if f".{kind}{letter} {{" not in base] == []


@pytest.mark.parametrize("section", SECTIONS)
def test_a_section_has_the_letter_of_its_category_where_it_has_one(section: str) -> None:
    assert look_of(section) == LOOKS[section]
    named = {name: letter for letter, name in CATEGORIES.items()}
    assert LOOKS[section].letter == named.get(LOOKS[section].title, LOOKS[section].letter)


def test_the_patterns_of_what_is_left_out_are_those_of_the_categories() -> None:
    template = (CSS.parents[2] / "templates" / "components" / "bar_patterns.html").read_text()
    assert f'{{% for letter in "{"".join(CATEGORIES)}" %}}' in template
