"""Small files in the shapes in which programs record what they asked models, our own text."""

from __future__ import annotations

import json
import struct
from typing import Any

MONOCLE_ASKED = [json.dumps({"system": "Be brief."}), json.dumps({"user": "Which pier?"})]
MONOCLE_CALL = {"tool_id": "k1", "tool_name": "piers", "tool_arguments": '{"line":2}'}


def monocle_span(sent: Any, answered: Any, kind: str = "inference", **about: Any) -> dict[str, Any]:
    """A span of Monocle as its file exporter writes it."""
    return {
        "name": "openai.resources.chat.completions.Completions.create",
        "context": {"trace_id": "0x1", "span_id": "0x2", "trace_state": "[]"},
        "kind": "SpanKind.INTERNAL",
        "parent_id": "0x3",
        "status": {"status_code": "OK"},
        "attributes": {
            "monocle_apptrace.version": "0.5.0",
            "monocle_apptrace.language": "python",
            "span_source": "/srv/ferries/app.py:7",
            "span.type": kind,
            "entity.1.type": "inference.openai",
            "entity.2.name": "gpt-4o",
        },
        "events": [
            {"name": "data.input", "attributes": {"input": sent}},
            {"name": "data.output", "attributes": {"response": answered, **about}},
            {"name": "metadata", "attributes": {"prompt_tokens": 30, "completion_tokens": 4, "total_tokens": 34}},
        ],
        "links": [],
        "resource": {"attributes": {"service.name": "ferries"}, "schema_url": ""},
    }


MONOCLE = [
    monocle_span(MONOCLE_ASKED, json.dumps({"tools": [MONOCLE_CALL]}), error_code="completed"),
    monocle_span(['{"line":2}'], "pier 2", "agentic.tool.invocation"),
    monocle_span(
        [
            *MONOCLE_ASKED,
            json.dumps({"tool_function": "piers", "tool_arguments": '{"line":2}', "call_id": "k1"}),
            json.dumps({"call_id": "k1", "output": "pier 2"}),
        ],
        json.dumps({"assistant": "Pier 2."}),
    ),
    monocle_span("Which pier?", "Pier 2.", "agentic.invocation"),
    monocle_span("Which pier?", "Pier 2.", "agentic.request"),
]


def any_agent_span(operation: str, output: Any, **about: Any) -> dict[str, Any]:
    """A span of any-agent's trace; further attributes without their `gen_ai.`, with dots for underscores."""
    named = {f"gen_ai.{key.replace('__', '.')}": value for key, value in about.items()}
    return {
        "name": operation,
        "kind": "internal",
        "attributes": {
            "gen_ai.operation.name": operation,
            **named,
            **({} if output is None else {"gen_ai.output": output, "gen_ai.output.type": "json"}),
        },
    }


ANY_AGENT = {
    "spans": [
        any_agent_span(
            "call_llm",
            json.dumps([{"tool.name": "piers", "tool.args": "{}"}, {"tool.name": "tide", "tool.args": '{"hour":4}'}]),
            input__messages=json.dumps(
                [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Which pier?"}]
            ),
            request__model="m",
            usage__input_tokens=30,
            usage__output_tokens=4,
        ),
        any_agent_span("execute_tool", "low", tool__name="tide", tool__args='{"hour":4}'),
        any_agent_span(
            "execute_tool",
            "pier 2",
            tool__name="piers",
            tool__args='{"line":2}',
            tool__description="The piers of a line",
        ),
        any_agent_span("execute_tool", "ten", tool__name="clock", tool__args="{}"),
        any_agent_span("call_llm", "Pier 2.", request__model="m", usage__input_tokens=50, usage__output_tokens=3),
        any_agent_span("invoke_agent", None),
    ],
    "final_output": "Pier 2.",
}

ASKED: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Is the ferry late?"}]}
ANSWERED: dict[str, Any] = {"choices": [{"message": {"role": "assistant", "content": "Not late."}}]}
MOCKED = """when:
  path: /v1/chat/completions
  method: POST
  header:
  - name: content-type
    value: application/json
  {asked}
then:
  status: 200
  header:
  - name: content-type
    value: application/json
  {answered}
"""


def wire(body: str, answer: str, *, head: str = "Content-Type: application/json", cr: str = "\r\n") -> str:
    """A record of httprr."""
    asked = f"POST https://models.invalid/v1/chat/completions HTTP/1.1{cr}Host: models.invalid{cr}{cr}{body}"
    told = f"HTTP/2.0 200 OK{cr}{head}{cr}{cr}{answer}"
    return f"{len(asked.encode())} {len(told.encode())}\n{asked}{told}"


HTTPMOCK = MOCKED.replace("{asked}", f"body: '{json.dumps(ASKED)}'").replace(
    "{answered}", f"body: '{json.dumps(ANSWERED)}'"
)
HTTPRR = f"httprr trace v1\n{wire(json.dumps(ASKED), json.dumps(ANSWERED))}"


def _said(role: int, text: str, **more: Any) -> dict[str, Any]:
    """A message of a chat replay."""
    return {"role": role, "content": [{"type": 1, "text": text}, {"type": 3, "cacheType": "ephemeral"}], **more}


_PIER_CALL: dict[str, Any] = {
    "role": 2,
    "content": [
        {"type": 2, "value": {"type": "stateful_marker", "value": {"modelId": "m", "marker": "c2VjcmV0"}}},
        {"type": 1, "text": "I look it up."},
    ],
    "toolCalls": [{"function": {"name": "piers", "arguments": '{"line":2}'}, "id": "call_1", "type": "function"}],
}


def replayed(reply: str, *messages: dict[str, Any]) -> dict[str, Any]:
    """A request of a chat replay with its reply."""
    return {
        "id": "r",
        "kind": "request",
        "type": "ChatMLSuccess",
        "name": "panel/editAgent",
        "metadata": {
            "model": "m",
            "usage": {"prompt_tokens": 50, "completion_tokens": 5},
            "tools": [{"name": "piers", "description": "Where lines leave", "parameters": {}, "type": "function"}],
        },
        "requestMessages": {"messages": list(messages)},
        "response": {"type": "success", "message": [reply]},
    }


_REPLAY_BEGIN = (_said(0, "Be brief."), _said(1, "Which pier?"))
CHAT_REPLAY: dict[str, Any] = {
    "exportedAt": "2026-01-02T03:04:05.000Z",
    "totalPrompts": 2,
    "totalLogEntries": 4,
    "prompts": [
        {
            "prompt": "Which pier?",
            "logCount": 3,
            "logs": [
                {"id": "e", "kind": "element", "name": "YC", "tokens": 9, "maxTokens": 99},
                replayed("I look it up.", *_REPLAY_BEGIN),
                {
                    "id": "call_1__vscode-7",
                    "kind": "toolCall",
                    "tool": "piers",
                    "args": '{"line":2}',
                    "response": ["pier 2"],
                },
            ],
        },
        {
            "prompt": "Which pier?",
            "logCount": 1,
            "logs": [replayed("Pier 2.", *_REPLAY_BEGIN, _PIER_CALL, _said(3, "pier 2", toolCallId="call_1"))],
        },
    ],
}


def aws_frame(payload: Any, kind: str = "") -> bytes:
    """A frame of an event stream of AWS, its sums left at zero."""
    data = json.dumps(payload).encode()
    said = [(":content-type", "application/json"), *([(":event-type", kind)] if kind else [])]
    headers = b"".join(
        bytes([len(name)]) + name.encode() + b"\7" + struct.pack(">H", len(text)) + text.encode() for name, text in said
    )
    return struct.pack(">III", 16 + len(headers) + len(data), len(headers), 0) + headers + data + bytes(4)


def traced(kind: str, number: int, **body: Any) -> dict[str, Any]:
    """A record of OpenCode's trace of requests; `+`, `-` and `*` of keys are written `__added` and the like."""
    marks = {"messages__added": "messages+", "messages__taken": "messages-", "changed__content": "*content"}
    named = {marks.get(key, key): value for key, value in body.items()}
    about = {"_id": number, "_purpose": "", "_url": "https://models.invalid/v1/messages", "_kind": kind}
    return {**named, **about, "_ts": "2026-03-01T10:00:00.000Z"}


TRACED_CALL = {"type": "tool_use", "id": "k1", "name": "tides", "input": {"pier": 2}}
TRACED_RESULT = {"type": "tool_result", "tool_use_id": "k1", "content": "40 cm"}
OPENCODE_TRACE = [
    traced(
        "request",
        1,
        model="claude-x",
        max_tokens=100,
        system=[{"type": "text", "text": "Be brief."}],
        messages=[{"role": "user", "content": [{"type": "text", "text": "How high?"}]}],
    ),
    traced("response", 1, type="message", role="assistant", model="claude-x", content=[TRACED_CALL]),
    traced(
        "request",
        2,
        model="claude-x",
        max_tokens=100,
        system=["..."],
        messages__added=[
            {"role": "assistant", "content": [TRACED_CALL]},
            {"role": "user", "content": [TRACED_RESULT]},
        ],
    ),
    traced(
        "response",
        2,
        type="message",
        role="assistant",
        model="claude-x",
        changed__content=[{"type": "text", "text": "40 cm high."}],
    ),
]
