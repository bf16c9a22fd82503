"""Cohere's chat: responses whose history ends in their text, and the data sets it is trained on."""

from __future__ import annotations

from budgeteer.engine.content.conversation import text_of
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.frameworks import COHERE
from tests.formats.shapes import dumps, jsonl


def test_a_response_whose_history_ends_in_its_text_says_it_once() -> None:
    history = [{"role": "USER", "message": "And back?"}, {"role": "CHATBOT", "message": "At six."}]
    response = {"response_id": "r", "text": "At six.", "generation_id": "g", "chat_history": history}
    found = import_bytes(dumps(response))
    assert (found.format, found.conversations[0].id) == ("cohere", "r")
    assert [text_of(message) for message in found.conversations[0].messages] == ["And back?", "At six."]


def test_rows_of_its_data_sets_are_read() -> None:
    said = [("System", "Be short."), ("User", "When?"), ("Chatbot", "At four.")]
    row = {"messages": [{"role": role, "content": text} for role, text in said]}
    found = import_bytes(jsonl(row, row))
    assert (found.format, len(found.conversations)) == ("cohere", 2)
    assert [message.role for message in found.conversations[0].messages] == ["system", "user", "assistant"]


def test_a_message_of_nobody_is_listed_as_skipped() -> None:
    strange = {"role": ["USER"], "message": "Hello."}
    found = import_bytes(dumps({**COHERE, "chat_history": [strange, *COHERE["chat_history"]]}))
    assert [(item.where, item.why) for item in found.skipped] == [("the object, message 1", "no known role")]
