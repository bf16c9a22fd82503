"""Formats that are known but not read yet are named, never read as something else."""

from __future__ import annotations

import pytest

from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.shapes import dumps, jsonl

TURNS = [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "hello"}]


@pytest.mark.parametrize(
    ("data", "title"),
    [
        (
            jsonl({"timestamp": "t", "type": "session_meta", "payload": {}}, {"type": "event_msg", "payload": {}}),
            "Codex",
        ),
        (
            jsonl({"type": "session.start", "data": {}}, {"type": "user.message", "data": {"content": "x"}}),
            "Copilot CLI",
        ),
        (
            jsonl({"type": "session", "id": "1"}, {"type": "message", "message": {"role": "user", "content": []}}),
            "a pi",
        ),
        (dumps([{"title": "t", "mapping": {}, "current_node": "x"}]), "ChatGPT export"),
        (dumps([{"conversations": TURNS}]), "ShareGPT"),
        (jsonl({"conversations": TURNS}, {"conversations": TURNS}), "ShareGPT"),
        (dumps([{"messages": [{"role": "user", "content": [{"type": "text", "value": "x"}]}]}]), "LLaMA-Factory"),
        (dumps([{"id": "1", "role": "user", "parts": [{"type": "text", "text": "x"}]}]), "AI SDK"),
        (dumps({"contents": [{"role": "user", "parts": [{"text": "x"}]}]}), "Gemini"),
        (dumps({"candidates": [{"content": {"parts": [{"text": "x"}]}}]}), "Gemini"),
        (dumps([{"role": "user", "parts": [{"text": "x"}]}, {"role": "model", "parts": [{"text": "y"}]}]), "Gemini"),
        (dumps({"app_name": "a", "user_id": "u", "events": []}), "ADK"),
        (dumps({"sessionId": "s", "messages": [{"type": "user", "content": "x"}, {"type": "gemini"}]}), "Gemini CLI"),
        (dumps({"messages": [{"lc": 1, "type": "constructor", "id": [], "kwargs": {}}]}), "LangChain"),
        (dumps({"model": "gpt-5", "input": [{"role": "user", "content": "x"}]}), "OpenAI Responses"),
        (dumps({"model": "gpt-5", "input": "x", "instructions": "y"}), "OpenAI Responses"),
        (dumps({"object": "response", "id": "r", "output": []}), "OpenAI Responses"),
        (dumps([{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}]), "OpenAI Responses"),
        (jsonl({"id": "1", "question": [[{"role": "user", "content": "x"}]], "function": []}), "BFCL"),
        (jsonl({"messages_display": "user: x"}, {"messages_display": "user: y"}), "text transcripts"),
    ],
)
def test_a_known_format_is_refused_by_its_title(data: bytes, title: str) -> None:
    with pytest.raises(FormatError, match=f"This looks like .*{title}.*, which Budgeteer does not read yet"):
        import_bytes(data)


def test_a_format_given_by_name_is_not_second_guessed() -> None:
    data = dumps([{"role": "user", "content": "x", "parts": [{"text": "x"}]}])
    assert import_bytes(data, as_format="openai-chat").conversations[0].messages
