"""What is counted as JSON holds no picture or file in base64, in whichever form it came, and the report says so."""

from __future__ import annotations

import json
from typing import Any

import pytest

from budgeteer.engine.content.conversation import OpaquePart, TextPart, ToolResultPart
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.messages.opaque import LONGEST_KEPT
from tests.formats.shapes import dumps

BYTES = "iVBORw0K" * (LONGEST_KEPT // 4)
LEFT = f"[{len(BYTES):,} characters of base64 left out]"
OWN = f"Characters of base64 left out of parts of a provider's own kind: {len(BYTES):,}"
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
def test_a_part_of_a_providers_own_kind_holds_no_base64(form: str, data: Any) -> None:
    found = import_bytes(dumps(data), as_format=form)
    parts = [part for message in found.conversations[0].messages for part in message.parts]
    inner = [piece for part in parts for piece in (part.content if isinstance(part, ToolResultPart) else (part,))]
    (own,) = (part for part in inner if isinstance(part, OpaquePart))
    assert LEFT in json.dumps(own.raw)
    assert BYTES not in json.dumps(own.raw)
    assert OWN in found.warnings


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
def test_what_a_tool_answers_an_interface_holds_no_base64(output: Any, text: str) -> None:
    part = {"type": "tool-scan", "toolCallId": "t", "input": {}, "state": "output-available", "output": output}
    asked = {"id": "u", "role": "user", "parts": [{"type": "text", "text": "Show it."}]}
    found = import_bytes(dumps([asked, {"id": "a", "role": "assistant", "parts": [part]}]))
    assert found.conversations[0].messages[2].parts == (ToolResultPart("t", (TextPart(text),)),)
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
    assert found.conversations[0].messages[0].parts == (TextPart(f'{{"name":"scan","data":"{LEFT}"}}'),)
    assert OWN in found.warnings
