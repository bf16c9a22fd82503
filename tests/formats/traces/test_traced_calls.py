"""Calls as tracers keep them: messages under `input`, the reply under `output`, both perhaps as JSON texts."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from budgeteer.engine.content.conversation import TextPart, calls_of, results_of, text_of
from budgeteer.formats.detect import import_bytes
from tests.formats.shapes import OPENAI_CHAT, dumps, jsonl

ASKED = OPENAI_CHAT[:2]
REPLY = {"role": "assistant", "content": "Not late."}
CHOICES = [{"index": 0, "message": REPLY}]


@pytest.mark.parametrize(
    "row",
    [
        {"id": "s", "input": ASKED, "output": CHOICES, "metadata": {"model": "m"}},
        {"id": "s", "inputs": {"messages": ASKED}, "output": {"choices": CHOICES}, "op_name": "create"},
        {"inputs": {"messages": ASKED}, "outputs": {"message": REPLY}},
        {"input": {"messages": ASKED}, "output": "Not late.", "model": "m"},
        {"batch": [{"type": "generation-create", "body": {"model": "m", "input": ASKED, "output": REPLY}}]},
    ],
)
def test_a_call_with_its_reply_is_one_conversation(row: dict[str, Any]) -> None:
    found = import_bytes(jsonl(row, row))
    assert found.format == "openai-chat"
    for chat in found.conversations:
        assert [text_of(message) for message in chat.messages] == [
            ASKED[0]["content"],
            ASKED[1]["content"],
            "Not late.",
        ]


def test_observations_and_spans_may_keep_json_as_texts() -> None:
    row = {"id": "o", "traceId": "t", "type": "GENERATION", "input": json.dumps(ASKED), "output": json.dumps(REPLY)}
    attributes = {
        "openinference.span.kind": "LLM",
        "input.value": json.dumps({"messages": ASKED, "model": "m"}),
        "output.value": json.dumps({"choices": CHOICES}),
    }
    events = [
        {"event.name": "gen_ai.user.message", "role": "user", "content": ASKED[1]["content"]},
        {"event.name": "gen_ai.choice", "index": 0, "message": REPLY},
    ]
    for data, name in (
        (jsonl(row), "langfuse"),
        (dumps([{"name": "llm", "attributes": attributes}]), "openinference"),
        (jsonl({"span_name": "chat", "attributes": {"events": json.dumps(events)}}), "opentelemetry"),
    ):
        found = import_bytes(data)
        assert found.format == name
        assert [text_of(message) for message in found.conversations[0].messages][-2:] == [
            ASKED[1]["content"],
            "Not late.",
        ]


def test_a_log_of_invocations_of_bedrock_is_read_with_its_answer() -> None:
    asked = {"system": [{"text": "Be brief."}], "messages": [{"role": "user", "content": [{"text": "Late?"}]}]}
    answer = {"output": {"message": {"role": "assistant", "content": [{"text": "No."}]}}, "stopReason": "end_turn"}
    log = {
        "schemaType": "ModelInvocationLog",
        "operation": "Converse",
        "modelId": "m",
        "input": {"inputBodyJson": asked},
        "output": {"outputBodyJson": answer},
    }
    found = import_bytes(jsonl(log))
    assert found.format == "proxy-log"
    assert [text_of(message) for message in found.conversations[0].messages] == ["Be brief.", "Late?", "No."]
    bare = import_bytes(dumps(asked["messages"]))
    assert (bare.format, text_of(bare.conversations[0].messages[0])) == ("converse", "Late?")


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (
            {"anthropic_version": "bedrock-2023-05-31", "messages": [{"role": "user", "content": "Late?"}]},
            {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "No."}], "usage": {}},
        ),
        (
            {"messages": [{"role": "user", "content": [{"text": "Late?"}]}]},
            {"output": {"message": {"role": "assistant", "content": [{"text": "No."}]}}, "stopReason": "end_turn"},
        ),
    ],
    ids=["Claude", "Nova"],
)
def test_records_of_a_batch_of_bedrock_are_read_with_their_answers(asked: object, answer: object) -> None:
    done = {"recordId": "r1", "modelInput": asked, "modelOutput": answer}
    failed = {"recordId": "r2", "modelInput": {"messages": [ASKED[0]]}, "error": {"errorMessage": "Too many requests"}}
    found = import_bytes(jsonl(done, done | {"recordId": "r0"}, failed))
    assert found.format == "proxy-log"
    assert [text_of(message) for message in found.conversations[0].messages] == ["Late?", "No."]
    assert found.conversations[0].id == "r1"
    assert "Answers that are neither JSON nor a stream of a known form, left out: 1" in found.warnings


def test_threads_of_the_assistants_api_are_read_in_the_order_they_were_said() -> None:
    listed = [
        {
            "object": "thread.message",
            "created_at": at,
            "role": role,
            "content": [{"type": "text", "text": {"value": said}}],
        }
        for at, role, said in ((2, "assistant", "No."), (1, "user", "Late?"))
    ]
    (chat,) = import_bytes(dumps({"object": "list", "data": listed})).conversations
    assert [text_of(message) for message in chat.messages] == ["Late?", "No."]


def test_calls_with_their_result_in_one_part_are_read_with_it() -> None:
    part = {"type": "tool-call", "toolCallId": "k1", "toolName": "find", "args": {}, "result": "none"}
    shown = dumps([{"role": "assistant", "content": [part, {"type": "text", "text": "None."}]}])
    held = {
        "type": "tool-invocation",
        "toolInvocation": {"state": "result", **{k: part[k] for k in part if k != "type"}},
    }
    stored = dumps(
        [{"role": "assistant", "content": {"format": 2, "parts": [held, {"type": "text", "text": "None."}]}}]
    )
    for data, name in ((shown, "ai-sdk-model"), (stored, "ai-sdk")):
        found = import_bytes(data)
        assert found.format == name
        called, answered, last = found.conversations[0].messages
        assert calls_of(called)[0].id == results_of(answered)[0].call_id == "k1"
        assert results_of(answered)[0].content == (TextPart("none"),)
        assert text_of(last) == "None."


def test_spans_as_phoenix_exports_them_are_mostly_around_the_calls() -> None:
    asked = {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "Late?"}
    told = {"llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": "No."}

    def span(kind: str, attributes: dict[str, Any]) -> dict[str, Any]:
        ids = {"context": {"trace_id": "t", "span_id": kind}, "parent_id": None}
        return {"name": "step", "span_kind": kind, "attributes": attributes, **ids}

    around = [span(kind, {"input.value": "x", "output.value": "y"}) for kind in ("AGENT", "TOOL", "CHAIN")]
    found = import_bytes(dumps([*around, span("LLM", {**asked, **told})]))
    assert found.format == "openinference"
    assert [text_of(message) for message in found.conversations[0].messages] == ["Late?", "No."]

    def otlp(attributes: dict[str, str]) -> dict[str, Any]:
        pairs = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
        return {"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "step", "attributes": pairs}]}]}]}

    chain = otlp({"openinference.span.kind": "CHAIN", "input.value": "x"})
    found = import_bytes(dumps([chain, chain, otlp({"openinference.span.kind": "LLM", **asked, **told})]))
    assert found.format == "openinference"
    assert [text_of(message) for message in found.conversations[0].messages] == ["Late?", "No."]


def test_the_tools_that_the_ai_sdk_sends_to_langfuse_are_those_of_the_call() -> None:
    tool = {"type": "function", "name": "tide", "description": "Levels", "inputSchema": {"type": "object"}}
    row = {"id": "o", "traceId": "t", "type": "GENERATION", "input": json.dumps(ASKED), "output": json.dumps(REPLY)}
    for metadata in ({"tools": [tool]}, json.dumps({"tools": [json.dumps(tool)], "attributes": {}})):
        found = import_bytes(jsonl({**row, "metadata": metadata}))
        assert found.conversations[0].tools == (
            {
                "type": "function",
                "function": {"name": "tide", "description": "Levels", "parameters": {"type": "object"}},
            },
        )


def test_a_generation_around_others_is_left_out_and_runs_of_tools_answer_their_calls() -> None:
    calls = [{"toolCallId": f"c{at}", "toolName": "tide", "input": '{"day": 1}'} for at in (1, 2)]
    about = {"attributes": {"ai.toolCall.id": "c2"}}
    rows: list[dict[str, Any]] = [
        {"type": "GENERATION", "id": "run", "input": {"prompt": "The tide?"}, "output": calls},
        {"type": "GENERATION", "id": "step", "parentObservationId": "run", "input": [ASKED[1]], "output": calls},
        {"type": "TOOL", "id": "t2", "name": "tide", "metadata": about, "input": {"day": 1}, "output": "low"},
        {"type": "TOOL", "id": "t1", "name": "tide", "input": '{"day": 1}', "output": {"level": "high"}},
        {"type": "TOOL", "id": "t3", "name": "wind", "input": {"day": 1}, "output": "calm"},
        {"type": "TOOL", "id": "t4", "name": "tide", "input": {"day": 1}, "output": None},
    ]
    found = import_bytes(dumps([{"traceId": "t", **row} for row in rows]))
    (chat,) = found.conversations
    assert [message.role for message in chat.messages] == ["user", "assistant", "tool", "tool"]
    assert [(one.call_id, one.content) for message in chat.messages for one in results_of(message)] == [
        ("c1", (TextPart('{"level":"high"}'),)),
        ("c2", (TextPart("low"),)),
    ]
    left = "Non-message lines, not read: 3 (2 observation of the type TOOL, 1 generation around others)"
    assert left in found.warnings


def test_runs_of_tools_answer_calls_of_their_own_trace_each_under_an_id_of_its_own() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "tide", "arguments": '{"day": 1, "pier": 2}'}}
    reply = {"role": "assistant", "content": "", "tool_calls": [call, call]}
    rows: list[dict[str, Any]] = [
        {"type": "GENERATION", "id": f"g{at}", "traceId": f"t{at}", "input": asked, "output": reply}
        for at, asked in ((1, [ASKED[1]]), (2, [{**ASKED[1], "content": "And then?"}]))
    ]
    rows += [
        {"type": "TOOL", "traceId": "t2", "name": "tide", "input": {"pier": 2, "day": 1}, "output": said}
        for said in ("low", "high")
    ]
    first, other = import_bytes(dumps(rows)).conversations
    assert [message.role for message in first.messages] == ["user", "assistant"]
    assert [message.role for message in other.messages] == ["user", "assistant", "tool", "tool"]
    assert len({message.id for message in other.messages}) == 4


def test_many_runs_of_tools_take_no_time() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "tide", "arguments": "{}"}}
    about = {"traceId": "t", "type": "GENERATION", "output": {"role": "assistant", "content": "", "tool_calls": [call]}}
    asked = [{**about, "id": f"g{at}", "input": [{**ASKED[1], "content": f"Question {at}"}]} for at in range(3_000)]
    runs = [{"traceId": "t", "type": "TOOL", "name": "wind", "input": "{}", "output": "x"}] * 3_000
    start = time.monotonic()
    assert len(import_bytes(dumps([*asked, *runs])).conversations) == 3_000
    assert time.monotonic() - start < 60
