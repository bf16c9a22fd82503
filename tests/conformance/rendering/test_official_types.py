"""The rendered requests against the types of the providers' own client libraries: nothing unknown, nothing missing."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from pkgutil import resolve_name
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from budgeteer.engine.inputs.bundle import Inputs
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering import render_request
from tests.conformance.packing.test_packing import configurations, inputs, packed, slowly

pytestmark = pytest.mark.conformance

#: Where the type of a request is in the provider's own library, None where it has none that refuses what it does not
#: know. The libraries are loaded when a test asks: every parallel process imports this file, and they take seconds.
TYPES: dict[str, str | None] = {
    "openai-chat": "openai.types.chat.completion_create_params:CompletionCreateParamsNonStreaming",
    "openai-responses": "openai.types.responses.response_create_params:ResponseCreateParamsNonStreaming",
    "anthropic": "anthropic.types.message_create_params:MessageCreateParamsNonStreaming",
    "gemini": None,
}
#: Parts of a kind that no library knows, as generated: they are sent as they came.
UNKNOWN_KINDS = ("custom", "server_tool_use")


@functools.cache
def adapter(provider: str) -> TypeAdapter[Any]:
    place = TYPES[provider]
    assert place is not None
    return TypeAdapter(resolve_name(place))


def check_types(request: Mapping[str, Any], provider: str) -> None:
    """Fails for a key or value that the library's types do not have."""
    known = as_typed(without_unknown_kinds(request), provider)
    if provider == "gemini":
        check_gemini(known)
    elif TYPES[provider] is not None:
        assert settled(adapter(provider).validate_python(known)) == known


def as_typed(request: dict[str, Any], provider: str) -> dict[str, Any]:
    """The request without what the provider takes and the types of its library lack.

    OpenAI's own Codex sends answers without the id, status and annotations that the types ask for; agents send the name
    of a tool beside its result, and answers as they got them.
    """
    for message in request.get("messages", []) if provider == "openai-chat" else []:
        for key in ("name",) if message["role"] == "tool" else ("annotations",):
            message.pop(key, None)
        if message.get("refusal", "") is None:
            del message["refusal"]
    for item in request.get("input", []) if provider == "openai-responses" else []:
        if item.get("role") == "assistant" and isinstance(item.get("content"), list):
            for key, value in (("id", "msg_1"), ("status", "completed"), ("type", "message")):
                item.setdefault(key, value)
            item["content"] = [{"annotations": [], **part} for part in item["content"]]
        if item.get("type") == "custom_tool_call":
            item.pop("status", None)
    return {key: value for key, value in request.items() if key != "stream"}


def check_gemini(request: Mapping[str, Any]) -> None:
    """Google's models refuse keys they do not know by themselves."""
    from google.genai import types as gemini

    assert set(request) <= {"model", "systemInstruction", "tools", "contents"} | set(PROVIDERS["gemini"].settings)
    for turn in (*request["contents"], request.get("systemInstruction", {"parts": [{"text": "x"}]})):
        gemini.Content.model_validate(turn)
    for tool in request.get("tools", []):
        gemini.Tool.model_validate(tool)


def settled(value: Any) -> Any:
    """The value with every lazily validated list read to its end, so that what is wrong in it is raised."""
    if isinstance(value, Mapping):
        return {key: settled(one) for key, one in value.items()}
    if isinstance(value, list | tuple | Iterator) or type(value).__name__ == "ValidatorIterator":
        return [settled(one) for one in value]
    return value


def without_unknown_kinds(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: without_unknown_kinds(one) for key, one in value.items()}
    if isinstance(value, list):
        kept = (one for one in value if not (isinstance(one, Mapping) and one.get("type") in UNKNOWN_KINDS))
        return [without_unknown_kinds(one) for one in kept]
    return value


@slowly
@given(inputs() | inputs(valid=False), configurations(), st.sampled_from(list(PROVIDERS)))
def test_every_request_is_what_the_providers_library_takes(
    given_inputs: Inputs, data: dict[str, Any], provider: str
) -> None:
    check_types(render_request(packed(given_inputs, data, provider)), provider)


@pytest.mark.parametrize(
    ("provider", "request_"),
    [
        ("openai-chat", {"model": "m", "messages": [{"role": "tool", "content": "x"}]}),
        ("openai-chat", {"model": "m", "messages": [{"role": "user", "content": "x", "colour": "red"}]}),
        ("openai-responses", {"model": "m", "input": [{"type": "function_call", "call_id": "a", "name": "b"}]}),
        ("anthropic", {"model": "m", "max_tokens": 1, "messages": [{"role": "tool", "content": "x"}]}),
        ("gemini", {"contents": [{"role": "user", "parts": [{"words": "x"}]}]}),
    ],
)
def test_the_check_can_fail(provider: str, request_: dict[str, Any]) -> None:
    with pytest.raises((ValidationError, AssertionError)):
        check_types(request_, provider)
