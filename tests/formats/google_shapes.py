"""Files of the Gemini API, of ADK and of the Gemini CLI in our own words."""

from __future__ import annotations

from typing import Any

GEMINI_BODY: dict[str, Any] = {
    "model": "models/gemini-3-pro",
    "systemInstruction": {"role": "user", "parts": [{"text": "Answer shortly."}]},
    "tools": [
        {
            "functionDeclarations": [
                {"name": "tide", "description": "The tide at a place", "parametersJsonSchema": {"type": "object"}}
            ]
        },
        {"googleSearch": {}},
    ],
    "generationConfig": {"temperature": 0},
    "contents": [
        {"role": "user", "parts": [{"text": "Two tides, please"}]},
        {
            "role": "model",
            "parts": [
                {"text": "Looking."},
                {
                    "functionCall": {"id": "a", "name": "tide", "args": {"city": "Oslo"}},
                    "thoughtSignature": "c2VhbA==",
                },
                {"functionCall": {"id": "b", "name": "tide", "args": {"city": "Bergen"}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "a", "name": "tide", "response": {"output": "0.4 m"}}},
                {"functionResponse": {"id": "b", "name": "tide", "response": {"error": "no gauge"}}},
            ],
        },
        {"role": "model", "parts": [{"text": "Only Oslo's is known.", "thoughtSignature": "bW9yZQ=="}]},
    ],
}


AI_STUDIO: dict[str, Any] = {
    "runSettings": {"model": "models/gemini-3-pro", "temperature": 1},
    "systemInstruction": {"text": "Answer shortly."},
    "chunkedPrompt": {
        "chunks": [
            {"role": "user", "text": "How deep is the harbour?", "tokenCount": 6},
            {"role": "user", "driveDocument": {"id": "depths"}},
            {"role": "model", "text": "First the chart.", "isThought": True},
            {"role": "model", "text": "Ten metres.", "parts": [{"text": "Ten "}, {"text": "metres."}]},
        ]
    },
}


def event(number: int, author: str, *parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An ADK event with a content, by `author`; nobody but the user has the role user, results apart."""
    answers = any("function_response" in part for part in parts)
    role = "user" if author == "user" or answers else "model"
    content = {"content": {"role": role, "parts": list(parts)}} if parts else {}
    return {
        **content,
        "id": f"e{number}",
        "author": author,
        "invocation_id": "i1",
        "timestamp": 1_770_000_000.5 + number,
        "actions": {"state_delta": {}},
        **more,
    }


def asks(name: str, call_id: str | None = None, **args: Any) -> dict[str, Any]:
    call = {"name": name, "args": args} | ({"id": call_id} if call_id else {})
    return {"text": None, "function_call": call}


def answers(name: str, call_id: str | None = None, **response: Any) -> dict[str, Any]:
    answer = {"name": name, "response": response} | ({"id": call_id} if call_id else {})
    return {"function_response": answer}


ADK_SESSION: dict[str, Any] = {
    "id": "s-1",
    "app_name": "harbour",
    "user_id": "u",
    "state": {"port": "Oslo"},
    "events": [
        event(1, "model", actions={"state_delta": {"port": "Oslo"}}),
        event(2, "user", {"text": "Is the ferry late?"}),
        event(3, "harbour", asks("transfer_to_agent", agent_name="ferries")),
        event(4, "harbour", answers("transfer_to_agent", result=None)),
        event(5, "ferries", {"text": "Let me look."}, asks("timetable", line=2)),
        event(6, "ferries", answers("timetable", late=True)),
        event(7, "ferries", {"text": "It"}, partial=True),
        event(8, "ferries", {"text": "It is late."}, usage_metadata={"prompt_token_count": 321}),
    ],
}

ADK_EVALS: dict[str, Any] = {
    "eval_set_id": "harbour",
    "eval_cases": [
        {
            "eval_id": "late",
            "conversation": [
                {
                    "invocation_id": "i1",
                    "user_content": {"role": "user", "parts": [{"text": "Is it late?", "inline_data": None}]},
                    "final_response": {"role": "model", "parts": [{"text": "Yes."}]},
                    "intermediate_data": {
                        "tool_uses": [{"id": None, "name": "timetable", "args": {"line": 2}}],
                        "intermediate_responses": [["ferries", [{"text": "I look it up."}]]],
                    },
                    "creation_timestamp": 1_770_000_000.0,
                }
            ],
        }
    ],
}

GEMINI_CLI: dict[str, Any] = {
    "sessionId": "0c1d",
    "projectHash": "ff",
    "startTime": "2026-02-01T10:00:00.000Z",
    "lastUpdated": "2026-02-01T10:01:00.000Z",
    "messages": [
        {"id": "u1", "timestamp": "2026-02-01T10:00:00.000Z", "type": "user", "content": "Write the tide table"},
        {"id": "i1", "timestamp": "2026-02-01T10:00:01.000Z", "type": "info", "content": "Update available"},
        {
            "id": "g1",
            "timestamp": "2026-02-01T10:00:02.000Z",
            "type": "gemini",
            "content": "I write it.",
            "thoughts": [{"subject": "Plan", "description": "A table of two rows."}],
            "tokens": {"input": 100, "output": 5, "cached": 0, "thoughts": 7, "tool": 0, "total": 112},
            "model": "gemini-3-flash",
            "toolCalls": [
                {
                    "id": "write-1",
                    "name": "write_file",
                    "args": {"path": "tides.md"},
                    "result": [
                        {"functionResponse": {"id": "write-1", "name": "write_file", "response": {"output": "done"}}}
                    ],
                    "status": "success",
                    "displayName": "WriteFile",
                }
            ],
        },
        {
            "id": "g2",
            "timestamp": "2026-02-01T10:00:04.000Z",
            "type": "gemini",
            "content": "It is written.",
            "tokens": {"input": 140, "output": 4},
            "model": "gemini-3-flash",
        },
    ],
}
