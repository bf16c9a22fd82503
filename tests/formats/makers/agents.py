"""Small files in the shapes of sessions of coding agents, our own text."""

from __future__ import annotations

from typing import Any

from tests.formats.shapes import dumps, text_block, use_block, zipped


def streamed(kind: str, content: object, **more: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content}
    if kind == "assistant":
        message |= {"id": "m1", "model": "claude-opus-5", "usage": {"input_tokens": 30, "output_tokens": 4}}
    return {"type": kind, "message": message, "parent_tool_use_id": None, "session_id": "s-1", **more}


CLAUDE_STREAM: tuple[dict[str, Any], ...] = (
    {"type": "system", "subtype": "init", "session_id": "s-1", "model": "claude-opus-5", "tools": ["Read"]},
    streamed("user", "Which port?"),
    streamed("assistant", [text_block("I look.")]),
    streamed("assistant", [use_block("t1", name="Read")]),
    streamed("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "port=8000"}]),
    streamed("user", "Find the port", parent_tool_use_id="t1"),
    {"type": "result", "subtype": "success", "session_id": "s-1", "result": "8000", "num_turns": 2},
)
CLINE: list[dict[str, Any]] = [
    {
        "role": "user",
        "content": [
            text_block("<task>\nName it\n</task>"),
            text_block("<environment_details>\n# Tabs\n</environment_details>"),
        ],
    },
    {
        "role": "assistant",
        "content": [text_block("Two files."), use_block("k1", name="read_file"), use_block("k2", name="list_files")],
    },
    {
        "role": "user",
        "content": [
            text_block("[read_file for 'a.py'] Result:"),
            text_block("print(1)"),
            text_block("[list_files for '.'] Result:\na.py"),
            text_block("<environment_details>\n# Tabs\n</environment_details>"),
        ],
    },
    {"role": "assistant", "content": [text_block("Call it one.py.")]},
]
CURSOR: tuple[dict[str, Any], ...] = (
    {"role": "user", "message": {"content": [text_block("<user_query>\nSort them\n</user_query>")]}},
    {
        "role": "assistant",
        "message": {
            "content": [text_block("Sorting."), {"type": "tool_use", "name": "Shell", "input": {"command": "sort a"}}]
        },
    },
    {"role": "assistant", "message": {"content": [text_block("Done.")]}},
)
DROID: tuple[dict[str, Any], ...] = (
    {"type": "session_start", "id": "d-1", "title": "Lint", "cwd": "/w", "version": 2},
    {
        "type": "message",
        "id": "a",
        "timestamp": "2026-03-01T10:00:00Z",
        "message": {"role": "user", "content": [text_block("Lint")]},
    },
    {
        "type": "message",
        "id": "b",
        "parentId": "a",
        "message": {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "Run it", "signature": "x"}, use_block("t1", name="Execute")],
        },
    },
    {
        "type": "message",
        "id": "c",
        "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "clean"}]},
    },
    {"type": "todo_state", "id": "e"},
)
GOOSE: dict[str, Any] = {
    "id": "20260301_1",
    "description": "Weather",
    "working_dir": "/w",
    "messages": [
        {"role": "user", "created": 1_772_359_200, "content": [{"type": "text", "text": "Rain?"}]},
        {
            "role": "assistant",
            "created": 1_772_359_201,
            "content": [
                {"type": "thinking", "thinking": "Ask", "signature": ""},
                {
                    "type": "toolRequest",
                    "id": "q1",
                    "toolCall": {"status": "success", "value": {"name": "sky", "arguments": {"day": 1}}},
                },
            ],
        },
        {
            "role": "user",
            "created": 1_772_359_202,
            "content": [
                {
                    "type": "toolResponse",
                    "id": "q1",
                    "toolResult": {"status": "success", "value": [{"type": "text", "text": "dry"}]},
                }
            ],
        },
        {"role": "assistant", "created": 1_772_359_203, "content": [{"type": "text", "text": "No rain."}]},
    ],
}
CRAFT: list[dict[str, Any]] = [
    {
        "id": "260601-calm-pier",
        "workspaceRootPath": "~/harbour",
        "sdkSessionId": "s-1",
        "createdAt": 1_772_359_200_000,
        "name": "Tides",
        "model": "m",
        "messageCount": 7,
        "preview": "When is low water?",
    },
    {
        "id": "msg-1",
        "type": "user",
        "content": "When is low water?",
        "timestamp": 1_772_359_200_000,
        "attachments": [{"id": "a1", "type": "text", "name": "pier.txt", "mimeType": "text/plain", "size": 3}],
    },
    {
        "id": "msg-2",
        "type": "tool",
        "content": "Running Read...",
        "timestamp": 1_772_359_201_000,
        "toolName": "Read",
        "toolUseId": "t1",
        "toolInput": {"file_path": "tides.csv"},
        "toolStatus": "completed",
        "toolIntent": "Look the tides up",
        "turnId": "turn-1",
        "toolResult": "low,06:10",
        "isError": False,
    },
    {
        "id": "msg-3",
        "type": "tool",
        "content": "Running Grep...",
        "timestamp": 1_772_359_201_500,
        "toolName": "Grep",
        "toolUseId": "t2",
        "toolInput": {"pattern": "low"},
        "toolStatus": "error",
        "turnId": "turn-1",
        "toolResult": "no such folder",
    },
    {"id": "msg-4", "type": "status", "content": "Compacting", "statusType": "compacting"},
    {"id": "msg-5", "type": "assistant", "content": "At ten past six.", "isIntermediate": False, "turnId": "turn-2"},
    {"id": "msg-6", "type": "user", "content": "Thank you."},
]
DSH: list[dict[str, Any]] = [
    {"type": "session", "version": 0, "id": "d-1", "createdAt": 1_783_352_050_748, "cwd": "/w", "delegationDepth": 0},
    {"type": "turn/start", "seq": 0, "time": 1_783_352_050_750, "data": {"turn": 1}},
    {
        "type": "user/message",
        "seq": 1,
        "time": 1_783_352_050_751,
        "data": {
            "content": [{"type": "text", "text": "When is low water?"}],
            "source": {"kind": "user"},
            "role": "user",
            "id": "u1",
        },
        "surfaceOp": "append",
    },
    {
        "type": "request/header",
        "seq": 2,
        "time": 1_783_352_050_752,
        "data": {
            "header": {
                "config": {"provider": "p", "model": "m"},
                "system": "You know the tides.",
                "tools": [{"name": "bash", "description": "Runs it", "parameters": {"type": "object"}}],
            },
            "reason": "initial",
        },
    },
    {"type": "session/title", "seq": 3, "time": 1_783_352_050_753, "data": {"title": "Low water"}},
    {"type": "reasoning-chunks", "seq0": 4, "time0": 1_783_352_050_754, "data": {"texts": ["Look", " it up."]}},
    {
        "type": "assistant/message",
        "seq": 6,
        "time": 1_783_352_051_000,
        "data": {
            "turn": 1,
            "step": 1,
            "message": {
                "role": "assistant",
                "content": [
                    {"type": "reasoning", "text": "Look it up."},
                    {"type": "tool-call", "id": "t1", "name": "bash", "arguments": '{"command":"tides"}'},
                ],
                "source": {"kind": "model", "provider": "p", "model": "m"},
                "id": "a1",
            },
            "usage": {"inputTokens": 20, "outputTokens": 9, "cacheReadTokens": 5, "reasoningTokens": 3},
        },
        "surfaceOp": "append",
    },
    {"type": "tool/call", "seq": 7, "time": 1_783_352_051_001, "data": {"callId": "t1", "name": "bash"}},
    {
        "type": "tool/result",
        "seq": 8,
        "time": 1_783_352_051_002,
        "data": {
            "message": {
                "source": {"kind": "tool", "callId": "t1"},
                "content": [
                    {"type": "tool-result", "toolCallId": "t1", "content": [{"type": "text", "text": "06:10"}]},
                ],
                "role": "user",
                "id": "r1",
            },
        },
        "surfaceOp": "append",
    },
    {
        "type": "assistant/message",
        "seq": 9,
        "time": 1_783_352_051_003,
        "data": {
            "message": {"role": "assistant", "content": [{"type": "text", "text": "At ten past six."}], "id": "a2"}
        },
        "surfaceOp": "append",
    },
]
OPENCODE: dict[str, Any] = {
    "info": {"id": "ses_1", "title": "Rename", "time": {"created": 1_772_359_200_000}},
    "messages": [
        {
            "info": {"id": "msg_1", "sessionID": "ses_1", "role": "user", "time": {"created": 1_772_359_200_000}},
            "parts": [
                {"id": "prt_1", "type": "text", "text": "Rename it"},
                {"id": "prt_2", "type": "file", "mime": "text/plain", "url": "file:///w/a.py", "filename": "a.py"},
            ],
        },
        {
            "info": {
                "id": "msg_2",
                "sessionID": "ses_1",
                "role": "assistant",
                "parentID": "msg_1",
                "modelID": "claude-sonnet-4-5",
                "tokens": {"input": 20, "output": 5, "reasoning": 1, "cache": {"read": 100, "write": 7}},
            },
            "parts": [
                {"id": "prt_3", "type": "step-start"},
                {"id": "prt_4", "type": "reasoning", "text": "Move it"},
                {
                    "id": "prt_5",
                    "type": "tool",
                    "callID": "c1",
                    "tool": "bash",
                    "state": {"status": "completed", "input": {"command": "mv a b"}, "output": "moved"},
                },
                {
                    "id": "prt_6",
                    "type": "tool",
                    "callID": "c2",
                    "tool": "read",
                    "state": {"status": "running", "input": {}},
                },
                {
                    "id": "prt_7",
                    "type": "step-finish",
                    "tokens": {"input": 20, "output": 5, "reasoning": 1, "cache": {"read": 100, "write": 7}},
                },
                {"id": "prt_8", "type": "text", "text": "Renamed."},
            ],
        },
    ],
}
QWEN_CODE: tuple[dict[str, Any], ...] = (
    {
        "uuid": "u1",
        "parentUuid": None,
        "sessionId": "q-1",
        "type": "user",
        "timestamp": "2026-03-01T10:00:00Z",
        "message": {"role": "user", "parts": [{"text": "Count them"}]},
    },
    {
        "uuid": "u2",
        "parentUuid": "u1",
        "sessionId": "q-1",
        "type": "assistant",
        "model": "qwen3-coder",
        "message": {
            "role": "model",
            "parts": [
                {"text": "Use wc", "thought": True},
                {"functionCall": {"id": "w1", "name": "shell", "args": {"c": "wc"}}},
            ],
        },
        "usageMetadata": {"promptTokenCount": 44, "candidatesTokenCount": 6, "cachedContentTokenCount": 4},
    },
    {
        "uuid": "u3",
        "parentUuid": "u2",
        "sessionId": "q-1",
        "type": "tool_result",
        "message": {
            "role": "user",
            "parts": [{"functionResponse": {"id": "w1", "name": "shell", "response": {"output": "7"}}}],
        },
    },
    {"uuid": "u4", "parentUuid": "u3", "sessionId": "q-1", "type": "system", "subtype": "ui_telemetry"},
    {
        "uuid": "u5",
        "parentUuid": "u4",
        "sessionId": "q-1",
        "type": "assistant",
        "message": {"role": "model", "parts": [{"text": "Taken back: eight"}]},
    },
    {
        "uuid": "u6",
        "parentUuid": "u4",
        "sessionId": "q-1",
        "type": "system",
        "subtype": "rewind",
        "systemPayload": {"targetUuid": "u4"},
    },
    {
        "uuid": "u7",
        "parentUuid": "u6",
        "sessionId": "q-1",
        "type": "user",
        "message": {"role": "user", "parts": [{"text": "Count them again"}]},
    },
    {"uuid": "u8", "parentUuid": "u7", "sessionId": "q-1", "type": "system", "subtype": "slash_command"},
    {"uuid": "u9", "parentUuid": "u8", "sessionId": "q-1", "type": "system", "subtype": "slash_command"},
)
VSCODE_CHAT: dict[str, Any] = {
    "requesterUsername": "me",
    "responderUsername": "GitHub Copilot",
    "requests": [
        {
            "requestId": "r1",
            "responseId": "p1",
            "modelId": "copilot/gpt-5",
            "timestamp": 1_772_359_200_000,
            "message": {"text": "Test it", "parts": []},
            "variableData": {"variables": []},
            "response": [
                {"value": "I run the tests."},
                {"kind": "toolInvocationSerialized", "toolId": "run", "toolCallId": "x"},
            ],
            "result": {
                "metadata": {
                    "promptTokens": 900,
                    "toolCallRounds": [
                        {
                            "response": "I run the tests.",
                            "toolCalls": [{"id": "x", "name": "run", "arguments": '{"all":true}'}],
                        },
                        {"response": "All pass.", "toolCalls": []},
                    ],
                    "toolCallResults": {"x": {"content": [{"value": "4 passed"}]}},
                }
            },
        },
        {
            "requestId": "r2",
            "responseId": "p2",
            "message": {"text": "Thanks"},
            "response": [
                {"value": "See "},
                {"kind": "inlineReference", "inlineReference": {"path": "/w/a.py"}},
                {"value": ".", "supportHtml": False},
                {"kind": "progressMessage", "content": {"value": "Working"}},
            ],
        },
    ],
}


def stored_opencode() -> bytes:
    """The export as OpenCode's storage folder holds it."""
    files: dict[str, str | bytes] = {"storage/session/p/ses_1.json": dumps(OPENCODE["info"])}
    for message in OPENCODE["messages"]:
        info = message["info"]
        files[f"storage/message/ses_1/{info['id']}.json"] = dumps(info)
        for part in message["parts"]:
            files[f"storage/part/{info['id']}/{part['id']}.json"] = dumps({**part, "messageID": info["id"]})
    return zipped(files)


LETTA: dict[str, Any] = {
    "agents": [
        {
            "id": "agent-1",
            "name": "guide",
            "agent_type": "letta_v1_agent",
            "system": "Guide people.",
            "llm_config": {"model": "gpt-4.1"},
            "tool_ids": ["tool-1"],
            "block_ids": ["block-1"],
            "in_context_message_ids": ["m-2", "m-3", "m-4", "m-5"],
            "messages": [
                {"id": "m-1", "role": "user", "content": [text_block("Long ago")]},
                {"id": "m-2", "role": "system", "content": [text_block("Guide people.")]},
                {"id": "m-3", "role": "user", "content": [text_block("Open?")]},
                {
                    "id": "m-4",
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {"id": "t1", "type": "function", "function": {"name": "hours", "arguments": '{"day":"mon"}'}}
                    ],
                },
                {
                    "id": "m-5",
                    "role": "tool",
                    "content": [text_block("shown")],
                    "tool_returns": [{"tool_call_id": "t1", "status": "success", "func_response": "9 to 5"}],
                },
            ],
        }
    ],
    "blocks": [{"id": "block-1", "label": "human", "value": "Likes trains."}],
    "tools": [{"id": "tool-1", "name": "hours", "json_schema": {"name": "hours", "parameters": {"type": "object"}}}],
}
CURSOR_STREAM: tuple[dict[str, Any], ...] = (
    {"type": "system", "subtype": "init", "session_id": "s-1", "model": "Auto"},
    {"type": "user", "message": {"role": "user", "content": [text_block("Read it")]}, "session_id": "s-1"},
    {
        "type": "tool_call",
        "subtype": "started",
        "call_id": "r1",
        "tool_call": {"readToolCall": {"args": {"path": "a"}}},
        "session_id": "s-1",
    },
    {
        "type": "tool_call",
        "subtype": "completed",
        "call_id": "r1",
        "tool_call": {"readToolCall": {"args": {"path": "a"}, "result": {"success": {"content": "seven"}}}},
        "session_id": "s-1",
    },
    {"type": "assistant", "message": {"role": "assistant", "content": [text_block("It is 7.")]}, "session_id": "s-1"},
    {"type": "result", "subtype": "success", "session_id": "s-1", "result": "It is 7."},
)
CONTINUE: dict[str, Any] = {
    "sessionId": "n-1",
    "title": "Ports",
    "workspaceDirectory": "file:///w",
    "history": [
        {
            "message": {"role": "user", "content": [{"type": "text", "text": "Which port?"}], "id": "m1"},
            "contextItems": [{"name": "a.py", "description": "a.py", "content": "PORT = 8000", "id": {"itemId": "1"}}],
        },
        {"message": {"role": "thinking", "content": "Look it up."}, "contextItems": []},
        {
            "message": {
                "role": "assistant",
                "content": "I run it.",
                "toolCalls": [
                    {
                        "id": "k1",
                        "type": "function",
                        "function": {"name": "run_terminal_command", "arguments": '{"command":"make"}'},
                    }
                ],
            },
            "contextItems": [],
            "toolCallStates": [
                {
                    "toolCallId": "k1",
                    "toolCall": {
                        "id": "k1",
                        "type": "function",
                        "function": {"name": "run_terminal_command", "arguments": '{"command":"make"}'},
                    },
                    "status": "done",
                    "parsedArgs": {"command": "make"},
                    "output": [{"name": "Terminal", "description": "", "content": "ok", "status": "Completed"}],
                }
            ],
        },
        {"message": {"role": "tool", "content": "ok", "toolCallId": "k1"}, "contextItems": []},
        {"message": {"role": "assistant", "content": "Port 8000."}, "contextItems": []},
    ],
}
CONTINUE_LOG: list[dict[str, Any]] = [
    {
        "modelTitle": "m",
        "prompt": "<system>\nBe brief.\n\n<user>\nWhich port?\n\n",
        "completion": 'I run it.\nrun_terminal_command({"command":"make"})',
        "completionOptions": {"model": "m"},
        "sessionId": "n-1",
    },
    {
        "modelTitle": "m",
        "prompt": "<system>\nBe brief.\n\n<user>\nWhich port?\n\n"
        '<assistant>\nI run it.\nrun_terminal_command({"command":"make"})\n\n<tool>\nok\n\n',
        "completion": "Port 8000.",
        "completionOptions": {"model": "m"},
        "sessionId": "n-1",
    },
]


def timeline_node(kind: str, said: list[dict[str, Any]], told: str = "", **step: Any) -> dict[str, Any]:
    """A step of Continue's older timeline, with the messages that it put into the chat."""
    about = {"name": kind, "class_name": kind, "hide": False, "description": told, "chat_context": said, **step}
    return {"step": about, "observation": None, "depth": 0, "deleted": False, "active": False}


CONTINUE_TIMELINE: dict[str, Any] = {
    "history": {
        "timeline": [
            timeline_node("StepsOnStartupStep", [], "Running steps on startup", hide=True),
            timeline_node(
                "UserInputStep",
                [{"role": "user", "content": "Which port?", "summary": "Which port?"}],
                "Which port?",
                user_input="Which port?",
                manage_own_chat_context=True,
            ),
            timeline_node(
                "SimpleChatStep",
                [{"role": "assistant", "content": "Port 8000.", "summary": "A port"}],
                "Port 8000.",
                manage_own_chat_context=True,
            ),
        ],
        "current_index": 2,
    },
    "session_info": {"session_id": "n-2", "title": "Ports"},
    "slash_commands": [{"name": "edit", "description": "Edit code"}],
}
CODEX_EXEC: tuple[dict[str, Any], ...] = (
    {"type": "thread.started", "thread_id": "th-1"},
    {"type": "turn.started"},
    {"type": "item.completed", "item": {"id": "item_0", "type": "reasoning", "text": "Look."}},
    {
        "type": "item.started",
        "item": {"id": "item_1", "type": "command_execution", "command": "ls", "status": "in_progress"},
    },
    {
        "type": "item.completed",
        "item": {
            "id": "item_1",
            "type": "command_execution",
            "command": "ls",
            "aggregated_output": "a.txt",
            "exit_code": 0,
            "status": "completed",
        },
    },
    {
        "type": "item.completed",
        "item": {
            "id": "item_2",
            "type": "mcp_tool_call",
            "server": "docs",
            "tool": "find",
            "arguments": {"q": "a"},
            "result": {"content": [{"type": "text", "text": "page 3"}], "structured_content": {"page": 3}},
            "status": "completed",
        },
    },
    {"type": "item.completed", "item": {"id": "item_3", "type": "agent_message", "text": "One file."}},
    {"type": "turn.completed", "usage": {"input_tokens": 90, "cached_input_tokens": 10, "output_tokens": 9}},
)
KIMI: list[dict[str, Any]] = [
    {"role": "_system_prompt", "content": "You keep the harbour"},
    {"role": "_checkpoint", "id": 0},
    {"role": "user", "content": [{"type": "text", "text": "Which ferry leaves first?"}]},
    {
        "role": "assistant",
        "content": [{"type": "think", "think": "The timetable"}, {"type": "text", "text": "I look."}],
        "tool_calls": [
            {"type": "function", "id": "c1", "function": {"name": "ReadFile", "arguments": '{"path":"times"}'}}
        ],
    },
    {"role": "_usage", "token_count": 1200},
    {"role": "tool", "content": [{"type": "text", "text": "Oslo at four"}], "tool_call_id": "c1"},
    {"role": "assistant", "content": "Oslo leaves first."},
]
ZED: dict[str, Any] = {
    "version": "0.3.0",
    "title": "Ferries",
    "model": {"provider": "anthropic", "model": "claude-opus-5"},
    "messages": [
        {"User": {"id": "u1", "content": [{"Text": "Which ferry leaves first?"}]}},
        {
            "Agent": {
                "content": [
                    {"Thinking": {"text": "The timetable", "signature": ""}},
                    {"Text": "I look."},
                    {"ToolUse": {"id": "t1", "name": "read_file", "raw_input": "", "input": {"path": "times"}}},
                ],
                "tool_results": {
                    "t1": {
                        "tool_use_id": "t1",
                        "tool_name": "read_file",
                        "is_error": False,
                        "content": {"Text": "Oslo"},
                    }
                },
            }
        },
        {"Agent": {"content": [{"Text": "Oslo leaves first."}], "tool_results": {}}},
    ],
}
ZED_OLD: dict[str, Any] = {
    "version": "0.2.0",
    "summary": "Ferries",
    "messages": [
        {"id": 0, "role": "user", "segments": [{"type": "text", "text": "Which ferry leaves first?"}]},
        {
            "id": 1,
            "role": "assistant",
            "segments": [{"type": "thinking", "text": "The timetable"}, {"type": "text", "text": "I look."}],
            "tool_uses": [{"id": "t1", "name": "read_file", "input": {"path": "times"}}],
            "tool_results": [{"tool_use_id": "t1", "is_error": False, "content": "Oslo"}],
        },
        {"id": 2, "role": "assistant", "segments": [{"type": "text", "text": "Oslo leaves first."}]},
    ],
}

REPLIT: list[dict[str, Any]] = [
    {"memory_id": 7, "messages": [{"role": "user", "content": [{"type": "text", "text": "How high is the tide?"}]}]},
    {
        "memory_id": 8,
        "messages": [
            {"role": "assistant", "content": [{"type": "text", "text": "I look at the table and at the gauge."}]},
            {
                "role": "assistant",
                "content": [],
                "tool_calls": [
                    {"type": "tool", "name": "read", "arguments": {"file_path": "tides.csv"}},
                    {"type": "tool", "name": "bash", "arguments": {"command": "gauge"}},
                ],
            },
            {"role": "tool", "content": [{"type": "text", "text": "06:10, 40 cm"}]},
            {"role": "tool", "content": [{"type": "text", "text": "gauge: not found"}], "is_error": True},
        ],
    },
    {"memory_id": 11, "messages": [{"role": "assistant", "content": [{"type": "text", "text": "It is 40 cm high."}]}]},
]


def _block_line(second: int, role: str, **block: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-03-10T02:22:{second:02d}.000Z", "role": role, "content": block}


BLOCK_LINES: list[dict[str, Any]] = [
    _block_line(1, "user", type="text", text="How high is the tide?"),
    _block_line(2, "assistant", type="thinking", text="The table tells."),
    _block_line(3, "assistant", type="text", text="I look."),
    _block_line(4, "assistant", type="tool_use", tool_name="Read", tool_id="k1", input={"path": "tides.csv"}),
    _block_line(5, "assistant", type="tool_use", tool_name="Bash", tool_id="k2", input={"command": "gauge"}),
    _block_line(6, "tool", type="tool_result", tool_id="k1", output="06:10, 40 cm"),
    _block_line(7, "tool", type="tool_result", tool_id="k2", output="gauge: not found", is_error=True),
    _block_line(8, "assistant", type="text", text="It is 40 cm high."),
]
