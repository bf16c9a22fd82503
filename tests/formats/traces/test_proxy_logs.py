"""Logs of proxies and streamed answers: every way a body or an event stands in a file."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from budgeteer.engine.content.conversation import calls_of, text_of
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.traces import PROXY_LOG, STREAM, STREAMED
from tests.formats.shapes import OPENAI_CHAT, dumps, jsonl

CHUNKS: tuple[dict[str, Any], ...] = tuple(
    {"id": given, "object": "chat.completion.chunk", "model": "gpt-x", "choices": [{"index": 0, "delta": delta}]}
    for given, delta in (
        ("a", {"role": "assistant", "content": ""}),
        ("a", {"content": "Tw"}),
        ("a", {"content": "o."}),
        ("b", {"content": "Three."}),
    )
)


@pytest.mark.parametrize(
    "data", [STREAMED.encode(), jsonl(*STREAM), dumps(list(STREAM)), b"\xef\xbb\xbf" + STREAMED.encode()]
)
def test_a_streamed_answer_alone_is_the_message_it_came_to(data: bytes) -> None:
    found = import_bytes(data)
    (chat,) = found.conversations
    assert (found.format, chat.model) == ("proxy-log", "claude-x")
    (message,) = chat.messages
    assert text_of(message).startswith("I look.\nfind")
    assert [(call.name, json.loads(call.arguments)) for call in calls_of(message)] == [("find", {"q": 2})]


def test_chunks_of_several_answers_are_several_answers() -> None:
    found = import_bytes("".join(f"data: {json.dumps(one)}\n\n" for one in CHUNKS).encode() + b"data: [DONE]\n\n")
    assert [text_of(chat.messages[0]) for chat in found.conversations] == ["Two.", "Three."]
    assert import_bytes(jsonl(*CHUNKS)).format == found.format == "proxy-log"


def test_bodies_may_be_texts_and_what_a_later_request_begins_with_is_left_out() -> None:
    first = copy.deepcopy(PROXY_LOG[0])
    second = copy.deepcopy(first)
    body = second["request"]["body"]
    body["messages"] += [{"role": "assistant", "content": "I look."}, {"role": "user", "content": "And?"}]
    second["response"] = {
        "body": json.dumps({"type": "message", "role": "assistant", "content": [{"type": "text", "text": "No."}]})
    }
    second["request"]["body"] = json.dumps(body)
    del first["response"]["body_raw"]
    found = import_bytes(jsonl(first, second))
    assert [text_of(message) for message in found.conversations[-1].messages][-2:] == ["And?", "No."]
    assert found.findings.counted[0] == ("Answers that are neither JSON nor a stream of a known form, left out", 1)
    assert ("Calls that a later call goes on from, left out", 1) in found.findings.counted


def test_a_logged_response_with_a_body_is_not_lost() -> None:
    answer = {"choices": [{"message": {"role": "assistant", "content": "Not late."}}]}
    logged = {"request": {"body": {"messages": OPENAI_CHAT[:2]}}, "response": {"status_code": 200, "body": answer}}
    found = import_bytes(dumps(logged))
    assert found.format == "openai-chat"
    assert text_of(found.conversations[0].messages[-1]) == "Not late."
