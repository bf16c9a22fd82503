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


def test_lines_of_ollama_are_one_answer_until_it_is_done() -> None:
    lines: list[dict[str, Any]] = [
        {"model": "m", "message": {"role": "assistant", "content": text}, "done": done}
        for text, done in (("Tw", False), ("o.", False), ("", True), ("Three.", False), ("", True))
    ]
    found = import_bytes(jsonl(*lines))
    assert found.format == "proxy-log"
    assert [text_of(chat.messages[0]) for chat in found.conversations] == ["Two.", "Three."]
    whole = {"model": "m", "message": {"role": "assistant", "content": "Two."}, "done": True}
    assert import_bytes(jsonl(whole, whole)).format == "openai-chat"


def test_a_response_that_broke_off_is_read_as_far_as_it_came() -> None:
    item = {"type": "function_call", "id": "f", "call_id": "k", "name": "find", "arguments": "{}"}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"id": "r", "object": "response", "output": []}},
        {"type": "response.output_item.done", "item": item},
        *({"type": "response.output_text.delta", "item_id": "m", "delta": text} for text in ("Tw", "o")),
    ]
    found = import_bytes("".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events).encode())
    (message,) = found.conversations[0].messages
    assert ([one.name for one in calls_of(message)], text_of(message).split("\n")[-1]) == (["find"], "Two")


def test_cassettes_keep_bodies_as_texts() -> None:
    request = {"method": "POST", "uri": "u", "body": json.dumps({"model": "m", "messages": OPENAI_CHAT[:2]})}
    answer = {"choices": [{"message": {"role": "assistant", "content": "Not late."}}]}
    cassette = {
        "interactions": [{"request": request, "response": {"body": {"string": json.dumps(answer)}}}],
        "version": 1,
    }
    found = import_bytes(dumps(cassette))
    assert (found.format, text_of(found.conversations[0].messages[-1])) == ("proxy-log", "Not late.")


def test_a_logged_response_with_a_body_is_not_lost() -> None:
    answer = {"choices": [{"message": {"role": "assistant", "content": "Not late."}}]}
    logged = {"request": {"body": {"messages": OPENAI_CHAT[:2]}}, "response": {"status_code": 200, "body": answer}}
    found = import_bytes(dumps(logged))
    assert found.format == "openai-chat"
    assert text_of(found.conversations[0].messages[-1]) == "Not late."
