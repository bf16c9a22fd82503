"""Small files in the shapes of rows of data sets and evaluations, our own text."""

from __future__ import annotations

from typing import Any

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
SEED_TASK: dict[str, Any] = {
    "id": "task_1",
    "name": "ferries",
    "instruction": "Say when the ferry leaves.",
    "instances": [{"input": "To Oslo.", "output": "At four."}, {"input": "", "output": "Daily."}],
    "is_classification": False,
}
QUESTION_TALKS: list[dict[str, Any]] = [
    {
        "source": "wikipedia",
        "story": "Ada lives in Oslo. She sails.",
        "questions": ["Where does Ada live?", "Does she sail?"],
        "answers": {"input_text": ["Oslo", "Yes"], "answer_start": [13, 19], "answer_end": [17, 28]},
    }
]
QUESTIONS: list[dict[str, Any]] = [
    {
        "id": "q1",
        "title": "Ferries",
        "context": "The ferry to Oslo leaves daily at 09:40.",
        "question": "When does the ferry leave?",
        "answers": {"text": ["at 09:40"], "answer_start": [31]},
    },
    {"id": "q2", "question": "And the last one?", "answer": "At noon.", "history": [["When?", "At 09:40."]]},
]
TURN_PAIRS: list[dict[str, Any]] = [
    {
        "conversation_id": "f1",
        "category": "Brainstorming",
        "conversation": [
            {"human": "Which ferry leaves first?", "assistant": "The one to Oslo."},
            {"human": "And after that?", "assistant": "The one to Kiel."},
        ],
    }
]
DIALOG_STUDIO: dict[str, Any] = {
    f"Ferry--train--{at}": {
        "original dialog id": "f1",
        "dialog index": at,
        "log": [
            {"turn id": 1, "user utterance": "Where to?", "system response": "To Oslo.", "dialog history": ""},
            {"turn id": 2, "user utterance": "And back?", "system response": "Daily.", "dialog history": "Where to?"},
        ],
    }
    for at in (1, 2)
}
FLOW_HISTORY: list[dict[str, Any]] = [
    {
        "chat_history": [
            {
                "inputs": {"question": "Which ferry leaves first?"},
                "outputs": {"answer": "The one to Oslo.", "context": "x"},
            }
        ],
        "question": "And after that?",
        "ground_truth": "The one to Kiel.",
    }
]
MOSS: list[dict[str, Any]] = [
    {
        "conversation_id": "m1",
        "meta_instruction": "MOSS is an assistant that can look things up.\n",
        "num_turns": 2,
        "chat": {
            "turn_1": {
                "Human": "<|Human|>: When do ferries leave?<eoh>\n",
                "Inner Thoughts": "<|Inner Thoughts|>: Two harbours: I look both up.<eot>\n",
                "Commands": '<|Commands|>: Search("Oslo ferry"), Search("Kiel ferry")<eoc>\n',
                "Tool Responses": '<|Results|>:\nSearch("Oslo ferry") =>\nAt 09:40\nSearch("Kiel ferry") =>\nAt noon'
                "<eor>\n",
                "MOSS": "<|MOSS|>: At twenty to ten, and at noon.<eom>\n",
            },
            "turn_2": {
                "Human": "<|Human|>: Thanks!<eoh>\n",
                "Inner Thoughts": "<|Inner Thoughts|>: None<eot>\n",
                "Commands": "<|Commands|>: None<eoc>\n",
                "Tool Responses": "<|Results|>: None<eor>\n",
                "MOSS": "<|MOSS|>: Safe journey.<eom>\n",
            },
        },
    }
]
RANKED: list[dict[str, Any]] = [
    {
        "source": "ours",
        "instruction": "Which ferry leaves first?",
        "completions": [
            {"model": "left", "response": "The one to Oslo.", "critique": "Right, and short.", "overall_score": 9.0},
            {"model": "right", "response": "Nobody knows.", "critique": "Of no help.", "overall_score": 2.0},
        ],
    }
]
ULTRACHAT: list[dict[str, Any]] = [
    {"id": "7", "data": ["Which ferry leaves first?", "The one to Oslo.", "And after that?", "The one to Kiel."]}
]

RENDERED_CHAT: list[dict[str, Any]] = [
    {
        "text": "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nWhen does the ferry leave?<|im_end|>\n"
        '<|im_start|>assistant\n<tool_call>\n{"name": "timetable", "arguments": {"to": "Oslo"}}\n</tool_call>'
        "<|im_end|>\n<|im_start|>tool\n09:40 from pier 4<|im_end|>\n<|im_start|>assistant\nAt twenty to ten."
        "<|im_end|>\n"
    }
]

XLAM: list[dict[str, Any]] = [
    {
        "id": 3,
        "query": "When does the ferry to Oslo leave, and is there a berth?",
        "tools": '[{"name": "timetable", "description": "Departures.", "parameters": {"to": {"description": "Harbour", '
        '"type": "str", "default": "Oslo"}, "days": {"description": "Which", "type": "List[int], optional"}}}]',
        "answers": '[{"name": "timetable", "arguments": {"to": "Oslo"}}, {"name": "berths", "arguments": {"line": 2}}]',
    }
]

API_BANK: list[dict[str, Any]] = [
    {"role": "User", "text": "Which berth is free?"},
    {"role": "AI", "text": "I look it up."},
    {
        "role": "API",
        "api_name": "FindBerth",
        "param_dict": {"pier": "2"},
        "result": {"api_name": "FindBerth", "input": {"pier": "2"}, "output": {"berth": "b7"}, "exception": None},
    },
    {
        "role": "API",
        "api_name": "BookBerth",
        "param_dict": {"berth": "b7"},
        "result": {"api_name": "BookBerth", "input": {"berth": "b7"}, "output": "booked", "exception": None},
    },
    {"role": "AI", "text": "Berth 7 is yours."},
]

TOOL_TALK: dict[str, Any] = {
    "name": "Berths-1",
    "conversation_id": "b-1",
    "apis_used": ["FindBerth", "BookBerth"],
    "scenario": "The skipper looks for a berth and books it.",
    "user": {"username": "ada", "name": "Ada Holm"},
    "metadata": {"location": "Oslo", "timestamp": "2026-11-02 09:00:00", "username": "ada"},
    "conversation": [
        {"index": 0, "role": "user", "text": "Is a berth free at pier 2? Then book it."},
        {
            "index": 1,
            "role": "assistant",
            "text": "Berth 7 is yours.",
            "apis": [
                {
                    "request": {"api_name": "FindBerth", "parameters": {"pier": "2"}},
                    "response": {"berths": ["b7"]},
                    "exception": None,
                },
                {
                    "request": {"api_name": "BookBerth", "parameters": {"berth": "b7", "days": 3}},
                    "response": {"status": "booked"},
                    "exception": None,
                },
            ],
        },
        {"index": 2, "role": "user", "text": "Many thanks!"},
    ],
}

SCHEMA_GUIDED: list[dict[str, Any]] = [
    {
        "dialogue_id": "f1",
        "services": ["Ferries_1"],
        "turns": [
            {
                "speaker": "USER",
                "utterance": "Book me a ferry to Oslo.",
                "frames": [
                    {
                        "actions": [{"act": "INFORM", "slot": "harbour", "values": ["Oslo"]}],
                        "service": "Ferries_1",
                        "slots": [],
                        "state": {"active_intent": "BookFerry", "slot_values": {"harbour": ["Oslo"]}},
                    }
                ],
            },
            {"speaker": "SYSTEM", "utterance": "For which day?", "frames": []},
            {"speaker": "USER", "utterance": "Tomorrow, please.", "frames": []},
            {
                "speaker": "SYSTEM",
                "utterance": "It is booked and leaves at twenty to ten.",
                "frames": [
                    {
                        "actions": [{"act": "NOTIFY_SUCCESS", "slot": "", "values": []}],
                        "service": "Ferries_1",
                        "service_call": {"method": "BookFerry", "parameters": {"harbour": "Oslo", "day": "tomorrow"}},
                        "service_results": [{"harbour": "Oslo", "leaves": "09:40", "line": "Nordvik"}],
                        "slots": [],
                    }
                ],
            },
        ],
    }
]

SEAL_TOOLS: list[dict[str, Any]] = [
    {
        "id": "harbour-easy-0",
        "query": "Find a free berth at pier 2, and book it for three days.",
        "calling": [
            {"api": "findBerth", "parameters": {"pier": "2"}, "responses": ["API_call_0"]},
            {"api": "bookBerth", "parameters": {"berth": "API_call_0", "days": 3}, "responses": ["API_call_1"]},
        ],
    }
]

GLAIVE: list[dict[str, Any]] = [
    {
        "system": 'SYSTEM: You may call these functions -\n{\n  "name": "timetable",\n  "description": "Departures"\n}',
        "chat": "USER: When does the ferry leave?\n\n\n"
        'ASSISTANT: <functioncall> {"name": "timetable", "arguments": \'{"to": "Oslo"}\'} <|endoftext|>\n\n\n'
        'FUNCTION RESPONSE: {"leaves": "09:40"}\n\n\nASSISTANT: At twenty to ten. <|endoftext|>\n\n\n',
    }
]

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

ARENA_HARD: list[dict[str, Any]] = [
    {"question_id": "f1", "answer_id": "a1", "model_id": "left", "choices": [{"turns": [{"content": "Oslo."}]}]}
]
VICUNA_ANSWERS: list[dict[str, Any]] = [
    {"question_id": 1, "answer_id": "a1", "model_id": "left", "prompt": "Which first?", "text": "Oslo.", "metadata": {}}
]

LMFLOW: dict[str, Any] = {
    "type": "conversation",
    "instances": [
        {
            "conversation_id": 7,
            "system": "You keep the timetable.",
            "tools": [],
            "messages": [
                {"role": "user", "content": "Which ferry leaves first?"},
                {"role": "function", "content": '{"name": "times", "arguments": {"line": 2}}'},
                {"role": "observation", "content": "Oslo at four"},
                {"role": "assistant", "content": "Oslo leaves first."},
            ],
        }
    ],
}

LOCOMO: dict[str, Any] = {
    "speaker_a": "Ada Lind",
    "speaker_b": "Bo",
    "session_1_date_time": "9:05 am on 2 May, 2026",
    "session_1": [
        {"speaker": "Bo", "dia_id": "D1:1", "text": "Did the ferry sail?"},
        {
            "speaker": "Ada Lind",
            "img_url": ["https://example.org/ferry.jpg"],
            "blip_caption": "a photo of a ferry at a pier",
            "query": "ferry pier",
            "dia_id": "D1:2",
            "text": "It did, and I took a picture of it.",
        },
    ],
    "session_2_date_time": "8:10 pm on 9 May, 2026",
    "session_2": [{"speaker": "Ada Lind", "dia_id": "D2:1", "text": "It sailed once more."}],
    "session_3_date_time": "7:00 pm on 16 May, 2026",
    "events_session_1": {"Ada Lind": ["Ada Lind takes a picture of a ferry."], "Bo": [], "date": "2 May, 2026"},
    "session_1_summary": "Ada Lind tells Bo of a ferry.",
    "qa": [{"question": "When did the ferry sail?", "answer": "2 May 2026", "evidence": ["D1:2"], "category": 2}],
}
MT_RAG: list[dict[str, Any]] = [
    {
        "conversation_id": "f1",
        "task_id": "f1::2",
        "task_type": "rag",
        "turn": 2,
        "Collection": "ferries",
        "contexts": [{"document_id": "d1", "text": "The ferry to Kiel leaves at noon.", "title": "Kiel", "score": 9.5}],
        "input": [
            {"speaker": "user", "text": "Which ferry leaves first?"},
            {"speaker": "agent", "text": "The one to Oslo."},
            {"speaker": "user", "text": "And after that?"},
        ],
    }
]
PROMPTS: list[dict[str, Any]] = [
    {"uid": "p1", "category": "ferries", "prompt": "Which ferry to Oslo leaves first on a Sunday?"},
    {"uid": "p2", "category": "ferries", "prompt": "Write a short poem about the ferry to Kiel."},
]
EXPECTED_CALLS: list[dict[str, Any]] = [
    {
        "id": "t1",
        "prompt": "Find both ferries, then book the first.",
        "available_functions": [
            {"name": name, "description": "About ferries.", "parameters": {"type": "object", "properties": {}}}
            for name in ("find", "book")
        ],
        "expected_function_calls": [
            {
                "any_order": [
                    {"name": "find", "arguments": {"to": to}, "result": said}
                    for to, said in (("Oslo", "It leaves at 09:40."), ("Kiel", "It leaves at noon."))
                ]
            },
            {"name": "book", "arguments": {"to": "Oslo"}, "result": "A seat was booked."},
        ],
        "final_answer_should": "Say that a seat was booked.",
    }
]
FINETUNE_COLLECT: dict[str, Any] = {
    "functions": [
        {
            "name": "book",
            "description": "Book a seat.",
            "parameters": [
                {"type": "String", "name": "to", "description": "Where to", "isEnum": False, "isRequired": True},
                {"type": "Number", "name": "seats", "description": "How many", "isRequired": False},
            ],
            "functionExecutionEnabled": False,
        }
    ],
    "conversations": {
        "aB3x": [
            {
                "role": "meta",
                "type": "meta",
                "textContent": "",
                "jsonSchemaValue": "{}",
                "metaData": {"ready": True, "conversationName": "A booking", "notes": "To be checked."},
            },
            {"role": "system", "type": "Text", "textContent": "You sell tickets.", "jsonSchemaValue": "{}"},
            {"role": "user", "type": "Text", "textContent": "Two seats to Oslo.", "jsonSchemaValue": "{}"},
            {
                "role": "assistant",
                "type": "Function Call",
                "textContent": "",
                "functionName": "book",
                "functionParameters": [
                    {"name": "to", "isUsed": True, "parameterValueText": "Oslo", "parameterValueNumber": 0},
                    {"name": "seats", "isUsed": True, "parameterValueText": "", "parameterValueNumber": 2},
                ],
                "functionResults": "Seats 4 and 5.",
                "functionUsePreText": "Let me see.",
                "jsonSchemaValue": "{}",
            },
            {"role": "assistant", "type": "Text", "textContent": "They are booked.", "jsonSchemaValue": "{}"},
        ]
    },
    "settings": {"useGlobalSystemMessage": False, "globalSystemMessage": "", "modelChoice": "m"},
}
AGENT_DATA: list[dict[str, Any]] = [
    {
        "id": "tides/1",
        "content": [
            {"class_": "text_observation", "content": "You know the tides.", "source": "system"},
            {"class_": "text_observation", "content": "When is low water?", "source": "user"},
            {
                "class_": "api_action",
                "function": "open_page",
                "kwargs": {"url": "https://tides.invalid/"},
                "description": "I open the table.",
                "reasoning_content": "A table would have it.",
                "tool_call_id": "call_7",
            },
            {
                "class_": "web_observation",
                "html": "<td>Low 06:10</td>",
                "axtree": "cell Low 06:10",
                "url": "https://tides.invalid/table",
                "image_observation": None,
                "viewport_size": [1280, 720],
                "tool_call_id": "call_7",
            },
            {"class_": "code_action", "language": "python", "content": "6 + 10 / 60", "description": "As hours:"},
            {"class_": "text_observation", "content": "6.1666", "source": "user"},
            {"class_": "text_observation", "content": "One step is left.", "source": "environment"},
            {"class_": "message_action", "content": "Low water is at ten past six.", "description": "I know it."},
        ],
        "details": {"dataset": "tides"},
    },
]
