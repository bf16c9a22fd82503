"""Contents whose objects are no part of any provider's: no type, a type that is no name, lists in lists, numbers.

Whatever stands where a part should stand, every provider gets a request it takes, counted as it is sent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.conversation import (
    Conversation,
    Message,
    OpaquePart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    text_of,
)
from budgeteer.engine.content.library import compact_json
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering import render_markdown, render_request, render_text
from budgeteer.formats.detect import import_bytes
from tests.conformance.invariants import check_everything

pytestmark = pytest.mark.conformance

SEARCHED = {"query": "ferries", "result": ["06:10", 7], "success": True}
BEDROCK = [{"text": "06:10 Skarholm"}, {"json": {"ferry": "blue"}}]

KEYS = st.sampled_from(["text", "json", "query", "result", "content", "refusal", "id", "name", "toolUse", "x"])
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("a é\n"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=8,
)


def is_no_name(value: Any) -> bool:
    """Whether this cannot be the name of a type, as any other string could be one that is newer than this program."""
    return not isinstance(value, str) or not value


@st.composite
def objects(draw: st.DrawFn) -> dict[str, Any]:
    """An object that may stand where a part should."""
    found: dict[str, Any] = draw(st.dictionaries(KEYS, VALUES, max_size=4))
    if draw(st.booleans()):
        found["type"] = draw(st.just("text") | VALUES.filter(is_no_name))
    return found


CONTENTS = st.lists(objects() | VALUES, max_size=4) | objects() | VALUES

type Place = str
type Made = Callable[[Mapping[Place, Any]], Any]
PLACES = ("system", "user", "assistant", "result")


def openai(contents: Mapping[Place, Any]) -> list[Any]:
    call = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    return [
        {"role": "system", "content": contents["system"]},
        {"role": "user", "content": "Begin."},
        {"role": "user", "content": contents["user"]},
        {"role": "assistant", "content": contents["assistant"], "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": contents["result"]},
        {"role": "assistant", "content": contents["assistant"]},
        {"role": "user", "content": "End."},
    ]


def anthropic(contents: Mapping[Place, Any]) -> dict[str, Any]:
    use = {"type": "tool_use", "id": "c1", "name": "search", "input": {}}
    answer = {"type": "tool_result", "tool_use_id": "c1", "content": contents["result"]}
    said = contents["assistant"] if isinstance(contents["assistant"], list) else [contents["assistant"]]
    return {
        "system": contents["system"],
        "messages": [
            {"role": "user", "content": "Begin."},
            {"role": "user", "content": contents["user"]},
            {"role": "assistant", "content": [*said, use]},
            {"role": "user", "content": [answer]},
            {"role": "assistant", "content": contents["assistant"]},
            {"role": "user", "content": "End."},
        ],
    }


def responses(contents: Mapping[Place, Any]) -> dict[str, Any]:
    return {
        "instructions": [{"type": "message", "role": "developer", "content": contents["system"]}],
        "input": [
            {"role": "user", "content": "Begin."},
            {"role": "user", "content": contents["user"]},
            {"role": "assistant", "content": contents["assistant"]},
            {"type": "function_call", "call_id": "c1", "name": "search", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": contents["result"]},
            {"role": "user", "content": "End."},
        ],
    }


def gemini(contents: Mapping[Place, Any]) -> dict[str, Any]:
    answer = {"id": "c1", "name": "search", "response": contents["result"], "parts": contents["result"]}
    call = {"functionCall": {"id": "c1", "name": "search", "args": {}}}
    said = contents["assistant"] if isinstance(contents["assistant"], list) else [contents["assistant"]]
    user = contents["user"] if isinstance(contents["user"], list) else [contents["user"]]
    return {
        "systemInstruction": contents["system"],
        "contents": [
            {"role": "user", "parts": [{"text": "Begin."}, *user]},
            {"role": "model", "parts": [*said, call]},
            {"role": "user", "parts": [{"functionResponse": answer}]},
            {"role": "model", "parts": [{"text": "Said."}, *said]},
            {"role": "user", "parts": [{"text": "End."}]},
        ],
    }


def interface(contents: Mapping[Place, Any]) -> list[Any]:
    call = {"type": "tool-search", "toolCallId": "c1", "input": {}}
    call |= {"state": "output-available", "output": contents["result"]}
    said = contents["assistant"] if isinstance(contents["assistant"], list) else [contents["assistant"]]
    user = contents["user"] if isinstance(contents["user"], list) else [contents["user"]]
    return [
        {"id": "0", "role": "user", "parts": [{"type": "text", "text": "Begin."}]},
        {"id": "1", "role": "user", "parts": user},
        {"id": "2", "role": "assistant", "parts": [*said, call, {"type": "text", "text": "Said."}]},
        {"id": "3", "role": "user", "parts": [{"type": "text", "text": "End."}]},
    ]


FORMS: dict[str, Made] = {
    "openai-chat": openai,
    "anthropic": anthropic,
    "openai-responses": responses,
    "gemini": gemini,
    "ai-sdk": interface,
}
COUNTER = counter_for("o200k_base")
CONFIG = load_config({"model": "gpt-4o"})


def packed(talk: Conversation, provider: str) -> Packing:
    return pack(build_bundle(Inputs(conversation=talk), counter=COUNTER), CONFIG, counter=COUNTER, provider=provider)


def untyped(value: Any) -> Iterator[Any]:
    """The blocks of a request's contents that have no name for a type."""
    for content in value if isinstance(value, list) else ():
        if not isinstance(content, dict) or not isinstance(content.get("type"), str) or not content["type"]:
            yield content
        else:
            yield from untyped(content.get("content"))


def check_request(packing: Packing) -> None:
    check_everything(packing)
    request = render_request(packing)
    items = request.get("messages", request.get("input", ()))
    assert [one for item in items for one in untyped(item.get("content", item.get("output")))] == []
    for turn in request.get("contents", ()):
        for part in turn["parts"]:
            assert set(part) & {"text", "functionCall", "functionResponse"}
    json.dumps(request)
    render_text(packing)
    render_markdown(packing)


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(st.fixed_dictionaries(dict.fromkeys(PLACES, CONTENTS)))
@example(dict.fromkeys(PLACES, SEARCHED))
@example(dict.fromkeys(PLACES, BEDROCK))
@example({key: [{"type": ["text"], "text": "said"}, [["deep", 1]], None, 2.5] for key in PLACES})
@example({key: [{"type": "text", "text": None}, {"type": "text", "x": "said"}] for key in PLACES})
def test_every_provider_gets_a_request_it_takes(form: str, contents: dict[Place, Any]) -> None:
    found = import_bytes(json.dumps(FORMS[form](contents)).encode(), as_format=form)
    (talk,) = found.conversations
    for provider in PROVIDERS:
        check_request(packed(talk, provider))


@pytest.mark.parametrize("form", ["openai-chat", "anthropic", "openai-responses"])
def test_the_words_of_a_result_without_types_are_sent_to_everybody(form: str) -> None:
    said = {"openai-chat": SEARCHED, "anthropic": [SEARCHED], "openai-responses": [SEARCHED]}[form]
    contents = {**dict.fromkeys(PLACES, "Said."), "result": said}
    found = import_bytes(json.dumps(FORMS[form](contents)).encode(), as_format=form)
    (talk,) = found.conversations
    assert "Objects among contents that are no part of a known type, read as text: 1" in found.warnings
    for provider in PROVIDERS:
        assert compact_json(SEARCHED) in text_of(sent_result(packed(talk, provider)))


def sent_result(packing: Packing) -> Message:
    return next(message for message in packing.history_sent if message.role == "tool")


def test_blocks_in_the_wrong_place_are_sent_as_text() -> None:
    blocks = [{"type": "tool_result"}, {"type": "thinking", "thinking": 1}, {"type": "tool_use", "id": "c9"}]
    result = {"type": "tool_result", "tool_use_id": "c9", "content": "06:10"}
    contents = {**dict.fromkeys(PLACES, "Said."), "result": blocks, "assistant": [result, {"type": "text"}]}
    (talk,) = import_bytes(json.dumps(anthropic(contents)).encode(), as_format="anthropic").conversations
    for provider in PROVIDERS:
        packing = packed(talk, provider)
        check_request(packing)
        assert compact_json(blocks[2]) in text_of(sent_result(packing))


def test_blocks_of_bedrock_are_read_as_their_words() -> None:
    contents = {**dict.fromkeys(PLACES, "Said."), "result": BEDROCK}
    (talk,) = import_bytes(json.dumps(anthropic(contents)).encode(), as_format="anthropic").conversations
    (result,) = (part for message in talk.messages for part in message.parts if isinstance(part, ToolResultPart))
    assert result.content == (TextPart("06:10 Skarholm"), TextPart('{"ferry":"blue"}'))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_untyped_part_of_a_stored_conversation_is_sent_as_the_text_it_is_counted_as(provider: str) -> None:
    part = partial(OpaquePart, "part without a type", SEARCHED)
    family = PROVIDERS[provider].family
    talk = Conversation(
        "c",
        "c",
        (
            Message("user", (TextPart("Begin."), part(family)), id="1"),
            Message("assistant", (part(family), ToolCallPart("c1", "search", "{}")), id="2"),
            Message("tool", (ToolResultPart("c1", (TextPart("Found."), part(family))),), id="3"),
            Message("assistant", (TextPart("Said."),), id="4"),
        ),
    )
    packing = packed(talk, provider)
    check_request(packing)
    assert json.dumps(render_request(packing), ensure_ascii=False).count("ferries") >= 2
