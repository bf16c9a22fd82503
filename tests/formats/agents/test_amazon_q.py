"""Amazon Q's conversations: older pairs, summaries, results of several kinds, pictures, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import ImagePart, OpaquePart, TextPart, results_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.messages.imported import Imported
from tests.formats.makers.runs import AMAZON_Q, asked_of_q
from tests.formats.shapes import dumps, png


def said(found: Imported) -> list[tuple[str, str]]:
    return [
        (message.role, part.text)
        for message in found.conversations[0].messages
        for part in message.parts
        if isinstance(part, TextPart)
    ]


def saved(**other: Any) -> Imported:
    return import_bytes(dumps({**AMAZON_Q, **other}))


def test_pairs_of_an_older_version_are_read_as_turns() -> None:
    pairs = [[turn["user"], turn["assistant"]] for turn in AMAZON_Q["history"]]
    assert (saved(history=pairs).format, said(saved(history=pairs))) == ("amazon-q", said(saved()))


def test_the_value_of_a_row_of_the_database_is_read_as_what_is_saved() -> None:
    found = import_bytes(dumps([{"key": "/w", "value": dumps(AMAZON_Q).decode()}]))
    assert (found.format, said(found), found.conversations[0].id) == ("amazon-q", said(saved()), "q-1")


def test_a_summary_stands_first_and_what_waits_to_be_sent_last() -> None:
    waiting = asked_of_q({"Prompt": {"prompt": "And boats?"}}, additional_context="It rains.")
    found = saved(latest_summary=["They spoke of boats.", {"message_id": "m-0"}], next_message=waiting)
    assert said(found)[0] == ("user", "They spoke of boats.")
    assert said(found)[-2:] == [("user", "It rains."), ("user", "And boats?")]
    assert not found.conversations[0].messages[0].typed


def test_a_cancelled_call_has_its_error_before_the_prompt_that_cancelled_it() -> None:
    results = [{"tool_use_id": "k1", "content": [{"Text": "Cancelled"}, {"Json": {"a": 1}}], "status": "Error"}]
    cancelled = asked_of_q({"CancelledToolUses": {"prompt": "Stop", "tool_use_results": results}})
    turns = [AMAZON_Q["history"][0], {"user": cancelled, "assistant": {"Response": {"content": "Stopped."}}}]
    messages = saved(history=turns).conversations[0].messages
    (result,) = results_of(messages[2])
    assert (result.call_id, result.is_error) == ("k1", True)
    assert [part.text for part in result.content if isinstance(part, TextPart)] == ["Cancelled", '{"a":1}']
    assert [message.role for message in messages] == ["user", "assistant", "tool", "user", "assistant"]


def test_a_picture_of_bytes_is_a_picture_with_its_size() -> None:
    images = [{"format": "Png", "source": {"Bytes": list(png(30, 20))}}, {"source": {"Bytes": [1, 999]}}]
    seen = asked_of_q({"Prompt": {"prompt": "See"}}, images=images)
    found = saved(history=[{"user": seen, "assistant": {"Response": {"content": "Yes."}}}])
    pictures = [part for part in found.conversations[0].messages[0].parts if isinstance(part, ImagePart)]
    assert [(part.width, part.height) for part in pictures] == [(30, 20)]


def test_tools_are_read_with_their_schemas() -> None:
    (tool,) = saved().conversations[0].tools
    assert (tool["name"], tool["input_schema"]["properties"]) == ("fs_read", {"path": {"type": "string"}})


def test_a_turn_of_another_kind_is_kept_and_what_is_no_turn_is_listed() -> None:
    odd = {"user": AMAZON_Q["history"][0]["user"], "assistant": {"Thought": {"content": "Hm."}}}
    found = saved(history=[*AMAZON_Q["history"], odd, 7])
    assert [part.kind for part in found.conversations[0].messages[-1].parts if isinstance(part, OpaquePart)] == [
        "Thought"
    ]
    assert [item.where for item in found.skipped] == ["the object, turn 4"]


def test_a_conversation_without_a_turn_is_refused() -> None:
    with pytest.raises(FormatError, match="No Amazon Q messages were found"):
        import_bytes(dumps({**AMAZON_Q, "history": []}), as_format="amazon-q")
