"""Shortening: sentence ends in several scripts, word ends, minified descriptions, compact paths."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.truncation import (
    MINIFIED_CHARS,
    compact_path,
    compact_paths,
    cut_at_sentence,
    cut_at_word,
    minify_description,
    sentence_ends,
)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three?", ["One.", " Two!", " Three?"]),
        ("See e.g. the docs. Then go.", ["See e.g. the docs.", " Then go."]),
        ("Version 1.2 is out. Yes.", ["Version 1.2 is out.", " Yes."]),
        ("他来了。我走了！", ["他来了。", "我走了！"]),
        ("هل أنت هنا؟ نعم.", ["هل أنت هنا؟", " نعم."]),
        ("वह आया। मैं गया।", ["वह आया।", " मैं गया।"]),
        ('He said "stop." She left.', ['He said "stop."', " She left."]),
        ("no end here", []),
    ],
)
def test_sentences_end_where_readers_of_the_script_end_them(text: str, sentences: list[str]) -> None:
    ends = sentence_ends(text)
    assert [text[start:end] for start, end in zip([0, *ends], ends, strict=False)] == sentences


def test_a_cut_falls_on_a_sentence_end_where_there_is_one() -> None:
    assert cut_at_sentence("One two. Three four five.", 12) == "One two."
    assert cut_at_sentence("Onetwothree four five six", 14) == "Onetwothree…"
    assert cut_at_sentence("short", 10) == "short"


@given(text=st.text(max_size=200), limit=st.integers(0, 60))
def test_a_cut_is_never_longer_than_its_limit_and_never_inside_a_word(text: str, limit: int) -> None:
    cut = cut_at_word(text, limit)
    assert len(cut) <= max(limit, 0) or len(text) <= limit
    if cut.endswith("…") and len(text) > limit and any(c in " \n\t" for c in text[: max(limit - 1, 0)].strip()):
        kept = cut[:-1]
        assert text.startswith(kept)
        assert len(kept) == len(text) or text[len(kept)].isspace() or " " not in kept


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
    text = "A first sentence. " + "b" * (MINIFIED_CHARS - 10) + ". Third."
    assert minify_description(text) == "A first sentence."


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
