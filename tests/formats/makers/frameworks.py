"""Small files in the shapes of messages of frameworks and services, our own text."""

from __future__ import annotations

from typing import Any

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
COHERE: dict[str, Any] = {
    "model": "command-a",
    "preamble": "Answer with a pier.",
    "message": "And back?",
    "chat_history": [
        {"role": "USER", "message": "Where does the ferry to Oslo leave?"},
        {"role": "CHATBOT", "message": "", "tool_calls": [{"name": "piers", "parameters": {"to": "Oslo"}}]},
        {
            "role": "TOOL",
            "tool_results": [{"call": {"name": "piers", "parameters": {"to": "Oslo"}}, "outputs": [{"pier": 2}]}],
        },
        {"role": "CHATBOT", "message": "From pier 2."},
    ],
}
LANGCHAIN4J: list[dict[str, Any]] = [
    {"text": "Answer with a pier.", "type": "SYSTEM"},
    {"contents": [{"text": "Where does the ferry to Oslo leave?", "type": "TEXT"}], "type": "USER"},
    {
        "toolExecutionRequests": [{"id": "c1", "name": "piers", "arguments": '{"to": "Oslo"}'}],
        "thinking": "Ask the harbour.",
        "type": "AI",
    },
    {"id": "c1", "toolName": "piers", "text": "pier 2", "type": "TOOL_EXECUTION_RESULT"},
    {"text": "From pier 2.", "type": "AI"},
]
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

_HEAT_TOOL: dict[str, Any] = {
    "name": "heat",
    "category": "house",
    "description": "The warmth of a room",
    "parameters": {"type": "object", "properties": {"room": {"type": "integer"}}},
    "annotations": {"title": "Heat"},
}
DOCKER_AGENT: dict[str, Any] = {
    "id": "s-1",
    "title": "Warm rooms",
    "messages": [
        {"message": {"agentName": "", "message": {"role": "user", "content": "Warm?", "created_at": "2026-03-01"}}},
        {
            "message": {
                "agentName": "root",
                "message": {
                    "role": "assistant",
                    "content": "I look.",
                    "reasoning_content": "Ask the house",
                    "tool_calls": [
                        {"id": "t1", "type": "function", "function": {"name": "heat", "arguments": '{"room":2}'}}
                    ],
                    "tool_definitions": [_HEAT_TOOL],
                    "usage": {"input_tokens": 4, "output_tokens": 9, "cached_input_tokens": 70},
                    "model": "m",
                },
            }
        },
        {
            "message": {
                "agentName": "root",
                "message": {"role": "tool", "content": "19", "tool_call_id": "t1", "is_error": True},
            }
        },
        {"message": {"agentName": "root", "message": {"role": "assistant", "content": "Not yet.", "model": "m"}}},
    ],
    "tools_approved": False,
}
SPRING_AI: list[dict[str, Any]] = [
    {"messageType": "SYSTEM", "metadata": {"messageType": "SYSTEM"}, "text": "You keep the timetable."},
    {"messageType": "USER", "metadata": {"messageType": "USER"}, "media": [], "text": "Which ferry leaves first?"},
    {
        "messageType": "ASSISTANT",
        "metadata": {"messageType": "ASSISTANT", "finishReason": "TOOL_CALLS"},
        "toolCalls": [{"id": "c1", "type": "function", "name": "times", "arguments": '{"line": 2}'}],
        "media": [],
        "text": "I look at line two.",
    },
    {
        "messageType": "TOOL",
        "metadata": {"messageType": "TOOL"},
        "responses": [{"id": "c1", "name": "times", "responseData": "Oslo at four"}],
        "text": "",
    },
    {"messageType": "ASSISTANT", "metadata": {}, "toolCalls": [], "media": [], "text": "Oslo leaves first."},
]

MICROSOFT_AI: list[dict[str, Any]] = [
    {"Role": {"Label": "user"}, "Items": [{"$type": "TextContent", "Text": "Which ferry leaves first?"}]},
    {
        "Role": {"Label": "assistant"},
        "ModelId": "model-x",
        "Items": [
            {"$type": "TextContent", "Text": "I look at line two."},
            {
                "$type": "FunctionCallContent",
                "Id": "c1",
                "PluginName": "harbour",
                "FunctionName": "times",
                "Arguments": {"line": 2},
            },
        ],
    },
    {
        "Role": {"Label": "tool"},
        "Items": [
            {
                "$type": "FunctionResultContent",
                "CallId": "c1",
                "PluginName": "harbour",
                "FunctionName": "times",
                "Result": "Oslo at four",
            }
        ],
    },
    {"Role": {"Label": "assistant"}, "Items": [{"$type": "TextContent", "Text": "Oslo leaves first."}]},
]

AUTOGEN: list[dict[str, Any]] = [
    {"type": "TextMessage", "source": "user", "models_usage": None, "metadata": {}, "content": "When is the ferry?"},
    {
        "type": "ToolCallRequestEvent",
        "source": "clerk",
        "models_usage": {"prompt_tokens": 50, "completion_tokens": 10},
        "metadata": {},
        "content": [{"id": "call_1", "name": "timetable", "arguments": '{"to": "Oslo"}'}],
    },
    {
        "type": "ToolCallExecutionEvent",
        "source": "clerk",
        "models_usage": None,
        "metadata": {},
        "content": [{"content": "09:40, pier 4", "name": "timetable", "call_id": "call_1", "is_error": False}],
    },
    {"type": "TextMessage", "source": "clerk", "models_usage": None, "metadata": {}, "content": "At twenty to ten."},
]

SMOLAGENTS: list[dict[str, Any]] = [
    {"task": "When is the ferry?", "task_images": None},
    {
        "step_number": 1,
        "timing": {"start_time": 1.0, "end_time": 2.0, "duration": 1.0},
        "model_input_messages": [
            {"role": "system", "content": [{"type": "text", "text": "Solve it by calls."}], "tool_calls": None},
            {"role": "user", "content": [{"type": "text", "text": "New task:\nWhen is the ferry?"}]},
        ],
        "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "timetable", "arguments": {"to": "Oslo"}}}
        ],
        "error": None,
        "model_output_message": {"role": "assistant", "content": "I look it up.", "raw": {"model": "model-x"}},
        "model_output": "I look it up.",
        "code_action": None,
        "observations": "09:40, pier 4",
        "observations_images": None,
        "action_output": None,
        "token_usage": {"input_tokens": 40, "output_tokens": 6, "total_tokens": 46},
        "is_final_answer": False,
    },
    {
        "model_input_messages": [{"role": "system", "content": [{"type": "text", "text": "Solve it by calls."}]}],
        "model_output_message": {"role": "assistant", "content": "1. Tell the time."},
        "plan": "1. Tell the time.",
        "timing": {"start_time": 2.0, "end_time": 3.0, "duration": 1.0},
        "token_usage": None,
    },
    {
        "step_number": 2,
        "timing": {"start_time": 3.0, "end_time": 4.0, "duration": 1.0},
        "model_input_messages": None,
        "tool_calls": [
            {"id": "call_2", "type": "function", "function": {"name": "final_answer", "arguments": {"answer": "09:40"}}}
        ],
        "error": None,
        "model_output_message": None,
        "model_output": None,
        "code_action": None,
        "observations": "09:40",
        "observations_images": None,
        "action_output": "09:40",
        "token_usage": None,
        "is_final_answer": True,
    },
]
GRADIO: dict[str, Any] = {
    "history": [
        [None, "Ask me about the ferries."],
        ["When does the first ferry leave?", "It leaves at 09:40."],
        [
            {"file": {"path": "/tmp/gradio/quay.png", "mime_type": "image/png"}, "alt_text": None},
            "A quay, at low tide.",
        ],
        ["And how high is the tide?", None],
    ]
}


def _of_agent(name: str, kind: str, said: str) -> dict[str, Any]:
    """A message of one of CAMEL's agents."""
    return {"role_name": name, "role_type": kind, "role": kind.lower(), "content": said}


CAMEL: dict[str, Any] = {
    "role_1": "Pilot_RoleType.ASSISTANT",
    "role_2": "Harbour master_RoleType.USER",
    "id": "001_001",
    "original_task": "Find a berth",
    "specified_task": "Find a berth at pier 2.",
    "message_1": _of_agent("Harbour master", "USER", "Instruction: look at pier 2."),
    "message_2": _of_agent("Pilot", "ASSISTANT", "Solution: berth 7 is free."),
    "message_10": _of_agent("Pilot", "ASSISTANT", "Done."),
    "message_9": _of_agent("Harbour master", "USER", "Take it."),
    "num_messages": 4,
    "termination_reason": "task done",
}


def taped(kind: str, prompt: str = "", **fields: Any) -> dict[str, Any]:
    """A step of a tape; one with a prompt is made by an agent."""
    about = {"id": f"{kind}-{prompt}", "prompt_id": prompt, "node": "act", "agent": "pilot" if prompt else ""}
    return {"metadata": {**about, "llm": "", "other": {}}, "kind": kind, **fields}


TAPE: dict[str, Any] = {
    "metadata": {"id": "t-1", "parent_id": None, "author": "pilot", "result": "Pier 2."},
    "context": {"tools": []},
    "steps": [
        taped("system", content="Be brief."),
        taped("question", content="Which pier?", filename=None),
        taped("reasoning_thought", "p1", reasoning="Look it up."),
        taped("search_action", "p1", query="pier of line two"),
        taped("set_next_node", "p1", next_node="act"),
        taped("search_results_observation", query="pier of line two", serp=[{"title": "Piers"}]),
        taped(
            "assistant",
            "p2",
            content="I ask.",
            tool_calls=[{"id": "k1", "function": {"name": "piers", "arguments": "{}"}}],
        ),
        taped("tool", content="pier 2", tool_call_id="k1"),
        taped("final_answer_action", "p3", text="Pier 2."),
    ],
}

DSPY: dict[str, Any] = {
    "answer.predict": {
        "traces": [],
        "train": [],
        "demos": [
            {
                "augmented": True,
                "question": "Which pier?",
                "timetable": "Line 2: pier 2",
                "reasoning": "The line is the second.",
                "answer": "Pier 2.",
            },
            {"question": "And line 3?", "timetable": "Line 3: pier 5", "answer": "Pier 5."},
        ],
        "signature": {
            "instructions": "Be brief.",
            "fields": [
                {"prefix": "Timetable:", "description": "${timetable}"},
                {"prefix": "Question:", "description": "${question}"},
                {"prefix": "Reasoning: Let's think step by step in order to", "description": "${reasoning}"},
                {"prefix": "Answer:", "description": "${answer}"},
            ],
        },
        "lm": None,
    },
    "metadata": {"dependency_versions": {"dspy": "2.6.22"}},
}
LANGCHAIN_PROMPT: dict[str, Any] = {
    "_type": "stuff_documents_chain",
    "document_variable_name": "tides",
    "llm_chain": {
        "_type": "llm_chain",
        "llm": {"model_name": "gpt-4.1", "_type": "openai"},
        "prompt": {
            "_type": "prompt",
            "input_variables": ["tides"],
            "output_parser": None,
            "template": "Say when the ferry leaves, given these tides:\n{tides}",
            "template_format": "f-string",
        },
    },
    "document_prompt": {
        "input_variables": ["page_content"],
        "template": "A tide: {page_content}",
        "template_format": "f-string",
    },
}


def agentscope_message(number: int, role: str, *blocks: dict[str, Any], name: str = "") -> list[Any]:
    """A message as a memory of AgentScope keeps it, with its marks."""
    stamp = f"2026-03-01 10:00:0{number}.000"
    about = {"id": f"m{number}", "name": name or role, "role": role, "metadata": {}, "timestamp": stamp}
    return [{**about, "content": list(blocks)}, []]


AGENTSCOPE = {
    "agent": {
        "_sys_prompt": "Be brief.",
        "memory": {
            "content": [
                agentscope_message(1, "user", {"type": "text", "text": "Which pier?"}),
                agentscope_message(
                    2,
                    "assistant",
                    {"type": "thinking", "thinking": "Look."},
                    {"type": "tool_use", "id": "k1", "name": "piers", "input": {"line": 2}},
                    name="Friday",
                ),
                agentscope_message(
                    3,
                    "system",
                    {
                        "type": "tool_result",
                        "id": "k1",
                        "name": "piers",
                        "output": [{"type": "text", "text": "pier 2"}],
                    },
                ),
                agentscope_message(4, "assistant", {"type": "text", "text": "Pier 2."}, name="Friday"),
            ]
        },
    }
}
