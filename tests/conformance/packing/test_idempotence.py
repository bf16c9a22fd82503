"""Packing a packed prompt changes nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from budgeteer.engine.content.conversation import Message, TextPart
from budgeteer.engine.content.written_messages import left_out_of
from budgeteer.engine.inputs.bundle import Inputs
from budgeteer.engine.rendering import render_request
from budgeteer.formats.detect import import_bytes
from tests.conformance.packing.test_packing import configurations, inputs, packed, slowly
from tests.conformance.recount import compact
from tests.conformance.rendering.reading_back import count_read_back_alike, read_back

pytestmark = pytest.mark.conformance


@slowly
@given(inputs(), configurations())
def test_packing_a_packed_prompt_changes_nothing(given_inputs: Inputs, data: dict[str, Any]) -> None:
    count_read_back_alike(data)
    data["tokenizer"] = "auto"  # characters over four round by item, and here several items come back as one
    begins = data["history"]["startOn"]
    takes_users = begins != "any" and "user" not in begins
    if data["history"]["strategy"] != "full" or data["shares"]["enabled"] or takes_users:
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


def joins_a_notice(request: dict[str, Any]) -> bool:
    """Whether a notice of what was left out stands in one message with the user's words."""
    for message in request.get("messages") or request.get("contents") or []:
        parts = message.get("parts") or message.get("content")
        if isinstance(parts, list) and len(parts) > 1:
            texts = [Message("user", (TextPart(part.get("text") or ""),)) for part in parts]
            if any(map(left_out_of, texts)):
                return True
    return False


@slowly
@given(inputs(), configurations(), st.sampled_from(["openai-responses", "anthropic", "gemini"]))
def test_a_packed_request_of_any_provider_is_packed_to_itself(
    given_inputs: Inputs, data: dict[str, Any], provider: str
) -> None:
    """Neighbours come back as one message there, with one frame, so the request is the same and the total no larger."""
    data |= {"tokenizer": "auto", "system": {"placement": "dedicated"}, "shares": {"enabled": False}}
    count_read_back_alike(data)
    assume(data["history"]["strategy"] != "summarizeOlder")  # a summary is read back as a part of what follows it
    data["history"]["ends"]["between"] = "notice"  # and so is one that keepEnds writes
    first = packed(given_inputs, data, provider)
    request = render_request(first)
    assume(first.fits and (request.get("messages") or request.get("input") or request.get("contents")))
    # Read back, that is one message of the user's, and no line or notice.
    assume(not joins_the_line(request) and not joins_a_notice(request))
    if provider == "anthropic":
        (conversation,) = import_bytes(compact(request).encode("utf-8", "surrogatepass")).conversations
    else:
        conversation = read_back(request, provider)
    again = packed(Inputs(conversation=conversation), data, provider)
    assert render_request(again) == request
    assert {one.fate for one in again.ledger} == {"kept"}
    assert again.total.tokens <= first.total.tokens
