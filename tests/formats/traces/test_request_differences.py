"""Traced requests of OpenCode: each body restored from what changed since the one before."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import ReasoningPart, text_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.recordings import OPENCODE_TRACE, TRACED_RESULT, traced
from tests.formats.shapes import jsonl


def test_a_session_is_one_conversation_with_its_system_text() -> None:
    found = import_bytes(jsonl(*OPENCODE_TRACE))
    (chat,) = found.conversations
    assert (found.format, chat.model) == ("opencode-trace", "claude-x")
    assert [message.role for message in chat.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert found.accounting is not None
    assert not found.accounting.is_lossy


def test_messages_are_taken_from_the_end_before_others_are_added() -> None:
    moved = {"role": "user", "content": [{**TRACED_RESULT, "cache_control": {"type": "ephemeral"}}]}
    third = traced(
        "request",
        3,
        model="claude-x",
        max_tokens=100,
        system=["..."],
        messages__taken=[moved],
        messages__added=[moved, {"role": "user", "content": "And now?"}],
    )
    (chat,) = import_bytes(jsonl(*OPENCODE_TRACE[:3], third)).conversations
    assert [message.role for message in chat.messages] == ["system", "user", "assistant", "tool", "user"]
    assert text_of(chat.messages[-1]) == "And now?"


def test_a_call_that_failed_is_a_request_without_a_reply() -> None:
    failed = traced("error", 2, _error="The connection was closed", _stack="at fetch")
    found = import_bytes(jsonl(*OPENCODE_TRACE[:3], failed))
    (chat,) = found.conversations
    assert [message.role for message in chat.messages] == ["system", "user", "assistant", "tool"]
    assert "Requests that no response was written of: 1" in found.warnings
    assert "Non-message lines, not read: 1 (1 error)" in found.warnings


def test_bodies_of_openai_are_restored_as_well() -> None:
    def body(**told: Any) -> dict[str, Any]:
        return {"model": "m", **told}

    first = traced("request", 1, **body(messages=[{"role": "user", "content": "How high?"}], stream=True))
    answer = {"role": "assistant", "reasoning_content": "Look.", "content": "40 cm."}
    reply = traced("response", 1, **body(object="chat.completion", choices=[{"index": 0, "message": answer}]))
    echo = {"role": "assistant", "content": "40 cm.", "reasoning_content": "..."}
    second = traced("request", 2, **body(messages__added=[echo, {"role": "user", "content": "Sure?"}]))
    told = {"*choices": [{"index": 0, "message": {"role": "assistant", "content": "Yes."}}]}
    last = traced("response", 2, **body(object="chat.completion", **told))
    found = import_bytes(jsonl(first, second, reply, last))
    (chat,) = found.conversations
    assert [text_of(message) for message in chat.messages] == ["How high?", "40 cm.", "Sure?", "Yes."]
    assert not any(isinstance(part, ReasoningPart) for part in chat.messages[1].parts)


def test_records_of_another_kind_alone_are_refused() -> None:
    with pytest.raises(FormatError):
        import_bytes(jsonl(traced("error", 1, _error="no"), traced("error", 2, _error="no")))
