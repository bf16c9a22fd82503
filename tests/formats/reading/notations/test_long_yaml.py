"""Long YAML: the values of the other loader, and what is hostile."""

from __future__ import annotations

import time

import pytest

from budgeteer.formats.reading.notations.long_yaml import long_yaml
from budgeteer.formats.reading.notations.yaml_text import YamlProblem, load_yaml

WHAT = "the file"


@pytest.mark.parametrize(
    "source",
    [
        "",
        "a: 1\nb: [x, 2.5, true, null, ~]\nc: {d: 2026-01-02, e: 'yes', f: yes}",
        '- |\n  two\n  lines\n- >\n  one\n  line\n- "\\u00e9"',
        "a: 1e400\nb: .nan\nc: 2026-99-99\nd:\n2: x\ntrue: y",
        "a: !!int '3'\nb: !!str 3\nc: !!binary aGVsbG8=\nd: ! 4",
        "{a: 1, a: 2}",
        "--- # one document\n- a\n...\n",
    ],
)
def test_a_document_is_what_the_other_loader_makes_of_it(source: str) -> None:
    assert long_yaml(source, what=WHAT) == load_yaml(source, what=WHAT)[0]


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("a: &x [1]\nb: *x", "aliases (`*name`) are not read (line 2, column 4)"),
        ("[" * 300 + "]" * 300, "nested too deep"),
        ("? [a]\n: b", "a key is no text"),
        ("a: !!python/object:os.system x", "the tag tag:yaml.org,2002:python/object:os.system is not read"),
        ("a: !!pairs x", "the tag tag:yaml.org,2002:pairs is not read"),
        ("a: !own [x]", "the tag !own is not read"),
        ("a: !!bool maybe", "not usable YAML"),
        ("a: 1\n---\nb: 2", "it holds 2 documents"),
        ("a: [", "is not YAML"),
        ("a: \ud800", "not usable YAML"),
    ],
)
def test_what_cannot_be_used_is_a_problem(source: str, why: str) -> None:
    with pytest.raises(YamlProblem) as problem:
        long_yaml(source, what=WHAT)
    assert why in str(problem.value)


@pytest.mark.parametrize("hostile", ["[" * 5_000_000, "- " * 2_500_000, "{a: " * 1_250_000, "? " * 2_500_000])
def test_nesting_of_any_depth_ends_at_once(hostile: str) -> None:
    start = time.monotonic()
    with pytest.raises(YamlProblem):
        long_yaml(hostile, what=WHAT)
    assert time.monotonic() - start < 30


def test_numbers_to_the_base_of_sixty_with_too_many_digits_stay_texts() -> None:
    start = time.monotonic()
    for count in (3_001, 1_200_000):
        assert long_yaml(f"a: 1{':1' * count}", what=WHAT) == {"a": "1" + ":1" * count}
    assert long_yaml("a: 1:30", what=WHAT) == {"a": 90}
    assert time.monotonic() - start < 30
