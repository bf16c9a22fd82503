"""Cursor's chats: every shape an export of its database has, what is taken back, and what is not in the file."""

from __future__ import annotations

import json
from typing import Any

import pytest

from budgeteer.engine.content.conversation import (
    Conversation,
    ImagePart,
    ReasoningPart,
    calls_of,
    message_to_json,
    results_of,
    text_of,
)
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.interfaces import BUBBLES, COMPOSER, CURSOR_ROWS, CURSOR_TABS
from tests.formats.shapes import dumps, jsonl

BY_ID = {bubble["bubbleId"]: bubble for bubble in BUBBLES}
KEPT_APART = {name: bubble["toolFormerData"] for name, bubble in BY_ID.items() if "toolFormerData" in bubble}
HEADERS = COMPOSER["fullConversationHeadersOnly"]


def chat_of(data: bytes, *, whole: bool = False) -> Conversation:
    found = import_bytes(data, whole=whole)
    assert found.format == "cursor-chats"
    return found.conversations[0]


def said(chat: Conversation) -> list[dict[str, Any]]:
    return [{**message_to_json(message), "id": "", "line": 0} for message in chat.messages]


@pytest.mark.parametrize(
    "shape",
    [
        jsonl(*CURSOR_ROWS),
        dumps({row["key"]: row["value"] for row in CURSOR_ROWS}),
        dumps({row["key"]: json.loads(row["value"]) for row in CURSOR_ROWS}),
        dumps({"cursorDiskKV": CURSOR_ROWS, "ItemTable": [{"key": "aiService.prompts", "value": "[]"}]}),
        dumps({"composer": COMPOSER, "bubbles": list(BUBBLES)}),
        dumps({"composerId": "c-1", "composerData": COMPOSER, "bubbles": BY_ID}),
        dumps({**COMPOSER, "bubbles": [{"header": each, "bubble": BY_ID[each["bubbleId"]]} for each in HEADERS]}),
        dumps({**COMPOSER, "conversationMap": BY_ID}),
        dumps({"composerId": "c-1", "conversation": list(BUBBLES)}),
        dumps({"allComposers": [{"composerId": "c-1", "conversation": list(BUBBLES)}]}),
        dumps({"composer.composerData": json.dumps({"allComposers": [{**COMPOSER, "conversation": list(BUBBLES)}]})}),
        dumps(list(BUBBLES)),
        dumps(
            {
                **COMPOSER,
                "capabilities": [{"type": 15, "data": {"bubbleDataMap": json.dumps(KEPT_APART)}}],
                "conversation": [
                    {key: held for key, held in bubble.items() if key != "toolFormerData"} for bubble in BUBBLES
                ],
            }
        ),
    ],
)
def test_every_shape_of_an_export_says_the_same(shape: bytes) -> None:
    assert said(chat_of(shape)) == said(chat_of(dumps(CURSOR_ROWS)))


def test_a_chat_is_read_with_thoughts_calls_and_recorded_usage() -> None:
    chat = chat_of(dumps(CURSOR_ROWS))
    assert (chat.id, chat.title, chat.model) == ("c-1", "Piers", "claude-x")
    assert [message.role for message in chat.messages] == ["user", "assistant", "assistant", "tool", "assistant"]
    assert chat.messages[1].parts == (ReasoningPart("A look first.", signature="s"),)
    (result,) = results_of(chat.messages[3])
    assert calls_of(chat.messages[2])[0].id == result.call_id == "k1"
    assert [(each.position, each.input_tokens, each.output_tokens) for each in chat.recorded] == [(4, 1200, 9)]


def test_a_bubble_that_is_not_listed_was_taken_back() -> None:
    other = {"type": 2, "bubbleId": "b9", "text": "Never mind."}
    found = import_bytes(dumps([*CURSOR_ROWS, {"key": "bubbleId:c-1:b9", "value": json.dumps(other)}]))
    assert said(found.conversations[0]) == said(chat_of(dumps(CURSOR_ROWS)))
    assert ("Bubbles that their composer does not list, left out", 1) in found.findings.counted


def test_the_older_tabs_are_read() -> None:
    chat = chat_of(dumps({"workbench.panel.aichat.view.aichat.chatdata": json.dumps(CURSOR_TABS)}))
    assert (chat.title, chat.model) == ("Older", "gpt-4")
    assert [text_of(message).strip() for message in chat.messages] == ["Which pier?", "Pier a."]


def test_a_summary_takes_the_place_of_what_is_before_it() -> None:
    summary: Any = {"summary": "It sorts piers.", "clientShouldStartSendingFromInclusiveBubbleId": "b4"}
    composer = dict(COMPOSER, latestConversationSummary={"summary": summary})
    data = dumps({"composer": composer, "bubbles": list(BUBBLES)})
    assert [text_of(message) for message in chat_of(data).messages] == ["It sorts piers.", "a, b."]
    assert len(chat_of(data, whole=True).messages) == 5


def test_failed_and_unfinished_calls_pictures_and_code_are_read() -> None:
    tool = {"tool": 7, "toolCallId": "k2", "params": {"path": "a"}, "status": "error", "error": "no such file"}
    runs = {"name": "grep", "toolCallId": "k3", "rawArgs": "{}", "status": "loading"}
    bubbles = [
        {"type": 1, "bubbleId": "1", "text": "", "images": [{"data": "data:image/png;base64,iVBORw0KGgo="}]},
        {"type": 2, "bubbleId": "2", "text": "", "codeBlocks": [{"languageId": "sh", "content": "ls"}]},
        {"type": 2, "bubbleId": "3", "text": "", "toolFormerData": tool},
        {"type": 2, "bubbleId": "4", "text": "", "toolFormerData": runs},
        {"type": 2, "bubbleId": "5", "text": ""},
    ]
    messages = chat_of(dumps({"composerId": "c", "conversation": bubbles})).messages
    assert isinstance(messages[0].parts[0], ImagePart)
    assert text_of(messages[1]) == "```sh\nls\n```"
    assert [(call.name, call.id) for message in messages for call in calls_of(message)] == [
        ("tool_7", "k2"),
        ("grep", "k3"),
    ]
    ((result,),) = [results_of(message) for message in messages if message.role == "tool"]
    assert (result.call_id, result.is_error) == ("k2", True)
    assert len(messages) == 5


def test_a_composer_without_its_bubbles_says_where_they_are() -> None:
    with pytest.raises(FormatError, match="only lists its messages") as error:
        import_bytes(dumps(COMPOSER))
    assert "bubbleId:" in error.value.mend
