"""Benchmark files: BFCL tasks, flattened transcripts, trajectories without a history."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import (
    OpaquePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    calls_of,
)
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.messages.imported import Imported
from tests.formats.shapes import OPENAI_CHAT, call, dumps, jsonl


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def test_a_task_is_its_turns_with_its_functions_as_tools() -> None:
    function = {
        "name": "tide.at",
        "description": "The tide",
        "parameters": {"type": "dict", "properties": {"at": {"type": "float"}, "how": {"type": "string"}}},
    }
    plain = {"name": "ping", "description": "Pings", "parameters": {"type": "object", "properties": {}}}
    task = {
        "id": "multiple_1",
        "question": [[user("One"), user("Two")], [user("Three")]],
        "function": [function, plain],
    }
    found = import_bytes(jsonl(task), name="tasks.json")
    assert found.format == "bfcl"
    (chat,) = found.conversations
    assert [message.parts for message in chat.messages] == [(TextPart(text),) for text in ("One", "Two", "Three")]
    assert (chat.id, chat.title) == ("multiple_1", "One")
    properties = {"at": {"type": "number"}, "how": {"type": "string"}}
    assert chat.tools[0] == {**function, "parameters": {"type": "object", "properties": properties}}
    assert chat.tools[1] is not None
    assert chat.tools[1] == plain
    assert found.warnings == ("Functions with types like `dict` and `float`, read as `object` and `number`: 1",)


def test_the_world_of_a_task_is_left_out_and_said() -> None:
    task = {"id": "t", "question": [user("Move it")], "initial_config": {"Files": {}}, "path": ["Files.mv"]}
    found = import_bytes(jsonl(task, {"id": "x", "question": [[]], "path": []}, task))
    assert [len(chat.messages) for chat in found.conversations] == [1, 1]
    assert [(item.where, item.why) for item in found.skipped] == [("line 2", "no `question` with messages")]
    assert found.warnings == (
        "Tasks with a simulated world or a solution beside the question, of which no model is sent anything: 3",
    )
    with pytest.raises(FormatError, match="No BFCL messages were found"):
        import_bytes(dumps({"question": "?"}), as_format="bfcl")


def shown(*texts: str) -> Imported:
    found = import_bytes(jsonl(*({"messages_display": text} for text in texts)))
    assert found.format == "text-transcripts"
    return found


def test_a_call_that_is_not_shown_is_kept_without_name_and_arguments() -> None:
    found = shown("system: Be short.\nuser: How high?\nassistant: None\ntool: 0.4 m\nassistant: 40 cm.\nuser: Thanks")
    (chat,) = found.conversations
    assert [message.role for message in chat.messages] == ["system", "user", "assistant", "tool", "assistant", "user"]
    assert chat.messages[2].parts == (ToolCallPart("call_1", "", ""),)
    assert chat.messages[3].parts == (ToolResultPart("call_1", (TextPart("0.4 m"),)),)
    assert chat.messages[4].parts == (TextPart("40 cm."),)
    assert found.warnings == ("Calls whose name and arguments the transcript leaves out, kept without them: 1",)


def test_turns_may_have_several_lines_and_calls_a_text() -> None:
    found = shown("user: One\ntwo: still one\n\nassistant: Let me see.\ntool: a\ntool: b\nassistant: None\nuser:")
    messages = found.conversations[0].messages
    assert messages[0].parts == (TextPart("One\ntwo: still one"),)
    assert messages[1].parts == (TextPart("Let me see."), ToolCallPart("call_1", "", ""))
    assert messages[3].parts == (ToolResultPart("", (TextPart("b"),)),)
    assert (messages[4].parts, messages[5].parts) == ((), ())
    assert "Tool results without a call before them, kept as they came: 1" in found.warnings


def test_transcripts_that_cannot_be_read_are_listed_or_refused() -> None:
    found = shown("user: One", "no role at all")
    assert [(item.where, item.why) for item in found.skipped] == [("line 2", "no turn begins with a role")]
    with pytest.raises(FormatError, match="No text transcript messages were found"):
        import_bytes(dumps({"messages_display": ""}), as_format="text-transcripts")


STEPS: list[dict[str, Any]] = [
    {"thought": "I look.\n", "action": "ls\n", "observation": "a.py", "response": "I look.\n```\nls\n```"},
    {"thought": "Done.", "action": "submit", "observation": None, "response": ""},
]


def test_steps_without_a_history_are_what_was_said_and_shown() -> None:
    found = import_bytes(dumps({"environment": "env", "trajectory": STEPS, "history": [], "info": {}}))
    assert found.format == "swe-agent"
    (chat,) = found.conversations
    assert [(message.role, message.typed, message.line) for message in chat.messages] == [
        ("assistant", True, 1),
        ("user", False, 1),
        ("assistant", True, 2),
    ]
    assert [message.parts for message in chat.messages] == [
        (TextPart("I look.\n```\nls\n```"),),
        (TextPart("a.py"),),
        (TextPart("Done.\nsubmit"),),
    ]


@pytest.mark.parametrize("key", ["messages", "query"])
def test_the_last_step_says_what_the_model_was_sent(key: str) -> None:
    steps = [{**STEPS[0], key: OPENAI_CHAT[:2]}, {**STEPS[0], key: OPENAI_CHAT}]
    found = import_bytes(dumps([{"instance_id": "i-1", "trajectory": steps}]))
    (chat,) = found.conversations
    assert (chat.id, len(chat.messages)) == ("i-1", len(OPENAI_CHAT) + 2)
    assert found.warnings == ("Steps whose messages the last step repeats, counted once: 1",)


def test_trajectories_without_a_step_are_listed_or_refused() -> None:
    found = import_bytes(dumps([{"trajectory": STEPS}, {"trajectory": []}]))
    assert [(item.where, item.why) for item in found.skipped] == [("element 2", "no step in it")]
    with pytest.raises(FormatError, match="No SWE-agent messages were found"):
        import_bytes(dumps({"trajectory": []}), as_format="swe-agent")


def test_a_history_keeps_its_thinking_and_its_call_ids() -> None:
    thinking = [{"type": "thinking", "thinking": "Hm", "signature": "s"}, "odd"]
    history = [
        {"role": "user", "content": [{"type": "text", "text": "Fix it", "cache_control": {"type": "ephemeral"}}]},
        {"role": "assistant", "content": "Go", "thinking_blocks": thinking, "tool_calls": [call("c1")]},
        {"role": "tool", "content": "files", "tool_call_ids": ["c1"]},
    ]
    found = import_bytes(dumps({"history": history, "trajectory": STEPS}))
    assert found.format == "swe-agent"
    assert found.conversations[0].messages[1].parts == (
        ReasoningPart("Hm", signature="s"),
        TextPart("Go"),
        ToolCallPart("c1", "look_up", '{"q":"x"}'),
    )


def test_actions_in_the_words_of_a_history_stay_words_and_are_told() -> None:
    history = [
        {"role": "system", "content": "Answer with one command.", "agent": "main"},
        user("Fix it"),
        {
            "role": "assistant",
            "content": "I look.\n```\nls\n```",
            "thought": "I look.",
            "action": "ls",
            "agent": "main",
        },
        user("a.py"),
    ]
    found = import_bytes(dumps({"environment": "e", "history": history, "trajectory": STEPS, "info": {"cost": 1}}))
    assert found.format == "swe-agent"
    (chat,) = found.conversations
    assert [message.role for message in chat.messages] == ["system", "user", "assistant", "user"]
    assert not any(map(calls_of, chat.messages))
    assert found.findings.counted == (
        ("Steps that the history repeats, left out", len(STEPS)),
        ("Actions that models wrote into their words, kept as texts", 1),
    )
    assert found.accounting is not None
    assert not found.accounting.is_lossy


ASKED: dict[str, Any] = {"role": "user", "content": [{"type": "text", "text": "How high is the water?"}]}
RAN: dict[str, Any] = {"type": "tool_call", "tool_call_id": "k1", "name": "tide", "arguments": {"city": "Oslo"}}
TOLD: dict[str, Any] = {"type": "tool_result", "tool_result": {"metres": 0.4}}
ANSWERED: list[dict[str, Any]] = [
    {"role": "assistant", "run_id": "r1", "content": [{"type": "text", "text": "I look."}, RAN]},
    {"role": "tool", "tool_call_id": "k1", "content": [TOLD]},
    {"role": "assistant", "content": "40 cm."},
]
FUNCTION = {"name": "tide", "description": "The tide.", "parameters": {"type": "object", "properties": {}}}


def test_a_query_and_its_response_are_one_conversation_with_its_tools() -> None:
    row = {"query": [ASKED], "response": ANSWERED, "tool_definitions": [FUNCTION]}
    found = import_bytes(jsonl(row, {**row, "response": "40 cm."}, {**row, "query": "How high is the water?"}))
    assert (found.format, found.skipped) == ("openai-chat", ())
    called = (TextPart("I look."), ToolCallPart("k1", "tide", '{"city":"Oslo"}'))
    question, answer = ("user", (TextPart("How high is the water?"),)), ("assistant", (TextPart("40 cm."),))
    steps = [("assistant", called), ("tool", (ToolResultPart("k1", (TextPart('{"metres":0.4}'),)),))]
    assert [[(message.role, message.parts) for message in chat.messages] for chat in found.conversations] == [
        [question, *steps, answer],
        [question, answer],
        [question, *steps, answer],
    ]
    assert all(chat.tools == ({"type": "function", "function": FUNCTION},) for chat in found.conversations)


def test_a_query_and_a_response_of_texts_are_a_question_where_no_tools_stand_beside() -> None:
    row = {"query": "How high?", "response": "40 cm."}
    assert import_bytes(jsonl(row, row)).format == "questions"
    assert import_bytes(jsonl({**row, "tool_definitions": [FUNCTION]})).format == "openai-chat"


@pytest.mark.parametrize("held", [{"tool_call": call("k1")}, {"x": 1}])
def test_calls_among_parts_stand_in_openais_form_or_stay_what_they_are(held: dict[str, Any]) -> None:
    said = {"role": "assistant", "content": [{"type": "tool_call", **held}, {"type": "text", "text": "I look."}]}
    (_, message) = import_bytes(dumps({"messages": [ASKED, said]})).conversations[0].messages
    inner = held.get("tool_call", {}).get("id")
    assert [call.id for call in calls_of(message)] == ([inner] if inner else [])
    assert [part.kind for part in message.parts if isinstance(part, OpaquePart)] == ([] if inner else ["tool_call"])
    assert TextPart("I look.") in message.parts


def test_questions_of_several_turns_may_stand_in_a_list_under_text() -> None:
    rows = [{"question_id": at, "text": ["When is low water?", "And tomorrow?"], "category": "tides"} for at in (1, 2)]
    found = import_bytes(jsonl(*rows))
    assert found.format == "mt-bench"
    assert [len(chat.messages) for chat in found.conversations] == [2, 2]
    with pytest.raises(FormatError):
        import_bytes(jsonl(*({**row, "text": [7]} for row in rows)))
