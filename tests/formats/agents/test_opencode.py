"""OpenCode's sessions: the messages of one alone, as its server lists them."""

from __future__ import annotations

import json

import pytest

from budgeteer.formats.detect import import_bytes
from tests.formats.makers.agents import OPENCODE
from tests.formats.naive_readers import opencode
from tests.formats.shapes import dumps, jsonl
from tests.formats.test_makers import told


@pytest.mark.parametrize("write", [dumps, lambda given: jsonl(*given)], ids=["list", "lines"])
def test_messages_alone_are_the_session_that_an_export_holds(write: type) -> None:
    messages = json.loads(dumps(OPENCODE))["messages"]
    found = import_bytes(write(messages), name="messages.json")
    (chat,) = found.conversations
    assert (found.format, found.skipped) == ("opencode", ())
    assert told(chat) == opencode(dumps(OPENCODE))
    assert chat.id == messages[0]["info"]["sessionID"]


def test_messages_of_several_sessions_are_parted_and_what_is_none_is_listed() -> None:
    def message(session: str, text: str) -> dict[str, object]:
        info = {"id": f"msg_{text}", "sessionID": session, "role": "user"}
        return {"info": info, "parts": [{"type": "text", "text": text}]}

    found = import_bytes(
        dumps([message("ses_1", "tide"), message("ses_2", "moon"), {"info": {}}, message("ses_1", "x")])
    )
    assert [(chat.id, len(chat.messages)) for chat in found.conversations] == [("ses_1", 2), ("ses_2", 1)]
    assert [item.where for item in found.skipped] == ["element 3"]


def test_copies_without_an_info_or_the_id_of_a_session_are_read() -> None:
    ran = {"status": "completed", "input": {"line": 2}, "output": "pier 2"}
    parts = [{"type": "text", "text": "I look."}, {"type": "tool", "tool": "piers", "callID": "k1", "state": ran}]
    asked = {"id": "msg_1", "role": "user", "parts": [{"type": "text", "text": "Which pier?"}]}
    replied = {"id": "msg_2", "role": "assistant", "parts": parts}
    wrapped = [{"info": {"role": one["role"]}, "parts": one["parts"]} for one in (asked, replied)]
    for value in ([asked, replied], {"info": {"id": "ses_1"}, "messages": wrapped}):
        found = import_bytes(dumps(value))
        assert found.format == "opencode"
        assert [message.role for message in found.conversations[0].messages] == ["user", "assistant", "tool"]
