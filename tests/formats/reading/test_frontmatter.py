"""YAML front matter."""

from __future__ import annotations

import json
import time

import pytest

from budgeteer.formats.reading.limits import Limits
from budgeteer.formats.reading.notations.frontmatter import FrontMatterProblem, split_front_matter

LIMITS = Limits()


def test_values_are_plain_data_and_scalars_are_kept_as_written() -> None:
    text = (
        "---\nname: yes\nversion: 1.10\nday: 2024-01-31\ntags: [a, b]\nmoment: 2024-01-31 10:00:00\n"
        "nested:\n  when: 2024-02-01\n  1: one\nlong: |\n  two\n  lines\nfolded: >-\n  one\n  line\n---\nBody\n"
    )
    matter = split_front_matter(text, LIMITS)
    assert matter.values == {
        "name": True,
        "version": 1.1,
        "day": "2024-01-31",
        "tags": ["a", "b"],
        "moment": "2024-01-31T10:00:00",
        "nested": {"when": "2024-02-01", "1": "one"},
        "long": "two\nlines\n",
        "folded": "one line",
    }
    assert matter.written["name"] == "yes"
    assert matter.written["version"] == "1.10"
    assert matter.body == "Body\n"
    assert matter.present


def test_a_text_without_front_matter_is_all_body() -> None:
    matter = split_front_matter("# Title\n---\nname: x\n---\n", LIMITS)
    assert (matter.present, matter.values) == (False, {})
    assert matter.body.startswith("# Title")


def test_carriage_returns_and_blank_lines_before_are_taken() -> None:
    matter = split_front_matter("\r\n---\r\nname: a\r\ndescription: b\r\n---\r\n\r\nBody\r\n", LIMITS)
    assert matter.values == {"name": "a", "description": "b"}
    assert matter.body == "\r\nBody\r\n"


def test_an_empty_front_matter_is_one() -> None:
    assert split_front_matter("---\n---\nBody", LIMITS).present


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("---\nname: a\n", "the front matter has no closing `---`"),
        ("---\n- a\n- b\n---\n", "not YAML of keys and values"),
        ("---\njust words\n---\n", "not YAML of keys and values"),
        ("---\nname: a: b\n---\n", r"mapping values are not allowed here \(line 2, column 8\)"),
        ("---\nname: 'open\n---\n", "the front matter is not YAML"),
        ("---\nname: !!python/object/apply:os.system ['true']\n---\n", "could not determine a constructor"),
        ("---\na: &x [1]\nb: *x\n---\n", "aliases"),
        ("---\n? [a]\n: b\n---\n", "unhashable key"),
        ("---\n" + "a: " + "[" * 5_000 + "\n---\n", "nested too deep|not YAML"),
        ("---\na: \x07\n---\n", "special characters are not allowed"),
        ("---\na: " + "x" * 70_000 + "\n---\n", "the limit on front matter is 64 kB"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_clause(text: str, said: str) -> None:
    with pytest.raises(FrontMatterProblem, match=said):
        split_front_matter(text, LIMITS)


@pytest.mark.parametrize("value", ["2024-13-45", "9" * 5_000, "0b", "0x", "1e400", "12:99:99", ".inf", "."])
def test_impossible_numbers_and_dates_are_kept_as_text_or_number(value: str) -> None:
    matter = split_front_matter(f"---\nname: x\nodd: {value}\n---\n", LIMITS)
    assert matter.written["odd"] == value
    assert isinstance(matter.values["odd"], str | int | float)


@pytest.mark.parametrize("number", ["0x" + "f" * 100_000, "0b" + "1" * 100_000, "0" + "7" * 100_000, "9" * 100_000])
def test_a_number_that_is_too_long_to_be_written_is_kept_as_text(number: str) -> None:
    values = split_front_matter(f"---\nnumber: {number}\nshort: 0xff\n---\n", Limits(front_matter_bytes=10**6)).values
    assert values == {"number": number, "short": 255}
    assert json.loads(json.dumps(values)) == values


def test_a_bomb_of_aliases_ends_at_once() -> None:
    rows = ["a0: &a0 [x]"] + [f"a{n}: &a{n} [*a{n - 1},*a{n - 1},*a{n - 1}]" for n in range(1, 40)]
    begun = time.process_time()
    with pytest.raises(FrontMatterProblem, match="aliases"):
        split_front_matter("---\n" + "\n".join(rows) + "\n---\n", LIMITS)
    assert time.process_time() - begun < 1


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("description: Prices of fish: what they were", "Prices of fish: what they were"),
        ('description: Ada\'s fish: "fresh", or not   ', 'Ada\'s fish: "fresh", or not'),
        ("description: Use this when asked:", "Use this when asked:"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_text_that_needs_quotes_is_read_without_them(line: str, value: str, end: str) -> None:
    matter = split_front_matter(end.join(("---", "name: fish", line, "metadata:", "  a: 1", "---", "Body")), LIMITS)
    assert matter.values == {"name": "fish", "description": value, "metadata": {"a": 1}}


def test_front_matter_that_quotes_do_not_mend_is_told_as_it_stands() -> None:
    with pytest.raises(FrontMatterProblem, match=r"line 3, column"):
        split_front_matter("---\nname: fish\ntags: [a: b: c\nabout: one: two\n---\nBody\n", LIMITS)


def test_long_lines_are_quoted_in_time() -> None:
    begun = time.perf_counter()
    text = f"---\nabout: a: {' ' * 60_000}b\n{'c: ' * 1_000}\n---\n"
    assert split_front_matter(text, LIMITS).values["about"].startswith("a: ")
    assert time.perf_counter() - begun < 1
