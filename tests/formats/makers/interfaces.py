"""Small files in the shapes that interfaces of coding agents keep of their chats, our own text."""

from __future__ import annotations

import json
from typing import Any

CLINE_MESSAGES: list[dict[str, Any]] = [
    {"ts": 1, "type": "say", "say": "task", "text": "Name the boat", "images": []},
    {
        "ts": 2,
        "type": "say",
        "say": "api_req_started",
        "text": '{"request":"<task>","tokensIn":100,"tokensOut":20,"cacheReads":50,"cacheWrites":10}',
        "modelInfo": {"modelId": "claude-x", "providerId": "anthropic", "mode": "act"},
    },
    {"ts": 3, "type": "say", "say": "reasoning", "text": "A look first."},
    {"ts": 4, "type": "say", "say": "text", "text": "I look at the li", "partial": True},
    {"ts": 4, "type": "say", "say": "text", "text": "I look at the list.", "partial": False},
    {
        "ts": 5,
        "type": "say",
        "say": "tool",
        "text": '{"tool":"listFilesTopLevel","path":".","content":"a.txt\\nb.txt"}',
    },
    {"ts": 6, "type": "ask", "ask": "command", "text": "cat a.txt"},
    {"ts": 7, "type": "ask", "ask": "command_output", "text": ""},
    {"ts": 8, "type": "say", "say": "command_output", "text": "Gull"},
    {
        "ts": 9,
        "type": "ask",
        "ask": "use_mcp_server",
        "text": '{"type":"use_mcp_tool","toolName":"find","arguments":"{}"}',
    },
    {"ts": 10, "type": "say", "say": "mcp_server_request_started"},
    {"ts": 11, "type": "say", "say": "mcp_server_response", "text": "Page 3"},
    {"ts": 12, "type": "ask", "ask": "followup", "text": '{"question":"Gull or Tern?","options":[]}'},
    {"ts": 13, "type": "say", "say": "user_feedback", "text": "Gull"},
    {"ts": 14, "type": "say", "say": "completion_result", "text": "It is called Gull."},
    {"ts": 15, "type": "ask", "ask": "completion_result", "text": ""},
]

COMPOSER: dict[str, Any] = {
    "_v": 10,
    "composerId": "c-1",
    "name": "Piers",
    "fullConversationHeadersOnly": [{"bubbleId": f"b{number}", "type": min(number, 2)} for number in range(1, 5)],
    "conversationMap": {},
    "modelConfig": {"modelName": "claude-x"},
}
BUBBLES: tuple[dict[str, Any], ...] = (
    {
        "_v": 3,
        "type": 1,
        "bubbleId": "b1",
        "text": "Sort the piers",
        "createdAt": "2025-12-25T19:35:08.000Z",
        "context": {"selections": [{"text": "pier b, pier a"}]},
    },
    {"_v": 3, "type": 2, "bubbleId": "b2", "text": "", "thinking": {"text": "A look first.", "signature": "s"}},
    {
        "_v": 3,
        "type": 2,
        "bubbleId": "b3",
        "text": "I list them.",
        "toolFormerData": {
            "tool": 15,
            "toolCallId": "k1",
            "name": "run_terminal_cmd",
            "status": "completed",
            "rawArgs": '{"command":"ls"}',
            "result": '{"output":"a b"}',
        },
    },
    {"_v": 3, "type": 2, "bubbleId": "b4", "text": "a, b.", "tokenCount": {"inputTokens": 1200, "outputTokens": 9}},
)
CURSOR_ROWS: list[dict[str, Any]] = [
    {"key": f"bubbleId:c-1:{bubble['bubbleId']}", "value": json.dumps(bubble)} for bubble in reversed(BUBBLES)
] + [{"key": "composerData:c-1", "value": json.dumps(COMPOSER)}]
"""Rows of the table `cursorDiskKV`, in no order."""

CURSOR_TABS: dict[str, Any] = {
    "tabs": [
        {
            "tabId": "t-1",
            "chatTitle": "Older",
            "bubbles": [
                {
                    "type": "user",
                    "initText": json.dumps(
                        {"root": {"children": [{"type": "paragraph", "children": [{"text": "Which pier?"}]}]}}
                    ),
                },
                {"type": "ai", "rawText": "Pier a.", "modelType": "gpt-4"},
            ],
        }
    ]
}
