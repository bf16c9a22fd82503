"""Spring AI: messages in prompts and responses, thoughts, pictures, and what is no message."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import ImagePart, OpaquePart, ReasoningPart, results_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.frameworks import SPRING_AI
from tests.formats.shapes import dumps, jsonl
from tests.formats.test_makers import told

REPLY = SPRING_AI[-1]


@pytest.mark.parametrize(
    "data", [dumps({"instructions": SPRING_AI}), dumps([{"messages": SPRING_AI}]), jsonl(*SPRING_AI)]
)
def test_prompts_and_lines_are_read_as_a_list_of_messages(data: bytes) -> None:
    found = import_bytes(data)
    assert (found.format, found.kind) == ("spring-ai", "conversation")
    assert told(found.conversations[0]) == told(import_bytes(dumps(SPRING_AI)).conversations[0])


def test_a_response_is_its_results_with_the_model_that_wrote_them() -> None:
    response = {"results": [{"output": REPLY, "metadata": {}}], "metadata": {"model": "model-x", "usage": {}}}
    (chat,) = import_bytes(dumps(response)).conversations
    assert (told(chat)[0], chat.model) == (["Oslo leaves first."], "model-x")


def test_texts_of_earlier_versions_are_read() -> None:
    older = [
        {key: value for key, value in raw.items() if key != "text"} | {"textContent": raw["text"]} for raw in SPRING_AI
    ]
    assert told(import_bytes(dumps(older)).conversations[0]) == told(import_bytes(dumps(SPRING_AI)).conversations[0])


def test_a_tool_message_of_two_responses_answers_both_calls() -> None:
    def call(name: str) -> dict[str, Any]:
        return {"id": name, "type": "function", "name": name, "arguments": "{}"}

    answers = [{"id": name, "name": name, "responseData": f"of {name}"} for name in ("tide", "wind")]
    asked = {**REPLY, "toolCalls": [call("tide"), call("wind")]}
    (chat,) = import_bytes(dumps([asked, {"messageType": "TOOL", "responses": answers, "text": ""}])).conversations
    assert [part.call_id for message in chat.messages for part in results_of(message)] == ["tide", "wind"]
    assert told(chat)[2] == ["of tide", "of wind"]


def test_thoughts_and_media_are_read() -> None:
    picture = {"mimeType": {"type": "image", "subtype": "png"}, "data": "https://example.org/quay.png"}
    sound = {"mimeType": "audio/mp3", "data": "https://example.org/horn.mp3"}
    asked = {"messageType": "USER", "text": "What is this?", "media": [picture, sound]}
    reply = {**REPLY, "metadata": {"reasoningContent": "A quay, I think."}}
    (chat,) = import_bytes(dumps([asked, reply])).conversations
    assert [type(part) for part in chat.messages[0].parts[1:]] == [ImagePart, OpaquePart]
    assert chat.messages[1].parts[0] == ReasoningPart("A quay, I think.")


def test_what_is_no_message_is_listed_and_a_file_of_nothing_else_refused() -> None:
    found = import_bytes(dumps([*SPRING_AI, {"messageType": "GHOST", "text": "Boo"}]))
    assert [(item.where, item.why) for item in found.skipped] == [("message 6", "no known `messageType`")]
    with pytest.raises(FormatError, match="No Spring AI messages"):
        import_bytes(dumps([{"messageType": 1}]), as_format="spring-ai")
