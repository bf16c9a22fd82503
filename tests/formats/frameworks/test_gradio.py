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


@pytest.mark.parametrize("value", [[["user", "Is it late?"], ["assistant", "No."]], [["a", "b", "c"]], [[1, 2]], [[]]])
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
