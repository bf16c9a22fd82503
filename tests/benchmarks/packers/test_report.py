"""The page and its picture are what the kept results say, and nothing in them was typed."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from benchmarks.documents import PERFORMANCE
from benchmarks.packers import goals, plot, report
from benchmarks.packers.comparisons import CONVERSATION, FULL
from benchmarks.packers.race import Lap
from benchmarks.packers.results import Added, Results, ratio

SVG = "{http://www.w3.org/2000/svg}"


def results() -> Results:
    laps = [
        Lap("ours", 1_000, [0.001, 0.001, 0.001]),
        Lap("ours", 100_000, [0.01, 0.02, 0.01]),
        Lap("other", 1_000, [1.0, 1.0, 3.0], faults=["breaks 2 pairs"]),
        Lap("other", 100_000, limit_seconds=60.0),
    ]
    return Results("full", {"python": "Python 3.12", "numpy": "2"}, {CONVERSATION: laps}, [Added("x", 1, "y", 1.0)])


def test_the_page_is_what_the_kept_results_say():
    page = PERFORMANCE.read_text(encoding="utf-8")
    assert report.PART.replaced(page, report.generated(Results.load())) == page, "run make bench ARGS=--report"


def test_the_picture_is_what_the_kept_results_say():
    drawn = plot.picture(Results.load(), CONVERSATION)
    assert report.PLOT.read_text(encoding="utf-8") == drawn, "run make bench ARGS=--report"


def test_the_kept_results_are_those_of_a_full_run():
    kept = Results.load()
    assert kept.plan == FULL.name
    assert {group: tuple(kept.sizes(group)) for group in FULL.sizes} == dict(FULL.sizes)
    assert len(list(goals.judged(kept))) == len(goals.GOALS)


def test_every_row_of_a_table_has_the_cells_of_its_head():
    tables = re.findall(r"(?:^\|.*\|\n?)+", report.generated(Results.load()), re.MULTILINE)
    assert len(tables) > 4
    for table in tables:
        assert len({line.replace("\\|", "").count("|") for line in table.splitlines()}) == 1


def test_what_was_stopped_is_shown_with_its_limit_and_a_bound():
    found = results()
    shown = report.generated(found)
    assert "| other | 1 s | > 60 s |" in shown
    assert "breaks 2 pairs (at 1,000)" in shown
    bound = ratio(found.lap(CONVERSATION, "other", 100_000), found.lap(CONVERSATION, "ours", 100_000))
    assert bound is not None
    assert goals.shown(bound) == "> 6,000"


def test_growth_is_the_slope_and_ratios_are_medians_of_rounds():
    found = results()
    assert found.growth(CONVERSATION, "ours") == pytest.approx(0.5)
    assert found.growth(CONVERSATION, "other") is None
    there = ratio(found.lap(CONVERSATION, "other", 1_000), found.lap(CONVERSATION, "ours", 1_000))
    assert there is not None
    assert there.value == pytest.approx(1_000.0)


def test_groups_measured_again_take_the_place_of_what_they_were():
    newer = Results("full", {"python": "Python 3.13"}, {"skills": [Lap("ours", 50, [0.5])]})
    both = results().updated(newer)
    assert both.machine == newer.machine
    assert set(both.laps) == {CONVERSATION, "skills"}
    assert both.memory == results().memory


def test_results_survive_their_file(tmp_path):
    results().save(tmp_path / "results.json")
    assert Results.load(tmp_path / "results.json") == results()


def test_the_picture_says_in_words_what_it_shows_and_follows_the_theme():
    drawn = plot.picture(results(), CONVERSATION)
    tree = ET.fromstring(drawn)
    assert tree.get("role") == "img"
    title, desc = tree.find(f"{SVG}title"), tree.find(f"{SVG}desc")
    assert title is not None
    assert desc is not None
    assert tree.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
    assert desc.text is not None
    assert "other: 1 s at 1,000 messages, stopped after 60 s at 100,000" in desc.text
    assert "prefers-color-scheme: dark" in drawn
    names = [text.text for text in tree.iter(f"{SVG}text")]
    assert {"ours", "other (stopped)"} <= set(names)


def test_names_at_the_ends_of_lines_do_not_meet():
    places = plot._apart([100.0, 101.0, 99.0, 468.0, 469.0, 470.0])
    assert all(
        later - before >= plot.LABEL_STEP for before, later in zip(sorted(places), sorted(places)[1:], strict=False)
    )
    assert max(places) <= plot.HEIGHT - plot.BOTTOM
    assert places[2] < places[0] < places[1]


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(125.0, "125 s"), (1.5, "1.5 s"), (0.0123, "12.3 ms"), (4.56e-6, "4.56 µs"), (0.99994, "1,000 ms")],
)
def test_times_are_in_three_digits(seconds, shown):
    assert report.duration(seconds) == shown
