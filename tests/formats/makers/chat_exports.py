"""Small files in the shapes of exports of chat applications, our own text."""

from __future__ import annotations

from typing import Any

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
GROK_IN_ORDER: dict[str, Any] = {
    "conversations": [
        {
            "conversation": {"id": "g-2", "title": "Tides"},
            "responses": [
                {"response": {"_id": "o1", "sender": "human", "message": "When is low tide?", "model": "grok-3"}},
                {"response": {"_id": "o2", "sender": "assistant", "message": "At six.", "model": "grok-3"}},
            ],
        }
    ]
}
CHATGPT_IN_ORDER: list[dict[str, Any]] = [
    {
        "title": "Tides",
        "mapping": {
            "n2": {
                "message": {
                    "author": {"role": "assistant"},
                    "content": {"content_type": "text", "parts": ["At six."]},
                    "create_time": 1_704_067_260.0,
                }
            },
            "n1": {
                "message": {
                    "author": {"role": "user"},
                    "content": {"content_type": "text", "parts": ["When is low tide?"]},
                    "create_time": 1_704_067_200.0,
                }
            },
            "n3": {"message": None},
        },
    }
]


def compared(role: str, text: str) -> dict[str, Any]:
    """A message that ChatGPT's comparisons hold."""
    return {
        "id": f"m-{text[:4]}",
        "author": {"role": role, "name": None},
        "create_time": None,
        "content": {"content_type": "text", "parts": [text]},
        "recipient": "all",
    }


CHATGPT_COMPARISONS: list[dict[str, Any]] = [
    {
        "id": "x-1",
        "conversation_id": "c-1",
        "create_time": "2023-08-30T14:54:29+00:00",
        "content": {
            "input": {
                "prompt_convo": {
                    "id": "c-1",
                    "messages": [
                        compared("system", "You know the harbour."),
                        compared("user", "Which pier?"),
                    ],
                },
                "conversation_id": "c-1",
            },
            "output": {
                "feedback_version": "inline_regen_feedback:a:1.0",
                "feedback_step_1": {"rating": "none", "critique_text": "", "tags": []},
                "feedback_step_2": {
                    "original_turn": [compared("assistant", "I cannot say.")],
                    "new_turn": [compared("assistant", "Pier two.")],
                    "completion_comparison_rating": "new",
                },
            },
            "metadata": {"cf_headers": {"cf-ipcity": "Turku"}},
        },
        "storage_protocol": "zstd::1.5.5.1",
    }
]


def deepseek_node(uid: str, parent: str | None, message: Any) -> dict[str, Any]:
    return {"id": uid, "parent": parent, "children": [], "message": message}


DEEPSEEK: list[dict[str, Any]] = [
    {
        "id": "d-1",
        "title": "Piers",
        "mapping": {
            "root": deepseek_node("root", None, None),
            "1": deepseek_node(
                "1", "root", {"model": "m", "fragments": [{"type": "REQUEST", "content": "Which pier?"}]}
            ),
            "2": deepseek_node(
                "2",
                "1",
                {
                    "model": "m",
                    "fragments": [
                        {"type": "THINK", "content": "A look first."},
                        {"type": "RESPONSE", "content": "Pier a."},
                    ],
                },
            ),
        },
    }
]
DEEPSEEK_OLD: list[dict[str, Any]] = [
    {
        "id": "d-0",
        "title": "Piers",
        "mapping": {
            "root": deepseek_node("root", None, None),
            "1": deepseek_node("1", "root", {"model": "m", "content": "Which pier?", "reasoning_content": None}),
            "2": deepseek_node("2", "1", {"model": "m", "content": "Pier a.", "reasoning_content": "A look first."}),
        },
    }
]
"""Before messages had fragments."""

SPOKEN_ROWS = (
    "Conversation,Time,Author,Message\n"
    '"Ferries","2026-01-02T10:00:00","Human","Which ferry leaves first, and where?"\n'
    '"Ferries","2026-01-02T10:00:05","AI","The one to Oslo:\n\n- at four, from pier 2"\n'
)


def _lobe(number: int, role: str, content: str, **more: Any) -> dict[str, Any]:
    """A message of LobeChat."""
    about = {"sessionId": "s1", "topicId": "t1", "createdAt": 1_772_359_200_000 + number, "updatedAt": 1, "meta": {}}
    return {"id": f"msg_{number}", "role": role, "content": content, **about, **more}


_LOBE_CALL = {
    "id": "call_1", "identifier": "ferries", "apiName": "piers", "type": "builtin", "arguments": '{"line": 2}',
}  # fmt: skip
LOBE_CHAT: dict[str, Any] = {
    "exportType": "sessions",
    "state": {
        "messages": [
            _lobe(1, "user", "Where does it leave?"),
            _lobe(2, "assistant", "", parentId="msg_1", tools=[_LOBE_CALL], fromModel="gpt-5", fromProvider="openai"),
            _lobe(3, "tool", "pier 2", parentId="msg_2", tool_call_id="call_1", plugin=_LOBE_CALL),
            _lobe(4, "assistant", "From pier 2.", parentId="msg_3", reasoning={"content": "The map knows."}),
            _lobe(5, "user", "Hello", topicId=None),
            _lobe(6, "assistant", "Hello.", topicId=None, parentId="msg_5"),
        ],
        "sessions": [
            {
                "id": "s1",
                "type": "agent",
                "config": {"systemRole": "You are a guide to ferries.", "model": "gpt-5"},
                "meta": {"title": "Guide"},
            }
        ],
        "topics": [{"id": "t1", "title": "The pier", "sessionId": "s1"}],
        "sessionGroups": [],
    },
    "version": 7,
}
