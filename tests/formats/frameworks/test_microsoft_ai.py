"""Semantic Kernel and Microsoft.Extensions.AI: both spellings, thoughts, pictures, usage, and what is no message."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import ImagePart, OpaquePart, ReasoningPart
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.frameworks import MICROSOFT_AI
from tests.formats.shapes import dumps, jsonl
from tests.formats.test_makers import told

EXTENSIONS: list[dict[str, Any]] = [
    {"role": "user", "contents": [{"$type": "text", "text": "Which ferry leaves first?"}]},
    {
        "role": "assistant",
        "contents": [
            {"$type": "text", "text": "I look at line two."},
            {"$type": "functionCall", "callId": "c1", "name": "harbour-times", "arguments": {"line": 2}},
            {"$type": "usage", "details": {"inputTokenCount": 9}},
        ],
    },
    {"role": "tool", "contents": [{"$type": "functionResult", "callId": "c1", "result": "Oslo at four"}]},
    {"role": "assistant", "contents": [{"$type": "text", "text": "Oslo leaves first."}]},
]


@pytest.mark.parametrize(
    "data",
    [dumps(EXTENSIONS), jsonl(*EXTENSIONS), dumps({"messages": EXTENSIONS, "modelId": "model-x"})],
    ids=["list", "lines", "response"],
)
def test_messages_of_both_are_read_alike(data: bytes) -> None:
    found = import_bytes(data)
    assert (found.format, found.skipped) == ("microsoft-ai", ())
    assert told(found.conversations[0]) == told(import_bytes(dumps(MICROSOFT_AI)).conversations[0])
    assert "Recorded usage that is no content, left out: 1" in found.warnings


def test_the_model_is_that_of_the_last_reply_that_names_one() -> None:
    assert import_bytes(dumps(MICROSOFT_AI)).conversations[0].model == "model-x"


def test_thoughts_and_pictures_are_read_and_other_contents_kept() -> None:
    contents = [
        {"$type": "reasoning", "text": "A quay, I think."},
        {"$type": "uri", "uri": "https://example.org/quay.png", "mediaType": "image/png"},
        {"$type": "data", "uri": "data:image/png;base64,AAAA"},
        {"$type": "error", "message": "The lens is wet."},
    ]
    own = [{"$type": "ImageContent", "Data": "AAAA", "MimeType": "image/png"}]
    said = [{"role": "assistant", "contents": contents}, {"Role": {"Label": "user"}, "Items": own}]
    (chat,) = import_bytes(dumps(said)).conversations
    assert [type(part) for part in chat.messages[0].parts] == [ReasoningPart, ImagePart, ImagePart, OpaquePart]
    assert [type(part) for part in chat.messages[1].parts] == [ImagePart]


def test_what_is_no_message_is_listed_and_a_file_of_nothing_else_refused() -> None:
    found = import_bytes(dumps([*MICROSOFT_AI, {"Role": {"Label": "ghost"}, "Items": [{"$type": "TextContent"}]}]))
    assert [(item.where, item.why) for item in found.skipped] == [("message 5", "no known role")]
    with pytest.raises(FormatError, match="No Semantic Kernel"):
        import_bytes(dumps([{"Role": 1}]), as_format="microsoft-ai")
