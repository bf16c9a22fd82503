"""Replies that are values beside messages, the turns of sessions, and system texts in parts."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import TextPart
from budgeteer.formats.detect import import_bytes
from tests.formats.shapes import dumps, jsonl

ASKED = {"role": "user", "content": "Book the ferry at ten."}


def said(*rows: Any) -> list[list[tuple[str, str]]]:
    found = import_bytes(jsonl(*rows) if len(rows) > 1 else dumps([*rows]))
    assert found.format == "openai-chat"
    return [
        [(message.role, "".join(part.text for part in message.parts if isinstance(part, TextPart)))
         for message in chat.messages]
        for chat in found.conversations
    ]  # fmt: skip


def test_a_value_that_was_replied_is_the_reply() -> None:
    rows = ({"dialog": [ASKED], "response": {"function": "book", "hour": hour}, "n_in": 12} for hour in (10, 11))
    assert [chat[-1] for chat in said(*rows)] == [
        ("assistant", '{"function":"book","hour":10}'),
        ("assistant", '{"function":"book","hour":11}'),
    ]


def test_the_words_of_a_reply_are_taken_before_what_was_made_of_them() -> None:
    row = {
        "function": "Plan",
        "request": {"systemPrompt": [{"type": "text", "text": "Be brief."}], "messages": [ASKED], "model": "m"},
        "response": {"parsed": {"hour": 10}, "rawAssistantResponse": "I book at ten."},
    }
    assert said(row, row)[0] == [
        ("system", "Be brief."),
        ("user", "Book the ferry at ten."),
        ("assistant", "I book at ten."),
    ]


@pytest.mark.parametrize(
    "response",
    [{"status": 200, "hour": 1}, {"error": {"message": "late"}}, {"usage": {"tokens": 3}}, {}, {"id": "r", "x": 1}],
)  # fmt: skip
def test_what_a_server_says_of_a_reply_is_none(response: dict[str, Any]) -> None:
    assert [role for role, _ in said({"messages": [ASKED], "response": response})[0]] == ["user"]


def test_a_value_behind_a_reply_is_none() -> None:
    row = {"messages": [ASKED, {"role": "assistant", "content": "Booked."}], "response": {"hour": 10}}
    assert len(said(row)[0]) == 2


@pytest.mark.parametrize("key", ["turns", "dialog", "dialogue", "transcript"])
def test_turns_of_a_session_are_its_messages_whatever_stands_beside_them(key: str) -> None:
    turns = [
        {"ts": 1.5, "role": "agent", "text": "What is your name?"},
        {"ts": 2.5, "role": "user", "text": "Ada."},
    ]
    session = {"model": "m", key: turns, "answers": {"name": "Ada"}, "summary": "Ada came in by the ferry. " * 20}
    nobody = {"model": "m", "answers": {}, "summary": "Nobody came."}
    assert said(session, nobody, session) == [[("assistant", "What is your name?"), ("user", "Ada.")]] * 2
