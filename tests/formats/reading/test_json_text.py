"""JSON with bounds."""

from __future__ import annotations

import gc
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.formats.detect import import_bytes
from budgeteer.formats.reading import json_text
from budgeteer.formats.reading.json_text import (
    JsonProblem,
    depth_of,
    first_value,
    json_type,
    objects_on,
    parse,
    parse_lines,
    refuse,
)
from tests.formats.fuzzing import is_read_both_ways
from tests.formats.mutations import Case


def nested(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max((nested(item) for item in value.values()), default=0)
    if isinstance(value, list):
        return 1 + max((nested(item) for item in value), default=0)
    return 0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=20,
)


@given(JSON, st.booleans())
def test_the_depth_is_the_nesting_whatever_the_strings_hold(value: object, ascii_only: bool) -> None:
    assert depth_of(json.dumps(value, ensure_ascii=ascii_only)) == nested(value)


DIGITS = st.text(alphabet="0123456789", min_size=1, max_size=30)
NUMBERS = st.builds("{}{}.{}e{}".format, st.sampled_from(["", "-"]), DIGITS, DIGITS, st.integers(-400, 400))
SCRAPS = st.sampled_from(
    [
        "NaN",
        "-Infinity",
        "-0",
        "01",
        "1.",
        "\\ud800",
        "\\ud83d\\ude00",
        "\t",
        "\x00",
        "\ufeff",
        "[",
        "]",
        "{",
        "}",
        ",",
        '"',
    ]
)


def plainly(text: str) -> object:
    """What Python's own parser reads, None where it refuses."""
    try:
        return json.JSONDecoder(strict=False).decode(text)
    except (ValueError, RecursionError):
        return None


@given(JSON, st.booleans(), st.lists(st.tuples(st.integers(0), NUMBERS | DIGITS | SCRAPS), max_size=3))
def test_the_quick_parser_reads_what_pythons_reads(
    value: object, ascii_only: bool, scraps: list[tuple[int, str]]
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only)
    for place, scrap in scraps:
        at = place % (len(text) + 1)
        text = text[:at] + scrap + text[at:]
    expected = plainly(text)
    try:
        found = parse(text, depth_limit=200)
    except JsonProblem:
        found = None
    # repr: NaN is equal to nothing, and 1 is no 1.0.
    assert repr(found) == repr(json_text._clean(expected, text))
    raw = text.encode("utf-8", "surrogatepass")
    quick = json_text.plain_object(raw, depth_limit=200)
    assert quick is None or repr(quick) == repr(expected)
    assert json_text.are_plain_objects([b'{"a": 1}', raw], depth_limit=200) == (quick is not None)


@pytest.mark.parametrize("opened", ["[", '{"a":'])
@pytest.mark.parametrize("limit", [3, 150, 200])
def test_the_quick_parser_keeps_to_the_limit_on_depth(opened: str, limit: int) -> None:
    closed = {"[": "]", '{"a":': "}"}[opened]
    for depth in (limit, limit + 1):
        # Brackets in a string, so that counting them does not tell.
        text = f'{{"b":"{"[" * 300}","c":{opened * (depth - 1)}1{closed * (depth - 1)}}}'
        found, problem = objects_on(text, 1, depth_limit=limit)
        assert (len(found) == 1, problem is None) == (depth <= limit, depth <= limit)
        assert (json_text.plain_object(text.encode(), depth_limit=limit) is None) or depth <= limit
        assert not json_text.are_plain_objects([text.encode()], depth_limit=limit) or depth <= limit


def test_a_document_deeper_than_the_limit_is_refused_before_it_is_parsed() -> None:
    assert parse("[" * 200 + "]" * 200, depth_limit=200)
    for depth in (201, 100_000):
        with pytest.raises(JsonProblem, match="deeper than the limit on JSON depth, 200"):
            parse("[" * depth + "]" * depth, depth_limit=200)


def test_the_depth_of_a_long_text_is_counted_across_its_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["[" * 7 + "]" * 7, "[[],[[]],[]]" * 3, "x" * 9, "[[[[[", "]]]]][[", ""]
    whole = [depth_of(text) for text in texts]
    for block in (1, 2, 3, 5, 8):
        monkeypatch.setattr(json_text, "_DEPTH_BLOCK", block)
        assert [depth_of(text) for text in texts] == whole
    assert whole == [7, 3, 0, 5, 0, 0]


def test_the_depth_scan_is_linear_on_hostile_strings() -> None:
    begun = time.process_time()
    for text in ("[" * 300 + '"\\"' * 300_000, "[" * 300 + '"' + "\\" * 600_000, '"' * 600_000 + "[" * 300):
        depth_of(text)
    assert time.process_time() - begun < 5


@pytest.mark.parametrize(
    ("text", "line"),
    [('{"a": [1, 2', 1), ('{\n  "a": "tex', 2), ('[\n{"a": 1},\n', 3), ('{"a":', 1)],
)
def test_a_cut_off_document_says_so_and_where(text: str, line: int) -> None:
    with pytest.raises(JsonProblem) as caught:
        parse(text, depth_limit=200)
    assert caught.value.cut_off
    error = refuse(caught.value, where="log.json")
    assert error.what.startswith("The JSON is cut off")
    assert error.where.startswith(f"log.json: line {line}, column")


def test_a_mistake_in_the_middle_is_no_cut() -> None:
    with pytest.raises(JsonProblem) as caught:
        parse('{"a": 1,, "b": 2}', depth_limit=200)
    assert not caught.value.cut_off
    assert refuse(caught.value).sentence == (
        "line 1, column 9: This is not valid JSON: Expecting property name enclosed in double quotes. "
        "Write a key in double quotes there"
    )


def test_numbers_of_thousands_of_digits_are_kept_as_text() -> None:
    digits = "9" * 10_000
    assert parse(f'{{"n": {digits}, "m": 7}}', depth_limit=200) == {"n": digits, "m": 7}


def test_lone_surrogate_escapes_become_replacement_characters() -> None:
    assert parse(r'{"\ud800": ["a\udc00", "\ud83d\ude00"]}', depth_limit=200) == {"\ufffd": ["a\ufffd", "😀"]}


def test_duplicate_keys_and_raw_control_characters_are_taken() -> None:
    assert parse('{"a": 1, "a": "x\ty\nz"}', depth_limit=200) == {"a": "x\ty\nz"}


def test_the_first_value_leaves_the_rest() -> None:
    assert first_value(' {"a":1} {"b":2}', depth_limit=200) == ({"a": 1}, 9)


def test_lines_are_told_apart_by_line_feeds_only() -> None:
    lines, skipped = parse_lines('{"a":"x\u2028y"}\r\n\r\n{"b":1}\n', depth_limit=200)
    assert [(line.number, line.value) for line in lines] == [(1, {"a": "x\u2028y"}), (3, {"b": 1})]
    assert not skipped


def test_two_objects_on_one_line_are_both_read() -> None:
    lines, skipped = parse_lines('{"a":1}{"b":2}\n{"c":3} {"d":4}\n', depth_limit=200)
    assert [(line.number, line.value) for line in lines] == [
        (1, {"a": 1}),
        (1, {"b": 2}),
        (2, {"c": 3}),
        (2, {"d": 4}),
    ]
    assert not skipped


def test_bad_lines_are_listed_with_number_reason_and_text() -> None:
    text = '{"a":1}\n{"b":\n"words"\n42\n[1]\n{"c":1}}\n{"d":"' + "x" * 900
    lines, skipped = parse_lines(text, depth_limit=200)
    assert [line.number for line in lines] == [1]
    assert [(item.where, item.why.split(":")[0]) for item in skipped] == [
        ("line 2", "cut off"),
        ("line 3", "a JSON string, not an object"),
        ("line 4", "a JSON number, not an object"),
        ("line 5", "a JSON array, not an object"),
        ("line 6", "1 characters after the end of a JSON value"),
        ("line 7", "cut off"),
    ]
    assert skipped[1].line == '"words"'
    assert len(skipped[-1].line) == 500


def test_progress_tells_lines_of_lines() -> None:
    told: list[tuple[int, int, str]] = []
    parse_lines('{"a":1}\n' * 1_200, depth_limit=200, progress=lambda *step: told.append(step))
    assert told == [(500, 1_201, "lines"), (1_000, 1_201, "lines")]


def test_nesting_that_the_limit_would_allow_but_nobody_can_read_is_a_problem_and_no_crash() -> None:
    deep = "[" * 200_000
    for read in (parse, first_value):
        with pytest.raises(JsonProblem, match=r"deeper|too deep|too long to read"):
            read(deep + "]" * 200_000, depth_limit=1_000_000)
    digits = "9" * 10_000
    with pytest.raises(JsonProblem, match=r"too deep to read"):
        parse(f"[{digits}, {deep}" + "]" * 200_001, depth_limit=1_000_000)


def test_what_follows_a_number_of_thousands_of_digits_is_a_problem_with_its_place() -> None:
    with pytest.raises(JsonProblem, match="Extra data") as found:
        parse("9" * 5_000 + " x", depth_limit=9)
    assert (found.value.line, found.value.column) == (1, 5_002)


def test_a_first_value_that_is_cut_or_too_long_is_a_problem() -> None:
    with pytest.raises(JsonProblem) as caught:
        first_value('{"a": ', depth_limit=200)
    assert caught.value.cut_off
    with pytest.raises(JsonProblem, match=r"a number or nesting that is too long to read"):
        first_value("9" * 10_000, depth_limit=200)


@pytest.mark.parametrize(
    ("rest", "why"),
    [
        ('{"b":', "cut off"),
        ('{"b": nope}', "Expecting value"),
        ('{"b": ' + "9" * 10_000 + "}", "a number or nesting that is too long to read"),
    ],
)
def test_what_is_glued_to_a_good_object_is_listed_by_its_own_fault(rest: str, why: str) -> None:
    lines, skipped = parse_lines('{"a": 1}' + rest, depth_limit=200)
    assert [line.value for line in lines] == [{"a": 1}]
    assert [(item.where, why in item.why) for item in skipped] == [("line 1", True)]


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({}, "object"),
        ([], "array"),
        ("", "string"),
        (True, "true or false"),
        (None, "null"),
        (1, "number"),
        (1.5, "number"),
    ],
)
def test_a_value_has_the_name_of_its_type_in_json(value: object, name: str) -> None:
    assert json_type(value) == name


def test_more_values_than_can_be_read_are_refused_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "_MANY_CHARACTERS", 0)
    monkeypatch.setattr(json_text, "MOST_VALUES", 6)
    assert parse(json.dumps(["a,[{" * 30] * 5), depth_limit=9) == ["a,[{" * 30] * 5  # what strings hold is no value
    for read in (parse, first_value):
        with pytest.raises(JsonProblem, match=r"holds 7 values; at most 6") as problem:
            read("[" + "[]," * 5 + "{}]", depth_limit=9)
        said = refuse(problem.value, where="many.json")
        assert str(said.what).startswith("The JSON is too large")
        assert "JSONL" in said.mend


def test_the_collector_stands_still_while_a_large_document_is_read_and_runs_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(json_text, "_MANY_CHARACTERS", 0)
    with json_text._without_collecting("[]"):
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(JsonProblem):
        parse("[", depth_limit=9)
    assert gc.isenabled()


def test_a_text_in_a_document_is_read_where_it_is_json_and_else_left_to_its_reader() -> None:
    assert json_text.parse_inner('{"a": [1]}', "none") == {"a": [1]}
    assert json_text.parse_inner("null", "none") is None
    for text in ("{", "", "[" * 100_000):
        assert json_text.parse_inner(text, text) == text


def test_objects_over_several_lines_are_read_one_after_the_other() -> None:
    written = [json.dumps({"number": number, "text": "a\nb \ud800"}, indent=2) for number in range(3)]
    for between in ("\n", "", ",\n", "\r\n\r\n"):
        lines, skipped = json_text.parse_objects(between.join(written) + "\n", depth_limit=9)
        assert ([line.value["number"] for line in lines], skipped) == ([0, 1, 2], [])
    lines, skipped = json_text.parse_objects("\n".join(written)[:-9], depth_limit=9)
    assert [line.number for line in lines] == [1, 5]
    assert [(item.where, item.line[:1]) for item in skipped] == [("line 9", "{")]
    broken = [*written[:2], '{"text": "not\n"closed"}', written[2], "words"]
    lines, skipped = json_text.parse_objects("\n".join(broken), depth_limit=9)
    assert [line.value["number"] for line in lines] == [0, 1, 2]
    assert [(item.where, item.line) for item in skipped] == [("line 9", broken[2] + "\n"), ("line 15", "words")]
    for other in ('{"a": 1}', '{"a": 1}\n[2]', '{"a": 1}\nwords', "", '{"a": {"b": {"c": 1}}}\n{}'):
        assert json_text.parse_objects(other, depth_limit=2) == ([], [])


def test_objects_of_which_many_are_broken_are_left_at_a_bound() -> None:
    text = '{"a": 1}\n' * 2 + '{"a": "\n' * 5_000
    lines, skipped = json_text.parse_objects(text, depth_limit=9_999)
    assert len(lines) == 2
    assert len(skipped) == 1_001


def test_a_text_is_read_in_vain_only_some_times() -> None:
    text = '{"a": 1}\n' * 2 + '{"a": [\n' * 90 + "1, " * 100_000
    lines, skipped = json_text.parse_objects(text, depth_limit=200)
    assert len(lines) == 2
    assert len(skipped) < 10


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (r'{"text": "write to \***@***.invalid"}', r"write to \***@***.invalid"),
        (r'{"text": "C:\Users\ada \u00e9 \\x"}', "C:\\Users\\ada \u00e9 \\x"),
        (r'{"text": "\u12 \"quoted\" \\"}', '\\u12 "quoted" \\'),
    ],
)
def test_a_backslash_that_begins_no_escape_is_read_as_one_and_its_line_is_counted(row: str, text: str) -> None:
    stray: list[int] = []
    assert objects_on(row, 7, depth_limit=9, stray=stray) == ([{"text": text}], None)
    assert stray == [7]
    assert objects_on(row, 7, depth_limit=9) == ([{"text": text}], None)
    lines, skipped = parse_lines(f'{{"a": 1}}\n{row}\n', depth_limit=9)
    assert ([line.number for line in lines], skipped) == ([1, 2], [])


@pytest.mark.parametrize("row", [r'{"text": "cut off \q', r'{"text": \q}', '{"text": "\\'])
def test_a_line_that_is_no_json_for_other_reasons_is_listed_as_it_stands(row: str) -> None:
    stray: list[int] = []
    objects, problem = objects_on(row, 7, depth_limit=9, stray=stray)
    assert (objects, stray) == ([], [])
    assert problem is not None
    assert problem.line == row


def test_the_report_counts_lines_with_such_backslashes_wherever_the_file_is_read() -> None:
    said = [json.dumps({"role": "user", "content": f"Is pier {number} free?"}) for number in range(200)]
    said[7] = r'{"role": "user", "content": "Ask \***@***.invalid"}'
    data = "\n".join(said).encode()
    found = import_bytes(data)
    assert "Lines with backslashes that begin no escape, read as backslashes: 1" in found.warnings
    assert not found.skipped
    assert is_read_both_ways(Case("talk.jsonl", data, ()))
