"""The part of a document that a command writes: only what stands between its two markers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.accuracy import recorded_counts
from benchmarks.browser import report as browser_report
from benchmarks.documents import GeneratedPart
from benchmarks.imports import speed
from benchmarks.packers import report

PART = GeneratedPart(Path("page.md"), "make it")
START, END = "<!-- make it: start -->", "<!-- make it: end -->"
PARTS = (recorded_counts.PART, browser_report.PART, speed.PART, report.PART)


@pytest.mark.parametrize("text", ["", START, f"{END}{START}", 2 * f"{START}{END}"])
def test_a_document_without_its_markers_is_refused(text):
    with pytest.raises(ValueError, match=re.escape(START)):
        PART.replaced(text, "x")


def test_what_stands_around_the_markers_is_left_alone():
    assert PART.replaced(f"before {START} old {END} after", "new") == f"before {START}\n\nnew\n\n{END} after"


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.command)
def test_every_command_finds_its_part(part: GeneratedPart, tmp_path: Path):
    page = tmp_path / part.document.name
    page.write_text(part.document.read_text(encoding="utf-8"), encoding="utf-8")
    GeneratedPart(page, part.command).write("all that is new")
    assert f"{part.start}\n\nall that is new\n\n{part.end}" in page.read_text(encoding="utf-8")
