"""A sample of the hostile uploads and strings; `make hostile` tries all of them."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import pytest

from budgeteer.presentation.csv_text import csv_text
from budgeteer.reports.kinds.registry import KINDS
from tests.hostile import pages, payloads, uploads, watching
from tests.hostile.__main__ import run_stack, table, wrong_of

SAMPLE = 120
LEAST_UPLOADS = 500
LEAST_OF_A_FAMILY = 30
ACTIVE = (
    "<p onclick=x>",
    "<script>1</script>",
    '<a href="java\nscript:x">y</a>',
    "<iframe></iframe>",
    f"<{payloads.MARK}>",
    f'<img src="//{payloads.MARK}.invalid/x">',
    f'<a hx-get="/{payloads.MARK}/">y</a>',
)


@pytest.mark.slow
def test_nothing_that_is_sent_is_an_error_of_ours_or_becomes_active() -> None:
    figures = run_stack("postgres", every=SAMPLE)
    assert not wrong_of(figures), "\n".join(table(figures))
    tried = {row["way"]: 0 for row in figures["rows"]}
    for row in figures["rows"]:
        tried[row["way"]] += row["tried"]
    assert all(tried[way] > len(uploads.FAMILIES) for way in ("pages", "API", "command line")), tried
    assert all(row["answers"] >= row["tried"] for row in figures["rows"])
    assert {row["family"] for row in figures["rows"] if row["way"] == pages.REPORTS and row["tried"]} == set(KINDS)


def test_there_are_hundreds_of_uploads_of_every_kind() -> None:
    counts = {family: sum(1 for _ in make("/canary")) for family, make in uploads.FAMILIES.items()}
    assert sum(counts.values()) >= LEAST_UPLOADS
    assert min(counts.values()) >= LEAST_OF_A_FAMILY


@pytest.mark.parametrize("markup", ACTIVE)
def test_markup_that_became_active_would_be_seen(markup: str) -> None:
    assert watching.wrong_in_html(f"<main>{markup}</main>")


@pytest.mark.parametrize("text", payloads.MARKUP)
def test_markup_that_is_escaped_is_text(text: str) -> None:
    from django.utils.html import escape

    assert watching.wrong_in_html(f'<p title="{escape(text)}">{escape(text)}</p>') == []


@pytest.mark.parametrize("text", payloads.FORMULAS[:9])
def test_a_formula_in_a_table_would_be_seen_and_ours_hold_none(text: str) -> None:
    raw = io.StringIO()
    csv.writer(raw).writerow([text])
    assert list(watching.wrong_in_csv(raw.getvalue())) or text[0] in " \u00a0"
    assert list(watching.wrong_in_csv(csv_text(["a"], [[text]]))) == []


def test_a_file_outside_its_place_would_be_found(tmp_path: Path) -> None:
    escapes = watching.Escapes(tmp_path)
    assert escapes.found() == []
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / f"{payloads.OUTSIDE}.json").write_text("")
    assert escapes.found() == [str(tmp_path / "a" / f"{payloads.OUTSIDE}.json")]


def test_words_of_the_server_and_errors_of_ours_would_be_seen() -> None:
    assert watching.wrong_with(500, [], b"")
    assert watching.wrong_with(200, [], uploads.CANARY_WORDS.encode())
    assert watching.wrong_with(200, [("Content-Type", "application/json")], b'{"a": NaN}')
    assert watching.wrong_with(200, [("Content-Type", "text/html")], b"<p>no policy</p>")
    packed = [("Content-Type", "application/json"), ("Content-Encoding", "gzip")]
    assert watching.wrong_with(200, packed, gzip.compress(b'{"a": NaN}'))
    assert not watching.wrong_with(200, packed, gzip.compress(b'{"a": 1}'))
    assert watching.wrong_with(200, [("Content-Type", "application/json")], b"")
    assert watching.wrong_with(200, [("Content-Type", "application/json"), ("Content-Length", "9")], b"")
