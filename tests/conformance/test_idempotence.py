"""Packing a packed prompt changes nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given

from budgeteer.engine.bundle import Inputs
from budgeteer.engine.rendering import render_request
from budgeteer.formats.detect import import_bytes
from tests.conformance.recount import compact
from tests.conformance.test_packing import configurations, inputs, packed, slowly

pytestmark = pytest.mark.conformance


@slowly
@given(inputs(), configurations())
def test_packing_a_packed_prompt_changes_nothing(given_inputs: Inputs, data: dict[str, Any]) -> None:
    data["tokenizer"] = "auto"  # characters over four round by item, and here several items come back as one
    if data["history"]["strategy"] != "full" or data["shares"]["enabled"]:
        data["system"] = {"placement": "dedicated"}  # a block read back inside a message counts as history
    first = packed(given_inputs, data, "openai-chat")
    request = render_request(first)
    assume(first.fits and len(request["messages"]) > 1)
    (conversation,) = import_bytes(compact(request).encode("utf-8", "surrogatepass")).conversations
    again = packed(Inputs(conversation=conversation), data, "openai-chat")
    assert render_request(again) == request
    assert {one.fate for one in again.ledger} == {"kept"}
    assert again.total == first.total
