from __future__ import annotations

import pytest

from budgeteer.formats.detect import import_bytes
from budgeteer.sources import pages, services
from tests.sources.material import chat, chats, imported, skills_zip


@pytest.mark.parametrize(
    ("number", "total", "words", "earlier", "later"),
    [
        (1, 120, "1 – 50 of 120", 0, 2),
        (3, 120, "101 – 120 of 120", 2, 0),
        (99, 120, "101 – 120 of 120", 2, 0),
        (1, 0, "0 – 0 of 0", 0, 0),
    ],
)
def test_a_page_is_moved_to_the_nearest_that_exists(number, total, words, earlier, later):
    page = pages.window(number, total=total)
    assert (page.words, page.earlier, page.later) == (words, earlier, later)


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        (chat(1), "OpenAI chat, 3 messages"),
        (skills_zip(), "Skill library, 2 skills"),
        (b"just some words", "Plain text"),
    ],
)
def test_a_hint_names_the_format_and_what_it_holds(data, hint):
    assert pages.hint_of(import_bytes(data)) == hint


@pytest.mark.django_db
def test_preview_rows_carry_category_text_and_tokens(owner):
    source = imported(owner, chats(2))
    contents = services.contents_of(source)
    measures = services.measures_of(source, "o200k_base")
    rows = pages.preview_rows(source, contents, pages.window(1, total=5), offset=3, measures=measures)
    assert [row.letter for row in rows] == ["S", "U", "A", "U", "A"]
    assert rows[1].line == "Plan harbour 1, part 0."
    assert rows[1].tokens == str(int(measures.messages.openai_before_tokens[4]))


@pytest.mark.django_db
def test_a_long_text_is_cut_and_says_by_how_much(owner):
    source = imported(owner, b"word " * 1000, name="notes.txt")
    (row,) = pages.preview_rows(source, services.contents_of(source), pages.window(1, total=1), offset=0, measures=None)
    assert len(row.text) == pages.TEXT_CHARS
    assert "more characters" in row.more
