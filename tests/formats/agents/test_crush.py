"""Crush's sessions: what its command line prints, summaries, commands, files, sub-agents, and what is refused."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from budgeteer.engine.content.conversation import Conversation, FilePart, ImagePart, TextPart, results_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.runs import CRUSH, crush_message
from tests.formats.shapes import dumps, jsonl, png


def said(chat: Conversation) -> list[tuple[str, str]]:
    return [(one.role, part.text) for one in chat.messages for part in one.parts if isinstance(part, TextPart)]


def printed() -> dict[str, Any]:
    messages = []
    for row in CRUSH[:-1]:
        parts = [{"type": part["type"], **part["data"]} for part in json.loads(row["parts"])]
        for part in parts:
            if part["type"] == "tool_call":
                part["tool_call_id"] = part.pop("id")
        messages.append({"id": row["id"], "role": row["role"], "created": "2026-01-02T09:00:00Z", "parts": parts})
    about = {"id": "h", "uuid": "s-1", "title": "Piers", "prompt_tokens": 9, "completion_tokens": 2}
    return {"meta": about, "messages": messages}


def test_what_the_command_line_prints_is_read_as_the_rows_are() -> None:
    rows, shown = import_bytes(jsonl(*CRUSH)), import_bytes(dumps(printed()))
    assert (rows.format, shown.format) == ("crush", "crush")
    (chat,), (other,) = rows.conversations, shown.conversations
    assert (chat.id, chat.title, chat.model) == ("s-1", "Piers", "claude-x")
    assert (other.id, other.title, said(other)) == ("s-1", "Piers", said(chat))
    assert [results_of(one) for one in other.messages] == [results_of(one) for one in chat.messages]


@pytest.mark.parametrize("is_marked", [True, False])
def test_a_summary_begins_the_context_as_a_prompt(*, is_marked: bool) -> None:
    summary = crush_message(5, "assistant", ("text", {"text": "There are two."}), is_summary_message=int(is_marked))
    after = crush_message(6, "user", ("text", {"text": "Which?"}))
    session = {**CRUSH[-1], "summary_message_id": None if is_marked else "m5"}
    data = jsonl(*CRUSH[:-1], summary, after, session)
    (chat,) = import_bytes(data).conversations
    assert said(chat) == [("user", "There are two."), ("user", "Which?")]
    assert not chat.messages[0].typed
    assert len(import_bytes(data, whole=True).conversations[0].messages) == 6


def test_commands_and_files_stand_in_the_prompt_as_they_are_sent() -> None:
    def file(path: str, mime: str, data: bytes) -> tuple[str, dict[str, Any]]:
        return "binary", {"Path": path, "MIMEType": mime, "Data": base64.b64encode(data).decode()}

    prompt = crush_message(
        1,
        "user",
        ("shell_command", {"command": "ls", "output": "a", "exit_code": 0}),
        file("notes.txt", "text/plain", b"Pier 4"),
        file("map.png", "image/png", png(30, 20)),
        file("plan.pdf", "application/pdf", b"%PDF"),
    )
    (chat,) = import_bytes(jsonl(prompt)).conversations
    command, notes, picture, plan = chat.messages[0].parts
    assert command == TextPart("$ ls\na\n(exit code 0)")
    assert notes == TextPart("<file path='notes.txt'>\n\nPier 4\n</file>")
    assert isinstance(picture, ImagePart)
    assert (picture.width, picture.height) == (30, 20)
    assert isinstance(plan, FilePart)
    assert plan.name == "plan.pdf"


def test_a_picture_that_a_tool_gave_is_a_picture_of_its_result() -> None:
    seen = {"tool_call_id": "k1", "content": "", "data": base64.b64encode(png(8, 9)).decode(), "mime_type": "image/png"}
    (chat,) = import_bytes(jsonl(*CRUSH[:2], crush_message(3, "tool", ("tool_result", seen)))).conversations
    (result,) = results_of(chat.messages[-1])
    (picture,) = result.content
    assert isinstance(picture, ImagePart)
    assert (result.call_id, picture.height) == ("k1", 9)


def test_sessions_below_another_are_sub_agents() -> None:
    task = [{**row, "session_id": "s-2"} for row in CRUSH[:-1]]
    other = {"id": "s-2", "title": "A search", "parent_session_id": "s-1", "summary_message_id": None}
    found = import_bytes(jsonl(*CRUSH, *task, other))
    assert [(chat.title, chat.is_subagent) for chat in found.conversations] == [("Piers", False), ("A search", True)]


def test_what_is_neither_a_session_nor_a_message_is_listed() -> None:
    found = import_bytes(
        jsonl(*CRUSH, {"path": "a.py", "version": 1}, crush_message(9, "robot", ("text", {"text": "x"})))
    )
    assert [item.where for item in found.skipped] == ["line 6", "line 7"]
    with pytest.raises(FormatError, match="No Crush messages were found"):
        import_bytes(jsonl(CRUSH[-1], CRUSH[-1]), as_format="crush")
