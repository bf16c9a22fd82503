from __future__ import annotations

import pytest

from budgeteer.formats.detect import import_bytes
from budgeteer.sources import source_rows
from tests.sources.material import chat, skills_zip


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
    page = source_rows.window(number, total=total)
    assert (page.words, page.earlier, page.later) == (words, earlier, later)


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        (chat(1), "OpenAI chat, 3 messages"),
        (skills_zip(), "Skill library, 2 skills"),
        (b"just some words", "Plain text"),
        (b'{"git-commit": 3, "pdf": 1}', "Usage of skills and tools, 2 names"),
    ],
)
def test_a_hint_names_the_format_and_what_it_holds(data, hint):
    assert source_rows.hint_of(import_bytes(data)) == hint
