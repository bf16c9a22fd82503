"""Values in Python's spelling: read as what Python reads, within JSON's bounds, and other texts stay what they are."""

from __future__ import annotations

import ast
import json
import pprint
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.messages.imported import Imported
from budgeteer.formats.reading.notations.python_values import column_in, python_values
from tests.formats.shapes import ANTHROPIC_BODY, OPENAI_CHAT, zipped

TALK = [
    {"role": "user", "content": "It's \"late\",\nisn't it? \\d \x07 \x9f 🐙 // no comment [1,]", "seen": None},
    {"role": "assistant", "content": "No.", "done": True},
]
SPELLING = "Values in Python's spelling (`'text'`, `None`, `True`), read as JSON has them: "


def told(found: Imported) -> object:
    return found.format, found.conversations, found.skipped


def naive(text: str) -> list[tuple[str, str]]:
    """What Python itself reads, which is asked of nothing else here."""
    value = ast.literal_eval(text)
    return [(one["role"], one["content"]) for one in (value if isinstance(value, list) else value["messages"])]


@pytest.mark.parametrize("value", [TALK, OPENAI_CHAT, {"messages": OPENAI_CHAT}, ANTHROPIC_BODY])
def test_what_python_prints_is_read_as_the_json_of_the_same_values(value: Any) -> None:
    whole = import_bytes(json.dumps(value).encode())
    for printed in (repr(value), pprint.pformat(value, width=30)):
        found = import_bytes(printed.encode(), name="log.txt")
        assert told(found) == told(whole)
        assert found.warnings[0].startswith(SPELLING)


def test_the_texts_are_those_that_python_reads() -> None:
    for text in (repr(TALK), pprint.pformat({"messages": TALK}, width=20), repr(TALK).replace("}, {", "},\n{")):
        (chat,) = import_bytes(text.encode()).conversations
        assert [(one.role, getattr(one.parts[0], "text", "")) for one in chat.messages] == naive(text)


def test_lines_are_read_and_one_that_is_none_is_listed_as_it_stands() -> None:
    rows = [*map(repr, TALK), "{'role': 'user', 'content': datetime(2026, 3, 1)}"]
    found = import_bytes("\n".join(rows).encode())
    assert [len(chat.messages) for chat in found.conversations] == [2]
    assert [(one.where, one.line) for one in found.skipped] == [("line 3", rows[2])]
    assert found.warnings == (f"{SPELLING}16",)


def test_tuples_and_commas_at_ends_are_read() -> None:
    found = import_bytes(
        b"[{'role': 'user', 'content': ('Is it ' 'late?',)}, ({'role': 'assistant', 'content': 'No.'}),]"
    )
    assert found.warnings[1].endswith("passed over: 2")
    found = import_bytes(zipped({"a.log": "{'messages': [{'role': 'user', 'content': 'Late?'},],}"}))
    assert [warning.partition(": ")[0] for warning in found.warnings] == ["a.log", "a.log"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[{'role': 'user', 'content': datetime(2026)}]", "line 1, column 30: This is not valid JSON: Expecting value"),
        ("{'role': 'user',\n 'content': b'x'}", "line 2, column 13: This is not valid JSON: Expecting value"),
        ("[{'role': 'user', 'content': 'a", "line 1, column 30: The JSON is cut off: it ends inside the string"),
        ("[{'role': 'us\\x65r', 'said': 'x' 1}]", "line 1, column 34: This is not valid JSON: Expecting ',' delimiter"),
        ("{'a', 'b'}", "line 1, column 5: This is not valid JSON: Expecting ':' delimiter"),
        ('[{"role": "user", "content": "a" "b"}]', "line 1, column 34: This is not valid JSON: Expecting ','"),
        ("[{'a': " + "[" * 300 + "]" * 300 + "}]", "nested deeper than the limit on JSON depth, 200"),
    ],
)
def test_what_else_is_none_is_refused_where_it_stands(text: str, said: str) -> None:
    with pytest.raises(FormatError) as caught:
        import_bytes(text.encode())
    assert said in caught.value.sentence


@pytest.mark.parametrize(
    "text", ["['coats', 'boots']\n", "[sic] 'tis late\n", "[a](https://b.example) 'c'\n", "{{ 'a' }} {% b %}\n"]
)
def test_prose_in_brackets_stays_text(text: str) -> None:
    assert import_bytes(text.encode()).format == "text"


LETTERS = st.sampled_from("a'\"\\\n\t,]}[{(#é\x85\u2028🐙 ")
PLAIN = st.none() | st.booleans() | st.integers(-9, 9) | st.text(LETTERS, max_size=8)
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("k'\"\\", max_size=3), inner, max_size=3),
)


@given(st.dictionaries(st.text("k'\"\\", min_size=1, max_size=3), VALUES, min_size=1, max_size=3), st.integers(10, 80))
def test_any_values_come_back(value: dict[str, Any], width: int) -> None:
    for printed in (repr(value), pprint.pformat(value, width=width)):
        plain = python_values(printed, 1, 2)
        if plain is None:
            assert printed[1] != "'"
        else:
            assert json.loads(plain.text, strict=False) == ast.literal_eval(printed)
            assert plain.text.count("\n") == printed.count("\n")


def test_escapes_mean_what_python_says() -> None:
    body = r"\x41\u00e9\U0001F419\N{BULLET}\101\7\a\v\d\'\"\/ \N{NO SUCH NAME} \Uffffffff"
    plain = python_values(f"{{'a': '{body}'}}", 1, 2)
    assert plain is not None
    assert json.loads(plain.text)["a"] == "Aé🐙•A\x07\x07\x0b\\d'\"\\/ \\N{NO SUCH NAME} \\Uffffffff"


def test_a_column_is_that_of_the_file() -> None:
    text = "{'a': None,\n 'bcd': True, 'e': x}"
    plain = python_values(text, 1, 2)
    assert plain is not None
    row = plain.text.split("\n")[1]
    assert column_in(text, 2, row.index("x") + 1) == text.split("\n")[1].index("x") + 1


def test_it_is_told_soon_on_hostile_texts() -> None:
    begun = time.process_time()
    for text in (
        "[" * 500_000 + "'",
        "[(" * 300_000 + "'a'",
        "{'" + "\\" * 900_000,
        "{'a': " + "('a'" * 200_000,
        "{'a': " + "'a' " * 200_000,
        "{'a': '" + "\\N{" * 200_000 + "'}",
        "{'a': 1" + "\n'" * 400_000,
    ):
        with pytest.raises(FormatError):
            import_bytes(text.encode(), name="a.json")
    assert time.process_time() - begun < 20
