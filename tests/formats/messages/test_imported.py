"""The report as `budgeteer import --json` prints it."""

from __future__ import annotations

import contextlib
import json

from budgeteer.engine.content.conversation import Conversation, Message
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.messages.imported import Imported, report_json
from tests.formats.shapes import ANTHROPIC_BODY, OPENAI_CHAT, Session, dumps, skill, text_block, use_block, zipped
from tests.formats.test_fuzz import VALID


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
        "warnings": ["Messages that say nothing: 1 (element 2, message 1)"],
        "accounting": {
            "characters": 140,
            "read": 84,
            "metadata": 56,
            "leftOut": 0,
            "unread": 0,
            "isLossy": False,
            "isEstimate": False,
            "leftOutKeys": [],
            "unreadKeys": [],
        },
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


def test_what_was_done_is_data_with_every_number_apart() -> None:
    session = Session()
    session.user("u1", "Look at it")
    session.assistant("a1", text_block("Looking"), message_id="m1")
    session.assistant("a2", use_block("t1"), message_id="m1")
    session.result("r1", "t1")
    session.assistant("a3", {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}, message_id="m2")
    session.other("summary", summary="A look")
    session.other("mode", mode="plan")
    session.other("mode", mode="code")
    found = import_bytes(session.data + b"{cut\n").findings
    counted = dict(found.counted)
    assert counted["Lines merged into their assistant message by its message id"] == 1
    assert counted["Tool results that `toolUseResult` repeats, counted once"] == 1
    assert found.unknown == (("server_tool_use", 1),)
    assert found.other_lines == (("mode", 2), ("summary", 1))
    said = import_bytes(b"\xff\xfe" + "User: hi\nAssistant: \ud800".encode("utf-16-le", "surrogatepass")).findings.said
    assert said == ("1 invalid UTF-16-LE sequences were replaced by U+FFFD (\ufffd)",)


def test_every_finding_is_also_a_sentence_and_the_other_way_round() -> None:
    for data in VALID:
        with contextlib.suppress(FormatError):
            found = import_bytes(data)
            findings = found.findings
            counted = [f"{what}: {count:,}" for what, count in findings.counted]
            listed = bool(findings.unknown) + bool(findings.other_lines)
            assert {*counted, *findings.said} <= set(found.warnings)
            assert len(counted) + len(findings.said) + listed == len(found.warnings)


def test_tools_that_branches_carry_are_counted_once() -> None:
    tools = ({"name": "tide"}, {"name": "wind"})
    main = Conversation("s", "", (Message("user", (), id="a"),), tools=tools, branches=2)
    branch = Conversation("s~2", "", (Message("user", (), id="b"),), tools=tools, branch_of="s")
    other = Conversation("s~3", "", (Message("user", (), id="c"),), tools=tools[:1], branch_of="s")
    counts = report_json(Imported("f", "", "conversation", conversations=(main, branch, other)))["counts"]
    assert counts["tools"] == 3
