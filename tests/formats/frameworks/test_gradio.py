"""Gradio's histories of pairs: read where something tells that they are a chat, else offered by the format's name."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import FilePart, ImagePart, Message, TextPart
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.messages.imported import Imported
from budgeteer.formats.unknown_json import UnknownShape
from tests.formats.makers.frameworks import GRADIO
from tests.formats.shapes import dumps, jsonl

FIRST = ["When does the first ferry leave?", "It leaves at 09:40."]
NEXT = ["And the last one of the day?", "It leaves at noon."]
TOLD = [("user", FIRST[0]), ("assistant", FIRST[1]), ("user", NEXT[0]), ("assistant", NEXT[1])]


def words(message: Message) -> str:
    return "".join(part.text for part in message.parts if isinstance(part, TextPart))


def told(found: Imported) -> list[list[tuple[str, str]]]:
    return [[(message.role, words(message)) for message in chat.messages] for chat in found.conversations]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"history": [FIRST, NEXT]}, TOLD),
        ({"chatbot": [["hi", "hello"]]}, [("user", "hi"), ("assistant", "hello")]),
        ([FIRST, [NEXT[0], None]], TOLD[:3]),
        ([[None, FIRST[1]], NEXT], [TOLD[1], *TOLD[2:]]),
        ({"prompt": NEXT[0], "history": [FIRST], "max_length": 9}, TOLD[:3]),
        ({"response": NEXT[1], "history": [FIRST, NEXT], "status": 200}, TOLD),
        ({"response": NEXT[1], "history": [FIRST, [NEXT[0], ""]]}, TOLD),
    ],
)
def test_pairs_with_a_sign_of_a_chat_are_a_conversation(value: Any, expected: list[tuple[str, str]]) -> None:
    found = import_bytes(dumps(value))
    assert (found.format, told(found)) == ("gradio", [expected])
    assert found.skipped == ()


def test_lines_and_elements_are_as_many_conversations() -> None:
    assert told(import_bytes(jsonl({"history": [FIRST]}, {"history": [NEXT]}))) == [TOLD[:2], TOLD[2:]]
    assert told(import_bytes(jsonl([FIRST, ["And then?", None]], [NEXT]), as_format="gradio")) == [
        [*TOLD[:2], ("user", "And then?")],
        TOLD[2:],
    ]


def test_files_stand_where_they_were_shown() -> None:
    (chat,) = import_bytes(dumps(GRADIO)).conversations
    assert [message.role for message in chat.messages] == [
        "assistant",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert chat.messages[3].parts == (ImagePart({"image": "/tmp/gradio/quay.png"}),)
    named = import_bytes(dumps({"chatbot": [[["/tmp/tides.pdf", "a table"], "Read."]]})).conversations[0].messages[0]
    assert named.parts == (FilePart({"file": ["/tmp/tides.pdf", "a table"]}, "tides.pdf"),)


@pytest.mark.parametrize(
    "value",
    [
        [FIRST, NEXT],
        [["ferry", "Fähre"], ["quay", "Kai"]],
        [["the first name of hers", "Ada of the ferries"], ["age", None], ["place", "Oslo"]],
        {"history": [["https://a.example/", "The ferries of Oslo today"]]},
        {"history": [["ls", "cd"], ["make", "git"]]},
    ],
)
def test_other_pairs_may_be_anything_and_are_offered_by_the_name_of_the_format(value: Any) -> None:
    with pytest.raises(UnknownShape) as caught:
        import_bytes(dumps(value))
    assert caught.value.found.choice == "gradio"
    assert "choose the format `gradio`" in caught.value.sentence
    chosen = import_bytes(dumps(value), as_format="gradio")
    pairs = value if isinstance(value, list) else value["history"]
    assert told(chosen)[0][:2] == [("user", pairs[0][0]), ("assistant", pairs[0][1])]


@pytest.mark.parametrize("value", [[["a", "b", "c"]], [[1, 2]], [[]]])
def test_what_is_no_pair_of_texts_is_not_offered(value: Any) -> None:
    with pytest.raises(UnknownShape) as caught:
        import_bytes(dumps(value))
    assert caught.value.found.choice == ""
    with pytest.raises(FormatError, match="No Gradio messages were found"):
        import_bytes(dumps(value), as_format="gradio")


def test_what_is_no_pair_further_on_is_listed() -> None:
    found = import_bytes(dumps({"history": [*[FIRST] * 40, ["alone"], NEXT]}))
    assert [(item.where, item.why) for item in found.skipped] == [
        ("the object, pair 41", "no pair of a prompt and its reply")
    ]
    assert len(found.conversations[0].messages) == 82


def test_messages_of_gradio_are_openais_and_what_they_show_beside_is_accounted_for() -> None:
    shown = {"title": "Looked up the tides of Oslo", "log": "in a table of the harbour"}
    rows = [
        {"role": "user", "metadata": None, "content": "How high?", "options": None},
        {"role": "assistant", "metadata": shown, "content": "At 40 cm.", "options": [{"value": "And tomorrow?"}]},
    ]
    found = import_bytes(dumps(rows))
    assert (found.format, told(found)) == ("openai-chat", [[("user", "How high?"), ("assistant", "At 40 cm.")]])
    assert found.accounting is not None
    assert {share.key for share in found.accounting.unread_keys} == {
        "[].metadata.title",
        "[].metadata.log",
        "[].options[].value",
    }


def file_data(path: str, **more: Any) -> dict[str, Any]:
    meta = {"_type": "gradio.FileData"}
    return {
        "path": path,
        "url": None,
        "size": 9,
        "orig_name": path[5:],
        "mime_type": "x/y",
        "is_stream": False,
        **more,
    } | {"meta": meta}


def naive_files(value: Any) -> list[str]:
    """Every path of a file that stands anywhere in messages, in order."""
    if isinstance(value, list):
        return [path for inner in value for path in naive_files(inner)]
    if isinstance(value, dict):
        return [value["path"]] if "path" in value else [path for inner in value.values() for path in naive_files(inner)]
    return []


SHOWN: list[dict[str, Any]] = [
    {"role": "user", "content": {"path": "/tmp/quay.pdf"}},
    {"role": "user", "content": {"file": file_data("/tmp/quay.png"), "alt_text": None}, "metadata": {"title": None}},
    {
        "role": "user",
        "content": [{"type": "text", "text": "Which quay?"}, {"type": "file", "file": file_data("/tmp/a.csv")}],
    },
    {"role": "assistant", "content": {"component": "audio", "value": file_data("/tmp/horn.wav"), "props": {}}},
    {
        "role": "assistant",
        "content": {"component": "plot", "value": {"plot": "{}"}, "constructor_args": {}, "props": {}},
    },
    {
        "role": "assistant",
        "content": [{"type": "component", "component": "button", "value": "Again", "props": {}}, "East."],
    },
]


def test_files_in_messages_are_attachments_and_other_components_are_left_out() -> None:
    found = import_bytes(dumps(SHOWN))
    assert found.format == "openai-chat"
    (chat,) = found.conversations
    parts = [part for message in chat.messages for part in message.parts]
    names = [part.name if isinstance(part, FilePart) else "" for part in parts if not isinstance(part, TextPart)]
    assert names == ["quay.pdf", "", "a.csv", "horn.wav"]
    assert [part.text for part in parts if isinstance(part, TextPart)] == ["Which quay?", "East."]
    assert [type(part) for part in chat.messages[1].parts] == [ImagePart]
    assert len(naive_files(SHOWN)) == len(names)
    assert "Components that a chatbot showed, left out: 2" in found.warnings
    assert found.accounting is not None
    assert found.accounting.left_out_keys[0].key.startswith("[].content")


def test_components_in_pairs_are_left_out_too() -> None:
    plot = {"component": "plot", "value": {}, "props": {}}
    found = import_bytes(dumps({"chatbot": [FIRST, [NEXT[0], plot]]}), as_format="gradio")
    assert told(found) == [TOLD[:3]]
    assert found.warnings == ("Components that a chatbot showed, left out: 1",)


def test_an_object_that_a_tool_answered_stays_what_it_is() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    answer = {"role": "tool", "tool_call_id": "c", "content": [{"path": "/tmp/quay.pdf"}]}
    found = import_bytes(dumps([{"role": "assistant", "content": None, "tool_calls": [call]}, answer]))
    (result,) = found.conversations[0].messages[1].parts
    assert result.content == (TextPart('{"path":"/tmp/quay.pdf"}'),)  # type: ignore[union-attr]  # it is a result
