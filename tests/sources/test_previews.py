from __future__ import annotations

import pytest

from budgeteer.sources import pages, previews, services
from tests.sources.material import chats, imported


@pytest.mark.django_db
def test_preview_rows_carry_category_text_and_tokens(owner):
    source = imported(owner, chats(2))
    contents = services.contents_of(source)
    measures = services.measures_of(source, "o200k_base")
    rows = previews.preview_rows(source, contents, pages.window(1, total=5), offset=3, measures=measures)
    assert [row.letter for row in rows] == ["S", "U", "A", "U", "A"]
    assert rows[1].line == "Plan harbour 1, part 0."
    assert rows[1].tokens == str(int(measures.messages.openai_before_tokens[4]))


@pytest.mark.django_db
def test_a_long_text_is_cut_and_says_by_how_much(owner):
    source = imported(owner, b"word " * 1000, name="notes.txt")
    (row,) = previews.preview_rows(
        source, services.contents_of(source), pages.window(1, total=1), offset=0, measures=None
    )
    assert len(row.text) == previews.TEXT_CHARS
    assert "more characters" in row.more
