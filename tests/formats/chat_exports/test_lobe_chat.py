"""LobeChat's exports: topics apart, from the browser's store and from the database, rows of odd values."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import results_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.chat_exports import LOBE_CHAT
from tests.formats.shapes import dumps
from tests.formats.test_makers import told

STATE: dict[str, Any] = LOBE_CHAT["state"]


def test_each_topic_is_a_conversation_with_the_system_role_of_its_session() -> None:
    one, two = import_bytes(dumps(LOBE_CHAT)).conversations
    assert (one.id, one.title, one.model) == ("s1/t1", "The pier", "gpt-5")
    assert (two.id, two.title, told(two)[0]) == ("s1", "Guide", ["You are a guide to ferries.", "Hello", "Hello."])


def test_an_export_of_the_database_is_read_alike() -> None:
    """Its columns have other names, a system role stands with its agent, and what answers a call in a table apart."""
    names = {"sessionId": "session_id", "topicId": "topic_id", "createdAt": "created_at", "fromModel": "model"}
    rows = [{names.get(key, key): held for key, held in row.items()} for row in STATE["messages"]]
    plugins = [{"id": row["id"], "toolCallId": row.pop("tool_call_id")} for row in rows if row.pop("plugin", None)]
    data = {
        "messages": rows[::-1],
        "sessions": [{"id": "s1", "title": "Guide"}],
        "topics": STATE["topics"],
        "agents": [{"id": "a1", "systemRole": "You are a guide to ferries."}],
        "agentsToSessions": [{"agentId": "a1", "sessionId": "s1"}],
        "messagePlugins": plugins,
    }
    found = import_bytes(dumps({"data": data, "mode": "pglite", "schemaHash": "0a1b"}))
    chats = {chat.id: chat for chat in found.conversations}
    (before, _) = import_bytes(dumps(LOBE_CHAT)).conversations
    assert (found.format, told(chats["s1/t1"])) == ("lobe-chat", told(before))
    assert [one.call_id for message in chats["s1/t1"].messages for one in results_of(message)] == ["call_1"]


def test_an_export_without_messages_is_refused() -> None:
    with pytest.raises(FormatError):
        import_bytes(dumps({**LOBE_CHAT, "state": {**STATE, "messages": []}}))


def test_rows_of_odd_values_are_read_or_listed() -> None:
    for odd in (None, 7, [], {}, "x", [None]):
        for key in STATE["messages"][1]:
            rows = [*STATE["messages"], {**STATE["messages"][1], key: odd}]
            assert import_bytes(dumps({**LOBE_CHAT, "state": {**STATE, "messages": rows}})).format == "lobe-chat"
        for table in ("sessions", "topics", "agents", "agentsToSessions", "messagePlugins"):
            found = import_bytes(dumps({**LOBE_CHAT, "state": {**STATE, table: odd, "x": 1}}), as_format="lobe-chat")
            assert len(found.conversations) == 2
