"""What `codex exec --json` prints: items in every state, turns that number them anew, and what is left out."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import OpaquePart, TextPart, calls_of, results_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.agents import CODEX_EXEC
from tests.formats.makers.older import OLD_EXEC
from tests.formats.shapes import jsonl


def item(given: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"type": "item.completed", "item": {"id": given, "type": kind, **more}}


def test_an_item_counts_once_as_it_was_last_and_a_new_turn_begins_anew() -> None:
    again = {"type": "turn.started"}, item("item_3", "agent_message", text="Two now.")
    (chat,) = import_bytes(jsonl(*CODEX_EXEC, *again)).conversations
    said = [part.text for message in chat.messages for part in message.parts if isinstance(part, TextPart)]
    assert (chat.id, said) == ("th-1", ["One file.", "Two now."])
    assert [message.line for message in chat.messages] == [3, 4, 4, 6, 6, 7, 10]


def test_what_failed_says_so_and_what_runs_has_no_result() -> None:
    failed = item("a", "command_execution", command="x", aggregated_output="no x", exit_code=127, status="failed")
    refused = item("b", "mcp_tool_call", server="d", tool="f", arguments={}, error={"message": "away"}, status="failed")
    edit = item("c", "file_change", changes=[{"path": "a", "kind": "add"}], status="completed")
    runs = {
        "type": "item.started",
        "item": {"id": "d", "type": "command_execution", "command": "y", "status": "in_progress"},
    }
    searched = item("e", "web_search", query="tides", action={"type": "search"})
    found = import_bytes(jsonl(CODEX_EXEC[0], failed, refused, edit, runs, searched))
    messages = found.conversations[0].messages
    results = [(result.content, result.is_error) for message in messages for result in results_of(message)]
    assert results == [((TextPart("no x"),), True), ((TextPart("away"),), True), ((TextPart("completed"),), False)]
    assert [call.name for message in messages for call in calls_of(message)] == [
        "command_execution",
        "d.f",
        "file_change",
        "command_execution",
        "web_search",
    ]
    assert ("Calls whose results are not among the events", 2) in found.findings.counted


def test_an_unknown_item_is_kept_and_the_missing_prompt_is_told() -> None:
    found = import_bytes(jsonl(*CODEX_EXEC[:2], item("a", "sketch", lines=[1])))
    (part,) = found.conversations[0].messages[0].parts
    assert isinstance(part, OpaquePart)
    assert "The prompt is not among what `codex exec --json` prints" in found.warnings


def test_a_thread_without_items_is_refused_by_name() -> None:
    with pytest.raises(FormatError, match="No codex exec messages were found"):
        import_bytes(jsonl(*CODEX_EXEC[:2]))


def test_a_type_that_is_no_text_is_listed() -> None:
    found = import_bytes(jsonl(*CODEX_EXEC, {"type": {"a": 1}}))
    assert (found.format, [(item.where, item.why) for item in found.skipped]) == (
        "codex-exec",
        [("line 9", "no `type`")],
    )


def test_the_older_events_of_a_call_are_one_call_with_its_result() -> None:
    found = import_bytes(jsonl(*OLD_EXEC))
    (chat,) = found.conversations
    assert (found.format, chat.model, chat.title) == ("codex-exec", "o3", "List the piers")
    said = [part.text for message in chat.messages for part in message.parts if isinstance(part, TextPart)]
    assert said == ["List the piers", "Two piers."]
    calls = [(call.name, call.arguments) for message in chat.messages for call in calls_of(message)]
    assert calls == [
        ("command_execution", '{"command":["ls"]}'),
        ("docs.find", '{"q":1}'),
        ("file_change", '{"changes":{"a":{"add":{"content":"x"}}}}'),
    ]
    results = [(result.content, result.is_error) for message in chat.messages for result in results_of(message)]
    assert results == [((TextPart("a b"),), False), ((TextPart("no such page"),), True), ((TextPart("Done"),), False)]
    assert not any("prompt is not" in warning for warning in found.warnings)


def test_an_older_call_that_did_not_end_has_no_result() -> None:
    (chat,) = import_bytes(jsonl(*OLD_EXEC[:5])).conversations
    assert [message.role for message in chat.messages] == ["user", "assistant", "assistant"]
    assert len(calls_of(chat.messages[-1])) == 1
