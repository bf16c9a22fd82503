"""Queries of Seal-Tools: calls by the names of their responses, and what is no call."""

from __future__ import annotations

import pytest

from budgeteer.engine.content.conversation import calls_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.datasets import SEAL_TOOLS
from tests.formats.shapes import dumps, jsonl


def test_calls_have_the_names_that_later_ones_mention_as_ids() -> None:
    found = import_bytes(jsonl(*SEAL_TOOLS))
    (chat,) = found.conversations
    assert (found.format, chat.id, found.skipped) == ("seal-tools", "harbour-easy-0", ())
    assert [message.role for message in chat.messages] == ["user", "assistant"]
    assert [call.id for call in calls_of(chat.messages[1])] == ["API_call_0", "API_call_1"]
    assert found.accounting is not None
    assert not found.accounting.is_lossy


def test_a_call_without_one_name_of_a_response_gets_an_id_and_what_is_none_is_listed() -> None:
    calls = [{"api": "a", "parameters": {}}, {"api": "b", "parameters": {}, "responses": ["x", "y"]}]
    rows = [{"query": "?", "calling": calls}, {"query": "?", "calling": [{"api": "c"}, "d"]}, {"query": " "}]
    found = import_bytes(dumps(rows), as_format="seal-tools")
    assert [call.id for call in calls_of(found.conversations[0].messages[1])] == ["call_1", "call_2"]
    assert [each.why for each in found.skipped] == [
        "no `api` with parameters", "a JSON string, not an object", "no query in it",
    ]  # fmt: skip


def test_a_row_without_a_query_or_calls_of_an_api_is_none() -> None:
    with pytest.raises(FormatError):
        import_bytes(dumps([{"query": "Which berth?", "calling": [{"name": "Ada"}]}]))
    with pytest.raises(FormatError):
        import_bytes(dumps([{"query": ""}]), as_format="seal-tools")
