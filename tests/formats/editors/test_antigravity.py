"""Transcripts of Antigravity: calls without ids, errors, checkpoints, fields that were cut."""

from __future__ import annotations

from budgeteer.engine.content.conversation import calls_of, results_of, text_of
from budgeteer.formats.detect import import_bytes
from tests.formats.editors.antigravity_shapes import ANTIGRAVITY, step, turn
from tests.formats.shapes import dumps, jsonl


def test_steps_of_the_model_answer_its_calls_in_order() -> None:
    found = import_bytes(jsonl(*ANTIGRAVITY))
    (chat,) = found.conversations
    called = {call.id: call.name for message in chat.messages for call in calls_of(message)}
    answers = [(called[one.call_id], one.is_error) for message in chat.messages for one in results_of(message)]
    assert answers == [("view_file", False), ("list_dir", False), ("run_command", True), ("write_to_file", True)]
    assert [message.role for message in chat.messages[:3]] == ["user", "user", "assistant"]
    assert [message.typed for message in chat.messages[:2]] == [True, False]
    assert chat.messages[2].id == "step-3"
    assert found.accounting is not None
    assert found.accounting.unread == 0


def test_a_transcript_is_read_from_its_last_checkpoint() -> None:
    point = step(11, "SYSTEM", "CHECKPOINT", content="The earlier parts were truncated. They asked for a ferry.")
    data = jsonl(*ANTIGRAVITY, point, turn(12, "And back at six."))
    found = import_bytes(data)
    assert [text_of(message) for message in found.conversations[0].messages] == [point["content"], "And back at six."]
    assert any("before the last checkpoint" in said and said.endswith("11") for said in found.warnings)
    assert found.accounting is not None
    assert found.accounting.unread == 0
    assert len(import_bytes(data, whole=True).conversations[0].messages) == 12


def test_fields_that_were_cut_are_told() -> None:
    cut = step(1, "MODEL", "RUN_COMMAND", content="x…", truncated_fields=["content"])
    found = import_bytes(jsonl(step(0, "USER_EXPLICIT", "USER_INPUT", content="Go"), turn(1, run_command={}), cut))
    assert any("cut short" in said for said in found.warnings)


def test_lines_that_are_no_steps_are_listed() -> None:
    found = import_bytes(jsonl(*ANTIGRAVITY, {"step_index": 3, "source": "MODEL"}, {"x": 1}))
    assert [one.where for one in found.skipped] == ["line 12", "line 13"]


def test_a_source_or_a_type_that_is_no_text_is_no_step() -> None:
    odd = [{**ANTIGRAVITY[0], "source": ["MODEL"]}, {**ANTIGRAVITY[0], "type": {}}]
    assert [one.where for one in import_bytes(jsonl(*ANTIGRAVITY, *odd)).skipped] == ["line 12", "line 13"]


def test_a_list_of_what_was_said_has_no_sources() -> None:
    rows = [
        {"step_index": 0, "type": "USER_INPUT", "created_at": "2026-05-04T18:21:23Z", "content": "Go on"},
        {"step_index": 4, "type": "PLANNER_RESPONSE", "created_at": "2026-05-04T18:21:25Z", "content": "At noon."},
    ]
    found = import_bytes(dumps(rows))
    assert found.format == "antigravity"
    assert [(message.role, text_of(message)) for message in found.conversations[0].messages] == [
        ("user", "Go on"),
        ("assistant", "At noon."),
    ]
