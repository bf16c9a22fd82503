"""Small files in the shapes of products and data sets, our own text: one for each format, by the format's name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from tests.formats.agents.antigravity_shapes import ANTIGRAVITY
from tests.formats.shapes import OPENAI_CHAT, dumps, jsonl, text_block, use_block, zipped

ROOT = "00000000-0000-4000-8000-000000000000"


def human(uid: str, text: str, parent: str = ROOT, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text, "citations": []}]
    return {"uuid": uid, "sender": "human", "text": text, "content": content, "parent_message_uuid": parent, **more}


def claude(uid: str, parent: str, *content: dict[str, Any]) -> dict[str, Any]:
    return {"uuid": uid, "sender": "assistant", "text": "", "content": list(content), "parent_message_uuid": parent}


CLAUDE_AI: list[dict[str, Any]] = [
    {
        "uuid": "c-1",
        "name": "Boats",
        "model": "claude-sonnet-4-5",
        "created_at": "2026-03-01T10:00:00Z",
        "current_leaf_message_uuid": "m4",
        "chat_messages": [
            human(
                "m1",
                "When does the boat leave?",
                attachments=[{"file_name": "plan.txt", "extracted_content": "Boat 7 leaves at noon."}],
                files_v2=[
                    {
                        "file_kind": "image",
                        "file_name": "quay.png",
                        "preview_asset": {"image_width": 40, "image_height": 30},
                    }
                ],
            ),
            claude(
                "m2",
                "m1",
                {"type": "thinking", "thinking": "Look it up."},
                {"type": "tool_use", "id": None, "name": "timetable", "input": {"boat": 7}},
                {"type": "tool_result", "name": "timetable", "content": [{"type": "text", "text": "noon"}]},
                {"type": "text", "text": "At noon."},
            ),
            human("m3", "And back?", "m2"),
            claude("m4", "m3", {"type": "text", "text": "At six."}),
            human("m5", "And tomorrow?", "m2"),
        ],
    },
    {"uuid": "c-2", "name": "", "chat_messages": []},
]

OPEN_WEBUI: list[dict[str, Any]] = [
    {
        "id": "w-1",
        "title": "Tides",
        "chat": {
            "models": ["llama"],
            "params": {"system": "Be short."},
            "history": {
                "currentId": "b",
                "messages": {
                    "a": {
                        "id": "a",
                        "parentId": None,
                        "childrenIds": ["b", "c"],
                        "role": "user",
                        "content": "High tide?",
                        "timestamp": 1_772_359_200,
                    },
                    "b": {
                        "id": "b",
                        "parentId": "a",
                        "childrenIds": [],
                        "role": "assistant",
                        "model": "llama-4",
                        "content": '<details type="reasoning" done="true" duration="2">\n<summary>Thought</summary>\n'
                        "> Ask the table\n</details>\n"
                        '<details type="tool_calls" done="true" id="t1" name="tide" '
                        'arguments="&quot;{\\&quot;day\\&quot;: 1}&quot;" result="&quot;04:10&quot;" files="">\n'
                        "<summary>Tool Executed</summary>\n</details>\n"
                        "At ten past four.",
                        "usage": {"prompt_tokens": 40, "completion_tokens": 9},
                    },
                    "c": {"id": "c", "parentId": "a", "childrenIds": [], "role": "assistant", "content": "At four."},
                },
            },
            "messages": [],
        },
    }
]

LIBRECHAT: dict[str, Any] = {
    "conversationId": "l-1",
    "title": "Knots",
    "endpoint": "openAI",
    "options": {"model": "gpt-4.1", "promptPrefix": "Be brief."},
    "recursive": True,
    "messages": [
        {
            "messageId": "a",
            "parentMessageId": ROOT,
            "isCreatedByUser": True,
            "sender": "User",
            "text": "Which knot?",
            "children": [
                {
                    "messageId": "b",
                    "parentMessageId": "a",
                    "isCreatedByUser": False,
                    "sender": "GPT",
                    "text": "",
                    "model": "gpt-4.1-mini",
                    "content": [
                        {"type": "think", "think": "A bowline holds."},
                        {
                            "type": "tool_call",
                            "tool_call": {"id": "k1", "name": "knots", "args": '{"load":2}', "output": "bowline"},
                        },
                        {"type": "text", "text": {"value": "A bowline."}},
                    ],
                    "children": [],
                },
                {
                    "messageId": "c",
                    "parentMessageId": "a",
                    "isCreatedByUser": False,
                    "text": "A reef knot.",
                    "children": [],
                },
            ],
        }
    ],
}

LM_STUDIO: dict[str, Any] = {
    "name": "Stars",
    "createdAt": 1_772_359_200_000,
    "systemPrompt": "Answer.",
    "messages": [
        {
            "currentlySelected": 1,
            "versions": [
                {"type": "singleStep", "role": "user", "content": [{"type": "text", "text": "How far?"}]},
                {"type": "singleStep", "role": "user", "content": [{"type": "text", "text": "How far is Vega?"}]},
            ],
        },
        {
            "currentlySelected": 0,
            "versions": [
                {
                    "type": "multiStep",
                    "role": "assistant",
                    "steps": [
                        {
                            "type": "contentBlock",
                            "style": {"type": "thinking"},
                            "content": [{"type": "text", "text": "Ask the catalogue"}],
                        },
                        {
                            "type": "contentBlock",
                            "content": [
                                {
                                    "type": "toolCallRequest",
                                    "callId": 1,
                                    "toolCallRequestId": "v1",
                                    "name": "star",
                                    "parameters": {"name": "Vega"},
                                }
                            ],
                        },
                        {"type": "toolStatus", "callId": 1},
                        {
                            "type": "contentBlock",
                            "roleOverride": "tool",
                            "content": [{"type": "toolCallResult", "toolCallRequestId": "v1", "content": "25 ly"}],
                        },
                        {
                            "type": "contentBlock",
                            "content": [{"type": "text", "text": "25 light years."}],
                            "genInfo": {
                                "identifier": "qwen3",
                                "stats": {"promptTokensCount": 55, "predictedTokensCount": 12},
                            },
                        },
                    ],
                }
            ],
        },
    ],
}

GROK: dict[str, Any] = {
    "conversations": [
        {
            "conversation": {"conversation_id": "g-1", "title": "Leaves", "leaf_response_id": "r2"},
            "responses": [
                {
                    "response": {
                        "response_id": "r1",
                        "parent_response_id": None,
                        "sender": "human",
                        "message": "Why green?",
                        "metadata": {"requestModelDetails": {"modelId": "grok-3"}},
                        "create_time": {"$date": {"$numberLong": "1750534101000"}},
                    }
                },
                {
                    "response": {
                        "response_id": "r2",
                        "parent_response_id": "r1",
                        "sender": "ASSISTANT",
                        "message": "Chlorophyll.",
                        "thinking_trace": "Pigments",
                    }
                },
                {
                    "response": {
                        "response_id": "r3",
                        "parent_response_id": "r1",
                        "sender": "assistant",
                        "message": "It reflects green.",
                    }
                },
            ],
        }
    ]
}


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
)

MODEL_MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "Warm?"}]},
    {
        "role": "assistant",
        "content": [
            {"type": "reasoning", "text": "Ask"},
            {"type": "tool-call", "toolCallId": "t1", "toolName": "heat", "input": {"room": 2}},
        ],
    },
    {
        "role": "tool",
        "content": [
            {"type": "tool-result", "toolCallId": "t1", "toolName": "heat", "output": {"type": "text", "value": "21"}}
        ],
    },
    {"role": "assistant", "content": "Warm enough."},
]

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


SPECSTORY = """<!-- Generated by SpecStory, Markdown v2.1.0 -->

# 2026-03-01 10:00:00Z

<!-- Claude Code Session 11111111-aaaa (2026-03-01 10:00:00Z) -->

_**User (2026-03-01 10:00:00Z)**_

Run the tests

---

_**Agent (claude-opus-5 2026-03-01 10:00:02Z)**_

<think><details><summary>Thought Process</summary>
Use pytest
</details></think>

_**Agent (claude-opus-5 2026-03-01 10:00:03Z)**_

<tool-use data-tool-type="generic" data-tool-name="tests"><details>
<summary>Tool use: **tests**</summary>

**Input:**

- folder: `unit`

**Result:**

```
4 passed
_**User**_
12→</details></tool-use>
```
</details></tool-use>

All pass.

---

_**User (2026-03-01 10:01:00Z)**_

Thanks
"""

AIDER = """
# aider chat started at 2026-03-01 10:00:00

> Aider v0.90.0~
> Main model: gpt-5 with diff edit format~

#### add a title~
#### to the page~

Here it is:

#### Title

> a quote of the model

> Tokens: 3.2k sent, 21 received.~

#### /run make~

# aider chat started at 2026-03-01 11:00:00

#### /ask why?~

Because.
""".replace("~", "  ")
"""Two spaces at the end of a line are how aider marks what it wrote itself."""

EXPORTED_CHAT = """# Regular expressions
_Exported on 3/1/2026 at 10:00:00 GMT from Cursor (1.2.4)_

---

**User**

Match a digit

---

**Cursor**

Use `\\d`:

```
**User**
```

---

**User**

Thanks
"""

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

CONVERSE: dict[str, Any] = {
    "modelId": "anthropic.claude-sonnet",
    "system": [{"text": "Be brief."}],
    "toolConfig": {"tools": [{"toolSpec": {"name": "sky", "inputSchema": {"json": {"type": "object"}}}}]},
    "messages": [
        {"role": "user", "content": [{"text": "Rain?"}]},
        {
            "role": "assistant",
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "Ask", "signature": "s"}}},
                {"toolUse": {"toolUseId": "b1", "name": "sky", "input": {"day": 1}}},
            ],
        },
        {"role": "user", "content": [{"toolResult": {"toolUseId": "b1", "content": [{"text": "dry"}]}}]},
    ],
    "output": {"message": {"role": "assistant", "content": [{"text": "No."}]}},
    "stopReason": "end_turn",
    "usage": {"inputTokens": 30, "outputTokens": 2, "cacheReadInputTokens": 10},
}

PYDANTIC_AI: list[dict[str, Any]] = [
    {
        "kind": "request",
        "parts": [
            {"part_kind": "system-prompt", "content": "Be brief."},
            {"part_kind": "user-prompt", "content": "Rain?", "timestamp": "2026-03-01T10:00:00Z"},
        ],
    },
    {
        "kind": "response",
        "model_name": "gpt-4.1",
        "usage": {"input_tokens": 21, "output_tokens": 4},
        "parts": [
            {"part_kind": "thinking", "content": "Ask"},
            {"part_kind": "tool-call", "tool_name": "sky", "args": '{"day":1}', "tool_call_id": "p1"},
        ],
    },
    {
        "kind": "request",
        "parts": [{"part_kind": "tool-return", "tool_name": "sky", "content": "dry", "tool_call_id": "p1"}],
    },
    {"kind": "response", "model_name": "gpt-4.1", "parts": [{"part_kind": "text", "content": "No rain."}]},
]

LANGSMITH: dict[str, Any] = {
    "post": [
        {
            "id": "run-1",
            "run_type": "llm",
            "dotted_order": "1",
            "name": "ChatOpenAI",
            "inputs": {"messages": OPENAI_CHAT[:4], "model": "gpt-4.1"},
            "outputs": {},
        },
        {"id": "run-2", "run_type": "chain", "dotted_order": "2", "inputs": {"question": "?"}},
    ],
    "patch": [
        {
            "id": "run-1",
            "dotted_order": "1",
            "outputs": {
                "choices": [{"index": 0, "message": OPENAI_CHAT[4]}],
                "usage_metadata": {"input_tokens": 70, "output_tokens": 6},
            },
        }
    ],
}


def attribute(key: str, value: object) -> dict[str, Any]:
    return {"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}


OTEL_ASKED: list[dict[str, Any]] = [
    {"role": "user", "parts": [{"type": "text", "content": "Rain?"}]},
    {"role": "assistant", "parts": [{"type": "tool_call", "id": "o1", "name": "sky", "arguments": {"day": 1}}]},
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "o1", "response": "dry"}]},
]
OTEL_ANSWER: list[dict[str, Any]] = [
    {
        "role": "assistant",
        "parts": [{"type": "reasoning", "content": "Dry"}, {"type": "text", "content": "No rain."}],
        "finish_reason": "stop",
    }
]
OTEL: dict[str, Any] = {
    "resourceSpans": [
        {
            "scopeSpans": [
                {
                    "spans": [
                        {
                            "name": "chat",
                            "attributes": [
                                attribute("gen_ai.input.messages", json.dumps(OTEL_ASKED[:1])),
                                attribute("gen_ai.output.messages", json.dumps(OTEL_ASKED[1:2])),
                            ],
                        },
                        {
                            "name": "chat",
                            "attributes": [
                                attribute("gen_ai.request.model", "gpt-4.1"),
                                attribute("gen_ai.usage.input_tokens", 33),
                                attribute("gen_ai.input.messages", json.dumps(OTEL_ASKED)),
                                attribute("gen_ai.output.messages", json.dumps(OTEL_ANSWER)),
                            ],
                        },
                    ]
                }
            ]
        }
    ]
}

HAR: dict[str, Any] = {
    "log": {
        "version": "1.2",
        "entries": [
            {"request": {"method": "GET", "url": "https://chat.example/"}, "response": {"content": {}}},
            {
                "request": {
                    "method": "POST",
                    "url": "https://api.example/v1/chat/completions",
                    "postData": {"text": json.dumps({"model": "gpt-4.1", "messages": OPENAI_CHAT[:4]})},
                },
                "response": {"content": {"text": json.dumps({"choices": [{"message": OPENAI_CHAT[4]}]})}},
            },
        ],
    }
}

TAU2: dict[str, Any] = {
    "info": {"agent_info": {"llm": "gpt-4.1"}, "environment_info": {"policy": "Be kind."}},
    "simulations": [
        {
            "id": "sim-1",
            "task_id": "7",
            "termination_reason": "user_stop",
            "messages": [
                {"role": "assistant", "content": "Hello."},
                {"role": "user", "content": "Cancel it", "turn_idx": 1},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {"id": "c1", "name": "cancel", "arguments": {"id": 4}, "requestor": "assistant"},
                        {"id": "c2", "name": "tell", "arguments": {}, "requestor": "assistant"},
                    ],
                    "usage": {"prompt_tokens": 60, "completion_tokens": 5},
                },
                {
                    "role": "tool",
                    "tool_messages": [
                        {"id": "c1", "role": "tool", "content": "done", "requestor": "assistant", "error": False},
                        {"id": "c2", "role": "tool", "content": "told", "requestor": "assistant", "error": True},
                    ],
                },
                {"role": "user", "content": None, "tool_calls": [{"id": "u1", "name": "look", "arguments": {}}]},
                {"id": "u1", "role": "tool", "content": "a screen", "requestor": "user"},
            ],
        }
    ],
}

INSTRUCTIONS: list[dict[str, Any]] = [
    {"prompt": [{"role": "user", "content": "A rhyme?"}], "chosen": "In time.", "rejected": "No."},
    {"prompt": "A pun?", "chosen": "Fun.", "rejected": "None."},
]

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

LANGFUSE: list[dict[str, Any]] = [
    {"id": "o-1", "traceId": "t-1", "type": "SPAN", "name": "agent", "input": "x"},
    {
        "id": "o-2",
        "traceId": "t-1",
        "type": "GENERATION",
        "model": "gpt-4.1",
        "input": OPENAI_CHAT[:4],
        "output": OPENAI_CHAT[4],
        "usageDetails": {"input": 71, "output": 5},
    },
]

OPENINFERENCE: list[dict[str, Any]] = [
    {
        "name": "llm",
        "attributes": {
            "llm.model_name": "gpt-4.1",
            "llm.token_count.prompt": 72,
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.0.message.content": "Tide?",
            "llm.input_messages.1.message.role": "assistant",
            "llm.input_messages.1.message.tool_calls.0.tool_call.id": "i1",
            "llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "tide",
            "llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments": '{"city":"Oslo"}',
            "llm.input_messages.2.message.role": "tool",
            "llm.input_messages.2.message.tool_call_id": "i1",
            "llm.input_messages.2.message.content": "0.4 m",
            "llm.output_messages.0.message.role": "assistant",
            "llm.output_messages.0.message.content": "About 40 cm.",
        },
    }
]

ATIF: dict[str, Any] = {
    "schema_version": "ATIF-v1.6",
    "session_id": "t-1",
    "agent": {"name": "bosun", "version": "1", "model_name": "gpt-4.1", "tool_definitions": []},
    "steps": [
        {"step_id": 1, "source": "system", "message": "Be brief."},
        {"step_id": 2, "source": "user", "message": "How high is the tide?"},
        {
            "step_id": 3,
            "source": "agent",
            "message": "I look it up.",
            "reasoning_content": "A table will do.",
            "tool_calls": [{"tool_call_id": "a1", "function_name": "tide", "arguments": {"city": "Oslo"}}],
            "observation": {"results": [{"source_call_id": "a1", "content": "0.4 m"}]},
            "metrics": {"prompt_tokens": 60, "completion_tokens": 20, "cached_tokens": 40},
        },
        {"step_id": 4, "source": "agent", "message": [{"type": "text", "text": "About 40 cm."}]},
    ],
}

CLAUDE_EXPORT = """\
╭──────────────────────────────╮
│ ✻ Welcome to Claude Code!    │
│   cwd: /srv/tides            │
╰──────────────────────────────╯

 ※ Tip: Use /theme to change the colours

> /model
  ⎿  Set model to the default

> How high is the tide in tides.csv, and when
  does it turn?

✻ Thinking…

  The file tells.

⏺ I look into the file
  first.

⏺ Search(pattern: "tide", limit: 3)
  ⎿  Found 1 file
     tides.csv
     … +2 lines (ctrl+r to expand)

⏺ Read(path: "tides.csv")
  ⎿  Error: no such file

  Read 2 files (ctrl+o to expand)

⏺ It is 40 cm high.

  It turns at noon.

✻ Worked for 12s

> Thanks
"""

OPENHANDS_CALL: dict[str, Any] = {
    "id": "t1",
    "type": "function",
    "function": {"name": "execute_bash", "arguments": '{"command":"ls"}'},
}
OPENHANDS_ASKED: dict[str, Any] = {
    "function_name": "execute_bash",
    "tool_call_id": "t1",
    "model_response": {
        "id": "r-1",
        "model": "gpt-4.1",
        "choices": [{"message": {"role": "assistant", "content": "I look.", "tool_calls": [OPENHANDS_CALL]}}],
        "usage": {"prompt_tokens": 45, "completion_tokens": 7},
    },
}
OPENHANDS: list[dict[str, Any]] = [
    {"id": 0, "source": "agent", "action": "system", "args": {"content": "You are a helper.", "tools": []}},
    {"id": 1, "source": "user", "action": "message", "args": {"content": "What is here?", "image_urls": []}},
    {"id": 2, "source": "environment", "observation": "agent_state_changed", "content": "", "extras": {}},
    {
        "id": 3,
        "source": "agent",
        "action": "run",
        "args": {"command": "ls", "thought": "I look."},
        "tool_call_metadata": OPENHANDS_ASKED,
    },
    {
        "id": 4,
        "source": "agent",
        "cause": 3,
        "observation": "run",
        "content": "a.txt",
        "extras": {"command": "ls", "metadata": {"exit_code": 0, "working_dir": "/w", "prefix": "", "suffix": ""}},
        "tool_call_metadata": OPENHANDS_ASKED,
    },
    {"id": 5, "source": "agent", "action": "message", "args": {"content": "One file."}},
]


def sdk_text(text: str) -> dict[str, Any]:
    return {"cache_prompt": False, "type": "text", "text": text}


OPENHANDS_SDK: tuple[dict[str, Any], ...] = (
    {
        "kind": "SystemPromptEvent",
        "id": "e0",
        "source": "agent",
        "system_prompt": sdk_text("You are a helper."),
        "tools": [{"kind": "TerminalTool"}],
    },
    {
        "kind": "MessageEvent",
        "id": "e1",
        "source": "user",
        "llm_message": {"role": "user", "content": [sdk_text("What is here?")]},
        "extended_content": [sdk_text("Be brief.")],
    },
    {
        "kind": "ActionEvent",
        "id": "e2",
        "source": "agent",
        "thought": [sdk_text("I look.")],
        "reasoning_content": "A list will do.",
        "action": {"kind": "TerminalAction", "command": "ls"},
        "tool_name": "terminal",
        "tool_call_id": "t1",
        "tool_call": {"id": "t1", "name": "terminal", "arguments": '{"command":"ls"}', "origin": "completion"},
        "llm_response_id": "r-1",
    },
    {
        "kind": "ActionEvent",
        "id": "e3",
        "source": "agent",
        "thought": [],
        "action": {"kind": "ThinkAction", "thought": "few"},
        "tool_name": "think",
        "tool_call_id": "t2",
        "tool_call": {"id": "t2", "name": "think", "arguments": '{"thought":"few"}', "origin": "completion"},
        "llm_response_id": "r-1",
    },
    {
        "kind": "ObservationEvent",
        "id": "e4",
        "source": "environment",
        "tool_name": "terminal",
        "tool_call_id": "t1",
        "action_id": "e2",
        "observation": {"kind": "TerminalObservation", "content": [sdk_text("a.txt")], "metadata": {"exit_code": 0}},
    },
    {
        "kind": "UserRejectObservation",
        "id": "e5",
        "source": "environment",
        "tool_name": "think",
        "tool_call_id": "t2",
        "action_id": "e3",
        "rejection_reason": "no need",
    },
    {"kind": "ConversationStateUpdateEvent", "id": "e6", "source": "environment", "key": "x", "value": 1},
    {
        "kind": "MessageEvent",
        "id": "e7",
        "source": "agent",
        "llm_message": {"role": "assistant", "content": [sdk_text("One file.")]},
    },
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

INSPECT_REPLY: dict[str, Any] = {
    "id": "m3",
    "role": "assistant",
    "source": "generate",
    "content": [
        {"type": "reasoning", "reasoning": "A table will do.", "signature": "s"},
        {"type": "text", "text": "I look."},
    ],
    "tool_calls": [{"id": "k1", "function": "tide", "arguments": {"city": "attachment://aa"}, "type": "function"}],
}
INSPECT: dict[str, Any] = {
    "version": 2,
    "status": "success",
    "eval": {"task": "tides", "model": "openai/gpt-4.1", "run_id": "r"},
    "samples": [
        {
            "id": "tide-1",
            "epoch": 1,
            "input": "How high?",
            "target": "40 cm",
            "attachments": {"aa": "Oslo"},
            "messages": [
                {"id": "m1", "role": "system", "content": "Be brief."},
                {"id": "m2", "role": "user", "content": [{"type": "text", "text": "How high?"}]},
                INSPECT_REPLY,
                {"id": "m4", "role": "tool", "tool_call_id": "k1", "function": "tide", "content": "0.4 m"},
                {"id": "m5", "role": "assistant", "content": "40 cm."},
            ],
            "events": [
                {
                    "event": "model",
                    "tools": [{"name": "tide", "description": "The tide", "parameters": {"type": "object"}}],
                    "output": {
                        "model": "gpt-4.1",
                        "choices": [{"message": INSPECT_REPLY}],
                        "usage": {"input_tokens": 50, "output_tokens": 9, "total_tokens": 59},
                    },
                }
            ],
        }
    ],
}

HELICONE: list[dict[str, Any]] = [
    {
        "response_id": "p-1",
        "response_created_at": "2026-03-01T10:00:02Z",
        "response_status": 200,
        "request_id": "q-1",
        "request_created_at": "2026-03-01T10:00:00Z",
        "request_model": "gpt-4.1",
        "request_body": {"model": "gpt-4.1", "messages": OPENAI_CHAT[:4]},
        "response_body": {
            "choices": [{"message": OPENAI_CHAT[4]}],
            "usage": {"prompt_tokens": 73, "completion_tokens": 5},
        },
    }
]

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
_HAYSTACK_CALL: dict[str, Any] = {"tool_name": "times", "arguments": {"line": 2}, "id": "c1"}
HAYSTACK: dict[str, Any] = {
    "messages": [
        {"role": "user", "meta": {}, "name": None, "content": [{"text": "Which ferry leaves first?"}]},
        {"role": "assistant", "meta": {"model": "gpt-5"}, "name": None, "content": [{"tool_call": _HAYSTACK_CALL}]},
        {
            "role": "tool",
            "meta": {},
            "name": None,
            "content": [{"tool_call_result": {"result": "Oslo at four", "origin": _HAYSTACK_CALL, "error": False}}],
        },
        {"role": "assistant", "meta": {}, "name": None, "content": [{"text": "Oslo leaves first."}]},
    ]
}
LLAMA_INDEX: dict[str, Any] = {
    "class_name": "SimpleChatStore",
    "store": {
        "harbour": [
            {
                "role": "user",
                "additional_kwargs": {},
                "blocks": [{"block_type": "text", "text": "Which ferry leaves first?"}],
            },
            {
                "role": "assistant",
                "additional_kwargs": {
                    "tool_calls": [{"id": "c1", "function": {"name": "times", "arguments": '{"line": 2}'}}]
                },
                "blocks": [],
            },
            {
                "role": "tool",
                "additional_kwargs": {"name": "times", "tool_call_id": "c1"},
                "blocks": [{"block_type": "text", "text": "Oslo at four"}],
            },
            {
                "role": "assistant",
                "additional_kwargs": {},
                "blocks": [{"block_type": "text", "text": "Oslo leaves first."}],
            },
        ]
    },
}
MT_BENCH: list[dict[str, Any]] = [
    {
        "question_id": 81,
        "model_a": "left",
        "model_b": "right",
        "winner": "model_a",
        "conversation_a": [
            {"role": "user", "content": "Which ferry leaves first?"},
            {"role": "assistant", "content": "Oslo leaves first."},
        ],
        "conversation_b": [
            {"role": "user", "content": "Which ferry leaves first?"},
            {"role": "assistant", "content": "Nobody knows."},
        ],
    }
]

MAKERS: Final[Mapping[str, bytes]] = {
    "antigravity": jsonl(*ANTIGRAVITY),
    "kimi": jsonl(*KIMI),
    "zed": dumps(ZED),
    "haystack": dumps(HAYSTACK),
    "llama-index": dumps(LLAMA_INDEX),
    "mt-bench": jsonl(*MT_BENCH),
    "claude-ai": dumps(CLAUDE_AI),
    "open-webui": dumps(OPEN_WEBUI),
    "librechat": dumps(LIBRECHAT),
    "lm-studio": dumps(LM_STUDIO),
    "grok": dumps(GROK),
    "claude-stream": jsonl(*CLAUDE_STREAM),
    "cline": dumps(CLINE),
    "cursor": jsonl(*CURSOR),
    "droid": jsonl(*DROID),
    "goose": dumps(GOOSE),
    "opencode": dumps(OPENCODE),
    "qwen-code": jsonl(*QWEN_CODE),
    "ai-sdk-model": dumps(MODEL_MESSAGES),
    "vscode-chat": dumps(VSCODE_CHAT),
    "cursor-stream": jsonl(*CURSOR_STREAM),
    "langfuse": dumps(LANGFUSE),
    "atif": dumps(ATIF),
    "openinference": dumps(OPENINFERENCE),
    "letta": dumps(json.dumps(LETTA)),
    "converse": dumps(CONVERSE),
    "pydantic-ai": dumps(PYDANTIC_AI),
    "langsmith": dumps(LANGSMITH),
    "opentelemetry": dumps(OTEL),
    "har": dumps(HAR),
    "tau2": dumps(TAU2),
    "instructions": jsonl(*INSTRUCTIONS),
    "specstory": SPECSTORY.encode(),
    "aider": AIDER.encode(),
    "exported-chat": EXPORTED_CHAT.encode(),
    "continue": dumps(CONTINUE),
    "codex-exec": jsonl(*CODEX_EXEC),
    "inspect": dumps(INSPECT),
    "helicone": dumps(HELICONE),
    "openhands": dumps(OPENHANDS),
    "openhands-sdk": jsonl(*OPENHANDS_SDK),
    "claude-export": CLAUDE_EXPORT.encode(),
}
"""A fixture by the name of its format; every one is claimed by that format alone, and damaged by the fuzz tests."""
