"""Lines and members that are read together where they are looked at in order: as one by one, in any order."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.formats.messages.progress import ProgressHeartbeat
from budgeteer.formats.reading.json_text import marks_of_members, plain_members, plain_objects
from budgeteer.formats.reading.lazy_jsonl import READ_AHEAD, HeldBlocks, look_through, telling
from budgeteer.formats.reading.lazy_members import read_lazily

DEPTH = 200

rows = st.sampled_from(
    [
        b'{"n": 1}', b'{"n": [1, 2]}', b'{"a": "\\\\"}', b'{"a": "\\"],"}', b'{"a": "],[{"}', b'{"n": 1}{"n": 2}', b"",
        b"[1]", b"7", b'{"n": 1', b'{"n": [[1', b"2]]}", b'{"n": 1}],[{"n": 2}', b'{"n": 1},{"n": 2}', b'{"a": "\xff"}',
    ]
)  # fmt: skip


@given(st.lists(rows, min_size=1, max_size=6))
def test_lines_are_parsed_together_only_where_each_is_one_object(given_rows: list[bytes]) -> None:
    found = plain_objects([row + b"\n" for row in given_rows], depth_limit=DEPTH)
    try:
        alone = [json.loads(row) for row in given_rows]
    except ValueError:
        assert found is None
        return
    assert found == (alone if all(isinstance(value, dict) for value in alone) else None)


def test_two_lines_that_are_json_only_together_are_not_taken_for_two() -> None:
    together = [b'{"a": [[1]\n', b"[2]]}\n", b'{"b": 1}],[{"c": 2}\n']
    assert plain_objects(together, depth_limit=DEPTH) is None


@pytest.mark.parametrize("depth", [DEPTH, 190, 20])
def test_the_limit_on_depth_holds_for_lines_that_are_parsed_together(depth: int) -> None:
    deeper = b'{"a": ' + b"[" * depth + b"]" * depth + b"}"
    assert plain_objects([b'{"a": 1}', deeper], depth_limit=depth) is None
    assert plain_members(b'{"a": 1}, ' + deeper, 2, is_object=False, depth_limit=depth) is None


def test_members_are_counted() -> None:
    assert plain_members(b'1, {"a": 2}', 2, is_object=False, depth_limit=DEPTH) == [1, {"a": 2}]
    assert plain_members(b'"k": 1, "l": 2', 2, is_object=True, depth_limit=DEPTH) == {"k": 1, "l": 2}
    assert plain_members(b'"k": 1, "k": 2', 2, is_object=True, depth_limit=DEPTH) is None
    assert plain_members(b"1, 2], [3", 2, is_object=False, depth_limit=DEPTH) is None


members = st.sampled_from(
    [
        b'{"n": 1}', b'{"n": [1, {"m": 2}]}', b'{"a": "\\\\"}', b"{}", b"[1]", b"7", b"", b'{"n": 1', b'{"n": 01}',
        b'{"n": 1}], [{"n": 2}', b'{"n": 1}}, "k": {{"n": 2}', b'{"a": "\\ud800"}', b'{"a": "\x01"}', b'{"a": "\xff"}',
        b'{"n": NaN}', b'{"n": ' + b"1" * 5_000 + b"}",
        b'{"n": ' + b"[" * 40 + b"]" * 40 + b"}", b'{"n": ' + b"[" * 190 + b"]" * 190 + b"}",
    ]
)  # fmt: skip


@given(st.lists(members, min_size=1, max_size=4), st.booleans(), st.integers(20, DEPTH))
def test_members_are_marked_only_where_they_are_read_together(told: list[bytes], is_object: bool, depth: int) -> None:
    raw = b", ".join(b'"%d": %b' % (at, one) if is_object else one for at, one in enumerate(told))
    marks = marks_of_members(raw, len(told), is_object=is_object, depth_limit=depth)
    read = plain_members(raw, len(told), is_object=is_object, depth_limit=depth)
    if marks is not None:
        assert read is not None
        assert list(marks) == (list(read) if isinstance(read, dict) else [{}] * len(told))
    elif 180 <= depth < DEPTH and read is not None:
        values = read.values() if isinstance(read, dict) else read
        assert not all(isinstance(value, dict) for value in values)


def _file_of_lines() -> tuple[bytes, list[tuple[int, dict[str, Any]]]]:
    """Lines with blank ones, glued ones, bad ones and one larger than what is read ahead, and what they hold."""
    written: list[bytes] = []
    held: list[tuple[int, dict[str, Any]]] = []
    for number in range(1, 3 * READ_AHEAD):
        value = {"n": number, "text": "Ferry " * (60_000 if number == 40 else number % 7)}
        if number % 100 == 17:
            written.append(b"")
        elif number % 100 == 33:
            written.append(b'{"n": ')
        elif number % 100 == 50:
            written.append(json.dumps(value).encode() * 2)
            held += [(number, value)] * 2
        else:
            written.append(json.dumps(value).encode())
            held.append((number, value))
    return b"\n".join(written) + b"\n", held


@given(st.lists(st.integers(0, 700), max_size=40), st.integers(0, 40))
def test_lines_are_the_same_in_whatever_order_they_are_looked_at(order: list[int], told: int) -> None:
    data, held = _LINES
    found = look_through(io.BytesIO(data), size=len(data), depth_limit=DEPTH, progress=None).lines
    for done, start in enumerate(order):
        if done == told:
            found.forget_first()
        for at in range(start, min(start + 5, len(held))):
            assert (found[at].number, found[at].value) == held[at]
            assert found.current == at


def test_the_lines_that_tell_the_format_are_parsed_once_until_they_are_let_go() -> None:
    data, _held = _LINES
    lines = look_through(io.BytesIO(data), size=len(data), depth_limit=DEPTH, progress=None).lines
    first = [line.value for line in telling(lines)]
    assert all(line.value is value for line, value in zip(telling(lines), first, strict=True))
    lines.forget_first()
    assert lines[0].value == first[0]
    assert lines[0].value is not first[0]


def test_lines_are_the_same_one_after_the_other() -> None:
    data, held = _LINES
    scanned = look_through(io.BytesIO(data), size=len(data), depth_limit=DEPTH, progress=None)
    assert [(line.number, line.value) for line in scanned.lines] == held
    assert list(scanned.lines.numbered()) == held
    assert [one.where for one in scanned.skipped] == [f"line {at}" for at in range(33, 3 * READ_AHEAD, 100)]


@pytest.mark.parametrize("is_object", [False, True])
@given(data=st.data())
def test_members_are_the_same_in_whatever_order_they_are_looked_at(data: st.DataObject, *, is_object: bool) -> None:
    values = [{"n": at, "said": '\\"' * (at % 5) + "\\" * (at % 11) + "Ferry " * 500} for at in range(600)]
    document = {str(at): value for at, value in enumerate(values)} if is_object else values
    raw = json.dumps({"all": document}).encode()
    large = read_lazily(io.BytesIO(raw), size=len(raw), depth_limit=DEPTH, telling=ProgressHeartbeat())
    assert large is not None
    found = large.value["all"]
    assert len(found) == len(values)
    for start in data.draw(st.lists(st.integers(0, 599), max_size=12)):
        for at in range(start, min(start + 4, 600)):
            assert found[str(at) if is_object else at]["said"] == values[at]["said"]
    assert list(found.values() if is_object else found) == values


_LINES = _file_of_lines()


def test_a_step_back_or_a_short_gap_does_not_end_reading_ahead() -> None:
    held: HeldBlocks[int] = HeldBlocks()
    held.put(0, range(8))
    held.put(8, range(8, 24))
    assert held.turn_to(7)
    assert held.values[7 - held.first] == 7
    assert held.ahead(26) == 32  # two after the end of the block of 16
    assert held.ahead(40) == 1
    assert not held.turn_to(24)
