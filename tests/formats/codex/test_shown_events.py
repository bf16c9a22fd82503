"""Rollouts of Codex of which only what the screen showed is left."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import TextPart, calls_of, results_of
from budgeteer.formats.detect import import_bytes
from tests.formats.shapes import jsonl

META = {"type": "session_meta", "payload": {"id": "r-1", "cwd": "/srv"}}


def event(kind: str, **told: Any) -> dict[str, Any]:
    return {"timestamp": "2026-03-01T10:00:00Z", "type": "event_msg", "payload": {"type": kind, **told}}


@pytest.mark.parametrize(
    ("ended", "name", "arguments", "output"),
    [
        (
            event("exec_command_end", call_id="k1", command=["ls"], stdout="a", aggregated_output="a b", exit_code=0),
            "shell", '{"command":["ls"]}', "a b",
        ),
        (
            event("patch_apply_end", call_id="k1", changes={"a.py": {"type": "add"}}, stdout="Done", stderr="one left"),
            "apply_patch", '{"changes":{"a.py":{"type":"add"}}}', "Done\none left",
        ),
        (
            event("mcp_tool_call_end", call_id="k1", invocation={"tool": "tides", "arguments": {"pier": 2}},
                  result={"Ok": {"content": []}}),
            "tides", '{"pier":2}', '{"content":[]}',
        ),
    ],
)  # fmt: skip
def test_the_end_of_a_call_is_the_call_with_its_output(
    ended: dict[str, Any], name: str, arguments: str, output: str
) -> None:
    found = import_bytes(jsonl(META, event("user_message", message="Go"), ended))
    asked, made, told = found.conversations[0].messages
    assert asked.role == "user"
    assert [(call.name, call.arguments) for call in calls_of(made)] == [(name, arguments)]
    (result,) = results_of(told)
    assert (result.call_id, result.content) == ("k1", (TextPart(output),))
    assert ("Calls that only events for the screen hold, read from those", 1) in found.findings.counted


def test_where_a_reply_is_an_item_the_ends_of_commands_are_not_sent() -> None:
    """A person may run commands as well, of which the model reads another text."""
    content = [{"type": "output_text", "text": "Done."}]
    reply = {"type": "response_item", "payload": {"type": "message", "role": "assistant", "content": content}}
    ended = event("exec_command_end", call_id="k1", command=["ls"], stdout="a")
    (chat,) = import_bytes(jsonl(META, event("user_message", message="Go"), ended, reply)).conversations
    assert [message.role for message in chat.messages] == ["user", "assistant"]
