"""Logs of evaluations: results of promptfoo, samples of the Language Model Evaluation Harness."""

from __future__ import annotations

import json
from typing import Any

_CHAT = [
    {"role": "system", "content": "Answer about ferries."},
    {"role": "user", "content": "Where does the ferry leave?"},
]
_CALL = {"id": "c1", "type": "function", "function": {"name": "piers", "arguments": '{"line": 2}'}}


def result(raw: str, output: Any, **more: Any) -> dict[str, Any]:
    """A row of promptfoo."""
    return {
        "id": f"row {raw[:10]}",
        "promptIdx": 0,
        "testIdx": 0,
        "prompt": {"raw": raw, "label": "Ask {{what}}"},
        "vars": {"what": "the ferry"},
        "provider": {"id": "openai:chat:gpt-5", "label": ""},
        "response": {
            "output": output,
            "tokenUsage": {"total": 41, "prompt": 29, "completion": 12, "completionDetails": {"reasoning": 4}},
            "cached": False,
        },
        "success": True,
        "gradingResult": {"pass": True, "score": 1, "reason": "All assertions passed"},
        **more,
    }


PROMPTFOO: dict[str, Any] = {
    "evalId": "eval-1",
    "results": {
        "version": 3,
        "prompts": [{"raw": "Ask {{what}}", "label": "Ask {{what}}", "provider": "openai:chat:gpt-5"}],
        "results": [result(json.dumps(_CHAT), {"content": "I look it up.", "tool_calls": [_CALL]})],
        "stats": {"successes": 1},
    },
    "config": {"description": "Ferries", "prompts": ["Ask {{what}}"]},
}

LM_EVAL: list[dict[str, Any]] = [
    {
        "doc_id": 0,
        "doc": {"question": "How many piers?", "answer": "Two."},
        "target": "Two.",
        "arguments": {
            "gen_args_0": {
                "arg_0": "Question: How many piers?\nAnswer:",
                "arg_1": {"until": ["\n\n"], "do_sample": False},
            }
        },
        "resps": [["There are two piers.", "Three."]],
        "filtered_resps": ["There are two piers."],
        "filter": "none",
        "metrics": ["exact_match"],
        "doc_hash": "0a1b",
        "exact_match": 1.0,
    },
    {
        "doc_id": 1,
        "doc": {"question": "Which boat?", "choices": ["The ferry", "The tug"]},
        "target": 0,
        "arguments": [["Question: Which boat?\nAnswer:", " The ferry"], ["Question: Which boat?\nAnswer:", " The tug"]],
        "resps": [[["-1.5", "True"]], [["-4.25", "False"]]],
        "filtered_resps": [["-1.5", "True"], ["-4.25", "False"]],
        "acc": 1.0,
    },
]
