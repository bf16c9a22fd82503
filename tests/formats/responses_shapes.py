"""An OpenAI Responses request in our own words, with an item of nearly every kind."""

from __future__ import annotations

from typing import Any

RESPONSES_TOOL: dict[str, Any] = {
    "type": "function",
    "name": "tide",
    "description": "The tide at a place",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    "strict": True,
}

RESPONSES_BODY: dict[str, Any] = {
    "model": "gpt-5",
    "instructions": "Answer shortly.",
    "tools": [RESPONSES_TOOL, {"type": "web_search"}],
    "include": ["reasoning.encrypted_content"],
    "input": [
        {"role": "developer", "content": "Metres only."},
        {"role": "user", "content": "Two tides, please"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VhbA=="},
        {"role": "assistant", "content": "Looking."},
        {"type": "function_call", "call_id": "call_a", "name": "tide", "arguments": '{"city":"Oslo"}'},
        {"type": "function_call", "call_id": "call_b", "name": "tide", "arguments": '{"city":"Bergen"}'},
        {"type": "function_call_output", "call_id": "call_a", "output": "0.4 m"},
        {"type": "function_call_output", "call_id": "call_b", "output": "1.1 m"},
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "tide"}},
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "Bergen's is higher.", "annotations": []}],
        },
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "And here?"},
                {"type": "input_image", "detail": "low", "image_url": "https://example.com/pier.png"},
            ],
        },
    ],
}
