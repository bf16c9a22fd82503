"""JSON with comments and commas at ends: read as the JSON it is without them, and strings are left alone."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.messages.imported import Imported
from budgeteer.formats.reading.notations.commented_json import plain_json
from tests.formats.shapes import zipped

SAID = '{"role": "user", "content": "See http://a.example, /* b */ [1,] and \\"{,}\\" // c"}'
REPLY = '{"role": "assistant", "content": "Seen."}'
COMMAS = "Commas before a closing bracket, which JSON does not have, passed over: "
COMMENTS = "Comments in the JSON, left out: "


def told(found: Imported) -> list[tuple[str, str]]:
    (chat,) = found.conversations
    return [(message.role, getattr(message.parts[0], "text", "")) for message in chat.messages]


@pytest.mark.parametrize(
    ("text", "warnings"),
    [
        (f"[{SAID}, {REPLY},]", (COMMAS + "1",)),
        (f"[\n{SAID},\n{REPLY}\n,\n]\n", (COMMAS + "1",)),
        (f"// of today\n[{SAID}, // asked\n /* told,\n] */ {REPLY} /* end */]", (COMMENTS + "4",)),
        (f"/* of today */ {{'messages': [{SAID}, {REPLY} , /* end */ ],}}".replace("'", '"'), None),
        (f"{SAID[:-1]},}}\n{REPLY[:-1]},}}\n", (COMMAS + "2",)),
    ],
)
def test_comments_and_commas_at_ends_are_passed_over_and_counted(text: str, warnings: tuple[str, ...] | None) -> None:
    found = import_bytes(text.encode(), name="notes.txt")
    assert found.format == "openai-chat"
    assert told(found) == [("user", json.loads(SAID)["content"]), ("assistant", "Seen.")]
    assert found.warnings == (warnings or (COMMENTS + "2", COMMAS + "2"))


def test_a_file_of_an_archive_says_so_too() -> None:
    found = import_bytes(zipped({"a.json": f"[{SAID}, {REPLY},]"}))
    assert found.format == "transcripts"
    assert found.warnings == (f"a.json: {COMMAS}1",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"[{SAID},,{REPLY}]", f"line 1, column {len(SAID) + 3}: This is not valid JSON: Expecting value. Put a value"),
        (f"[{SAID}, // one\n,{REPLY}]", "line 2, column 1: This is not valid JSON: Expecting value. Put a value there"),
        (f"[{SAID}\n{REPLY},]", "line 2, column 1: This is not valid JSON: Expecting ',' delimiter. Put a comma or a"),
        (f"[,{SAID}]", "line 1, column 2: This is not valid JSON: Expecting value"),
        ('{"messages": [,]}', "line 1, column 15: This is not valid JSON: Expecting value"),
        (f"[{SAID}, /* never ended ]", "The JSON is cut off"),
    ],
)
def test_what_else_is_no_json_is_refused_where_it_stands(text: str, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        import_bytes(text.encode(), name="x.json")
    assert said in caught.value.sentence


@pytest.mark.parametrize("text", ["// x\nint main() {\n  return 0;\n}\n", "/* {} */ a b c", "// [1, 2]\n// nothing"])
def test_programs_that_begin_with_a_comment_are_texts(text: str) -> None:
    assert import_bytes(text.encode()).format == "text"


VALUES = st.recursive(
    st.none() | st.integers() | st.text(st.sampled_from('a,]}[{/*" \\\n:'), max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(VALUES, st.booleans())
def test_json_stays_as_it_is_and_with_commas_at_every_end_means_the_same(value: object, indented: bool) -> None:
    text = json.dumps(value, indent=2 if indented else None)
    assert plain_json(text) is None
    written = _with_commas(value)
    plain = plain_json(written)
    assert json.loads(plain.text if plain else written) == value
    assert len(plain.text if plain else written) == len(written)


def _with_commas(value: object) -> str:
    """JSON with a comment and a comma behind the last member of every list and object."""
    if isinstance(value, list):
        return "[" + "".join(f"{_with_commas(one)} /* , */ , // ]\n" for one in value) + "]"
    if isinstance(value, dict):
        return "{" + "".join(f"{json.dumps(key)}: {_with_commas(one)}," for key, one in value.items()) + "}"
    return json.dumps(value)


def test_it_is_linear_on_hostile_texts() -> None:
    begun = time.process_time()
    for text in ("/*" * 300_000, ", " * 300_000, "[" + "," + " " * 300_000, '"\\' * 300_000, "//" * 300_000, "/" * 9):
        plain_json(text)
    assert time.process_time() - begun < 5
