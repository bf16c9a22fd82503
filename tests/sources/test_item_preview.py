from __future__ import annotations

import pytest

from budgeteer.sources import item_preview, services, source_rows
from tests.sources.material import chats, imported


@pytest.mark.django_db
def test_preview_rows_carry_category_text_and_tokens(owner):
    source = imported(owner, chats(2))
    contents = services.contents_of(source)
    measures = services.measures_of(source, "o200k_base")
    rows = item_preview.preview_rows(source, contents, source_rows.window(1, total=5), offset=3, measures=measures)
    assert [row.letter for row in rows] == ["S", "U", "A", "U", "A"]
    assert rows[1].line == "Plan harbour 1, part 0."
    assert rows[1].tokens == str(int(measures.messages.of("openai-chat").before_tokens[4]))


@pytest.mark.django_db
def test_a_long_text_is_cut_and_says_by_how_much(owner):
    source = imported(owner, b"word " * 1000, name="notes.txt")
    (row,) = item_preview.preview_rows(
        source, services.contents_of(source), source_rows.window(1, total=1), offset=0, measures=None
    )
    assert len(row.text) == item_preview.TEXT_CHARS
    assert "more characters" in row.more


@pytest.mark.django_db
def test_uses_are_shown_with_their_count_and_the_time_of_the_last(owner):
    used = b'{"git-commit": {"count": 3, "last": "2026-01-31T10:05:00Z"}, "pdf-forms": 1, "odd": 0}'
    source = imported(owner, used, name="used.json")
    assert (source.kind, source.counts["usage"], source.counts["tokens"]["o200k_base"]) == ("usage", 3, 0)
    contents = services.contents_of(source)
    measures = services.measures_of(source, "o200k_base")
    rows = item_preview.preview_rows(source, contents, source_rows.window(1, total=3), offset=0, measures=measures)
    assert [(row.label, row.line) for row in rows] == [
        ("git-commit", "used 3 times, last on 2026-01-31 10:05 UTC"),
        ("pdf-forms", "used 1 time"),
        ("odd", "used 0 times"),
    ]
    assert {(row.letter, row.tokens) for row in rows} == {("", "")}


@pytest.mark.django_db
def test_a_time_that_no_calendar_holds_is_shown_as_a_number(owner):
    source = imported(owner, b'{"git-commit": {"last": "9999-12-31T23:59:59-12:00"}}', name="used.json")
    (row,) = item_preview.preview_rows(
        source, services.contents_of(source), source_rows.window(1, total=1), offset=0, measures=None
    )
    assert row.line == "used 1 time, last on 253,402,343,999 s of Unix time"
