"""A JSON document too large to hold: read a member at a time, it gives what it gives when it is held."""

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
from budgeteer.formats.messages.progress import ProgressHeartbeat
from budgeteer.formats.reading import json_text, member_index
from budgeteer.formats.reading.document import Options, open_file
from budgeteer.formats.reading.lazy_members import LazyList, LazyObject, beginning_of, held, read_lazily
from budgeteer.formats.reading.limits import Limits
from tests.formats.fuzzing import is_read_both_ways
from tests.formats.maker_shapes import MAKERS
from tests.formats.mutations import Case

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


def lazily(data: bytes, depth_limit: int = 200) -> Any:
    """The value of a document that is not held, None where it has to be."""
    telling = ProgressHeartbeat()
    found = read_lazily(io.BytesIO(data), size=len(data), depth_limit=depth_limit, telling=telling)
    return None if found is None else found.value


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(member_index, "MANY_MEMBERS", 2)
    monkeypatch.setattr(member_index, "LARGE_BYTES", 0)


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
    monkeypatch.setattr(member_index, "MOST_VALUES", 100)
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


DAMAGED = [
    b'[{"a": 1}, {"b": 2}',
    b'[{"a": 1}, {"b": 2}] x',
    b'[{"a": 1}, {"b": 2}]]',
    b'[{"a": 1}, {"b": 2}}',
    b'[{"a": 1}, , {"b": 2}]',
    b'[{"a": 1}, {"b": 2},]',
    b'{"a": 1, "b": 2, 3}',
    b'[1, "\\"]',
    b'[{"a": 1}, {"b": ' + b"[" * 199 + b"]" * 199 + b"}]",
    b'[{"a": 1}, {"b": ' + b"[" * 9_999 + b"]" * 9_999 + b"}]",
    b'["' + b"x" * 300_000,
    b"x" * 300_000,
    b"[]",
    b'{"a": {"b": 1}}',
]
"""Damaged, deeper than the limit, of a key that comes twice, or with nothing large in it."""


@pytest.mark.parametrize("data", DAMAGED)
def test_everything_else_is_looked_at_as_a_whole(data: bytes) -> None:
    assert lazily(data) is None


@pytest.mark.parametrize(
    "value",
    [
        {"a": 1, "b": [1, 2.5, "x", None, {"c": [True]}], "d": {"e": {}, "f": []}},
        [{"a": [1, 2]}, {"a": [3, 4]}],
        {"one": {"list": [{"x": 1}, {"y": [1, 2, 3]}]}},
        [[1, 2], ["\ue000large list or object 9", 3]],
        {"a": ["\\", '"', '\\"', "[{,", "\u2028"], "b": {'"': 1, "\\": 2}},
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_a_value_is_what_it_is_when_it_is_held(value: Any, indent: int | None) -> None:
    for ascii_only in (True, False):
        data = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode()
        assert held(lazily(data)) == value
        assert held(lazily(b"\xef\xbb\xbf " + data + b"\n")) == value


def test_what_is_small_stays_around_what_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(member_index, "MANY_MEMBERS", 5)
    monkeypatch.setattr(member_index, "LARGE_BYTES", 100)
    value = {"id": "c", "tags": ["a", "b"], "said": [{"text": "Ferry"}] * 20, "by": {str(at): at for at in range(20)}}
    found = lazily(json.dumps(value).encode())
    assert type(found) is dict
    assert type(found["tags"]) is list
    assert isinstance(found["said"], LazyList)
    assert isinstance(found["by"], LazyObject)
    assert held(found) == value == held(beginning_of(found))
    assert found["said"][-1]["text"] == "Ferry"
    assert len(found["said"][1:3]) == 2
    assert found["by"]["19"] == 19


def test_a_key_that_comes_twice_is_looked_at_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(member_index, "MANY_MEMBERS", 3)
    assert lazily(b'{"a": [1, 2, 3], "a": [4, 5, 6]}') is None
    assert held(lazily(b'{"a": 1, "b": 2, "a": [4, 5, 6]}')) == {"a": [4, 5, 6], "b": 2}


def test_the_outermost_of_many_members_is_what_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(member_index, "MANY_MEMBERS", 5)
    few, many = {"talks": [{"said": list(range(9))}] * 3}, {"talks": [{"said": list(range(9))}] * 7}
    found = lazily(json.dumps(few).encode())
    assert type(found["talks"]) is list
    assert isinstance(found["talks"][2]["said"], LazyList)
    assert isinstance(lazily(json.dumps(many).encode())["talks"], LazyList)


def test_a_member_is_read_up_to_the_limit_on_depth() -> None:
    for deep in (195, 196, 197):
        data = b'{"a": [{"a": 1}, {"b": ' + b"[" * deep + b"]" * deep + b"}]}"
        assert held(lazily(data)) == json.loads(data)
    assert lazily(b'{"a": [{"a": 1}, {"b": ' + b"[" * 198 + b"]" * 198 + b"}]}") is None
    for deep in (3, 4):
        data = b'{"a": [{"a": 1}, {"b": ' + b"[" * deep + b"]" * deep + b"}]}"
        assert (lazily(data, depth_limit=7) is None) == (deep == 5)


def test_what_outlives_the_file_is_held(options: Options) -> None:
    tools = [
        {"type": "function", "function": {"name": f"look_{at}", "parameters": {"type": "object"}}} for at in (1, 2)
    ]
    request = json.dumps({"model": "m", "tools": tools, "messages": TALK}).encode()
    for data, read in (
        (request, lambda found: found.conversations[0].tools),
        (json.dumps({"tools": tools}).encode(), lambda found: found.tools),
    ):
        with io.BytesIO(data) as file:
            found = import_file(file, options=options)
        assert read(found) == read(import_bytes(data))
        assert json.loads(json.dumps([getattr(tool, "raw", tool) for tool in read(found)])) == tools


def test_only_the_first_members_tell_the_format(options: Options) -> None:
    said = json.dumps({"role": "user", "content": "Ferry " * 50}).encode()
    data = b'{"messages": [' + b",".join([said] * 3_000) + b"]}"
    document = open_file(io.BytesIO(data), options=options)
    assert document.members is not None
    beginning = document.beginning()
    assert len(beginning.value["messages"]) == 1_000
    assert document.members.current == 999
    assert len(document.value["messages"]) == 3_000


@pytest.mark.parametrize("size", [1, 2, 5, 7, 1_000])
def test_half_of_a_pair_is_a_replacement_and_its_name_in_a_text_is_not(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(member_index, "CHUNK_BYTES", size)
    text = r'[{"a": "x\ud83dy\\ud83d\\\ud83d"}, {"b": "\ud83d\ude00\ud83d"}]'
    assert held(lazily(text.encode())) == json_text.parse(text, depth_limit=9)


TEXTS = st.text(
    alphabet=st.sampled_from(['"', "\\", "u", "d", "8", "0", "ä", "\U0001f6a2", "\n", ",", "]", "{"]), max_size=12
)
VALUES = st.recursive(
    TEXTS | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=25,
)


@given(VALUES, st.integers(1, 9), st.integers(2, 4), st.booleans(), st.sampled_from([None, 1]))
def test_no_piece_is_misread(value: Any, size: int, many: int, ascii_only: bool, indent: int | None) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(member_index, "CHUNK_BYTES", size)
        patch.setattr(member_index, "MANY_MEMBERS", many)
        found = lazily(json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode())
    assert found is None or held(found) == value


@given(st.binary(max_size=30), st.integers(1, 9))
def test_what_is_no_json_is_never_read(data: bytes, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(member_index, "CHUNK_BYTES", size)
        found = lazily(data)
    assert found is None or held(found) == json.loads(data.decode("utf-8-sig", "replace"))


def test_every_maker_is_read_as_it_is_when_it_is_held() -> None:
    for name, data in MAKERS.items():
        assert is_read_both_ways(Case(f"{name}.json", data, ())), name
