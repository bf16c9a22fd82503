"""The Grok CLI's sessions: thoughts before their replies, calls at the service, pictures, lines of odd values."""

from __future__ import annotations

from typing import Any

from budgeteer.engine.content.conversation import ImagePart, ReasoningPart, calls_of, results_of
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.runs import GROK_CLI
from tests.formats.shapes import jsonl

PICTURE = "data:image/png;base64,iVBORw0KGgo="


def test_thoughts_stand_with_the_reply_they_led_to() -> None:
    found = import_bytes(jsonl(*GROK_CLI))
    (chat,) = found.conversations
    assert [message.role for message in chat.messages] == [
        "system", "user", "user", "assistant", "tool", "assistant", "assistant",
    ]  # fmt: skip
    assert chat.messages[3].parts[0] == ReasoningPart("The map knows.", encrypted="c2VhbA==")
    assert (chat.model, chat.title) == ("grok-4.5", "Where does it leave?")
    assert "Calls that ran at the service, whose results are not in the file: 1" in found.warnings
    assert found.accounting is not None
    assert found.accounting.unread * 20 < found.accounting.characters


def test_pictures_of_prompts_and_results_are_pictures() -> None:
    asked = {"type": "user", "content": [{"type": "image", "url": PICTURE}, {"type": "text", "text": "This?"}]}
    called = {**GROK_CLI[4], "tool_calls": [{"id": "call-9", "name": "look", "arguments": "{}"}]}
    answered = {"type": "tool_result", "tool_call_id": "call-9", "content": "", "images": [PICTURE]}
    (chat,) = import_bytes(jsonl(*GROK_CLI, asked, called, answered)).conversations
    assert isinstance(chat.messages[-3].parts[0], ImagePart)
    assert isinstance(results_of(chat.messages[-1])[0].content[0], ImagePart)


def test_thoughts_at_the_end_are_kept() -> None:
    (chat,) = import_bytes(jsonl(*GROK_CLI, GROK_CLI[3])).conversations
    assert chat.messages[-1].parts == (ReasoningPart("The map knows.", encrypted="c2VhbA=="),)


def test_lines_of_odd_values_are_skipped_or_read() -> None:
    odd: Any
    for odd in (None, 7, [], {}, "x", [None]):
        for place in range(len(GROK_CLI)):
            for key in ("content", "type", "summary", "tool_calls", "kind"):
                lines = [*GROK_CLI, {**GROK_CLI[place], key: odd}]
                (chat,) = import_bytes(jsonl(*lines)).conversations
                assert [call.name for message in chat.messages for call in calls_of(message)][:2] == [
                    "read_file",
                    "web_search",
                ]
