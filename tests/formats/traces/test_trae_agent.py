"""Trajectories of Trae Agent: interactions that tell what is new, that repeat, and steps alone."""

from __future__ import annotations

import copy

from budgeteer.engine.content.conversation import RecordedRequest, results_of, text_of
from budgeteer.formats.detect import import_bytes
from tests.formats.makers.runs import TRAE_AGENT, TRAE_RESULT
from tests.formats.shapes import dumps

ROLES = ["system", "user", "assistant", "tool", "assistant"]


def test_a_trajectory_is_one_conversation_with_what_was_recorded() -> None:
    found = import_bytes(dumps(TRAE_AGENT))
    (chat,) = found.conversations
    assert (found.format, chat.title, chat.model) == ("trae-agent", "Which pier?", "m")
    assert [message.role for message in chat.messages] == ROLES
    assert chat.recorded[0] == RecordedRequest(2, 40, 10, 0, 5, model="m")
    assert found.accounting is not None
    assert not found.accounting.is_lossy


def test_messages_that_an_interaction_repeats_are_read_once() -> None:
    run = copy.deepcopy(TRAE_AGENT)
    first, last = run["llm_interactions"]
    last["input_messages"] = [*first["input_messages"], *last["input_messages"]]
    found = import_bytes(dumps(run))
    assert [message.role for message in found.conversations[0].messages] == ROLES
    assert "Messages that a later interaction repeats, read once: 2" in found.warnings


def test_steps_are_read_where_no_interaction_was_recorded() -> None:
    run = copy.deepcopy(TRAE_AGENT)
    run["agent_steps"] = [
        {"step_number": number, "llm_messages": one["input_messages"], "llm_response": one["response"]}
        for number, one in enumerate(run["llm_interactions"], 1)
    ]
    run["llm_interactions"] = []
    (chat,) = import_bytes(dumps(run)).conversations
    assert [message.role for message in chat.messages] == ROLES


def test_a_result_that_failed_says_so() -> None:
    run = copy.deepcopy(TRAE_AGENT)
    failed = {**TRAE_RESULT, "success": False, "result": None, "error": "no line 2"}
    run["llm_interactions"][1]["input_messages"][0]["tool_result"] = failed
    (chat,) = import_bytes(dumps(run)).conversations
    (result,) = results_of(chat.messages[3])
    assert (result.is_error, result.call_id) == (True, "k1")
    assert text_of(chat.messages[4]) == "Pier 2."
