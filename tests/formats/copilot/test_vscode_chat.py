"""Chats of VS Code whose rounds were kept beside what was shown of them."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import TextPart, calls_of, results_of
from budgeteer.formats.detect import import_bytes
from tests.formats.shapes import dumps


def test_calls_of_sub_agents_that_were_shown_are_counted_apart() -> None:
    call = {"id": "k1", "name": "runSubagent", "arguments": "{}"}
    shown = {"kind": "toolInvocationSerialized", "toolId": "find", "toolCallId": "x"}
    request: dict[str, Any] = {
        "requestId": "r",
        "message": {"text": "Which pier?"},
        "response": [shown | {"fromSubAgent": False}, shown | {"fromSubAgent": True}, {"value": "Pier 2."}],
        "result": {"metadata": {"toolCallRounds": [{"response": "", "toolCalls": [call]}, {"response": "Pier 2."}]}},
    }
    found = import_bytes(dumps({"requests": [request]}))
    assert found.format == "vscode-chat"
    assert [one.id for message in found.conversations[0].messages for one in calls_of(message)] == ["k1"]
    assert dict(found.findings.counted) == {
        "Calls of sub-agents that were shown, which this model was not sent, left out": 1,
        "Parts that were shown of replies, which the rounds beside them hold too": 2,
    }


@pytest.mark.parametrize(
    ("held", "arguments", "result"),
    [
        (
            {
                "kind": "terminal",
                "commandLine": {"original": "tides pier-2", "toolEdited": " tides pier-2"},
                "terminalCommandOutput": {"text": "low at six\r\n"},
            },
            '{"command":"tides pier-2"}',
            "low at six\r\n",
        ),
        ({"kind": "terminal", "command": "tides", "language": "sh"}, '{"command":"tides"}', None),
        ({"kind": "simpleToolInvocation", "input": '{"pier": 2}', "output": "free"}, '{"pier": 2}', "free"),
        ({"kind": "input", "rawInput": {"pier": 2}}, '{"pier":2}', None),
        ({"kind": "todoList", "todoList": [{"id": 1}]}, '{"todoList":[{"id":1}]}', None),
        ({"kind": "subagent", "prompt": "Which pier?", "result": "Pier 2."}, '{"prompt":"Which pier?"}', "Pier 2."),
        ({"kind": "resources", "values": [{"path": "/a:1"}, {"path": "/b:2"}]}, "", "/a:1\n/b:2"),
        ({"kind": "terminal", "commandLine": "x", "terminalCommandOutput": []}, "", None),
        ({"kind": "somethingElse"}, "", None),
        ("no object", "", None),
    ],
)
def test_calls_that_were_shown_keep_what_is_specific_to_their_tool(
    held: Any, arguments: str, result: str | None
) -> None:
    part = {"kind": "toolInvocationSerialized", "toolId": "t", "toolCallId": "k1", "toolSpecificData": held}
    request = {"requestId": "r", "message": {"text": "Look."}, "response": [part, {"value": "Done."}]}
    (chat,) = import_bytes(dumps({"requests": [request]})).conversations
    assert [call.arguments for message in chat.messages for call in calls_of(message)] == [arguments]
    told = [one.content for message in chat.messages for one in results_of(message)]
    assert told == ([(TextPart(result),)] if result is not None else [])


def test_entries_of_an_output_that_are_no_texts_say_nothing() -> None:
    details = {"input": "{}", "output": [5, True, ["x"], None, {"value": "free"}, "now"]}
    part = {"kind": "toolInvocationSerialized", "toolId": "t", "toolCallId": "k1", "resultDetails": details}
    request = {"requestId": "r", "message": {"text": "Look."}, "response": [part, {"value": "Done."}]}
    (chat,) = import_bytes(dumps({"requests": [request]})).conversations
    told = [one.content for message in chat.messages for one in results_of(message)]
    assert told == [(TextPart("free"), TextPart("now"))]


def test_the_surroundings_of_a_chat_stand_once_before_its_first_prompt() -> None:
    def request(number: int) -> dict[str, Any]:
        rendered = {"renderedGlobalContext": [{"type": 1, "text": "The system is Linux."}, {"type": 3}]}
        return {
            "requestId": f"r{number}",
            "message": {"text": "Which pier?"},
            "response": [],
            "result": {"metadata": rendered},
        }

    found = import_bytes(dumps({"requests": [request(1), request(2)]}))
    (chat,) = found.conversations
    assert [(message.typed, message.parts) for message in chat.messages] == [
        (False, (TextPart("The system is Linux."),)),
        (True, (TextPart("Which pier?"),)),
        (True, (TextPart("Which pier?"),)),
    ]
