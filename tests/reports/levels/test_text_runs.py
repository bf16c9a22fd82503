from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.reports.levels import text_runs
from budgeteer.reports.levels.text_runs import names_within
from tests.reports.runs import runs_of

LETTERS = st.text(alphabet="ab\0 😀", max_size=40)


@given(st.sets(LETTERS, max_size=4), st.lists(LETTERS, max_size=6))
def test_a_name_is_found_where_it_shares_twelve_characters_with_a_text(names, texts):
    said = runs_of(texts)
    expected = {name for name in names if runs_of([name]) & said}
    assert {name for name in names_within(names, texts) if "\0" not in name} == {
        name for name in expected if "\0" not in name
    }
    assert expected <= names_within(names, texts)


@pytest.mark.parametrize("at", range(0, 60, 7))
def test_a_run_across_two_stretches_is_found(monkeypatch, at):
    monkeypatch.setattr(text_runs, "_STRETCH_CHARS", 16)
    text = "." * at + "release-notes" + "." * 60
    assert names_within({"the-release-notes"}, [text]) == {"the-release-notes"}
    assert names_within({"the-release_notes"}, [text]) == frozenset()


def test_names_that_are_too_short_to_hold_a_run_are_never_found():
    assert names_within({"Read", ""}, ["Read the file"]) == frozenset()


def test_half_of_a_surrogate_pair_does_not_stop_it():
    assert names_within({"\ud83d and more text"}, ["x\ud83d and more text"]) == {"\ud83d and more text"}
