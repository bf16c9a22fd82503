"""Continue's logs of requests and its older timelines: pieces of a reply, several calls, and what is none of them."""

from __future__ import annotations

import pytest

from budgeteer.engine.content.conversation import ReasoningPart, TextPart, calls_of, results_of, text_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.agents import CONTINUE_LOG, CONTINUE_TIMELINE, timeline_node
from tests.formats.shapes import dumps, jsonl


def test_of_requests_that_go_on_from_each_other_the_last_is_read() -> None:
    found = import_bytes(jsonl(*CONTINUE_LOG, {"role": "user", "content": "**", "feedback": True}))
    (chat,) = found.conversations
    assert (found.format, chat.model) == ("continue-log", "m")
    assert [message.role for message in chat.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert [(call.name, call.arguments) for call in calls_of(chat.messages[2])] == [
        ("run_terminal_command", '{"command":"make"}')
    ]
    assert results_of(chat.messages[3])
    assert [(item.where, item.why) for item in found.skipped] == [("line 3", "no prompt with a reply")]


def test_the_pieces_of_a_reply_and_its_thoughts_are_put_together() -> None:
    pieces = '<thinking>\nA\n\n<thinking>\nB\n\n<assistant>\nPort \n\n<assistant>\n80\nlook({})\nmake({"a":1})'
    row = {"prompt": "<user>\nWhich port?\n\n", "completion": pieces, "tools": [{"name": "look"}]}
    (chat,) = import_bytes(dumps([row, {**row, "prompt": "<user>\nWhere?\n\n", "completion": ""}])).conversations[:1]
    assert chat.messages[1].parts == (ReasoningPart("AB"),)
    assert chat.messages[2].parts[0] == TextPart("Port 80")
    assert [call.name for call in calls_of(chat.messages[2])] == ["look", "make"]
    assert [tool["function"]["name"] for tool in chat.tools] == ["look"]


def test_a_prompt_without_roles_is_no_log_of_continue() -> None:
    found = import_bytes(jsonl(*({"prompt": f"What is <user>\nn{at}?", "completion": "It is."} for at in range(3))))
    assert found.format == "instructions"
    with pytest.raises(FormatError):
        import_bytes(dumps([{"prompt": "a", "completion": "b"}]), as_format="continue-log")


def test_what_a_step_tells_is_sent_unless_it_manages_its_own_and_hidden_steps_are_not() -> None:
    nodes = [
        timeline_node("UserInputStep", [], "Warm?", user_input="Warm?"),
        timeline_node("RunCommandStep", [{"role": "user", "content": "ran make", "summary": ""}], "It was built."),
        {**timeline_node("SimpleChatStep", [{"role": "assistant", "content": "Gone."}]), "deleted": True},
    ]
    found = import_bytes(dumps({**CONTINUE_TIMELINE, "history": {"timeline": nodes}}))
    assert found.format == "continue-timeline"
    (chat,) = found.conversations
    assert [(message.role, text_of(message)) for message in chat.messages] == [
        ("user", "Warm?"),
        ("user", "ran make"),
        ("assistant", "It was built."),
    ]
    assert "Steps that were hidden or deleted, which were not sent, left out: 1" in found.warnings
