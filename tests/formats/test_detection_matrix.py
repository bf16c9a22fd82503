"""Detection: every fixture asked of every format, and files that hold the marks of two kinds."""

from __future__ import annotations

import pytest

from budgeteer.formats.detect import import_bytes
from budgeteer.formats.format import CERTAINTIES, claims_on
from budgeteer.formats.reading.document import open_document
from budgeteer.formats.registry import ARCHIVES, OUR_FORMATS, registry
from tests.formats.shapes import OPENAI_CHAT, OPENAI_TOOL, Session, dumps, jsonl, use_block, zipped
from tests.formats.test_fuzz import VALID

PICTURES = (b"\x89PNG",)
"""Fixtures that are refused before any format is asked."""


def session(number: int) -> bytes:
    told = Session(session=f"s-{number}")
    told.user("u1", f"Fix {number}")
    told.assistant("a1", use_block("t1"), message_id="m1")
    told.result("r1", "t1")
    return told.data


def test_every_format_claims_a_fixture() -> None:
    """So that no row of the registry is left out of what damages, cuts and mixes the fixtures."""
    documents = [open_document(data) for data in VALID if not data.startswith(PICTURES)]
    claimed = {claim.row.name for document in documents for claim in claims_on(document, registry().formats)}
    assert {row.name for row in OUR_FORMATS} | {ARCHIVES} <= claimed


@pytest.mark.parametrize("number", range(len(VALID)))
def test_one_format_claims_a_fixture(number: int) -> None:
    if VALID[number].startswith(PICTURES):
        return
    claims = claims_on(open_document(VALID[number]), registry().formats)
    assert len(claims) == 1, [claim.row.name for claim in claims]


def test_a_format_says_how_certain_its_claim_is() -> None:
    assert {row.certainty for row in OUR_FORMATS} == set(CERTAINTIES)
    assert all(row.certainty for row in registry().formats)


def test_an_archive_is_what_most_of_its_files_are() -> None:
    sessions: dict[str, str | bytes] = {f"p/s-{number}.jsonl": session(number) for number in range(4)}
    assert import_bytes(zipped({**sessions, "p/README.md": "# Logs\n\nOf a week."})).format == "transcripts"
    specs: dict[str, str | bytes] = {f"specs/{number}.md": f"# Spec {number}\n\nText" for number in range(5)}
    assert import_bytes(zipped({**sessions, **specs})).format == "features"
    assert import_bytes(zipped({"a.json": dumps(OPENAI_TOOL), "b.jsonl": session(1)})).format == "tools"


@pytest.mark.parametrize(
    "event",
    [
        {"name": "llm", "timestamp": "2026-01-01T00:00:00Z", "attributes": {"a": 1}},
        {"id": "1", "timestamp": "2026-01-01T00:00:00Z", "source": "agent", "text": "hi"},
        {"name": "chat", "time": "2026-01-01T00:00:00Z", "span_id": "1"},
        {"id": "e", "timestamp": "2026-01-01T00:00:00Z", "args": ["x"]},
    ],
)
def test_an_event_with_more_than_a_name_and_a_time_is_no_use_of_a_skill(event: dict[str, object]) -> None:
    rows = [row for row in OUR_FORMATS if row.name == "usage"]
    assert claims_on(open_document(jsonl(*[event] * 3)), rows) == []
    bare = {"name": "git-commit", "timestamp": "2026-01-01T00:00:00Z"}
    assert claims_on(open_document(jsonl(*[bare] * 3)), rows) != []


@pytest.mark.parametrize(
    ("expected", "messages"),
    [
        ("openai-chat", OPENAI_CHAT),
        (
            "gemini",
            [
                {"role": "user", "parts": [{"text": "Which pier?"}]},
                {"role": "model", "parts": [{"functionCall": {"name": "piers", "args": {}}}]},
                {"role": "user", "parts": [{"functionResponse": {"name": "piers", "response": {"output": "pier 2"}}}]},
            ],
        ),
        (
            "opentelemetry",
            [
                {"role": "user", "parts": [{"type": "text", "content": "Which pier?"}]},
                {"role": "assistant", "parts": [{"type": "text", "content": "Pier 2."}]},
            ],
        ),
        (
            "goose",
            [
                {"role": "user", "content": [{"type": "text", "text": "Which pier?"}]},
                {
                    "role": "assistant",
                    "content": [{"type": "toolRequest", "id": "g", "toolCall": {"value": {"name": "piers"}}}],
                },
            ],
        ),
    ],
)
def test_messages_of_another_maker_in_lines_like_those_of_pi_are_read_as_its_own(
    expected: str, messages: list[dict[str, object]]
) -> None:
    found = import_bytes(jsonl(*({"type": "message", "message": message} for message in messages)))
    (talk,) = found.conversations
    assert (found.format, len(talk.messages)) == (expected, len(messages))
    assert not [said for said in found.warnings if "nothing" in said or "left out" in said]


def test_a_run_of_rowboat_without_calls_is_read() -> None:
    said = [
        {"runId": "r", "type": "message", "messageId": role, "message": {"role": role, "content": "Pier 2."}}
        for role in ("user", "assistant")
    ]
    found = import_bytes(jsonl({"runId": "r", "type": "start", "agentName": "guide", "subflow": []}, *said))
    assert found.format == "ai-sdk-model"
    assert [message.role for message in found.conversations[0].messages] == ["user", "assistant"]


def test_equal_claims_are_both_named() -> None:
    data = dumps([{**OPENAI_CHAT[1], "parts": [{"type": "text", "text": "x"}], "images": []}])
    chat = {
        "id": "c",
        "messages": [{"role": "user", "content": "<image>", "parts": [{"type": "text", "text": "<image>"}]}],
    }
    both = dumps([{**chat, "images": ["a.png"]}])
    assert import_bytes(data).format == "ai-sdk"
    found = import_bytes(both)
    assert found.format == "ai-sdk"
    assert found.warnings[0].startswith("The file may also be read as ShareGPT (`sharegpt`)")
