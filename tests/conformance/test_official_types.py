"""The rendered requests against the types of the providers' own client libraries: nothing unknown, nothing missing."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from google.genai import types as gemini
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming
from pydantic import TypeAdapter, ValidationError

from budgeteer.engine.inputs.bundle import Inputs
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering import render_request
from tests.conformance.test_packing import configurations, inputs, packed, slowly

pytestmark = pytest.mark.conformance

#: The type of a request in the provider's own library, None where it has none that refuses what it does not know.
TYPES: dict[str, Any] = {
    "openai-chat": CompletionCreateParamsNonStreaming,
    "openai-responses": ResponseCreateParamsNonStreaming,
    "anthropic": MessageCreateParamsNonStreaming,
    "gemini": None,
}
#: Parts of a kind that no library knows, as generated: they are sent as they came.
UNKNOWN_KINDS = ("custom", "server_tool_use")


@functools.cache
def adapter(profile: str) -> TypeAdapter[Any]:
    return TypeAdapter(TYPES[profile])


def check_types(request: Mapping[str, Any], profile: str) -> None:
    """Fails for a key or value that the library's types do not have."""
    known = without_unknown_kinds(request)
    if profile == "gemini":
        check_gemini(known)
    elif TYPES[profile] is not None:
        assert settled(adapter(profile).validate_python(known)) == known


def check_gemini(request: Mapping[str, Any]) -> None:
    """Google's models refuse keys they do not know by themselves."""
    assert set(request) <= {"model", "systemInstruction", "tools", "contents"}
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
    given_inputs: Inputs, data: dict[str, Any], profile: str
) -> None:
    check_types(render_request(packed(given_inputs, data, profile)), profile)


@pytest.mark.parametrize(
    ("profile", "request_"),
    [
        ("openai-chat", {"model": "m", "messages": [{"role": "tool", "content": "x"}]}),
        ("openai-chat", {"model": "m", "messages": [{"role": "user", "content": "x", "colour": "red"}]}),
        ("openai-responses", {"model": "m", "input": [{"type": "function_call", "call_id": "a", "name": "b"}]}),
        ("anthropic", {"model": "m", "max_tokens": 1, "messages": [{"role": "tool", "content": "x"}]}),
        ("gemini", {"contents": [{"role": "user", "parts": [{"words": "x"}]}]}),
    ],
)
def test_the_check_can_fail(profile: str, request_: dict[str, Any]) -> None:
    with pytest.raises((ValidationError, AssertionError)):
        check_types(request_, profile)
