"""Gemini CLI sessions: the JSON document and the JSONL that is added to."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from budgeteer.engine.content.conversation import (
    Conversation,
    ImagePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.messages.imported import Imported
from tests.formats.google_shapes import GEMINI_CLI
from tests.formats.shapes import dumps, jsonl, png

HEADER = {key: value for key, value in GEMINI_CLI.items() if key != "messages"}
PICTURE = {"inlineData": {"mimeType": "image/png", "data": base64.b64encode(png(64, 48)).decode()}}


def document(*messages: dict[str, Any], **more: Any) -> bytes:
    return dumps({**HEADER, **more, "messages": list(messages)})


def talk(data: bytes, *, whole: bool = False) -> tuple[Conversation, Imported]:
    found = import_bytes(data, whole=whole)
    assert found.format == "gemini-cli"
    (only,) = found.conversations
    return only, found


def user(own: str, content: Any) -> dict[str, Any]:
    return {"id": own, "timestamp": "2026-02-01T10:00:00.000Z", "type": "user", "content": content}


def reply(own: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"id": own, "timestamp": "2026-02-01T10:00:01.000Z", "type": "gemini", "content": content, **more}


def ran(call_id: str, result: Any, **more: Any) -> dict[str, Any]:
    return {"id": call_id, "name": "f", "args": {"n": 1}, "result": result, "status": "success", **more}


def response(call_id: str, **said: Any) -> dict[str, Any]:
    return {"functionResponse": {"id": call_id, "name": "f", "response": said}}


def test_a_session_becomes_messages_with_a_result_for_each_call() -> None:
    chat, found = talk(dumps(GEMINI_CLI))
    assert [(message.role, message.id, message.line) for message in chat.messages] == [
        ("user", "u1", 1),
        ("assistant", "g1", 3),
        ("tool", "g1.result1", 3),
        ("assistant", "g2", 4),
    ]
    assert chat.messages[1].parts == (
        ReasoningPart("Plan\nA table of two rows.", provider="gemini"),
        TextPart("I write it."),
        ToolCallPart("write-1", "write_file", '{"path":"tides.md"}'),
    )
    assert chat.messages[2].parts == (ToolResultPart("write-1", (TextPart("done"),)),)
    assert (chat.id, chat.model, chat.reported_input_tokens) == ("0c1d", "gemini-3-flash", 140)
    assert [chat.messages[one.position].id for one in chat.recorded] == ["g1", "g2"]
    assert chat.recorded[-1].input_tokens == 140
    assert chat.recorded[-1].reasoning_tokens is not None
    assert chat.title == "Write the tide table"
    assert found.warnings == ("Non-message lines, not read: 1 (1 info)",)


@pytest.mark.parametrize(
    ("result", "status", "content", "failed"),
    [
        ("plain", "success", (TextPart("plain"),), False),
        (
            [response("c", output="x"), PICTURE, "beside"],
            "success",
            (TextPart("x"), ImagePart(PICTURE, 64, 48), TextPart("beside")),
            False,
        ),
        ([response("c", error="no")], "success", (TextPart("no"),), True),
        ([response("c", output="stopped")], "cancelled", (TextPart("stopped"),), True),
        (response("other", output="x"), "success", (TextPart("x"),), False),
    ],
)
def test_results_take_every_form(result: Any, status: str, content: tuple[Any, ...], failed: bool) -> None:
    chat, _ = talk(document(user("u", "x"), reply("g", "", toolCalls=[ran("c", result, status=status)])))
    assert chat.messages[2].parts == (ToolResultPart("c", content, failed),)


def test_a_call_without_a_result_stays_open() -> None:
    chat, _ = talk(document(user("u", "x"), reply("g", "", toolCalls=[ran("c", None, status="executing")])))
    assert [message.parts for message in chat.messages[1:]] == [(ToolCallPart("c", "f", '{"n":1}'),)]


def test_a_reply_under_the_name_that_the_api_gives_the_model_is_a_reply() -> None:
    said = [user("u", "When is high water?"), {**reply("g", "At six."), "type": "model"}]
    for data in (document(*said), jsonl(HEADER, *said)):
        chat, found = talk(data)
        assert [(message.role, message.parts[0]) for message in chat.messages] == [
            ("user", TextPart("When is high water?")),
            ("assistant", TextPart("At six.")),
        ]
        assert found.warnings == ()


def test_calls_and_results_that_stand_twice_are_read_once() -> None:
    call = {"functionCall": {"id": "c", "name": "f", "args": {"n": 1}}}
    nameless = {"functionCall": {"name": "f", "args": {"n": 1}}}
    for written in (call, nameless):
        chat, found = talk(
            document(
                user("u", "x"),
                reply("g", [{"text": "Go"}, written], toolCalls=[ran("c", [response("c", output="1")])]),
                user("r", [response("c" if written is call else "call_1", output="1")]),
            )
        )
        assert [message.role for message in chat.messages] == ["user", "assistant", "tool"]
        assert len(chat.messages[1].parts) == 2
        assert "Tool results that are written twice, read once: 1" in found.warnings


def test_commands_are_not_sent_and_the_context_is_nobodys_words() -> None:
    chat, found = talk(
        document(
            user("u0", "<session_context>\nfolders\n</session_context>"),
            user("u1", "/stats"),
            user("u2", [{"text": "Hello"}]),
            reply("g", "Hi"),
        )
    )
    assert [(message.id, message.typed) for message in chat.messages] == [("u0", False), ("u2", True), ("g", True)]
    assert chat.title == "Hello"
    assert found.warnings == ("Non-message lines, not read: 1 (1 command)",)


def test_a_sub_agents_session_says_so() -> None:
    chat, _ = talk(document(user("u", "x"), kind="subagent"))
    assert chat.is_subagent


def test_of_a_message_written_again_the_last_writing_counts() -> None:
    chat, found = talk(
        jsonl(
            HEADER,
            user("u", "Go"),
            reply("g", "", toolCalls=[ran("c", None)]),
            {"$set": {"lastUpdated": "x", "kind": "subagent"}},
            reply("g", "Done", toolCalls=[ran("c", [response("c", output="1")])]),
            {"type": "message_update", "id": "g", "tokens": {"input": 77}},
        )
        + b'{"id": "cut'
    )
    assert [(message.role, message.line) for message in chat.messages] == [("user", 2), ("assistant", 3), ("tool", 3)]
    assert (chat.reported_input_tokens, chat.is_subagent) == (77, True)
    assert "Lines that write a message again, of which the last is read: 2" in found.warnings
    assert [item.where for item in found.skipped] == ["line 7"]


def ids(lines: list[dict[str, Any]], *, whole: bool = False) -> list[str]:
    return [message.id for message in talk(jsonl(HEADER, *lines), whole=whole)[0].messages]


def test_a_rewind_takes_messages_back_unless_the_whole_is_wanted() -> None:
    lines = [user("u1", "a"), reply("g1", "b"), user("u2", "c"), {"$rewindTo": "g1"}, reply("g2", "d")]
    assert ids(lines) == ["u1", "g2"]
    assert ids(lines, whole=True) == ["u1", "g1", "u2", "g2"]
    assert ids([user("u1", "a"), {"$rewindTo": "nobody"}, reply("g2", "d")]) == ["g2"]


def test_a_history_set_anew_stands_for_what_came_before_it() -> None:
    summary = user("s", "Summary of before")
    lines = [user("u1", "a"), reply("g1", "b"), {"$set": {"messages": [summary, reply("g1", "b")]}}, user("u2", "c")]
    assert ids(lines) == ["s", "g1", "u2"]
    assert ids(lines, whole=True) == ["u1", "g1", "s", "u2"]


def test_what_is_no_message_is_listed_and_a_session_without_any_refused() -> None:
    _, found = talk(jsonl(HEADER, user("u", "a"), reply("g", "b"), {"x": 1}))
    assert [(item.where, item.why) for item in found.skipped] == [("line 4", "neither a message nor a change")]
    with pytest.raises(FormatError, match="No Gemini CLI messages were found: a JSON object with the keys"):
        import_bytes(document({"id": "i", "type": "info", "content": "x"}))


def test_messages_without_a_header_are_read_where_both_sides_speak() -> None:
    said = [
        {"type": "user", "content": "Which pier?"},
        {"type": "gemini", "content": "", "toolCalls": [{"name": "piers", "args": {"line": 2}, "result": "pier 2"}]},
    ]
    for value in (said, {"messages": said}):
        found = import_bytes(dumps(value))
        assert found.format == "gemini-cli"
        assert [message.role for message in found.conversations[0].messages] == ["user", "assistant", "tool"]
    with pytest.raises(FormatError):
        import_bytes(dumps(said[:1]))
