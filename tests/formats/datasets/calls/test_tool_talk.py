"""Conversations of ToolTalk: calls with their results before the reply, failures, and what is no turn."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import TextPart, calls_of, results_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.datasets import TOOL_TALK
from tests.formats.shapes import dumps, jsonl


def with_call(**call: Any) -> dict[str, Any]:
    asked, replied = TOOL_TALK["conversation"][:2]
    return {"conversation": [asked, {**replied, "apis": [call]}]}


def test_calls_and_results_stand_before_the_reply_made_of_them() -> None:
    found = import_bytes(dumps(TOOL_TALK))
    (chat,) = found.conversations
    assert (found.format, chat.title, found.skipped) == ("tool-talk", "Berths-1", ())
    assert [message.role for message in chat.messages] == [
        "user", "assistant", "tool", "assistant", "tool", "assistant", "user",
    ]  # fmt: skip
    for call, result in ((1, 2), (3, 4)):
        assert results_of(chat.messages[result])[0].call_id == calls_of(chat.messages[call])[0].id
    assert found.accounting is not None
    assert not found.accounting.is_lossy
    assert [len(each.messages) for each in import_bytes(jsonl(TOOL_TALK, TOOL_TALK)).conversations] == [7, 7]


@pytest.mark.parametrize(
    ("call", "expected", "failed"),
    [
        ({"response": None, "exception": "no such pier"}, ["no such pier"], True),
        ({"response": {"berth": "b7"}, "exception": None}, ['{"berth":"b7"}'], False),
        ({"response": "free"}, ["free"], False),
        ({"response": None, "exception": None}, [], False),
    ],
)
def test_an_exception_is_the_result_of_a_call_that_failed(
    call: dict[str, Any], expected: list[str], failed: bool
) -> None:
    request = {"api_name": "FindBerth", "parameters": {"pier": "2"}}
    (chat,) = import_bytes(dumps(with_call(request=request, **call))).conversations
    (told,) = results_of(chat.messages[2])
    assert (list(told.content), told.is_error) == ([TextPart(text) for text in expected], failed)


def test_what_is_no_turn_and_no_call_is_listed() -> None:
    turns = [*TOOL_TALK["conversation"], {"role": "crow", "text": "caw"}, "?", {"role": "user", "apis": [{}]}]
    found = import_bytes(dumps({"conversation": turns}))
    assert [each.why for each in found.skipped] == ["no known role", "a JSON string, not an object", "no `api_name`"]


def test_turns_without_calls_are_messages_of_any_chat() -> None:
    said = {"conversation": [{"role": "user", "text": "Hello?"}, {"role": "assistant", "text": "Hello.", "apis": []}]}
    assert import_bytes(dumps(said)).format == "openai-chat"
    with pytest.raises(FormatError):
        import_bytes(dumps({"conversation": []}), as_format="tool-talk")
