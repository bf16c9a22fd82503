"""No message is read as empty in silence: its place, and what was not read of it, stand in the import's report."""

from __future__ import annotations

import re
from typing import Any

import pytest

from budgeteer.engine.content.conversation import text_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.messages.outlines import says_nothing
from budgeteer.formats.registry import OUR_FORMATS
from tests.formats.shapes import dumps, jsonl
from tests.formats.test_fuzz import VALID

UNDER_TEXT = [
    {"role": "user", "text": "hello there"},
    {"role": "assistant", "text": "an answer", "tool_calls": []},
    {"role": "user", "text": "and more"},
]
ITEM = {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"}
WORDS = re.compile(rb'"(content|text|value|parts|output|message|query|observation)"\s*:')


def silent_places(data: bytes, as_format: str | None = None) -> tuple[str, ...]:
    return tuple(said for said in import_bytes(data, as_format=as_format).warnings if "nothing" in said)


@pytest.mark.parametrize("data", [dumps({"messages": UNDER_TEXT}), dumps(UNDER_TEXT), jsonl(*UNDER_TEXT)])
@pytest.mark.parametrize("as_format", [None, "openai-chat", "anthropic"])
def test_words_under_text_are_read_where_there_is_no_content(data: bytes, as_format: str | None) -> None:
    found = import_bytes(data, as_format=as_format)
    (talk,) = found.conversations
    assert [text_of(message) for message in talk.messages] == ["hello there", "an answer", "and more"]
    assert found.warnings == ("Messages whose words stand under `text` instead of `content`: 3",)


@pytest.mark.parametrize("empty", ["", [], None])
def test_words_under_text_are_read_where_the_content_is_empty(empty: object) -> None:
    found = import_bytes(dumps([{"role": "user", "content": empty, "text": "both"}]), as_format="openai-chat")
    assert text_of(found.conversations[0].messages[0]) == "both"
    assert found.warnings == ("Messages whose words stand under `text` instead of `content`: 1",)


def test_a_result_under_text_is_read() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    answer = {"role": "tool", "tool_call_id": "a", "text": "06:10"}
    found = import_bytes(dumps([UNDER_TEXT[0], {"role": "assistant", "tool_calls": [call]}, answer]))
    assert text_of(found.conversations[0].messages[2]) == "06:10"


def test_content_is_read_where_text_stands_beside_it() -> None:
    (talk,) = import_bytes(dumps([{"role": "user", "content": "said", "text": "shown"}])).conversations
    assert text_of(talk.messages[0]) == "said"


def sharegpt(**fields: Any) -> Any:
    return [{"conversations": [{"from": "human", "value": "x"}, {"from": "gpt", **fields}]}]


def session(**fields: Any) -> list[Any]:
    said = {"type": "user", "uuid": "1", "parentUuid": None, "sessionId": "s", "message": {"role": "user", **fields}}
    reply = {"role": "assistant", "id": "m", "content": [{"type": "text", "text": "y"}]}
    return [said, {"type": "assistant", "uuid": "2", "parentUuid": "1", "sessionId": "s", "message": reply}]


@pytest.mark.parametrize(
    ("form", "data", "place"),
    [
        ("openai-chat", dumps([{"role": "user", "content": ""} | {"words": "lost"}]), "message 1"),
        (
            "openai-chat",
            dumps([{"messages": [{"role": "user", "content": None, "words": "lost"}]}] * 2),
            "element 1, message 1",
        ),
        ("anthropic", dumps({"messages": [{"role": "user", "content": [], "words": "lost"}]}), "message 1"),
        (
            "openai-responses",
            dumps({"instructions": "x", "input": [ITEM, {"role": "user", "content": [], "words": "lost"}]}),
            "item 2",
        ),
        (
            "gemini",
            dumps([{"role": "user", "parts": [{"text": "x"}]}, {"role": "model", "words": "lost"}]),
            "content 2",
        ),
        ("sharegpt", dumps(sharegpt(words="lost")), "element 1, turn 2"),
        ("llama-factory", dumps([{"messages": [{"role": "user", "content": [], "words": "lost"}]}]), "message 1"),
        ("claude-code", jsonl(*session(words="lost", content=None)), "line 1"),
        ("langchain", dumps([{"type": "human", "data": {"content": "", "words": "lost"}}]), "message 1"),
    ],
)
def test_what_was_not_read_of_a_message_that_says_nothing_is_named(form: str, data: bytes, place: str) -> None:
    warnings = import_bytes(data, as_format=form).warnings
    (unread,) = (said for said in warnings if said.startswith("Fields not read"))
    assert "1 words" in unread or "2 words" in unread
    assert place in unread
    assert any(said.startswith("Messages that say nothing: ") for said in warnings)


def test_legitimately_empty_messages_are_one_sentence_without_fields() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    empty = [{"role": "assistant", "content": None}, {"role": "user", "content": ""}]
    made = {"role": "assistant", "content": None, "tool_calls": [call]}
    data = dumps([{"role": "user", "content": "x"}, made, {"role": "tool", "tool_call_id": "a", "content": ""}, *empty])
    assert import_bytes(data).warnings == ("Messages that say nothing: 2 (message 4, message 5)",)


def test_only_the_first_places_are_listed() -> None:
    data = dumps([{"role": "user", "content": ""}] * 9)
    assert import_bytes(data).warnings == ("Messages that say nothing: 9 (message 1, message 2, message 3, …)",)


@pytest.mark.parametrize("number", range(len(VALID)))
def test_a_file_whose_words_stand_under_another_key_says_so(number: int) -> None:
    try:
        form = import_bytes(VALID[number]).format
    except FormatError:
        form = ""
    known = {row.name for row in OUR_FORMATS}
    for key in dict.fromkeys(WORDS.findall(VALID[number])):
        damaged = VALID[number].replace(b'"%s"' % key, b'"elsewhere"')
        for as_format in {None, form if form in known else None}:
            try:
                found = import_bytes(damaged, as_format=as_format)
            except FormatError:
                continue
            said = [message for chat in found.conversations for message in chat.messages if message.role != "tool"]
            if any(says_nothing(message.parts) for message in said):
                assert any(line.startswith("Messages that say nothing: ") for line in found.warnings), found.warnings


@pytest.mark.parametrize(
    "response",
    [
        "Six.",
        {"role": "assistant", "content": "Six."},
        {"choices": [{"message": {"role": "assistant", "content": "Six."}}]},
        {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Six."}]},
    ],
)
@pytest.mark.parametrize("wrapper", ["request", "body", "kwargs"])
def test_the_response_beside_a_logged_request_is_its_last_message(wrapper: str, response: Any) -> None:
    request = {"model": "gpt-4o", "messages": [{"role": "user", "content": "When?"}]}
    (talk,) = import_bytes(dumps({wrapper: request, "response": response})).conversations
    assert [(message.role, text_of(message)) for message in talk.messages] == [("user", "When?"), ("assistant", "Six.")]
