"""Sessions of iFlow: lines in a row whose parents are no tree, and results that keep the function's response."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import Conversation, TextPart, calls_of, results_of
from budgeteer.formats.detect import import_bytes
from tests.formats.shapes import jsonl, use_block

SESSION = "session-00000000-1111-2222-3333-444444444444"


def line(uid: str, parent: str | None, kind: str, content: Any, **message: Any) -> dict[str, Any]:
    return {
        "uuid": uid,
        "parentUuid": parent,
        "sessionId": SESSION,
        "type": kind,
        "isSidechain": False,
        "message": {"role": kind, "content": content, **message},
    }


def result(uid: str, parent: str, call: str, parts: Any) -> dict[str, Any]:
    kept = {"callId": call, "responseParts": parts, "resultDisplay": {"fileDiff": "+ shown"}}
    return line(uid, parent, "user", [{"type": "tool_result", "tool_use_id": call, "content": kept}])


def response(output: Any) -> dict[str, Any]:
    return {"functionResponse": {"id": "x", "name": "bash", "response": output}}


def session(parts: Any) -> Conversation:
    rows = [
        line("u1", None, "user", "Go"),
        line("a1", "u1", "assistant", [use_block("t1")], id="response-1700000000001-tool-t1"),
        line("a2", "u1", "assistant", [use_block("t1"), use_block("t2")], id="response-1700000000002-tool-t2"),
        line("a3", "u1", "assistant", [use_block("t2")], id="response-1700000000003"),
        result("r1", "a3", "t1", parts),
        result("r2", "a3", "t2", response({"output": "two"})),
        line("a4", "u1", "assistant", [{"type": "text", "text": "Done."}], id="response-1700000000004"),
    ]
    (chat,) = import_bytes(jsonl(*rows)).conversations
    return chat


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (response({"output": "one"}), "one"),
        ([response({"output": "one"}), response({"output": "more"})], "one\nmore"),
        (response({"error": "none"}), "none"),
    ],
)
def test_a_session_is_one_conversation_without_repeated_calls(parts: Any, text: str) -> None:
    chat = session(parts)
    assert [message.role for message in chat.messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "assistant",
    ]
    assert [call.id for message in chat.messages for call in calls_of(message)] == ["t1", "t2"]
    assert results_of(chat.messages[2])[0].content == (TextPart(text),)


def test_a_response_of_another_form_is_kept_as_it_is() -> None:
    (answer,) = results_of(session(response({"rows": [1]})).messages[2])
    assert "rows" in str(answer.content)
