"""Sets of function calls: xLAM and Glaive, as whole files have them, and with what is wrong in a row."""

from __future__ import annotations

import json

import pytest

from budgeteer.engine.content.conversation import ToolCallPart, ToolResultPart, calls_of, text_of
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.datasets import EXPECTED_CALLS
from tests.formats.shapes import dumps, jsonl

TOOL = {"name": "tides", "description": "High water.", "parameters": {"at": {"description": "Where", "type": "str"}}}
CALL = {"name": "tides", "arguments": {"at": "Oslo"}}


@pytest.mark.parametrize("write", [json.dumps, lambda value: value], ids=["texts", "lists"])
def test_a_row_of_xlam_is_a_query_its_tools_and_the_calls(write) -> None:  # type: ignore[no-untyped-def]
    row = {"id": 7, "query": "When is high water?", "answers": write([CALL]), "tools": write([TOOL])}
    found = import_bytes(dumps([row, {**row, "id": 8, "answers": write([])}]))
    assert found.format == "xlam"
    first, refused = found.conversations
    assert (first.id, refused.id) == ("7", "8")
    assert [one.role for one in first.messages] == ["user", "assistant"]
    (call,) = calls_of(first.messages[1])
    assert (call.name, json.loads(call.arguments)) == ("tides", {"at": "Oslo"})
    assert [one.role for one in refused.messages] == ["user"]
    expected = {"type": "object", "properties": {"at": {"type": "string", "description": "Where"}}, "required": ["at"]}
    assert first.tools[0]["parameters"] == expected
    assert found.accounting is not None
    assert found.accounting.unread == 0


def test_parameters_that_are_a_schema_stay_and_a_row_without_calls_that_can_be_read_is_listed() -> None:
    schema = {"type": "object", "properties": {"at": {"type": "string"}}}
    row = {"query": "When?", "answers": [CALL], "tools": [{"name": "tides", "parameters": schema}]}
    found = import_bytes(jsonl(row, row, {**row, "answers": "not now"}))
    assert found.format == "xlam"
    assert found.conversations[0].tools[0]["parameters"] == schema
    assert [(one.where, one.why) for one in found.skipped] == [("line 3, answers", "no list of calls")]
    assert [one.role for one in found.conversations[2].messages] == ["user"]


def test_what_a_search_found_is_not_taken_for_xlam() -> None:
    row = {"query": "When?", "answers": ["At ten."], "contexts": ["The ferry leaves at ten."], "tools": []}
    assert import_bytes(jsonl(row, row)).format == "chunks"


def test_a_chat_of_glaive_is_read_as_turns_calls_and_results() -> None:
    call = '{"name": "tides", "arguments": \'{"at": "Oslo"}\'}'
    chat = (
        "USER: When is high water?\n\n\n"
        f"ASSISTANT: Let me see. <functioncall> {call} <|endoftext|>\n\n\n"
        'FUNCTION RESPONSE: {"high": "10:10"}\n\n\n'
        "ASSISTANT: At ten past ten.\nSay USER: to go on. <|endoftext|>\n\n\n"
    )
    found = import_bytes(jsonl({"system": "SYSTEM: You may call tides.", "chat": chat}))
    assert found.format == "glaive"
    (talk,) = found.conversations
    assert [one.role for one in talk.messages] == ["system", "user", "assistant", "assistant", "tool", "assistant"]
    assert text_of(talk.messages[0]) == "You may call tides."
    part = talk.messages[3].parts[0]
    assert isinstance(part, ToolCallPart)
    assert (part.name, json.loads(part.arguments)) == ("tides", {"at": "Oslo"})
    assert text_of(talk.messages[5]) == "At ten past ten.\nSay USER: to go on."
    assert found.accounting is not None
    assert found.accounting.unread == 0


def test_a_call_that_is_no_call_stays_what_was_said() -> None:
    chat = "USER: Go.\n\n\nASSISTANT: <functioncall> tides(Oslo) <|endoftext|>\n\n\n"
    found = import_bytes(jsonl({"system": "", "chat": chat}, {"system": "", "chat": "Nobody speaks."}, {"chat": chat}))
    assert text_of(found.conversations[0].messages[1]) == "<functioncall> tides(Oslo)"
    assert [one.where for one in found.skipped] == ["line 2"]


def test_a_long_row_of_quotes_takes_no_time() -> None:
    chat = 'USER: Go.\nASSISTANT: <functioncall> {"name": "a", "arguments": \'' + "' }" * 200_000
    assert len(import_bytes(jsonl({"chat": chat})).conversations[0].messages) == 2


def test_a_task_of_open_functions_is_a_question_its_function_and_the_call() -> None:
    parameters = {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]}
    function = {"name": "Tide Table", "api_call": "tides.find", "description": "High water.", "parameters": parameters}
    row = {"question": "When is high water?", "function": function, "model_answer": 'tides.find(at="Oslo", days=2)'}
    found = import_bytes(dumps([row, {**row, "function": [function], "model_answer": "I cannot say."}]))
    assert found.format == "bfcl"
    first, refused = found.conversations
    assert [one.role for one in first.messages] == ["user", "assistant"]
    (call,) = calls_of(first.messages[1])
    assert (call.name, json.loads(call.arguments)) == ("tides.find", {"at": "Oslo", "days": 2})
    assert first.tools == refused.tools == (
        {"name": "tides.find", "description": "High water.", "parameters": parameters},
    )  # fmt: skip
    assert text_of(refused.messages[1]) == "I cannot say."
    assert found.accounting is not None
    assert found.accounting.unread == 0
    twice = import_bytes(dumps([{**row, "id": "task_1"}] * 2))
    assert [chat.id for chat in twice.conversations] == ["task_1", "task_1#2"]


def test_calls_that_are_expected_stand_behind_what_was_asked_each_with_its_result() -> None:
    found = import_bytes(jsonl(*EXPECTED_CALLS * 2))
    assert (found.format, found.skipped) == ("xlam", ())
    chat = found.conversations[0]
    assert [one.role for one in chat.messages] == ["user", "assistant", "tool", "tool", "assistant", "tool"]
    assert [call.name for message in chat.messages for call in calls_of(message)] == ["find", "find", "book"]
    results = [part for message in chat.messages for part in message.parts if isinstance(part, ToolResultPart)]
    assert [part.call_id for part in results] == ["call_1", "call_2", "call_3"]
    assert [tool["name"] for tool in chat.tools] == ["find", "book"]
    assert dict(found.findings.counted)["Columns of rows beside what was said, left out"] == 2
    assert found.accounting is not None
    assert found.accounting.unread == 0


def test_calls_that_are_gold_are_one_message_and_none_are_none() -> None:
    offered = {"name": "tides", "description": "High water.", "parameters": {"type": "object", "properties": {}}}
    row = {
        "query": "When is high water?",
        "tools": [offered],
        "gold": {"calls": [CALL, CALL]},
        "rationale": "Of tides.",
    }
    found = import_bytes(jsonl(row, {**row, "gold": {"calls": []}}))
    assert found.format == "xlam"
    assert [len(chat.messages) for chat in found.conversations] == [2, 1]
    assert len(calls_of(found.conversations[0].messages[1])) == 2
    assert found.accounting is not None
    assert found.accounting.unread == 0


def test_a_question_with_tools_and_no_calls_is_read_alone_and_one_that_is_answered_is_none() -> None:
    offered = [{"name": "tides", "description": "High water.", "parameters": {"type": "object", "properties": {}}}]
    row = {"user_query": "When is high water?", "function_schema_json": offered, "mock": "def tides(): pass"}
    found = import_bytes(jsonl(row, row))
    assert (found.format, [len(chat.messages) for chat in found.conversations]) == ("xlam", [1, 1])
    assert found.conversations[0].tools[0]["name"] == "tides"
    assert import_bytes(jsonl(*[{**row, "response": "At ten."}] * 2)).format == "questions"


OFFERED = [{"name": "tides", "description": "High water.", "parameters": {"type": "object", "properties": {}}}]


@pytest.mark.parametrize("column", ["history", "conversation", "trace", "messages"])
def test_a_question_with_tools_beside_a_conversation_is_not_read_without_it(column: str) -> None:
    said = [{"role": "user", "content": "Is it late?"}, {"role": "assistant", "content": "Not yet, the tide is low."}]
    row = {"user_query": "When is high water?", "tools": OFFERED, column: said}
    found = import_bytes(jsonl(row, row))
    assert found.format == "openai-chat"
    assert [text_of(message) for message in found.conversations[0].messages] == [raw["content"] for raw in said]


def test_a_system_text_beside_a_question_with_tools_is_read() -> None:
    row = {"user_query": "When is high water?", "tools": OFFERED, "system_prompt": "You know tides."}
    found = import_bytes(jsonl(row, row))
    told = [(message.role, text_of(message)) for message in found.conversations[0].messages]
    assert told == [("system", "You know tides."), ("user", "When is high water?")]


def test_where_no_call_is_expected_the_reply_in_words_is_read() -> None:
    row = {"prompt": "Empty the sea.", "tools": OFFERED, "expected_calls": [], "response": "I cannot do that."}
    found = import_bytes(jsonl(row, {**row, "expected_calls": [CALL]}))
    assert found.format == "xlam"
    refused, called = found.conversations
    assert [text_of(message) for message in refused.messages] == ["Empty the sea.", "I cannot do that."]
    assert len(calls_of(called.messages[1])) == 1
    assert found.accounting is not None
    assert found.accounting.unread == 0


def test_of_several_columns_of_calls_one_is_read_and_the_others_are_counted() -> None:
    other = {"name": "harbour", "arguments": {"which": "the one in the north of the old town"}}
    row = {"prompt": "When?", "tools": OFFERED, "expected_function_calls": [CALL], "gold_calls": [other]}
    found = import_bytes(jsonl(row, row))
    assert [call.name for call in calls_of(found.conversations[0].messages[1])] == ["tides"]
    assert ("Columns of rows beside what was said, left out", 2) in found.findings.counted
    assert found.accounting is not None
    assert not found.accounting.is_lossy
    empty = {"query": "When?", "tools": OFFERED, "answers": [CALL], "gold": {"calls": []}}
    assert len(calls_of(import_bytes(jsonl(empty, empty)).conversations[0].messages[1])) == 1
