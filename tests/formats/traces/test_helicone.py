"""Helicone's requests: every face of its export, bodies of other providers, and what has no body."""

from __future__ import annotations

import json

import pytest

from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.traces import HELICONE
from tests.formats.shapes import ANTHROPIC_BODY, dumps, jsonl, text_block

ROW = HELICONE[0]


def test_lines_an_answer_of_the_api_and_bodies_as_text_are_read_alike() -> None:
    expected = import_bytes(dumps(HELICONE)).conversations[0].messages
    texts = {key: json.dumps(ROW[key]) for key in ("request_body", "response_body")}
    for data in (jsonl(ROW, ROW), dumps({"data": HELICONE, "error": None}), dumps([{**ROW, **texts}])):
        found = import_bytes(data)
        assert (found.format, len(found.conversations)) == ("helicone", 1)
        assert found.conversations[0].messages == expected


def test_bodies_are_those_of_their_provider() -> None:
    reply = {"type": "message", "role": "assistant", "content": [text_block("Yes.")], "streamed_data": ["x"]}
    found = import_bytes(dumps([{**ROW, "request_body": ANTHROPIC_BODY, "response_body": reply}]))
    alone = import_bytes(dumps(ANTHROPIC_BODY)).conversations[0]
    assert found.conversations[0].messages[: len(alone.messages)] == alone.messages
    assert ("Streamed pieces beside the response they make up, left out", 1) in found.findings.counted


def test_a_request_without_its_body_is_listed_and_an_export_of_those_refused() -> None:
    bare = {key: value for key, value in ROW.items() if not key.endswith("_body")} | {"signed_body_url": "https://a"}
    found = import_bytes(dumps([ROW, bare]))
    assert [(item.where, item.why) for item in found.skipped] == [
        ("element 2", "no request body; export it with --include-body")
    ]
    with pytest.raises(FormatError, match="No Helicone messages were found"):
        import_bytes(dumps([bare]))


def test_a_log_with_bodies_of_another_kind_is_none() -> None:
    with pytest.raises(FormatError):
        import_bytes(dumps([{"id": "1", "request_body": {"a": 1}, "response_status": 200}]))
