"""MLflow's traces: rows, artifacts and spans, calls of Anthropic and LangChain, usage, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from budgeteer.engine.content.conversation import Conversation, TextPart, calls_of, results_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.traces import MLFLOW, mlflow_span
from tests.formats.shapes import dumps, jsonl


def said(chat: Conversation) -> list[tuple[str, str]]:
    return [(one.role, part.text) for one in chat.messages for part in one.parts if isinstance(part, TextPart)]


SPANS: list[dict[str, Any]] = MLFLOW["data"]["spans"]


@pytest.mark.parametrize(
    "data",
    [
        dumps({"spans": SPANS, "request": "Tide?", "response": "About 40 cm."}),
        dumps(SPANS),
        jsonl(*SPANS),
        dumps([{"trace_id": "tr-1", "state": "OK", "spans": json.dumps(SPANS)}]),
        dumps([{"trace_id": "tr-1", "spans": [json.dumps(span) for span in SPANS]}]),
        jsonl(MLFLOW),
    ],
    ids=["artifact", "spans", "lines", "row", "row of texts", "trace a line"],
)
def test_spans_are_read_wherever_they_stand(data: bytes) -> None:
    found, trace = import_bytes(data), import_bytes(dumps(MLFLOW))
    assert (found.format, said(found.conversations[0])) == ("mlflow", said(trace.conversations[0]))
    assert found.findings.other_lines == (("span of the type CHAIN", 1),)


def test_what_was_recorded_stands_with_the_reply() -> None:
    (chat,) = import_bytes(dumps(MLFLOW)).conversations
    (request,) = chat.recorded
    assert (chat.model, request.position, request.input_tokens, request.output_tokens) == ("gpt-4.1", 3, 72, 8)


def test_a_call_of_anthropic_is_read_in_its_form() -> None:
    block = {"type": "tool_use", "id": "t1", "name": "tide", "input": {"city": "Oslo"}}
    asked = {"model": "claude-x", "system": "Be brief.", "messages": [{"role": "user", "content": "Tide?"}]}
    usage = {"input_tokens": 9, "output_tokens": 3}
    came = {"id": "m", "type": "message", "role": "assistant", "content": [block], "usage": usage}
    (chat,) = import_bytes(dumps([mlflow_span("CHAT_MODEL", asked, came)])).conversations
    assert said(chat) == [("system", "Be brief."), ("user", "Tide?")]
    assert [call.name for call in calls_of(chat.messages[-1])] == ["tide"]
    assert chat.recorded[0].input_tokens == 9


def test_a_call_of_langchain_is_read_with_its_generation() -> None:
    call = {"name": "tide", "args": {"city": "Oslo"}, "id": "t1", "type": "tool_call"}
    asked = [
        {"type": "system", "content": "Be brief.", "additional_kwargs": {}, "response_metadata": {}},
        {"type": "human", "content": "Tide?"},
        {"type": "ai", "content": "", "tool_calls": [call]},
        {"type": "tool", "content": "0.4 m", "tool_call_id": "t1", "additional_kwargs": {}},
    ]
    came = {"generations": [[{"text": "40 cm.", "message": {"type": "ai", "content": "40 cm.", "tool_calls": []}}]]}
    found = import_bytes(dumps([mlflow_span("CHAT_MODEL", [asked], came)]))
    (chat,) = found.conversations
    assert (found.format, said(chat)) == (
        "mlflow",
        [("system", "Be brief."), ("user", "Tide?"), ("assistant", "40 cm.")],
    )
    assert [result.call_id for one in chat.messages for result in results_of(one)] == ["t1"]


def test_a_prompt_and_a_text_are_a_prompt_and_a_reply() -> None:
    (chat,) = import_bytes(dumps([mlflow_span("LLM", "Tide?", "40 cm.")])).conversations
    assert said(chat) == [("user", "Tide?"), ("assistant", "40 cm.")]


def test_inputs_of_no_known_form_are_listed_and_a_trace_without_a_call_refused() -> None:
    odd = mlflow_span("CHAT_MODEL", {"question": 4}, {"answer": 2})
    found = import_bytes(dumps([*SPANS, odd]))
    assert [item.why for item in found.skipped] == ["no request of a known form"]
    with pytest.raises(FormatError, match="No MLflow messages were found"):
        import_bytes(dumps({"data": {"spans": SPANS[:1]}}))
