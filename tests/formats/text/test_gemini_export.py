"""Chats that the Gemini CLI and Qwen Code share as Markdown."""

from __future__ import annotations

import re

from budgeteer.engine.content.conversation import TextPart, calls_of, results_of, text_of
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.messages.imported import Imported
from tests.formats.makers.texts import GEMINI_EXPORT


def imported(text: str) -> Imported:
    return import_bytes(text.encode(), name="chat.md")


def test_calls_and_responses_of_a_turn_are_read_by_their_ids() -> None:
    found = imported(GEMINI_EXPORT)
    (chat,) = found.conversations
    assert (found.format, [message.role for message in chat.messages]) == (
        "gemini-export", ["user", "assistant", "tool", "assistant"],
    )  # fmt: skip
    assert [call.id for call in calls_of(chat.messages[1])] == ["k1"]
    assert [result.call_id for result in results_of(chat.messages[2])] == ["k1"]
    assert found.accounting is not None
    assert not found.accounting.is_lossy


def test_headings_of_qwen_code_and_those_without_a_joiner_are_read() -> None:
    for old, new in (("## USER 🧑\u200d💻", "🧑\u200d💻 ## USER"), ("\u200d", "")):
        text = GEMINI_EXPORT.replace(old, new).replace("## MODEL ✨\n\nI", "✨ ## MODEL\n\nI")
        (chat,) = imported(text).conversations
        assert [message.role for message in chat.messages] == ["user", "assistant", "tool", "assistant"]


def test_a_response_that_failed_and_one_of_another_form_are_kept() -> None:
    failed = re.sub('"output": ".*"', '"error": "no such file"', GEMINI_EXPORT)
    (result,) = results_of(imported(failed).conversations[0].messages[2])
    assert (result.is_error, result.content) == (True, (TextPart("no such file"),))
    broken = GEMINI_EXPORT.replace('"name": "read_file",\n  "args"', '"named": "read_file",\n  "args"')
    (chat,) = imported(broken).conversations
    assert "**Tool Command**" in text_of(chat.messages[1])
