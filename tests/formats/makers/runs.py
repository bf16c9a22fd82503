"""What command lines of agents print of a run, threads of Amp, conversations of Amazon Q and Crush, our own text."""

from __future__ import annotations

import json
from typing import Any

AGENT_RUN: tuple[dict[str, Any], ...] = (
    {"type": "init", "timestamp": "t", "session_id": "s-1", "model": "gemini-x"},
    {"type": "message", "role": "user", "content": "List the piers", "timestamp": "t"},
    {"type": "message", "role": "assistant", "content": "I lo", "delta": True, "timestamp": "t"},
    {"type": "message", "role": "assistant", "content": "ok.", "delta": True, "timestamp": "t"},
    {"type": "tool_use", "tool_name": "ls", "tool_id": "k1", "parameters": {"path": "."}, "timestamp": "t"},
    {"type": "tool_result", "tool_id": "k1", "status": "success", "output": "a b", "timestamp": "t"},
    {"type": "message", "role": "assistant", "content": "Two piers.", "delta": True, "timestamp": "t"},
    {"type": "result", "status": "success", "stats": {"total_tokens": 9}},
)
"""Of the Gemini CLI."""

DROID_RUN: tuple[dict[str, Any], ...] = (
    {"type": "system", "subtype": "init", "cwd": "/w", "session_id": "s-1", "model": "m"},
    {"type": "message", "role": "user", "id": "m1", "text": "List the piers", "session_id": "s-1"},
    {"type": "message", "role": "assistant", "id": "m2", "text": "I look.", "session_id": "s-1"},
    {
        "type": "tool_call",
        "id": "k1",
        "toolId": "LS",
        "toolName": "ls",
        "parameters": {"path": "."},
        "session_id": "s-1",
    },
    {"type": "tool_result", "id": "k1", "toolId": "LS", "isError": False, "value": "a b", "session_id": "s-1"},
    {"type": "message", "role": "assistant", "id": "m3", "text": "Two piers.", "session_id": "s-1"},
    {"type": "completion", "finalText": "Two piers.", "numTurns": 1, "session_id": "s-1"},
)

OPENCODE_RUN: tuple[dict[str, Any], ...] = (
    {"type": "step_start", "sessionID": "s-1", "part": {"type": "step-start"}},
    {"type": "text", "sessionID": "s-1", "part": {"type": "text", "text": "I look."}},
    {
        "type": "tool_use",
        "sessionID": "s-1",
        "part": {
            "type": "tool",
            "callID": "k1",
            "tool": "ls",
            "state": {"status": "completed", "input": {"path": "."}, "output": "a b", "title": "ls"},
        },
    },
    {"type": "text", "sessionID": "s-1", "part": {"type": "text", "text": "Two piers."}},
)


def wire(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": 1.5, "message": {"type": kind, "payload": payload}}


KIMI_WIRE: tuple[dict[str, Any], ...] = (
    wire("TurnBegin", user_input=[{"type": "text", "text": "List the piers"}]),
    wire("StepBegin", n=1),
    wire("ContentPart", type="text", text="I look."),
    wire("ToolCall", type="function", id="k1", function={"name": "ls", "arguments": '{"path":"."}'}),
    wire("ToolResult", tool_call_id="k1", return_value={"is_error": False, "output": "a b", "message": ""}),
    wire("ContentPart", type="text", text="Two piers."),
)

AMP: dict[str, Any] = {
    "v": 9,
    "id": "T-1",
    "title": "Piers",
    "messages": [
        {"role": "user", "messageId": 0, "content": [{"type": "text", "text": "List the piers"}]},
        {
            "role": "assistant",
            "messageId": 1,
            "content": [
                {"type": "thinking", "thinking": "A look first.", "signature": "s"},
                {"type": "tool_use", "id": "k1", "name": "ls", "complete": True, "input": {"path": "."}},
            ],
            "usage": {"model": "claude-x", "inputTokens": 3, "cacheReadInputTokens": 10, "outputTokens": 4},
        },
        {
            "role": "user",
            "messageId": 2,
            "content": [
                {"type": "tool_result", "toolUseID": "k1", "run": {"status": "done", "result": "a b"}},
            ],
        },
        {"role": "assistant", "messageId": 3, "content": [{"type": "text", "text": "Two piers."}]},
    ],
}


def asked_of_q(content: dict[str, Any], **beside: Any) -> dict[str, Any]:
    env = {"env_state": {"operating_system": "linux", "current_working_directory": "/w", "environment_variables": []}}
    return {
        "additional_context": "",
        "env_context": env,
        "content": content,
        "timestamp": None,
        "images": None,
        **beside,
    }


AMAZON_Q: dict[str, Any] = {
    "conversation_id": "q-1",
    "next_message": None,
    "history": [
        {
            "user": asked_of_q({"Prompt": {"prompt": "List the piers"}}, timestamp="2026-01-02T09:00:00+01:00"),
            "assistant": {
                "ToolUse": {
                    "message_id": "m-1",
                    "content": "I look.",
                    "tool_uses": [
                        {
                            "id": "k1",
                            "name": "fs_read",
                            "orig_name": "fs_read",
                            "args": {"path": "."},
                            "orig_args": {"path": "."},
                        }
                    ],
                }
            },
            "request_metadata": {"message_id": "m-1", "response_size": 7, "model_id": "claude-x"},
        },
        {
            "user": asked_of_q(
                {
                    "ToolUseResults": {
                        "tool_use_results": [{"tool_use_id": "k1", "content": [{"Text": "a b"}], "status": "Success"}]
                    }
                }
            ),
            "assistant": {"Response": {"message_id": "m-2", "content": "Two piers."}},
            "request_metadata": None,
        },
    ],
    "valid_history_range": [0, 2],
    "transcript": ["> List the piers", "I look.\n[Tool uses: fs_read]", "Two piers.\n[Tool uses: none]"],
    "tools": {
        "native___": [
            {
                "ToolSpecification": {
                    "name": "fs_read",
                    "description": "Read a folder.",
                    "input_schema": {"json": {"type": "object", "properties": {"path": {"type": "string"}}}},
                }
            }
        ]
    },
    "context_manager": None,
    "context_message_length": None,
    "latest_summary": None,
    "model_info": {"model_id": "claude-x", "context_window_tokens": 200000},
    "file_line_tracker": {},
    "checkpoint_manager": None,
    "mcp_enabled": True,
}


def crush_message(number: int, role: str, *parts: tuple[str, dict[str, Any]], **other: Any) -> dict[str, Any]:
    held = [{"type": kind, "data": data} for kind, data in parts]
    return {
        "id": f"m{number}",
        "session_id": "s-1",
        "role": role,
        "parts": json.dumps(held),
        "model": "claude-x" if role == "assistant" else "",
        "created_at": 1_767_340_800 + number,
        "is_summary_message": 0,
        **other,
    }


CRUSH_FINISH = ("finish", {"reason": "stop", "time": 1_767_340_802})
CRUSH: tuple[dict[str, Any], ...] = (
    crush_message(1, "user", ("text", {"text": "List the piers"}), CRUSH_FINISH),
    crush_message(
        2,
        "assistant",
        ("reasoning", {"thinking": "A look first.", "signature": "s", "responses_data": None}),
        ("text", {"text": "I look."}),
        ("tool_call", {"id": "k1", "name": "ls", "input": '{"path":"."}', "finished": True}),
        CRUSH_FINISH,
    ),
    crush_message(
        3,
        "tool",
        ("tool_result", {"tool_call_id": "k1", "name": "ls", "content": "a b", "metadata": "", "is_error": False}),
        CRUSH_FINISH,
    ),
    crush_message(4, "assistant", ("text", {"text": "Two piers."}), CRUSH_FINISH),
    {"id": "s-1", "title": "Piers", "parent_session_id": None, "summary_message_id": None},
)
"""Rows of the tables `messages` and `sessions`."""


def _event(kind: str, step: str = "s1", **more: Any) -> dict[str, Any]:
    """An event of a step of Kimi Code."""
    event = {
        "type": kind,
        "turnId": "0",
        "step": 1,
        **({"uuid": step} if "step." in kind else {"stepUuid": step}),
        **more,
    }
    return {"type": "context.append_loop_event", "event": event, "time": 1_785_613_801_102}


def typed(words: str, kind: str = "user") -> dict[str, Any]:
    """A message of Kimi Code's context."""
    message = {"role": "user", "content": [{"type": "text", "text": words}], "toolCalls": [], "origin": {"kind": kind}}
    return {"type": "context.append_message", "message": message, "time": 1_785_613_801_101}


def step(number: int, words: str) -> list[dict[str, Any]]:
    """A step of Kimi Code that says something."""
    name = f"step-{number}"
    part = {"type": "text", "text": words}
    return [_event("step.begin", name), _event("content.part", name, part=part), _event("step.end", name)]


_RESULT = {"type": "tool.result", "parentUuid": "Bash_0", "toolCallId": "Bash_0", "result": {"output": "pier 2\n"}}
KIMI_CODE: list[dict[str, Any]] = [
    {"type": "metadata", "protocol_version": "1.4", "created_at": 1_784_950_509_920},
    {"type": "config.update", "profileName": "agent", "systemPrompt": "You are a guide to ferries.", "time": 1},
    {"type": "turn.prompt", "input": [{"type": "text", "text": "Where does it leave?"}], "origin": {"kind": "user"}},
    typed("Where does it leave?"),
    {
        "type": "llm.tools_snapshot",
        "hash": "0a1b",
        "tools": [{"name": "Bash", "description": "Run a command.", "parameters": {"type": "object"}}],
    },
    {"type": "llm.request", "kind": "loop", "model": "kimi-k2.7-code", "modelAlias": "moonshot-ai/kimi-k2.7-code"},
    _event("step.begin"),
    _event("content.part", part={"type": "think", "think": "The map knows."}),
    _event("content.part", part={"type": "text", "text": "I look it up."}),
    _event(
        "tool.call", toolCallId="Bash_0", name="Bash", args={"command": "cat piers"}, description="Running: cat piers"
    ),
    {"type": "context.append_loop_event", "event": _RESULT, "time": 1_785_613_801_104},
    _event("step.end", usage={"inputOther": 267, "output": 42, "inputCacheRead": 24_064, "inputCacheCreation": 0}),
    _event("step.begin", "s2"),
    _event("content.part", "s2", part={"type": "text", "text": "From pier 2."}),
    _event("step.end", "s2", usage={"inputOther": 30, "output": 5, "inputCacheRead": 24_331, "inputCacheCreation": 0}),
]


def _managed_event(uid: str, kind: str, **fields: Any) -> dict[str, Any]:
    return {"id": uid, "type": kind, "processed_at": "2026-03-01T10:00:00Z", **fields}


def _blocks(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text}]


CLAUDE_MANAGED: list[dict[str, Any]] = [
    _managed_event("e1", "session.status_running"),
    _managed_event("e2", "user.message", content=_blocks("Which pier?")),
    _managed_event("e3", "span.model_request_start"),
    _managed_event("e4", "agent.thinking"),
    _managed_event("e5", "agent.message", content=_blocks("I look it up.")),
    _managed_event("e6", "agent.tool_use", name="bash", input={"command": "piers"}, evaluated_permission="allow"),
    _managed_event("e7", "agent.mcp_tool_use", name="tides", input={"pier": 2}, mcp_server_name="harbour"),
    _managed_event(
        "e8",
        "span.model_request_end",
        model_request_start_id="e3",
        model_usage={"input_tokens": 2, "cache_read_input_tokens": 30, "output_tokens": 9},
    ),
    _managed_event("e9", "agent.tool_result", tool_use_id="e6", content=_blocks("two"), is_error=False),
    _managed_event("e10", "agent.mcp_tool_result", mcp_tool_use_id="e7", content=_blocks("no tide"), is_error=True),
    _managed_event("e11", "span.model_request_start"),
    _managed_event("e12", "agent.message", content=_blocks("Pier two.")),
    _managed_event("e13", "session.status_idle", stop_reason={"type": "end_turn"}),
]
GROK_CLI: list[dict[str, Any]] = [
    {"type": "system", "content": "You are a guide to ferries."},
    {
        "type": "user",
        "content": [{"type": "text", "text": "<user_info>\nOS Version: linux\n</user_info>"}],
        "synthetic_reason": "environment_context",
    },
    {"type": "user", "content": [{"type": "text", "text": "Where does it leave?"}], "prompt_index": 0},
    {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "The map knows."}],
        "encrypted_content": "c2VhbA==",
        "status": "completed",
    },
    {
        "type": "assistant",
        "content": "I look it up.",
        "tool_calls": [{"id": "call-1", "name": "read_file", "arguments": '{"target_file": "piers"}'}],
        "model_id": "grok-4.5",
        "model_fingerprint": "fp_0",
        "reasoning_effort": "high",
    },
    {"type": "tool_result", "tool_call_id": "call-1", "content": "pier 2\n"},
    {
        "type": "backend_tool_call",
        "kind": {
            "tool_type": "web_search",
            "action": {"type": "search", "query": "pier 2"},
            "id": "ws_1",
            "status": "completed",
        },
    },
    {"type": "assistant", "content": "From pier 2.", "tool_calls": [], "model_id": "grok-4.5"},
]


def copilot_event(kind: str, name: str = "", *, span: str = "s", **attributes: Any) -> dict[str, Any]:
    """An event of Copilot Chat's debug log."""
    about = {"v": 1, "ts": 1_775_054_100_000, "dur": 0, "sid": "session-1", "spanId": span, "status": "ok"}
    return {**about, "type": kind, "name": name or kind, "attrs": attributes}


def _replied(*parts: dict[str, Any]) -> str:
    return json.dumps([{"role": "assistant", "parts": parts}])


COPILOT_LOG: list[dict[str, Any]] = [
    copilot_event("session_start", copilotVersion="0.40.0", vscodeVersion="1.112.0"),
    copilot_event("user_message", content="Where does it leave?"),
    copilot_event(
        "llm_request", model="gpt-5", inputTokens=900, outputTokens=40, systemPromptFile="system_prompt_0.json"
    ),
    copilot_event(
        "agent_response",
        reasoning="The map knows.",
        response=_replied(
            {"type": "text", "content": "I look it up."},
            {"type": "tool_call", "id": "call_1", "name": "read_file", "arguments": '{"filePath": "piers"}'},
        ),
    ),
    copilot_event("tool_call", "read_file", span="t1", args='{"filePath": "piers"}', result="pier 2"),
    copilot_event("agent_response", response=_replied({"type": "text", "content": "From pier 2."})),
]


def claw_event(kind: str, **data: Any) -> dict[str, Any]:
    """An event of OpenClaw's trajectory."""
    about = {"traceSchema": "openclaw-trajectory", "schemaVersion": 1, "traceId": "t", "source": "runtime"}
    return {**about, "type": kind, "ts": "2026-01-02T03:04:05Z", "sessionId": "s-1", "modelId": "m", "data": data}


CLAW_MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": [{"type": "text", "text": "Which pier?"}]},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "The table knows."},
            {"type": "toolCall", "id": "k1", "name": "piers", "arguments": {"line": 2}},
        ],
    },
    {"role": "toolResult", "toolCallId": "k1", "content": [{"type": "text", "text": "pier 2"}]},
    {"role": "assistant", "content": [{"type": "text", "text": "Pier 2."}]},
]
OPENCLAW: list[dict[str, Any]] = [
    claw_event("session.started", trigger="user"),
    claw_event("context.compiled", systemPrompt="Be brief.", prompt="Which pier?", tools=[{"name": "piers"}]),
    claw_event("prompt.submitted", prompt="Which pier?"),
    claw_event(
        "model.completed",
        usage={"input": 30, "cacheRead": 10, "output": 5},
        assistantTexts=["Pier 2."],
        messagesSnapshot=CLAW_MESSAGES,
    ),
    claw_event("prompt.submitted", prompt="And line 3?"),
    claw_event("tool.call", toolCallId="k2", name="piers", arguments={"line": 3}),
    claw_event("tool.result", toolCallId="k2", name="piers", contentItems=[{"type": "inputText", "text": "pier 5"}]),
    claw_event("model.completed", usage={"input": 50}, assistantTexts=["Pier 5."]),
]


def trae_interaction(asked: list[dict[str, Any]], **replied: Any) -> dict[str, Any]:
    """An interaction of Trae Agent's recorder."""
    usage = {"input_tokens": 30, "output_tokens": 5, "cache_read_input_tokens": 10, "cache_creation_input_tokens": 0}
    response = {"content": "", "model": "m", "finish_reason": "stop", "usage": usage, "tool_calls": None, **replied}
    return {
        "timestamp": "2026-03-01T10:00:00",
        "provider": "x",
        "model": "m",
        "input_messages": asked,
        "response": response,
    }


TRAE_CALL = {"call_id": "k1", "name": "piers", "arguments": {"line": 2}, "id": None}
TRAE_RESULT = {"call_id": "k1", "success": True, "result": "pier 2", "error": None, "id": None}
TRAE_AGENT = {
    "task": "Which pier?",
    "start_time": "2026-03-01T10:00:00",
    "end_time": "2026-03-01T10:01:00",
    "provider": "x",
    "model": "m",
    "max_steps": 20,
    "llm_interactions": [
        trae_interaction(
            [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Which pier?"}],
            content="I look.",
            tool_calls=[TRAE_CALL],
        ),
        trae_interaction([{"role": "user", "content": None, "tool_result": TRAE_RESULT}], content="Pier 2."),
    ],
    "agent_steps": [],
    "success": True,
    "final_result": "Pier 2.",
    "execution_time": 60.0,
}
