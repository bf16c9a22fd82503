from __future__ import annotations

from budgeteer.presentation.bar import Share
from budgeteer.presentation.mini_bar import draw_strip


def test_a_strip_shows_the_limit_between_what_is_sent_and_what_is_not() -> None:
    strip = draw_strip((Share("X", "Tool results", 100, 100),), limit=100)
    assert [part.is_solid for part in strip.parts] == [True, False]
    assert 40 < float(strip.limit_at.rstrip("%")) < 60


def test_what_is_sent_past_the_limit_stands_behind_the_line() -> None:
    strip = draw_strip((Share("F", "Features", 300, 0),), limit=100)
    assert [part.is_solid for part in strip.parts] == [True, False]
    assert 25 < float(strip.limit_at.rstrip("%")) < 40
    assert strip.sentence == "300 tokens sent, limit 100; 300 requested"
