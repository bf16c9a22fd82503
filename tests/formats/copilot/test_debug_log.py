"""Debug logs of Copilot Chat: results by the id or the name of their calls, calls without a reply, odd events."""

from __future__ import annotations

from budgeteer.engine.content.conversation import ReasoningPart, calls_of, results_of
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.runs import COPILOT_LOG, copilot_event
from tests.formats.shapes import jsonl


def test_a_reply_is_a_message_with_its_thoughts_and_its_calls() -> None:
    found = import_bytes(jsonl(*COPILOT_LOG))
    (chat,) = found.conversations
    assert [message.role for message in chat.messages] == ["user", "assistant", "tool", "assistant"]
    assert chat.messages[1].parts[0] == ReasoningPart("The map knows.")
    assert [one.call_id for one in results_of(chat.messages[2])] == ["call_1"]
    assert (chat.id, chat.model) == ("session-1", "gpt-5")
    assert found.accounting is not None
    assert found.accounting.unread * 20 < found.accounting.characters


def test_a_tool_that_ran_without_a_reply_before_it_is_a_call_with_its_result() -> None:
    ran = copilot_event("tool_call", "run_in_terminal", args='{"command": "ls"}', result={"output": "piers"})
    failed = {**copilot_event("tool_call", "read_file", args="{}", error="No such file"), "status": "error"}
    (chat,) = import_bytes(jsonl(*COPILOT_LOG, ran, failed)).conversations
    assert [call.name for message in chat.messages[4:] for call in calls_of(message)] == [
        "run_in_terminal",
        "read_file",
    ]
    assert [one.is_error for message in chat.messages[4:] for one in results_of(message)] == [False, True]


def test_events_of_odd_values_are_read_or_listed() -> None:
    for odd in (None, 7, [], {}, "x", [None], "[1, {}]", '[{"parts": [null, 3, {}]}]'):
        for place in (1, 3, 4):
            for key in COPILOT_LOG[place]["attrs"]:
                event = {**COPILOT_LOG[place], "attrs": {**COPILOT_LOG[place]["attrs"], key: odd}}
                assert import_bytes(jsonl(*COPILOT_LOG, event)).format == "vscode-debug-log"
            assert import_bytes(jsonl(*COPILOT_LOG, {**COPILOT_LOG[place], "type": odd})).conversations
