"""Transcripts of Replit's agent."""

from __future__ import annotations

from budgeteer.engine.content.conversation import ImagePart, result_text, results_of
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.agents import REPLIT
from tests.formats.shapes import jsonl


def test_the_steps_are_one_conversation_whose_results_answer_the_calls_in_order() -> None:
    found = import_bytes(jsonl(*REPLIT))
    (chat,) = found.conversations
    assert found.format == "replit"
    told = [(one.call_id, one.is_error, result_text(one)) for message in chat.messages for one in results_of(message)]
    assert told == [("call_1", False, "06:10, 40 cm"), ("call_2", True, "gauge: not found")]


def test_a_prompt_of_cline_s_tags_is_no_task_of_cline_and_pictures_are_kept() -> None:
    asked = {"memory_id": 1, "messages": [{"role": "user", "content": "<user_message>\nShow it\n</user_message>"}]}
    shot = {"type": "image_url", "image_url": {"url": "https://img.example/1"}}
    called = {"role": "assistant", "tool_calls": [{"type": "tool", "name": "screenshot", "arguments": {}}]}
    step = {"memory_id": 2, "messages": [called, {"role": "tool", "content": [shot]}, {"role": "robot"}]}
    found = import_bytes(jsonl(asked, step), as_format="replit")
    assert import_bytes(jsonl(asked, {**step, "messages": step["messages"][:2]})).format == "replit"
    (result,) = results_of(found.conversations[0].messages[2])
    assert isinstance(result.content[0], ImagePart)
    assert [one.why for one in found.skipped] == ["no known role"]
