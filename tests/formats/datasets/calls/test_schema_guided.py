"""Schema-guided dialogues: calls of services with their results, frames that call nothing, and what is no turn."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import TextPart, calls_of, results_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.datasets import SCHEMA_GUIDED
from tests.formats.shapes import dumps, jsonl

LEFT = "Annotations of turns beside what was said and called, left out"


def turn(speaker: str, utterance: str, *frames: Any) -> dict[str, Any]:
    return {"speaker": speaker, "utterance": utterance, "frames": list(frames)}


def test_a_service_is_called_before_the_system_replies() -> None:
    found = import_bytes(dumps(SCHEMA_GUIDED))
    chat = found.conversations[0]
    assert (found.format, chat.id, found.skipped) == ("schema-guided", "f1", ())
    assert [message.role for message in chat.messages] == [
        "user",
        "assistant",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    (call,), (result,) = calls_of(chat.messages[3]), results_of(chat.messages[4])
    assert (call.name, result.call_id) == ("BookFerry", call.id)
    assert f"{LEFT}: 5" in found.warnings
    assert found.accounting is not None
    assert not found.accounting.is_lossy
    assert import_bytes(jsonl(*SCHEMA_GUIDED, *SCHEMA_GUIDED)).format == "schema-guided"


def test_every_frame_of_a_turn_may_call_and_a_call_may_find_nothing() -> None:
    frames = [{"service_call": {"method": name, "parameters": {}}} for name in ("FindPier", "FindBerth")]
    frames[1] |= {"service_results": []}
    turns = [turn("USER", "Where?"), turn("SYSTEM", "Nowhere.", *frames)]
    (chat,) = import_bytes(dumps([{"turns": turns}])).conversations
    assert [call.name for message in chat.messages for call in calls_of(message)] == ["FindPier", "FindBerth"]
    (told,) = [result for message in chat.messages for result in results_of(message)]
    assert told.call_id == calls_of(chat.messages[2])[0].id
    assert told.content == (TextPart("[]"),)


def test_frames_that_call_nothing_are_turns_alone_and_their_annotations_are_counted() -> None:
    slots = {"service": "ferries", "slots": [{"slot": "harbour", "start": 3}], "state": {"active_intent": "FindFerry"}}
    found = import_bytes(dumps([{"turns": [turn("USER", "To Oslo?", slots), turn("SYSTEM", "Daily.")]}]))
    assert found.format == "turn-pairs"
    assert "Fields of turns beside what was said, left out: 1" in found.warnings
    assert found.accounting is not None
    assert not found.accounting.is_lossy


def test_what_is_no_turn_is_listed() -> None:
    turns = [*SCHEMA_GUIDED[0]["turns"], turn("CROW", "caw"), "?"]
    found = import_bytes(dumps([{"turns": turns}]), as_format="schema-guided")
    assert [each.why for each in found.skipped] == ["no known speaker", "a JSON string, not an object"]
    with pytest.raises(FormatError):
        import_bytes(dumps([{"turns": []}]), as_format="schema-guided")
