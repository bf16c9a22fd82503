"""Sessions that Copilot CLI stored in 2025: what was sent, or what the screen showed."""

from __future__ import annotations

from typing import Any

from budgeteer.engine.content.conversation import calls_of, results_of, text_of
from budgeteer.formats.detect import import_bytes
from tests.formats.shapes import dumps

CALL = {"id": "k1", "type": "function", "function": {"name": "bash", "arguments": '{"command":"ls"}'}}
SENT: list[dict[str, Any]] = [
    {"role": "user", "content": "Which pier?"},
    {"role": "assistant", "content": "I look.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "k1", "content": "pier.txt"},
    {"role": "assistant", "content": "Pier 2."},
]
SHOWN: list[dict[str, Any]] = [
    {"id": "1", "type": "info", "text": "Welcome"},
    {"id": "2", "timestamp": "2025-10-01T10:00:00Z", "type": "user", "text": "Which pier?"},
    {"id": "3", "type": "tool_call_requested", "callId": "k1", "name": "bash", "arguments": {"command": "ls"}},
    {
        "id": "3", "type": "tool_call_completed", "callId": "k1", "name": "bash", "arguments": {"command": "ls"},
        "result": {"type": "success", "log": "pier.txt"},
    },
    {"id": "4", "type": "copilot", "text": "Pier 2."},
]  # fmt: skip


def session(**held: Any) -> bytes:
    return dumps({"sessionId": "s-1", "startTime": "2025-10-01T10:00:00Z", **held})


def test_the_messages_that_were_sent_are_read() -> None:
    found = import_bytes(session(chatMessages=SENT, timeline=SHOWN))
    (chat,) = found.conversations
    assert (found.format, chat.id, chat.metadata["source"]) == ("copilot-cli", "s-1", "copilot-cli")
    assert [message.role for message in chat.messages] == ["user", "assistant", "tool", "assistant"]
    assert found.accounting is not None
    assert not found.accounting.is_lossy


def test_where_none_is_kept_what_the_screen_showed_is_read() -> None:
    found = import_bytes(session(chatMessages=[], timeline=SHOWN))
    (chat,) = found.conversations
    assert [message.role for message in chat.messages] == ["user", "assistant", "tool", "assistant"]
    assert [(call.id, call.arguments) for call in calls_of(chat.messages[1])] == [("k1", '{"command":"ls"}')]
    assert [result.call_id for result in results_of(chat.messages[2])] == ["k1"]
    assert text_of(chat.messages[3]) == "Pier 2."
    assert "Non-message lines, not read: 1 (1 info)" in found.warnings
