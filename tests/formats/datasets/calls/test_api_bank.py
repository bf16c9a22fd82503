"""Dialogues of API-Bank: calls with their results, errors, and what is no line of theirs."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import TextPart, calls_of, results_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.datasets import API_BANK
from tests.formats.shapes import dumps, jsonl

REPEATED = "Calls that their results repeat, left out"


def called(**result: Any) -> dict[str, Any]:
    return {"role": "API", "api_name": "Weigh", "param_dict": {"what": "anchor"}, "result": result}


def test_a_call_of_an_api_is_a_call_with_its_result() -> None:
    found = import_bytes(jsonl(*API_BANK))
    (chat,) = found.conversations
    assert found.format == "api-bank"
    assert [message.role for message in chat.messages] == [
        "user", "assistant", "assistant", "tool", "assistant", "tool", "assistant"
    ]  # fmt: skip
    for call, result in ((2, 3), (4, 5)):
        assert results_of(chat.messages[result])[0].call_id == calls_of(chat.messages[call])[0].id
    assert f"{REPEATED}: 2" in found.warnings
    assert not found.skipped
    assert import_bytes(dumps(API_BANK)).conversations[0].messages == chat.messages


@pytest.mark.parametrize(
    ("result", "expected", "failed"),
    [
        ({"output": None, "exception": "no scale"}, ["no scale"], True),
        ({"output": 4, "exception": None}, ["4"], False),
        ({"kilograms": 4}, ['{"kilograms":4}'], False),
        ({"input": {"what": "chain"}, "output": 4}, ['{"input":{"what":"chain"},"output":4}'], False),
        ({"output": 4, "unit": "t"}, ['{"output":4,"unit":"t"}'], False),
        ({}, ["{}"], False),
    ],
)
def test_what_a_result_says_is_read_and_whether_it_failed(
    result: dict[str, Any], expected: list[str], failed: bool
) -> None:
    (chat,) = import_bytes(jsonl(API_BANK[0], called(**result))).conversations
    (told,) = results_of(chat.messages[2])
    assert (list(told.content), told.is_error) == ([TextPart(text) for text in expected], failed)


def test_a_call_without_a_result_is_answered_by_nothing() -> None:
    (chat,) = import_bytes(jsonl(API_BANK[0], {"role": "API", "api_name": "Weigh", "param_dict": {}})).conversations
    assert results_of(chat.messages[2])[0].content == ()


def test_a_line_that_says_and_calls_nothing_is_listed() -> None:
    found = import_bytes(jsonl(*API_BANK, {"role": "API", "text": "?"}))
    assert [(item.where, item.why) for item in found.skipped] == [("line 6", "neither a text nor a call of an API")]


def test_lines_without_a_call_are_of_no_api() -> None:
    assert import_bytes(jsonl(*API_BANK[:2])).format == "openai-chat"
    with pytest.raises(FormatError, match="No API-Bank messages were found"):
        import_bytes(dumps({"role": "planner"}), as_format="api-bank")
