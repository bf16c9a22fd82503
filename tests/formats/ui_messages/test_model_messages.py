"""Model messages of the AI SDK in the forms that programs store."""

from __future__ import annotations

from budgeteer.engine.content.conversation import TextPart, results_of
from budgeteer.formats.detect import import_bytes
from tests.formats.shapes import jsonl


def test_results_whose_parts_stand_under_content_are_read() -> None:
    """As Zencoder stores them."""
    call = {"type": "tool-call", "toolCallId": "k1", "toolName": "piers", "input": {"line": 2}}
    result = {
        "type": "tool-result",
        "toolCallId": "k1",
        "toolName": "piers",
        "content": [{"type": "text", "text": "2"}],
    }
    found = import_bytes(
        jsonl(
            {"role": "user", "content": [{"type": "text", "text": "Which pier?", "tag": "user-input"}]},
            {"role": "assistant", "content": [call]},
            {"role": "tool", "content": [result]},
        )
    )
    (chat,) = found.conversations
    assert found.format == "ai-sdk-model"
    assert results_of(chat.messages[2])[0].content == (TextPart("2"),)
