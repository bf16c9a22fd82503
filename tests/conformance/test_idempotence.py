"""Packing a packed prompt changes nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from budgeteer.engine.inputs.bundle import Inputs
from budgeteer.engine.rendering import render_request
from budgeteer.formats.detect import import_bytes
from tests.conformance.reading_back import read_back
from tests.conformance.recount import compact
from tests.conformance.test_packing import configurations, inputs, packed, slowly

pytestmark = pytest.mark.conformance


@slowly
@given(inputs(), configurations())
def test_packing_a_packed_prompt_changes_nothing(given_inputs: Inputs, data: dict[str, Any]) -> None:
    data["tokenizer"] = "auto"  # characters over four round by item, and here several items come back as one
    if data["history"]["strategy"] != "full" or data["shares"]["enabled"]:
        data["system"] = {"placement": "dedicated"}  # a block read back inside a message counts as history
    if data["shares"]["enabled"]:
        given_inputs = replace(given_inputs, chunks=())  # read back, they are system text, which another share limits
    first = packed(given_inputs, data, "openai-chat")
    request = render_request(first)
    assume(first.fits and len(request["messages"]) > 1)
    (conversation,) = import_bytes(compact(request).encode("utf-8", "surrogatepass")).conversations
    again = packed(Inputs(conversation=conversation), data, "openai-chat")
    assert render_request(again) == request
    assert {one.fate for one in again.ledger} == {"kept"}
    assert again.total == first.total


def joins_the_line(request: dict[str, Any]) -> bool:
    """Whether the line that names what went stands in one message with the user's words after it."""
    first = (request.get("messages") or request.get("contents") or [{}])[0]
    parts = first.get("parts") or first.get("content")
    return isinstance(parts, list) and len(parts) > 1 and parts[0].get("text", "").startswith("[Previous: discussed")


@slowly
@given(inputs(), configurations(), st.sampled_from(["openai-responses", "anthropic", "gemini"]))
def test_a_packed_request_of_any_provider_is_packed_to_itself(
    given_inputs: Inputs, data: dict[str, Any], profile: str
) -> None:
    """Neighbours come back as one message there, with one frame, so the request is the same and the total no larger."""
    data |= {"tokenizer": "auto", "system": {"placement": "dedicated"}, "shares": {"enabled": False}}
    assume(data["history"]["strategy"] != "summarizeOlder")  # a summary is read back as a part of what follows it
    first = packed(given_inputs, data, profile)
    request = render_request(first)
    assume(first.fits and (request.get("messages") or request.get("input") or request.get("contents")))
    assume(not joins_the_line(request))  # read back, that is one message of the user's, and no line
    if profile == "anthropic":
        (conversation,) = import_bytes(compact(request).encode("utf-8", "surrogatepass")).conversations
    else:
        conversation = read_back(request, profile)
    again = packed(Inputs(conversation=conversation), data, profile)
    assert render_request(again) == request
    assert {one.fate for one in again.ledger} == {"kept"}
    assert again.total.tokens <= first.total.tokens
