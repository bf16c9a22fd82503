"""Datadog's LLM spans: the payloads of its tracer and of its API, and calls that a later one goes on from."""

from __future__ import annotations

import json
from typing import Any

import pytest

from budgeteer.formats.detect import import_bytes
from tests.formats.makers.traces import DATADOG
from tests.formats.shapes import dumps, jsonl
from tests.formats.test_makers import told


@pytest.mark.parametrize(
    "data",
    [
        jsonl(*DATADOG),
        dumps({"_dd.stage": "raw", "event_type": "span", "spans": DATADOG}),
        dumps({"data": {"type": "span", "attributes": {"ml_app": "a", "spans": DATADOG}}}),
        dumps(json.loads(json.dumps(DATADOG).replace('"span": {"kind": ', '"span.kind": ').replace('"}, "', '", "'))),
    ],
)
def test_spans_are_read_wherever_they_stand(data: bytes) -> None:
    found = import_bytes(data)
    (chat,) = found.conversations
    assert (found.format, told(chat)) == ("datadog", told(import_bytes(dumps(DATADOG)).conversations[0]))
    assert (chat.model, chat.recorded[0].input_tokens, chat.recorded[0].position) == ("gpt-5", 58, 3)


def test_a_call_that_a_later_one_goes_on_from_is_left_out() -> None:
    call = DATADOG[1]
    later: dict[str, Any] = json.loads(json.dumps(call))
    later["span_id"] = "3"
    reply = {"role": "assistant", "content": "From pier 2."}
    later["meta"]["input"]["messages"] += [reply, {"role": "user", "content": "When?"}]
    (chat,) = import_bytes(dumps([call, later])).conversations
    assert (chat.id, len(chat.messages)) == ("3", 6)
