"""Transcripts of one content block a line."""

from __future__ import annotations

from budgeteer.engine.content.conversation import calls_of, result_text, results_of
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.agents import BLOCK_LINES
from tests.formats.shapes import jsonl


def test_blocks_of_one_speaker_are_one_message_up_to_a_result() -> None:
    found = import_bytes(jsonl(*BLOCK_LINES))
    (chat,) = found.conversations
    assert found.format == "block-lines"
    assert [message.role for message in chat.messages] == ["user", "assistant", "tool", "tool", "assistant"]
    assert [call.id for call in calls_of(chat.messages[1])] == ["k1", "k2"]
    told = [(one.call_id, one.is_error, result_text(one)) for message in chat.messages for one in results_of(message)]
    assert told == [("k1", False, "06:10, 40 cm"), ("k2", True, "gauge: not found")]


def test_names_of_anthropic_and_results_of_other_values_are_read() -> None:
    call = {"role": "assistant", "content": {"type": "tool_use", "name": "tide", "id": "t1", "input": {"berth": 7}}}
    told = {"role": "user", "content": {"type": "tool_result", "tool_use_id": "t1", "content": {"cm": 40}}}
    (chat,) = import_bytes(jsonl(BLOCK_LINES[0], call, told)).conversations
    assert [call.arguments for call in calls_of(chat.messages[1])] == ['{"berth":7}']
    assert [(one.call_id, result_text(one)) for one in results_of(chat.messages[2])] == [("t1", '{"cm":40}')]


def test_messages_with_one_part_and_no_call_are_chat() -> None:
    assert import_bytes(jsonl(BLOCK_LINES[0], BLOCK_LINES[-1])).format == "openai-chat"
