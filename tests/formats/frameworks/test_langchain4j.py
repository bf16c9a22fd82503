"""LangChain4j's messages: lists of them, pictures, messages of a program's own, and what is none of them."""

from __future__ import annotations

import pytest

from budgeteer.engine.content.conversation import ImagePart, OpaquePart, ReasoningPart, TextPart
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.frameworks import LANGCHAIN4J
from tests.formats.shapes import dumps, jsonl
from tests.formats.test_makers import told


def test_messages_are_read_in_a_list_by_line_and_under_a_key() -> None:
    plain = import_bytes(dumps(LANGCHAIN4J))
    for data in (jsonl(*LANGCHAIN4J), dumps({"memoryId": "m", "messages": LANGCHAIN4J})):
        found = import_bytes(data)
        assert (found.format, told(found.conversations[0])) == ("langchain4j", told(plain.conversations[0]))
    assert isinstance(plain.conversations[0].messages[2].parts[0], ReasoningPart)


def test_pictures_and_messages_of_a_program_are_kept() -> None:
    picture = {"type": "IMAGE", "image": {"base64Data": "iVBORw0KGgo=", "mimeType": "image/png"}, "detailLevel": "LOW"}
    asked = {"type": "USER", "contents": [{"type": "TEXT", "text": "Which pier?"}, picture]}
    own = {"type": "CUSTOM", "attributes": {"state": "waiting"}}
    found = import_bytes(dumps([asked, own]))
    kinds = [type(part) for message in found.conversations[0].messages for part in message.parts]
    assert kinds == [TextPart, ImagePart, OpaquePart]


def test_rows_with_a_type_in_capitals_and_a_text_alone_are_not_its_messages() -> None:
    logged = [{"type": "USER", "text": "signed in"}, {"type": "SYSTEM", "text": "started"}]
    with pytest.raises(FormatError, match="Nothing that can be read was found"):
        import_bytes(dumps(logged))


def test_a_message_whose_type_is_no_text_is_listed_as_skipped() -> None:
    found = import_bytes(dumps([{**LANGCHAIN4J[0], "type": ["SYSTEM"]}, *LANGCHAIN4J[1:]]))
    assert [(item.where, item.why) for item in found.skipped] == [("message 1", "no known `type`")]
