"""Histories of what was typed into agents: prompts by their session, without commands."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import text_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.shapes import dumps, jsonl


def typed(text: str, **more: Any) -> dict[str, Any]:
    return {"display": text, "pastedContents": {}, "timestamp": 1_772_359_200_000, "project": "/srv/a", **more}


@pytest.mark.parametrize(
    "data",
    [
        jsonl(typed("Which pier?", sessionId="s1"), typed("/clear"), typed("And when?", sessionId="s1")),
        jsonl(*({"session_id": "s1", "ts": 1_772_359_200, "text": text} for text in ("Which pier?", "And when?"))),
        dumps(
            [
                {"sessionId": "s1", "messageId": at, "type": "user", "message": text, "timestamp": "2026-03-01"}
                for at, text in enumerate(("Which pier?", "And when?"))
            ]
        ),
    ],
)
def test_the_prompts_of_a_session_are_one_conversation(data: bytes) -> None:
    found = import_bytes(data)
    (chat,) = found.conversations
    assert (found.format, chat.metadata["session"]) == ("prompt-history", "s1")
    assert [(message.role, text_of(message)) for message in chat.messages] == [
        ("user", "Which pier?"), ("user", "And when?"),
    ]  # fmt: skip
    assert "The file holds prompts alone, and neither what was replied nor what was run" in found.warnings


def test_projects_tell_prompts_apart_and_what_was_pasted_stands_in_its_place() -> None:
    pasted = {"1": {"id": 1, "type": "text", "content": "pier 2\npier 3"}}
    rows = [typed("Sort [Pasted text #1 +2 lines]", pastedContents=pasted), typed("Go", project="/srv/b")]
    first, second = import_bytes(jsonl(*rows)).conversations
    assert (text_of(first.messages[0]), second.metadata["session"]) == ("Sort pier 2\npier 3", "/srv/b")


def test_a_history_of_commands_alone_is_refused() -> None:
    with pytest.raises(FormatError):
        import_bytes(jsonl(typed("/clear"), typed("/exit")))
