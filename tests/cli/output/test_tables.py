"""Plain-text tables."""

from __future__ import annotations

from budgeteer.cli.output.tables import shortened, table


def test_numbers_align_right_and_text_left() -> None:
    drawn = table(("name", "tokens"), [("a", 1234), ("long name", None)])
    assert drawn.splitlines() == ["name       tokens", "a           1,234", "long name       -"]


def test_wide_characters_take_two_columns() -> None:
    assert table(("n", "t"), [("日本", "x"), ("a", "y")]).splitlines() == ["n     t", "日本  x", "a     y"]


def test_no_row_leaves_the_header() -> None:
    assert table(("a", "b"), []) == "a  b"


def test_a_long_line_ends_in_an_ellipsis() -> None:
    assert shortened("one\n two three", 9) == "one two …"
