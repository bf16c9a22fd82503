"""The report as `budgeteer import --json` prints it."""

from __future__ import annotations

import json

from budgeteer.formats.detect import import_bytes
from budgeteer.formats.report import report_json
from tests.formats.shapes import ANTHROPIC_BODY, OPENAI_CHAT, dumps, skill, zipped


def test_a_conversation_is_reported_in_the_shape_of_the_contract() -> None:
    report = report_json(
        import_bytes(dumps([{"messages": OPENAI_CHAT}, {"messages": [{"role": "user", "content": []}]}]))
    )
    assert report == {
        "format": "openai-chat",
        "reason": "It is an array of conversations, each a request body with OpenAI chat roles.",
        "kind": "conversation",
        "counts": {
            "conversations": 2,
            "messages": 6,
            "toolCalls": 1,
            "toolResults": 1,
            "images": 0,
            "reasoning": 0,
            "skills": 0,
            "tools": 0,
            "features": 0,
            "chunks": 0,
            "usage": 0,
            "skipped": 0,
        },
        "conversations": [
            {
                "id": "c1",
                "title": "What is the tide in Oslo?",
                "messages": 5,
                "toolCalls": 1,
                "toolResults": 1,
                "branches": 0,
            },
            {"id": "c2", "title": "Conversation 2", "messages": 1, "toolCalls": 0, "toolResults": 0, "branches": 0},
        ],
        "skipped": [],
        "warnings": [],
    }


def test_tools_inside_a_body_and_reasoning_are_counted() -> None:
    counts = report_json(import_bytes(dumps(ANTHROPIC_BODY)))["counts"]
    assert (counts["tools"], counts["reasoning"], counts["toolResults"]) == (1, 1, 2)


def test_a_library_reports_what_it_rejected_and_everything_is_plain_data() -> None:
    report = report_json(import_bytes(zipped({"a/SKILL.md": skill("a", "b"), "b/SKILL.md": "none"})))
    assert report["counts"]["skills"] == 1
    assert report["skipped"] == [
        {"where": "b/SKILL.md", "why": "no front matter: the file must begin with a line `---`"}
    ]
    assert json.loads(json.dumps(report)) == report
