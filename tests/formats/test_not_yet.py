"""Formats that are known but not read yet are named, never read as something else."""

from __future__ import annotations

import pytest

from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.shapes import dumps, jsonl


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
    ],
)
def test_a_known_format_is_refused_by_its_title(data: bytes, title: str) -> None:
    with pytest.raises(FormatError, match=f"This looks like .*{title}.*, which Budgeteer does not read yet"):
        import_bytes(data)


def test_a_format_given_by_name_is_not_second_guessed() -> None:
    data = dumps([{"role": "user", "content": "x", "parts": [{"text": "x"}]}])
    assert import_bytes(data, as_format="openai-chat").conversations[0].messages
