"""AI SDK UI messages: one part becomes a call and a result."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from budgeteer.engine.content.conversation import (
    AudioPart,
    FilePart,
    ImagePart,
    Message,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.messages.imported import Imported
from tests.formats.shapes import dumps, jsonl, png

ASKED = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "How high?"}]}
TIDE = {"type": "tool-tide", "toolCallId": "t1", "input": {"city": "Oslo"}}
CALL = ToolCallPart("t1", "tide", '{"city":"Oslo"}')


def read(*parts: dict[str, Any] | str) -> Imported:
    found = import_bytes(dumps([ASKED, {"id": "a1", "role": "assistant", "parts": list(parts)}]))
    assert found.format == "ai-sdk"
    return found


def said(*parts: dict[str, Any] | str) -> list[Message]:
    return list(read(*parts).conversations[0].messages[1:])


def only(*parts: dict[str, Any] | str) -> tuple[Part, ...]:
    (message,) = said(*parts)
    return message.parts


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words, "state": "done"}


def test_a_step_is_a_message_and_each_result_another() -> None:
    messages = said(
        {"type": "step-start"},
        {"type": "reasoning", "text": "I ask."},
        {**TIDE, "state": "output-available", "output": "0.4 m"},
        {**TIDE, "toolCallId": "t2", "state": "output-available", "output": {"metres": 1.1}},
        {"type": "step-start"},
        text("Done."),
    )
    assert [message.role for message in messages] == ["assistant", "tool", "tool", "assistant"]
    assert messages[0].parts == (ReasoningPart("I ask."), CALL, ToolCallPart("t2", "tide", '{"city":"Oslo"}'))
    assert messages[1].parts == (ToolResultPart("t1", (TextPart("0.4 m"),)),)
    assert messages[2].parts == (ToolResultPart("t2", (TextPart('{"metres":1.1}'),)),)
    assert [message.id for message in messages] == ["a1", "a1#2", "a1#3", "a1#4"]
    assert {message.line for message in messages} == {2}


def test_what_follows_an_answered_call_is_said_after_its_result() -> None:
    answered = {**TIDE, "state": "output-available", "output": "0.4 m", "providerExecuted": True}
    assert [message.role for message in said(text("a"), answered, text("b"))] == ["assistant", "tool", "assistant"]
    assert "Calls that the provider ran itself, read as calls and results: 1" in read(answered).warnings


@pytest.mark.parametrize(
    ("state", "result"),
    [
        ({"state": "input-available"}, None),
        ({"state": "approval-requested", "approval": {"id": "x"}}, None),
        ({"state": "approval-responded", "approval": {"id": "x", "approved": True}}, None),
        ({"state": "output-available", "output": None}, ToolResultPart("t1", ())),
        ({"state": "output-error", "errorText": "No tide"}, ToolResultPart("t1", (TextPart("No tide"),), True)),
        (
            {"state": "output-denied", "approval": {"id": "x", "approved": False, "reason": "Not now"}},
            ToolResultPart("t1", (TextPart("Not now"),), True),
        ),
        (
            {"state": "approval-responded", "approval": {"id": "x", "approved": False}},
            ToolResultPart("t1", (TextPart("Tool execution denied."),), True),
        ),
    ],
)
def test_the_state_tells_whether_a_call_was_answered(state: dict[str, Any], result: ToolResultPart | None) -> None:
    call, *results = said({**TIDE, **state})
    assert call.parts == (CALL,)
    assert [message.parts for message in results] == ([(result,)] if result else [])


def test_a_call_still_being_written_is_left_out() -> None:
    found = read(text("a"), {**TIDE, "state": "input-streaming"})
    assert found.conversations[0].messages[1].parts == (TextPart("a"),)
    assert found.warnings == ("Calls whose input was still streaming, which a model is not sent, left out: 1",)


def test_the_input_is_what_the_model_wrote_where_it_is_kept() -> None:
    part = {"type": "dynamic-tool", "toolName": "mcp.tide", "toolCallId": "t1", "rawInput": '{"city": "Oslo"}'}
    assert only({**part, "input": {"city": "Oslo"}, "state": "input-available"}) == (
        ToolCallPart("t1", "mcp.tide", '{"city": "Oslo"}'),
    )
    (call, _) = said({**part, "rawInput": {"a": 1}, "state": "output-error", "errorText": "bad"})
    assert call.parts == (ToolCallPart("t1", "mcp.tide", '{"a":1}'),)


def test_invocations_of_version_4_are_the_same() -> None:
    invocation = {"state": "result", "toolCallId": "t1", "toolName": "tide", "args": {"city": "Oslo"}, "result": "0.4"}
    call, result = said({"type": "tool-invocation", "toolInvocation": invocation})
    assert (call.parts, result.parts) == ((CALL,), (ToolResultPart("t1", (TextPart("0.4"),)),))
    old = {"id": "a", "role": "assistant", "content": "40 cm.", "toolInvocations": [invocation]}
    messages = import_bytes(dumps([{"role": "user", "content": "?", "parts": [text("?")]}, old])).conversations[0]
    assert [message.role for message in messages.messages] == ["user", "assistant", "tool", "assistant"]


def test_what_a_model_is_not_sent_is_left_out_and_counted() -> None:
    found = read(
        text("a"),
        {"type": "source-url", "sourceId": "s", "url": "https://example.org"},
        {"type": "source-document", "sourceId": "d", "title": "D"},
        {"type": "data-weather", "data": {"c": 3}},
    )
    assert found.conversations[0].messages[1].parts == (TextPart("a"),)
    assert found.warnings == (
        "Sources, which a model is not sent, left out: 2",
        "Data parts of the interface, which a model is not sent, left out: 1",
    )
    empty = read({"type": "data-weather", "data": {}})
    assert len(empty.conversations[0].messages) == 1
    assert "Messages with nothing that a model is sent, left out: 1" in empty.warnings


def test_reasoning_keeps_the_seal_of_its_provider() -> None:
    openai = {"openai": {"itemId": "rs-1", "reasoningEncryptedContent": "xyz"}}
    one = {"type": "reasoning", "text": "One", "providerMetadata": openai}
    assert only(one, {**one, "text": "Two"}) == (
        ReasoningPart("One\n\nTwo", encrypted="xyz", provider="openai-responses", id="rs-1"),
    )
    assert only({"type": "reasoning", "text": "A", "providerMetadata": {"anthropic": {"signature": "s"}}}) == (
        ReasoningPart("A", signature="s"),
    )
    assert only({"type": "reasoning", "text": "G", "providerMetadata": {"google": {"thoughtSignature": "t"}}}) == (
        ReasoningPart("G", signature="t", provider="gemini"),
    )
    assert only({"type": "reasoning", "reasoning": "old"}) == (ReasoningPart("old"),)


def test_files_are_told_by_their_type() -> None:
    picture = f"data:image/png;base64,{base64.b64encode(png(30, 20)).decode()}"
    parts = only(
        {"type": "file", "mediaType": "image/png", "url": picture},
        {"type": "file", "mediaType": "audio/mpeg", "url": "data:audio/mpeg;base64,AAAA"},
        {"type": "file", "mimeType": "application/pdf", "data": "AAAA", "filename": "a.pdf"},
    )
    assert isinstance(parts[0], ImagePart)
    assert (parts[0].width, parts[0].height) == (30, 20)
    assert parts[1] == AudioPart({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}})
    assert isinstance(parts[2], FilePart)
    assert parts[2].raw["file"] == {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"}


def test_unknown_parts_are_kept_and_counted() -> None:
    found = read({"type": "smell", "of": "rose"}, "bare text")
    assert found.conversations[0].messages[1].parts == (
        OpaquePart("smell", {"type": "smell", "of": "rose"}, "ai-sdk"),
        TextPart("bare text"),
    )
    assert found.warnings == ("Parts of a provider's own kind, kept as they came: 1 smell",)


def test_chats_are_told_apart() -> None:
    chat = {"id": "chat-1", "title": "Tides", "messages": [ASKED]}
    for data in (dumps([chat, {"messages": [ASKED]}]), jsonl(chat, {"messages": [ASKED]})):
        assert [(one.id, one.title) for one in import_bytes(data).conversations] == [
            ("chat-1", "Tides"),
            ("c2", "How high?"),
        ]
    assert len(import_bytes(jsonl(ASKED, ASKED)).conversations[0].messages) == 2


def test_messages_without_a_role_are_listed() -> None:
    found = import_bytes(dumps({"messages": [ASKED, {"role": "data", "parts": []}, 7, ASKED]}))
    assert [(item.where, item.why) for item in found.skipped] == [
        ("message 2", "no known role"),
        ("message 3", "no known role"),
    ]
    with pytest.raises(FormatError, match="No AI SDK messages were found"):
        import_bytes(dumps([{"a": 1}]), as_format="ai-sdk")
