"""Base64 in parts of a provider's own is kept and sent, and never counted; in texts it is left out, as a decision."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.conversation import (
    Conversation,
    OpaquePart,
    TextPart,
    ToolResultPart,
    message_from_json,
    message_to_json,
)
from budgeteer.engine.content.payloads import LONGEST_COUNTED
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.rendering import render_request
from budgeteer.formats.detect import import_bytes
from tests.formats.shapes import dumps

BYTES = "iVBORw0K" * (LONGEST_COUNTED // 4)
LEFT = f"[{len(BYTES):,} characters of base64 left out]"
READ_AS_TEXT = f"Characters of base64 left out of objects that are read as text: {len(BYTES):,}"
OUTPUTS = "Characters of base64 left out of the outputs of tools"
BLOCK = {"type": "scan", "source": {"kind": "image", "data": BYTES}}
ASKED = {"role": "user", "content": "Show it."}


def called(content: Any) -> list[dict[str, Any]]:
    call = {"id": "a", "type": "function", "function": {"name": "scan", "arguments": "{}"}}
    return [
        ASKED,
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": content},
    ]


def used(content: Any) -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": "a", "name": "scan", "input": {}}
    answer = {"type": "tool_result", "tool_use_id": "a", "content": content}
    return [ASKED, {"role": "assistant", "content": [use]}, {"role": "user", "content": [answer]}]


def listed(role: str, content: dict[str, Any]) -> list[dict[str, Any]]:
    message = {"id": "n", "author": {"role": role}, "content": {"content_type": "scan", **content}}
    root = {"id": "root", "message": None, "parent": None, "children": ["n"]}
    node = {"id": "n", "message": message, "parent": "root", "children": []}
    return [{"title": "t", "mapping": {"root": root, "n": node}, "current_node": "n"}]


def constructed(kind: str, **fields: Any) -> list[dict[str, Any]]:
    return [{"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", kind], "kwargs": fields}]


def session(role: str, content: Any) -> list[dict[str, Any]]:
    return [{"type": role, "uuid": "u", "sessionId": "s", "message": {"role": role, "id": "m", "content": content}}]


@pytest.mark.parametrize(
    ("form", "data"),
    [
        ("openai-chat", [{"role": "user", "content": [BLOCK]}]),
        ("openai-chat", called([BLOCK])),
        ("anthropic", [{"role": "user", "content": [BLOCK]}]),
        ("anthropic", used([BLOCK])),
        ("claude-code", session("assistant", [BLOCK])),
        ("claude-code", session("user", used([BLOCK])[2]["content"])),
        ("llama-factory", [{"messages": [{"role": "user", "content": [BLOCK]}]}]),
        ("ai-sdk", [{"id": "u", "role": "user", "parts": [BLOCK]}]),
        ("chatgpt", listed("user", {"parts": [{"content_type": "scan", "data": BYTES}]})),
        ("chatgpt", listed("tool", {"data": BYTES})),
        ("langchain", constructed("HumanMessage", content=[BLOCK])),
        ("langchain", constructed("ToolMessage", content=[BLOCK], tool_call_id="a")),
    ],
)
def test_a_part_of_a_providers_own_kind_keeps_its_base64(form: str, data: Any) -> None:
    found = import_bytes(dumps(data), as_format=form)
    parts = [part for message in found.conversations[0].messages for part in message.parts]
    inner = [piece for part in parts for piece in (part.content if isinstance(part, ToolResultPart) else (part,))]
    (own,) = (part for part in inner if isinstance(part, OpaquePart))
    assert BYTES in json.dumps(own.raw)
    assert not any("base64" in warning for warning in found.warnings)


ADDRESS = f"data:image/png;base64,{BYTES}"
ASKED_PART = {"role": "user", "parts": [{"text": "Draw it."}]}
#: Bodies of each provider with base64 in a part of its own.
REQUESTS: dict[str, dict[str, Any]] = {
    "openai-chat": {"model": "gpt-4o", "messages": [ASKED, {"role": "user", "content": [BLOCK]}]},
    "openai-responses": {
        "model": "gpt-4o",
        "input": [
            ASKED,
            {
                "type": "code_interpreter_call",
                "id": "c",
                "code": "plot()",
                "outputs": [{"type": "image", "url": ADDRESS}],
            },
        ],
    },
    "anthropic": {
        "model": "claude-sonnet-4-5",
        "max_tokens": 9,
        "messages": [
            ASKED,
            {
                "role": "assistant",
                "content": [
                    {"type": "server_tool_use", "id": "s", "name": "plot", "input": {}},
                    {"type": "plot_result", "tool_use_id": "s", "content": {"media_type": "image/png", "data": BYTES}},
                ],
            },
        ],
    },
    "gemini": {
        "contents": [
            ASKED_PART,
            {
                "role": "model",
                "parts": [
                    {"executableCode": {"language": "PYTHON", "code": "plot()"}},
                    {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "", "data": BYTES}},
                ],
            },
        ]
    },
}


def packed(talk: Conversation, provider: str) -> Packing:
    config = load_config({"model": "gpt-4o", "tokenizer": "o200k_base", "outputReserve": 1})
    counter = counter_for("o200k_base")
    return pack(build_bundle(Inputs(conversation=talk), counter=counter), config, counter=counter, provider=provider)


@pytest.mark.parametrize("provider", REQUESTS)
def test_a_request_with_base64_in_a_part_of_its_own_is_sent_as_it_came_and_the_base64_is_not_counted(
    provider: str,
) -> None:
    (talk,) = import_bytes(dumps(REQUESTS[provider]), as_format=provider).conversations
    talk = replace(talk, messages=[message_from_json(message_to_json(message)) for message in talk.messages])
    packing = packed(talk, provider)
    request = render_request(packing)
    key = {"openai-responses": "input", "gemini": "contents"}.get(provider, "messages")
    assert request[key] == REQUESTS[provider][key]
    assert packing.total.tokens < 150
    assert packing.total.chars < 500
    (unknown,) = packing.unknown
    assert unknown.what.startswith("bytes of ")
    assert not any(decision.rule.startswith("validity:") for decision in packing.ledger)


@pytest.mark.parametrize(("came", "other"), [(came, other) for came in REQUESTS for other in REQUESTS if came != other])
def test_another_provider_is_not_sent_the_part_and_the_decision_says_so(came: str, other: str) -> None:
    (talk,) = import_bytes(dumps(REQUESTS[came]), as_format=came).conversations
    packing = packed(talk, other)
    assert BYTES not in json.dumps(render_request(packing))
    assert "characters of base64" not in json.dumps(render_request(packing))
    assert "a block of another provider" in " ".join(decision.sentence for decision in packing.ledger)


@pytest.mark.parametrize(
    ("output", "text"),
    [
        (
            {"content": [{"type": "image", "data": BYTES, "mimeType": "image/png"}], "data": "short"},
            f'{{"content":[{{"type":"image","data":"{LEFT}","mimeType":"image/png"}}],"data":"short"}}',
        ),
        (f"data:image/png;base64,{BYTES}", f"data:image/png;base64,{LEFT}"),
        ([{"b64_json": BYTES}], f'[{{"b64_json":"{LEFT}"}}]'),
    ],
)
def test_what_a_tool_answers_an_interface_holds_no_base64_and_the_decision_says_so(output: Any, text: str) -> None:
    part = {"type": "tool-scan", "toolCallId": "t", "input": {}, "state": "output-available", "output": output}
    asked = {"id": "u", "role": "user", "parts": [{"type": "text", "text": "Show it."}]}
    found = import_bytes(dumps([asked, {"id": "a", "role": "assistant", "parts": [part]}]))
    (talk,) = found.conversations
    (result,) = talk.messages[2].parts
    assert isinstance(result, ToolResultPart)
    assert [inner.text for inner in result.content if isinstance(inner, TextPart)] == [text]
    for provider in REQUESTS:
        (decision,) = (one for one in packed(talk, provider).ledger if "base64 in an object" in one.sentence)
        assert (decision.fate, decision.rule) == ("truncated", f"validity:{provider}")
    assert any(warning.startswith(OUTPUTS) for warning in found.warnings)


def test_words_and_short_ids_stay() -> None:
    output = {"data": "a word " * 1_000, "result": "abcd" * 100, "note": BYTES}
    part = {"type": "tool-scan", "toolCallId": "t", "input": {}, "state": "output-available", "output": output}
    found = import_bytes(dumps([{"id": "a", "role": "assistant", "parts": [part]}]))
    (result,) = found.conversations[0].messages[1].parts
    assert isinstance(result, ToolResultPart)
    assert result.content == (TextPart(json.dumps(output, separators=(",", ":"))),)
    assert not any("base64" in warning for warning in found.warnings)


@pytest.mark.parametrize("form", ["openai-chat", "anthropic"])
def test_an_object_without_a_type_is_read_as_text_without_its_base64(form: str) -> None:
    found = import_bytes(dumps([{"role": "user", "content": [{"name": "scan", "data": BYTES}]}]), as_format=form)
    (part,) = found.conversations[0].messages[0].parts
    assert part == TextPart(f'{{"name":"scan","data":"{LEFT}"}}', left_out=len(BYTES))
    assert READ_AS_TEXT in found.warnings
