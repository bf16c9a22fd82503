"""Shortening what stands in a library: minified descriptions, compact paths."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.counting.shortening import MINIFIED_CHARS, compact_path, compact_paths, minify_description


@pytest.mark.parametrize(
    ("text", "minified"),
    [
        ("This skill helps you to write   tests.", "Write tests."),
        ("Use this skill when deploying.\nIt checks first.", "Deploying. It checks first."),
        ("Plain.", "Plain."),
        ("", ""),
        ("word " * 60 + "end. Second.", "word " * 60 + "end."),
    ],
)
def test_descriptions_lose_white_space_openers_and_late_sentences(text: str, minified: str) -> None:
    assert minify_description(text) == minified


@given(text=st.text(max_size=600))
def test_minifying_is_deterministic_and_never_lengthens(text: str) -> None:
    once = minify_description(text)
    assert once == minify_description(text)
    # An upper-cased first letter may take more characters (ß becomes SS), nothing else may grow.
    assert len(once) <= max(len(text), 1) + 2


def test_whole_sentences_stay_up_to_the_limit() -> None:
    text = "A first sentence. B" + "b" * (MINIFIED_CHARS - 11) + ". Third."
    assert minify_description(text) == "A first sentence."


@pytest.mark.parametrize(
    ("second", "kept"), [(MINIFIED_CHARS, True), (MINIFIED_CHARS + 1, False), (MINIFIED_CHARS - 1, True)]
)
def test_a_sentence_that_ends_just_at_the_limit_stays(second: int, *, kept: bool) -> None:
    opening = "A first sentence. B"
    sentence = opening + "b" * (second - len(opening) - 1) + "."
    text = sentence + " A third one."
    assert minify_description(text) == (sentence if kept else "A first sentence.")


def test_a_text_of_just_the_limit_is_left_as_it_is_though_its_last_sentence_has_no_end() -> None:
    text = "A first sentence. B" + "b" * (MINIFIED_CHARS - 19)
    assert len(text) == MINIFIED_CHARS
    assert minify_description(text) == text
    assert minify_description(text + "b") == "A first sentence."


@pytest.mark.parametrize(
    ("path", "short"),
    [
        ("/Users/ann/x/SKILL.md", "~/x/SKILL.md"),
        ("/home/bob/x", "~/x"),
        ("/root/x", "~/x"),
        ("C:\\Users\\cy\\x", "~/x"),
        ("/srv/home/bob/x", "/srv/home/bob/x"),
        ("relative/home/x", "relative/home/x"),
    ],
)
def test_any_users_home_on_any_system_becomes_a_tilde(path: str, short: str) -> None:
    assert compact_path(path) == short


def test_on_a_collision_neither_path_is_changed() -> None:
    paths = ["/home/ann/a", "/home/bob/a", "/home/ann/b", "/home/ann/b"]
    assert compact_paths(paths) == ["/home/ann/a", "/home/bob/a", "~/b", "~/b"]
