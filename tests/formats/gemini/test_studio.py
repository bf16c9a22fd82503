"""Prompts of AI Studio: turns in chunks, thoughts, attachments that are elsewhere, replies that failed."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from budgeteer.engine.content.conversation import (
    AudioPart,
    FilePart,
    ImagePart,
    OpaquePart,
    Part,
    ReasoningPart,
    TextPart,
)
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.messages.imported import Imported
from tests.formats.shapes import dumps, png

ASKED = {"text": "How high is the tide?", "role": "user", "tokenCount": 6}


def prompt(*chunks: Any, **more: Any) -> dict[str, Any]:
    return {
        "runSettings": {"temperature": 1.0, "model": "models/gemini-2.5-pro", "enableSearchAsATool": False},
        "systemInstruction": {},
        "chunkedPrompt": {"chunks": list(chunks), "pendingInputs": []},
        **more,
    }


def read(*chunks: Any, **more: Any) -> Imported:
    found = import_bytes(dumps(prompt(*chunks, **more)))
    assert found.format == "ai-studio"
    return found


def said(*chunks: Any) -> tuple[Part, ...]:
    (message,) = read(*chunks).conversations[0].messages
    return message.parts


def test_a_prompt_is_one_conversation() -> None:
    parts = [{"text": "0.4"}, {"text": " m."}, {"text": "", "thoughtSignature": "c2VhbA=="}]
    found = read(
        {**ASKED, "createTime": "2026-03-01T10:00:00Z"},
        {"text": "I should look.", "role": "model", "isThought": True},
        {"text": "0.4 m.", "role": "model", "finishReason": "STOP", "parts": parts},
        systemInstruction={"text": "Be brief."},
    )
    assert found.skipped == ()
    (chat,) = found.conversations
    assert (chat.title, chat.model) == ("How high is the tide?", "gemini-2.5-pro")
    assert [message.role for message in chat.messages] == ["system", "user", "assistant"]
    assert chat.messages[0].parts == (TextPart("Be brief."),)
    assert (chat.messages[1].created, chat.messages[1].line) == ("2026-03-01T10:00:00Z", 1)
    assert chat.messages[2].parts == (
        ReasoningPart("I should look.", provider="gemini"),
        TextPart("0.4"),
        TextPart(" m."),
        ReasoningPart("", signature="c2VhbA==", provider="gemini"),
    )
    assert found.warnings == ("Chunks of one turn in a row, read as one message: 1",)


def test_attachments_are_kept_and_those_elsewhere_are_counted() -> None:
    picture = {"mimeType": "image/png", "data": base64.b64encode(png(64, 48)).decode()}
    code = {"language": "PYTHON", "code": "print(1)"}
    parts = said(
        {"role": "user", "inlineFile": picture},
        {"role": "user", "driveDocument": {"id": "d1"}, "tokenCount": 900},
        {"role": "user", "driveImage": {"id": "d2"}},
        {"role": "user", "driveAudio": {"id": "d3"}},
        {"role": "user", "executableCode": code},
        ASKED,
    )
    assert parts == (
        ImagePart({"inlineData": picture}, 64, 48),
        FilePart({"driveDocument": {"id": "d1"}}),
        ImagePart({"driveImage": {"id": "d2"}}),
        AudioPart({"driveAudio": {"id": "d3"}}),
        OpaquePart("executableCode", {"executableCode": code}, "gemini"),
        TextPart("How high is the tide?"),
    )
    found = read(ASKED, {"role": "user", "youtubeVideo": {"id": "y"}})
    assert "Attachments that lie in Drive or on the web, whose content is not in the file: 1" in found.warnings


def test_what_failed_or_was_not_sent_is_left_out_and_said() -> None:
    given = prompt(ASKED, {"role": "model", "errorMessage": "Overloaded", "text": ""}, {"role": "nobody"}, 3)
    given["chunkedPrompt"]["pendingInputs"] = [{"role": "user", "text": "And tomorrow?"}, {"role": "user", "text": ""}]
    found = import_bytes(dumps(given))
    assert [message.parts for message in found.conversations[0].messages] == [(TextPart(str(ASKED["text"])),)]
    assert [(item.where, item.why) for item in found.skipped] == [
        ("chunk 3", "no role of AI Studio's"),
        ("chunk 4", "no role of AI Studio's"),
    ]
    assert found.warnings == (
        "Replies that ended in an error, left out: 1",
        "Inputs that were not sent yet, left out: 1",
    )


def test_empty_parts_leave_the_text_and_a_thought_may_stand_in_parts() -> None:
    empty = {"role": "model", "text": "0.4 m.", "parts": [{"text": ""}, {"text": None, "thought": False}]}
    assert said(empty) == (TextPart("0.4 m."),)
    thought = {"role": "model", "parts": [{"text": "Hm.", "thought": True}, {"text": "0.4 m."}]}
    assert said(thought) == (ReasoningPart("Hm.", provider="gemini"), TextPart("0.4 m."))


@pytest.mark.parametrize("parts", ["I should look at the table.", "I should"])
def test_the_longer_of_two_texts_of_a_thought_is_read(parts: str) -> None:
    whole = "I should look at the table."
    thought = {"role": "model", "text": whole if parts != whole else "I should", "isThought": True}
    assert said({**thought, "parts": [{"text": parts, "thought": True}]}) == (ReasoningPart(whole, provider="gemini"),)
    sealed = {"text": "", "thoughtSignature": "c2VhbA=="}
    reply = {"role": "model", "text": "0.4 m. It rises.", "parts": [{"text": "0.4 m."}, sealed]}
    seal = ReasoningPart("", signature="c2VhbA==", provider="gemini")
    assert said(reply) == (TextPart("0.4 m. It rises."), seal)


@pytest.mark.parametrize(
    "value", [{"chunkedPrompt": {"chunks": []}}, {"chunkedPrompt": {}}, {"chunkedPrompt": None}, []]
)
def test_a_prompt_without_turns_is_an_error(value: Any) -> None:
    with pytest.raises(FormatError, match="AI Studio"):
        import_bytes(dumps(value), as_format="ai-studio")
