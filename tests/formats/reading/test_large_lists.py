"""A JSON list too large to hold: read an element at a time, it gives what it gives when it is held."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import IO, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.content.conversation import message_to_json
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes, import_file
from budgeteer.formats.messages.imported import Imported
from budgeteer.formats.messages.message_spool import SpooledMessages
from budgeteer.formats.reading import json_text, large_lists
from budgeteer.formats.reading.document import Options, open_file
from budgeteer.formats.reading.large_lists import write_elements
from budgeteer.formats.reading.limits import Limits

TALK = [{"role": ("user", "assistant")[at % 2], "content": f"{at}. Is the ferry läte?\u2028 " * 9} for at in range(40)]


@pytest.fixture
def options() -> Iterator[Options]:
    with ExitStack() as stack:

        def scratch() -> IO[bytes]:
            return stack.enter_context(tempfile.TemporaryFile())

        yield Options(limits=Limits(held_bytes=0), scratch=scratch)


def chat(number: int) -> dict[str, Any]:
    """A conversation as ChatGPT exports it."""
    said = {
        "author": {"role": "user"},
        "content": {"content_type": "text", "parts": [f"Ferry {number}? \U0001f6a2 " * 9]},
    }
    root: dict[str, Any] = {"id": "r", "message": None, "parent": None, "children": ["a"]}
    node = {"id": "a", "message": {"id": "a", "create_time": 1.5, **said}, "parent": "r", "children": []}
    return {
        "title": f"Chat {number}",
        "mapping": {"r": root, "a": node},
        "current_node": "a",
        "conversation_id": f"c{number}",
    }


def told(found: Imported) -> Any:
    messages = [[message_to_json(one) for one in each.messages] for each in found.conversations]
    return found.format, [(each.id, each.title) for each in found.conversations], messages


def elements(data: bytes, **more: Any) -> list[Any]:
    rows = io.BytesIO()
    count = write_elements(rows, io.BytesIO(data), size=len(data), depth_limit=200, **more)
    found = [json.loads(row) for row in rows.getvalue().split(b"\n")[:-1]]
    assert count in (0, len(found))
    return found if count else []


@pytest.mark.parametrize("value", [TALK, [{"messages": TALK}] * 3, [chat(number) for number in range(5)]])
@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("indent", [None, 2])
def test_a_list_gives_what_it_gives_when_it_is_held(
    value: list[Any], ascii_only: bool, indent: int | None, options: Options
) -> None:
    data = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
    found = import_file(io.BytesIO(data), options=options)
    assert told(found) == told(import_bytes(data))
    assert all(isinstance(each.messages, SpooledMessages) for each in found.conversations)
    assert found.warnings[0] == f"A JSON list of {len(value)} elements, read one by one: line 3 is its third element"


def test_a_list_of_more_values_than_can_be_held_is_read(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_text, "MOST_VALUES", 100)
    monkeypatch.setattr(json_text, "_MANY_CHARACTERS", 1)
    monkeypatch.setattr(large_lists, "MOST_VALUES", 100)
    data = json.dumps(TALK * 2).encode()
    with pytest.raises(FormatError, match="at most 100 can be read at once"):
        import_bytes(data)
    assert len(import_file(io.BytesIO(data), options=options).conversations[0].messages) == 80
    with pytest.raises(FormatError, match="at most 100 can be read at once"):
        import_file(io.BytesIO(json.dumps(TALK * 3).encode()), options=options)


def test_progress_is_told_while_a_list_is_read(options: Options) -> None:
    heard: list[tuple[int, int, str]] = []
    data = json.dumps([{"role": "user", "content": "Ferry " * 500}] * 2_500).encode()
    open_file(io.BytesIO(data), options=replace(options, progress=lambda *said: heard.append(said)))
    done = [at for at, total, unit in heard if unit == "bytes" and total == len(data)]
    assert len(done) >= 3
    assert done == sorted(done)


@pytest.mark.parametrize(
    "data",
    [
        b"[]",
        b'[{"a": 1}]',
        b'{"a": [{"b": 1}, {"c": 2}]}',
        b'[{"a": 1}, 2]',
        b'[[1], {"a": 1}]',
        b'[{"a": 1}, {"b": 2}',
        b'[{"a": 1}, {"b": 2}] x',
        b'[{"a": 1}, {"b": 1e999}]',
        b'[{"a": 1}, {"b": ' + b"9" * 5_000 + b"}]",
        b'[{"a": 1}, {"b": "\xff"}]',
        b'[{"a": 1}, {"b": ' + b"[" * 199 + b"]" * 199 + b"}]",
        b'[{"a": 1}, {"b": ' + b"[" * 9_999 + b"]" * 9_999 + b"}]",
        b'["' + b"x" * 300_000,
        b"x" * 300_000,
    ],
)
def test_everything_else_is_looked_at_as_a_whole(data: bytes) -> None:
    assert elements(data) == []


def test_an_element_is_read_up_to_its_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    deepest = b'[{"a": 1}, {"b": ' + b"[" * 198 + b"]" * 198 + b"}]"
    assert len(elements(deepest)) == 2
    monkeypatch.setattr(large_lists, "CHUNK_BYTES", 100)
    monkeypatch.setattr(large_lists, "ELEMENT_BYTES", 2_000)
    assert len(elements(json.dumps([{"a": ["x"] * 200}, {}, {"a": ["x"] * 200}]).encode())) == 3
    assert elements(json.dumps([{}, {}, {"a": ["x"] * 900}]).encode()) == []
    assert elements(json.dumps([{}, {}, {"a": "x" * 9_000}]).encode()) == []


TEXTS = st.text(
    alphabet=st.sampled_from(['"', "\\", "u", "d", "8", "0", "ä", "\U0001f6a2", "\n", ",", "]"]), max_size=12
)


@given(st.lists(st.dictionaries(TEXTS, TEXTS, max_size=3), min_size=2, max_size=5), st.integers(1, 9), st.booleans())
def test_no_escape_is_cut_by_a_piece(value: list[dict[str, str]], size: int, ascii_only: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large_lists, "CHUNK_BYTES", size)
        assert elements(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


@pytest.mark.parametrize("size", [1, 2, 5, 7, 1_000])
def test_half_of_a_pair_is_a_replacement_and_its_name_in_a_text_is_not(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_lists, "CHUNK_BYTES", size)
    found = elements(rb'[{"a": "x\ud83dy\\ud83d\\\ud83d"}, {"b": "\ud83d\ude00\ud83d"}]')
    assert found == [{"a": "x\ufffdy\\ud83d\\\ufffd"}, {"b": "\U0001f600\ufffd"}]
    assert found == json_text.parse(r'[{"a": "x\ud83dy\\ud83d\\\ud83d"}, {"b": "\ud83d\ude00\ud83d"}]', depth_limit=9)
