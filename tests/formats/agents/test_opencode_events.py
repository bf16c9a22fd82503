"""Captures of the events of OpenCode's server: the last state of each message and part, pieces, what was taken back."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from tests.formats.shapes import dumps, jsonl
from tests.formats.test_makers import told


def event(kind: str, **properties: Any) -> dict[str, Any]:
    return {"type": kind, "properties": properties}


def part(given: str, message: str, **more: Any) -> dict[str, Any]:
    return event("message.part.updated", part={"id": given, "messageID": message, "sessionID": "ses_1", **more})


def message(given: str, role: str, **more: Any) -> dict[str, Any]:
    return event("message.updated", info={"id": given, "sessionID": "ses_1", "role": role, **more})


def piece(given: str, delta: str) -> dict[str, Any]:
    return event("message.part.delta", messageID="msg_2", partID=given, sessionID="ses_1", field="text", delta=delta)


DONE = {"status": "completed", "input": {"line": 2}, "output": "pier 2"}
CAPTURE = [
    event("session.created", info={"id": "ses_1", "title": "Piers"}),
    message("msg_1", "user"),
    part("prt_9", "msg_1", type="text", text="Which pier?"),
    part("8ef1", "msg_1", type="text", text="Of line two."),
    message("msg_2", "assistant"),
    part("prt_1", "msg_2", type="tool", tool="piers", callID="k1", state={"status": "pending", "input": {}}),
    part("prt_1", "msg_2", type="tool", tool="piers", callID="k1", state=DONE),
    part("prt_2", "msg_2", type="text", text=""),
    piece("prt_2", "Pier "),
    piece("prt_2", "two"),
    part("prt_2", "msg_2", type="text", text="Pier two."),
    event("session.idle", sessionID="ses_1"),
    part("prt_3", "msg_2", type="text", text="It is "),
    piece("prt_3", "near."),
    message("msg_2", "assistant", modelID="m"),
]
"""A session of a prompt and its reply; the last text is cut off before its whole form."""


@pytest.mark.parametrize("wrapper", ["", "event", "payload"])
def test_events_are_read_as_the_session_they_come_to(wrapper: str) -> None:
    lines = [{"directory": "/srv/piers", wrapper: one} if wrapper else one for one in CAPTURE]
    for data in (jsonl(*lines), dumps(lines)):
        found = import_bytes(data)
        (chat,) = found.conversations
        assert (found.format, chat.id, chat.title, chat.model) == ("opencode", "ses_1", "Piers", "m")
        texts = ["Which pier?", "Of line two.", "Pier two.", "It is near."]
        assert told(chat) == (texts, [("piers", {"line": 2})], ["pier 2"])
        assert "Earlier states of messages and of their parts, left out: 3" in found.warnings
        assert "Non-message lines, not read: 1 (1 session.idle)" in found.warnings


def test_rows_of_events_in_the_database_are_read_as_those_events() -> None:
    rows: list[dict[str, Any]] = [
        {"aggregate_id": "ses_1", "data": one["properties"], "id": f"evt_{at}", "seq": at, "type": f"{one['type']}.1"}
        for at, one in enumerate(CAPTURE)
    ]
    found = import_bytes(jsonl(*rows))
    texts = ["Which pier?", "Of line two.", "Pier two.", "It is near."]
    assert told(found.conversations[0]) == (texts, [("piers", {"line": 2})], ["pier 2"])
    assert "Non-message lines, not read: 1 (1 session.idle)" in found.warnings


def test_a_piece_of_a_field_that_its_part_does_not_have_is_listed() -> None:
    odd = piece("prt_3", "a shoal off the mole")
    odd["properties"]["field"] = "remark"
    found = import_bytes(jsonl(*CAPTURE, odd))
    assert "Non-message lines, not read: 2 (1 session.idle, 1 message.part.delta)" in found.warnings
    assert told(found.conversations[0])[0][-1] == "It is near."


def test_what_was_taken_back_is_left_out_and_counted() -> None:
    back = [
        event("message.part.removed", messageID="msg_1", partID="8ef1"),
        event("message.removed", messageID="msg_2", sessionID="ses_1"),
    ]
    found = import_bytes(jsonl(*CAPTURE, *back))
    assert told(found.conversations[0]) == (["Which pier?"], [], [])
    assert {"Messages that were taken back, left out: 1", "Parts that were taken back, left out: 1"} <= set(
        found.warnings
    )


def test_parts_without_their_message_and_lines_that_are_no_events_are_listed() -> None:
    found = import_bytes(jsonl(*CAPTURE, part("prt_8", "msg_0", type="text", text="x"), {"note": "y"}))
    assert [(one.where, one.why) for one in found.skipped] == [
        ("line 17", "no event with `properties`"),
        ("msg_0", "1 parts of a message that is not in the file"),
    ]


def test_a_capture_may_begin_with_many_events_of_other_things() -> None:
    idle = [event("server.connected"), event("file.watcher.updated", file="piers.md"), event("server.heartbeat")] * 20
    found = import_bytes(jsonl(*idle, *CAPTURE))
    assert (found.format, found.conversations[0].id) == ("opencode", "ses_1")
    assert import_bytes(dumps([*idle, *CAPTURE])).format == "opencode"
    with pytest.raises(FormatError):
        import_bytes(jsonl(*idle), as_format="opencode")


def test_the_words_of_parts_without_their_message_are_shown_and_accounted_for() -> None:
    words = "It leaves at ten, " + "and then again at ten, " * 40
    found = import_bytes(jsonl(*CAPTURE, part("prt_8", "msg_0", type="text", text=words)))
    (skipped,) = found.skipped
    assert "It leaves at ten" in skipped.line
    assert found.accounting is not None
    assert not found.accounting.is_lossy


@pytest.mark.parametrize("end", ["a whole state", "taken back"])
def test_pieces_that_come_to_nothing_are_accounted_for_as_left_out(end: str) -> None:
    def left_out(words: str) -> int:
        last = {
            "a whole state": part("prt_4", "msg_2", type="text", text="It is far."),
            "taken back": event("message.part.removed", messageID="msg_2", partID="prt_4"),
        }
        begun = part("prt_4", "msg_2", type="text", text="")
        found = import_bytes(jsonl(*CAPTURE, begun, piece("prt_4", words), last[end]))
        assert found.accounting is not None
        return found.accounting.left_out

    words = "It leaves at ten, and then again at noon. " * 10
    assert left_out(words * 2) - left_out(words) == len(words)
