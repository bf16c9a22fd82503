from __future__ import annotations

import pytest

from budgeteer.presentation.bar import Share
from budgeteer.presentation.mini_bar import draw_listed_strip, draw_strip


def test_a_strip_shows_the_limit_between_what_is_sent_and_what_is_not() -> None:
    strip = draw_strip((Share("X", "Tool results", 100, 100),), limit=100)
    assert [part.is_solid for part in strip.parts] == [True, False]
    assert 40 < float(strip.limit_at.rstrip("%")) < 60


def test_what_is_kept_past_the_limit_stands_behind_the_line() -> None:
    strip = draw_strip((Share("F", "Features", 300, 0),), limit=100)
    assert [(part.css, part.is_solid) for part in strip.parts] == [("fF", True), ("fF past", True)]
    assert 25 < float(strip.limit_at.rstrip("%")) < 40
    assert strip.sentence == "300 tokens sent, limit 100; 300 requested"


@pytest.mark.parametrize(("sent", "not_sent", "ends"), [(100, 0, 0), (100, 20, 72), (20, 400, 100), (300, 0, 100)])
def test_every_strip_of_a_list_has_its_limit_at_one_place(sent: int, not_sent: int, ends: float) -> None:
    strip = draw_listed_strip((Share("X", "Tool results", sent, not_sent),), limit=100)
    assert strip.limit_at == "60.000%"
    before = [part for part in strip.parts if float(part.left.rstrip("%")) < 60]
    behind = [part for part in strip.parts if part not in before]
    assert float(before[-1].left.rstrip("%")) + float(before[-1].span.rstrip("%")) == pytest.approx(60, abs=1)
    last = behind[-1] if behind else None
    assert (0 if last is None else float(last.left.rstrip("%")) + float(last.span.rstrip("%"))) == pytest.approx(
        ends, abs=1
    )


@pytest.mark.parametrize(("sent", "not_sent", "is_cut"), [(100, 0, False), (100, 66, False), (100, 67, True)])
def test_what_is_longer_than_the_strip_is_marked_as_cut(sent: int, not_sent: int, is_cut: bool) -> None:
    assert draw_listed_strip((Share("X", "Tool results", sent, not_sent),), limit=100).is_cut is is_cut


def test_a_strip_of_what_does_not_fit_says_what_would_be_sent() -> None:
    strip = draw_listed_strip((Share("X", "Tool results", 300, 0),), limit=100, level="cannotFit")
    assert strip.sentence == "300 tokens would be sent, limit 100; 300 requested"
