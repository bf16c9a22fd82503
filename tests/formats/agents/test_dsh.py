"""Sessions of DeepSeek's harness: what replaced what, newer results, and what is left out."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import text_of
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.agents import DSH
from tests.formats.shapes import jsonl


def user(seq: int, text: str, operation: Any = "append", kind: str = "user") -> dict[str, Any]:
    data = {"content": [{"type": "text", "text": text}], "source": {"kind": kind}, "role": "user", "id": f"u{seq}"}
    return {"type": "user/message", "seq": seq, "time": 1_783_352_050_751 + seq, "data": data, "surfaceOp": operation}


def texts_of(*events: Any, whole: bool = False) -> list[str]:
    (chat,) = import_bytes(jsonl(DSH[0], *events), whole=whole).conversations
    return [text_of(message) for message in chat.messages]


def test_a_session_has_its_system_text_its_tools_and_what_was_recorded() -> None:
    found = import_bytes(jsonl(*DSH), name="session.jsonl")
    (chat,) = found.conversations
    assert (found.format, chat.id, chat.title, chat.model) == ("dsh", "d-1", "Low water", "m")
    assert [message.role for message in chat.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert [tool["name"] for tool in chat.tools] == ["bash"]
    assert [(one.input_tokens, one.cache_read_tokens, one.position) for one in chat.recorded] == [(25, 5, 2)]
    assert found.accounting is not None
    assert not found.accounting.is_lossy


@pytest.mark.parametrize("names", [("startSeq", "endSeq"), ("start", "end")])
def test_a_compaction_stands_in_the_place_of_what_it_replaced(names: tuple[str, str]) -> None:
    events = [user(number, f"text {number}") for number in range(1, 6)]
    summary = user(9, "summary", {"op": "replace", **dict(zip(names, (2, 4), strict=True))}, "plugin")
    again = user(11, "second", {"op": "replace", **dict(zip(names, (1, 9), strict=True))}, "plugin")
    assert texts_of(*events, summary) == ["text 1", "summary", "text 5"]
    assert texts_of(*events, summary, user(10, "text 10"), again) == ["second", "text 5", "text 10"]
    assert len(texts_of(*events, summary, whole=True)) == 6


def test_messages_without_a_number_are_read_and_replaced_with_those_around_them() -> None:
    unnumbered = {**{key: held for key, held in user(2, "between").items() if key != "seq"}, "seq0": 2}
    summary = user(9, "summary", {"op": "replace", "startSeq": 1, "endSeq": 3})
    events = [user(1, "first"), unnumbered, user(3, "last")]
    assert texts_of(*events) == ["first", "between", "last"]
    assert texts_of(*events, summary) == ["summary"]


@pytest.mark.parametrize("ends", [(7, 8), (4, 2), ([2], {}), (None, None), ("2", "4")])
def test_a_range_that_is_not_there_takes_nothing_away(ends: tuple[Any, Any]) -> None:
    events = [user(number, f"text {number}") for number in range(1, 6)]
    summary = user(9, "summary", {"op": "replace", "startSeq": ends[0], "endSeq": ends[1]})
    assert texts_of(*events, summary) == [*(f"text {number}" for number in range(1, 6)), "summary"]


def test_a_result_of_a_newer_file_is_a_message_of_its_own() -> None:
    newer = {
        "type": "tool/result",
        "seq": 8,
        "data": {
            "message": {"role": "tool", "toolCallId": "t1", "content": [{"type": "text", "text": "x"}], "isError": True}
        },
    }
    told = {"type": "system/message", "seq": 0, "data": {"message": {"role": "system", "content": "Be brief."}}}
    (chat,) = import_bytes(jsonl(told, *DSH[2:7], newer)).conversations
    assert [message.role for message in chat.messages] == ["system", "user", "assistant", "tool"]
    assert text_of(chat.messages[0]) == "Be brief."
