"""Lines of keys in a JSON text."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from budgeteer.cli.json_positions import key_lines, line_of

KEYS = st.text(alphabet='ab"\\{}[],: \n', min_size=1, max_size=4).filter(lambda key: "." not in key)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet='a"\\{}[],:\n', max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)


def paths_of(value: Any, path: str = "") -> list[str]:
    """Every key and element in the order json.dumps writes them."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = []
    for key, inner in pairs:
        below = f"{path}.{key}" if path else str(key)
        found += [below, *paths_of(inner, below)]
    return found


@given(VALUES)
def test_every_path_is_found_and_lines_never_go_back(value: Any) -> None:
    lines = key_lines(json.dumps(value, indent=1))
    assert list(lines) == list(dict.fromkeys(paths_of(value)))
    assert sorted(lines.values()) == list(lines.values())


@given(st.dictionaries(st.text(alphabet="abc", min_size=1, max_size=3), st.integers(), max_size=5))
def test_one_key_a_line_gives_one_line_a_key(value: dict[str, int]) -> None:
    lines = key_lines(json.dumps(value, indent=1))
    assert lines == {key: number for number, key in enumerate(value, start=2)}


def test_a_path_that_is_not_in_the_text_takes_the_line_of_the_nearest_above() -> None:
    lines = key_lines('{\n"a": {\n"b": [1,\n2]}}')
    assert line_of("a.b.1", lines) == 4
    assert line_of("a.c.d", lines) == 2
    assert line_of("x", lines) is None
