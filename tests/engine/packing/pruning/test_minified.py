"""White space that says nothing is taken out of tool results, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.packing.pruning.minified import minified

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.integers(0, 4), st.booleans())
def test_json_reads_the_same_and_has_no_white_space_left(value: Any, indent: int, is_ascii: bool) -> None:
    text = json.dumps([value], indent=indent or None, ensure_ascii=is_ascii)
    short = minified(f"\n {text} ")
    assert json.loads(short) == [value]
    assert short == json.dumps(json.loads(text), separators=(",", ":"), ensure_ascii=is_ascii)


@given(st.text(alphabet='ab \t\r\n{}[]",:\\', max_size=60) | VALUES.map(lambda value: json.dumps(value, indent=2)))
def test_minifying_twice_changes_nothing_more_and_only_white_space_goes(text: str) -> None:
    once = minified(text)
    assert minified(once) == once
    assert "".join(once.split()) == "".join(text.split())
    assert len(once) <= len(text)


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ('{ "a": 1.50, "a": 2e5 }', '{"a":1.50,"a":2e5}'),
        ('["two  blanks \\" and a quote"]', '["two  blanks \\" and a quote"]'),
        ("{ not json }   \n\n\n\nend", "{ not json }\n\nend"),
        ("    indented stays\n  \n", "    indented stays\n\n"),
        ("half \r done \r \n", "half\r done\r\n"),
        ("1 " * 3, "1 1 1"),
    ],
)
def test_numbers_keys_and_indentation_of_code_stay(text: str, short: str) -> None:
    assert minified(text) == short
