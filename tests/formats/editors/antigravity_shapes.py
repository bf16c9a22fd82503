"""A transcript in the shape of Antigravity's, our own text, and a second reader of it."""

from __future__ import annotations

import json
from typing import Any


def step(number: int, source: str, kind: str, status: str = "DONE", **more: Any) -> dict[str, Any]:
    when = f"2026-07-05T06:49:{number:02d}Z"
    return {"step_index": number, "source": source, "type": kind, "status": status, "created_at": when, **more}


def turn(number: int, text: str = "", thinking: str = "", **calls: dict[str, Any]) -> dict[str, Any]:
    made = [
        {"name": name, "args": {**args, "toolAction": "Looking", "toolSummary": "Look"}} for name, args in calls.items()
    ]
    fields: dict[str, Any] = {"content": text, "thinking": thinking, "tool_calls": made}
    return step(number, "MODEL", "PLANNER_RESPONSE", **{key: value for key, value in fields.items() if value})


ANTIGRAVITY: list[dict[str, Any]] = [
    step(0, "USER_EXPLICIT", "USER_INPUT", content="<USER_REQUEST>\nWhen does the ferry leave?\n</USER_REQUEST>"),
    step(1, "SYSTEM", "CONVERSATION_HISTORY"),
    step(2, "SYSTEM", "EPHEMERAL_MESSAGE", content="Keep to the plan of the harbour."),
    turn(
        3,
        "I look it up.",
        "The timetable knows.",
        view_file={"AbsolutePath": "/h/plan.txt"},
        list_dir={"DirectoryPath": "/h"},
    ),
    step(4, "MODEL", "VIEW_FILE", content="Showing lines 1 to 1\n1: Boat 7 leaves at noon."),
    step(5, "MODEL", "LIST_DIRECTORY", content="plan.txt"),
    turn(6, run_command={"CommandLine": "date"}),
    step(7, "MODEL", "RUN_COMMAND", "ERROR", content="The command failed."),
    turn(8, write_to_file={"TargetFile": "plan.md"}),
    step(9, "SYSTEM", "ERROR_MESSAGE", error="plan.md is no valid path."),
    turn(10, "At noon."),
]


def antigravity(data: bytes) -> tuple[list[str], list[tuple[str, Any]], list[str]]:
    """Texts, calls and results, as tests.formats.naive_readers gives them."""
    texts: list[str] = []
    calls: list[tuple[str, Any]] = []
    results: list[str] = []
    for row in map(json.loads, data.splitlines()):
        calls += [(call["name"], call["args"]) for call in row.get("tool_calls", [])]
        if row["type"] in ("USER_INPUT", "EPHEMERAL_MESSAGE", "PLANNER_RESPONSE"):
            texts += [row["content"]] if "content" in row else []
        elif row["type"] != "CONVERSATION_HISTORY":
            results.append(row.get("content", row.get("error")))
    return texts, calls, results
