"""Usage files: counts and times in every form they come in, and what is none."""

from __future__ import annotations

import time
from typing import Any

import pytest

from budgeteer.engine.content.usage_order import Use
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.shapes import dumps, jsonl

MARCH, APRIL = "2026-03-01T10:00:00Z", "2026-04-01T10:00:00Z"
IN_MARCH, IN_APRIL = 1772359200.0, 1775037600.0


@pytest.mark.parametrize(
    ("data", "uses"),
    [
        (dumps({"git-commit": 12, "pdf": 0}), {"git-commit": Use(12), "pdf": Use(0)}),
        (dumps({"docs/pdf": {"count": 3, "last": MARCH}, "x": {"lastUsed": APRIL}}),
         {"docs/pdf": Use(3, IN_MARCH), "x": Use(1, IN_APRIL)}),
        (dumps({"git-commit": [MARCH, APRIL, MARCH]}), {"git-commit": Use(3, IN_APRIL)}),
        (jsonl({"skill": "a", "timestamp": MARCH}, {"skill": "a", "timestamp": APRIL}, {"tool": "b", "at": IN_MARCH}),
         {"a": Use(2, IN_APRIL), "b": Use(1, IN_MARCH)}),
        (dumps([{"name": "a", "date": "2026-03-01T10:00:00"}]), {"a": Use(1, IN_MARCH)}),
        (f"{MARCH} git-commit\r\n{APRIL}\tpdf tools\n".encode(),
         {"git-commit": Use(1, IN_MARCH), "pdf tools": Use(1, IN_APRIL)}),
        (f"\ufeffgit-commit,{MARCH}\ngit-commit,{APRIL}\n".encode(), {"git-commit": Use(2, IN_APRIL)}),
        (b"1772359200 a\n1772359200000 b\n", {"a": Use(1, IN_MARCH), "b": Use(1, IN_MARCH)}),
    ],
    ids=["counts", "objects", "times", "JSONL", "array", "lines", "name first", "Unix"],
)  # fmt: skip
def test_counts_and_times_are_read_by_name(data: bytes, uses: dict[str, Use]) -> None:
    found = import_bytes(data)
    assert (found.format, found.kind) == ("usage", "usage")
    assert dict(found.usage) == uses
    assert found.skipped == ()


@pytest.mark.parametrize(
    "value", [{"a": 1, "b": 2}, {"git-commit": -1}, {"git-commit": True}, {"git-commit": "often"}, {"a-b": [1, 2]}]
)
def test_what_may_count_anything_is_no_usage_file(value: Any) -> None:
    with pytest.raises(FormatError, match="Nothing that can be read was found"):
        import_bytes(dumps(value))


def test_lines_of_a_log_are_no_uses() -> None:
    lines = [f'{MARCH}: task_name="look", status="started"', f"{APRIL} INFO: it began", f'{APRIL} {{"a": 1}}']
    assert import_bytes("\n".join(lines).encode()).format == "text"


def test_plain_names_are_read_when_the_format_is_named() -> None:
    assert dict(import_bytes(dumps({"a": 1, "b": 2}), as_format="usage").usage) == {"a": Use(1), "b": Use(2)}


def test_what_is_no_use_is_listed_with_its_place() -> None:
    found = import_bytes(dumps({"git-commit": 1, "pdf": "often"}), as_format="usage")
    assert [(item.where, item.why, item.line) for item in found.skipped] == [
        ("key pdf", "no count and no time", '"often"')
    ]
    found = import_bytes(f"time name\n{MARCH} a\n{MARCH} b\n".encode())
    assert [(item.where, item.line) for item in found.skipped] == [("line 1", "time name")]
    found = import_bytes(jsonl({"skill": "a", "timestamp": MARCH}, {"skill": "b"}))
    assert [item.where for item in found.skipped] == ["line 2"]


def test_a_file_without_one_use_is_an_error() -> None:
    with pytest.raises(FormatError, match=r"No use of a skill or tool was found .* Give \{\"name\": count\}"):
        import_bytes(dumps({"a": "b"}), as_format="usage")


def test_events_of_a_log_are_no_uses() -> None:
    event = {"ts": "2026-03-01T10:00:00Z", "type": "read", "path": "piers.json", "requestId": "q-1", "stack": "at read"}
    with pytest.raises(FormatError):
        import_bytes(jsonl(event, event))


@pytest.mark.parametrize("sign", [" ", "\t", ",", "a ", "\u3000"])
def test_a_long_line_is_none_of_a_time_and_a_name_and_takes_no_time(sign: str) -> None:
    """Two fields in a line of blanks were looked for in the square of its length: minutes of a megabyte."""
    data = f"User: x{sign * 100_000}\u017f y\nAssistant: yes\n".encode()
    before = time.process_time()
    assert import_bytes(data, name="long.txt").kind == "conversation"
    assert time.process_time() - before < 10


@pytest.mark.parametrize("more", [{"detail": "Lay the boats in the order of their draught. " * 4}, {"parent_id": "n1"}])
def test_steps_of_a_session_are_no_uses(more: dict[str, str]) -> None:
    steps = [{"id": f"n{at}", "timestamp": f"2026-07-06T10:00:{at:02}Z", "type": "thought", **more} for at in range(9)]
    with pytest.raises(FormatError):
        import_bytes(jsonl(*steps))


def test_rows_of_a_table_are_no_times_with_names() -> None:
    rows = "".join(f"2026-03-0{day}T10:00:00,m,17,{day},x\n" for day in range(1, 9))
    with pytest.raises(FormatError):
        import_bytes(f"when,model,a,b,c\n{rows}".encode())
