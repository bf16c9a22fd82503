"""OpenHands' events: condensations, folders, evaluation rows, older events, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import TextPart, calls_of, results_of
from budgeteer.engine.errors import FormatError
from budgeteer.formats.detect import import_bytes
from budgeteer.formats.messages.imported import Imported
from tests.formats.makers.openhands import OPENHANDS, OPENHANDS_SDK, sdk_text
from tests.formats.shapes import dumps, jsonl, zipped


def said(found: Imported) -> list[tuple[str, str]]:
    return [
        (message.role, part.text)
        for chat in found.conversations
        for message in chat.messages
        for part in message.parts
        if isinstance(part, TextPart)
    ]


@pytest.mark.parametrize("holder", ["trajectory", "history"])
def test_events_under_a_key_are_read_as_those_of_a_list(holder: str) -> None:
    alone, held = import_bytes(dumps(OPENHANDS)), import_bytes(dumps({"instance_id": "i-1", holder: OPENHANDS}))
    assert (held.format, held.conversations[0].id, said(held)) == ("openhands", "i-1", said(alone))


def test_pairs_of_action_and_observation_are_read_in_order() -> None:
    pairs = [[OPENHANDS[1], OPENHANDS[2]], [OPENHANDS[3], OPENHANDS[4]]]
    found = import_bytes(jsonl({"instance_id": "a", "history": pairs}, {"instance_id": "b", "history": pairs}))
    assert [chat.id for chat in found.conversations] == ["a", "b"]
    assert [message.role for message in found.conversations[1].messages] == ["user", "assistant", "tool"]


@pytest.mark.parametrize(("name", "events"), [("{}", OPENHANDS), ("event-{:05d}-ab12", OPENHANDS_SDK)])
def test_a_folder_of_events_is_read_by_the_numbers_in_their_names(name: str, events: Any) -> None:
    files = {f"c-1/events/{name.format(at)}.json": dumps(event) for at, event in enumerate(events)}
    files["c-1/base_state.json"] = dumps({"id": "c-1"})
    found, alone = import_bytes(zipped(dict(reversed(files.items())))), import_bytes(dumps(list(events)))
    assert (found.format, said(found)) == (alone.format, said(alone))
    assert found.conversations[0].id == "c-1"


def test_an_action_without_the_response_is_a_call_of_its_arguments() -> None:
    acted = {"id": 7, "source": "agent", "action": "read", "args": {"path": "a", "thought": "Look", "start": None}}
    seen = {"id": 8, "source": "agent", "cause": 7, "observation": "error", "content": "gone", "extras": {}}
    (chat,) = import_bytes(dumps([OPENHANDS[1], acted, seen])).conversations
    (call,) = calls_of(chat.messages[1])
    (result,) = results_of(chat.messages[2])
    assert (call.name, call.arguments) == ("read", '{"path":"a"}')
    assert (result.call_id, result.is_error) == (call.id, True)
    assert result.content == (TextPart("gone\n[Error occurred in processing last action]"),)


def test_feedback_whose_arguments_stand_under_extras_is_read_as_other_events() -> None:
    def event(**held: Any) -> dict[str, Any]:
        empty = dict.fromkeys(("action", "content", "extras", "id", "message", "observation", "source", "timestamp"))
        return {**empty, **held}

    events = [
        event(action="initialize", source="environment", extras={"LANGUAGE": "en"}),
        event(content="ok", source="environment"),
        event(action="message", source="user", extras={"content": "What is here?", "images_urls": []}),
        event(observation="agent_state_changed", source="agent", content="", extras={"agent_state": "running"}, id=1),
        event(action="run", source="agent", extras={"command": "ls", "thought": "I look."}, id=2),
        event(observation="run", source="agent", content="a.txt", extras={"command": "ls", "exit_code": 0}, id=3),
        event(action="finish", source="agent", extras={"outputs": {}, "thought": "One file."}, id=4),
    ]
    found = import_bytes(dumps([{"id": "7", "version": "1.0", "trajectory": events}]))
    (chat,) = found.conversations
    assert said(found) == [("user", "What is here?"), ("assistant", "I look."), ("assistant", "One file.")]
    assert [(call.name, call.arguments) for call in calls_of(chat.messages[1])] == [("run", '{"command":"ls"}')]
    assert [result.content for result in results_of(chat.messages[2])] == [(TextPart("a.txt"),)]
    assert [item.where for item in found.skipped] == ["element 1, event 2"]
    assert not any("may also be read" in warning for warning in found.warnings)
    assert found.accounting is not None
    assert not found.accounting.is_lossy


def test_a_command_of_the_user_is_told_as_openhands_tells_it() -> None:
    ran = {"id": 7, "source": "user", "action": "run", "args": {"command": "ls"}}
    seen = {"id": 8, "source": "user", "cause": 7, "observation": "run", "content": "b", "extras": {"metadata": {}}}
    finish = {"id": 9, "source": "agent", "action": "finish", "args": {"thought": "Done.", "final_thought": "x"}}
    assert said(import_bytes(dumps([ran, seen, finish]))) == [
        ("user", "User executed the command:\nls"),
        ("user", "\nObserved result of command executed by user:\n"),
        ("user", "b"),
        ("assistant", "Done."),
        ("assistant", "x"),
    ]


@pytest.mark.parametrize(
    ("thought", "ended", "expected"),
    [
        ("I am done.", "\nThree files are sorted.", ["I am done.", "\nThree files are sorted."]),
        ("", "Three files are sorted.", ["Three files are sorted."]),
        ("I am done.", "", ["I am done."]),
        ("Sorted.", "\nSorted.\n", ["Sorted."]),
        ("", " ", []),
    ],
)
def test_the_thought_and_the_final_thought_of_a_finish_are_read_once(
    thought: str, ended: str, expected: list[str]
) -> None:
    args = {"thought": thought, "final_thought": ended, "task_completed": "true", "outputs": {}}
    found = import_bytes(dumps([OPENHANDS[1], {"id": 9, "source": "agent", "action": "finish", "args": args}]))
    assert said(found) == [("user", "What is here?"), *(("assistant", text) for text in expected)]
    if expected:
        (chat,) = found.conversations
        assert [message.role for message in chat.messages] == ["user", "assistant"]


def test_knowledge_is_read_once() -> None:
    extras = {"recall_type": "knowledge", "microagent_knowledge": [{"name": "git", "content": "Commit often."}]}
    recalled = {"source": "environment", "observation": "recall", "content": "", "extras": extras}
    found = import_bytes(dumps([OPENHANDS[1], recalled, recalled]))
    assert said(found) == [("user", "What is here?"), ("user", "Commit often.")]


def test_condensed_events_make_room_for_their_summary() -> None:
    args = {"forgotten_events_start_id": 3, "forgotten_events_end_id": 4, "summary": "It listed.", "summary_offset": 2}
    data = dumps([*OPENHANDS[:6], {"id": 6, "source": "agent", "action": "condensation", "args": args}])
    expected = ["You are a helper.", "What is here?", "It listed.", "One file."]
    assert [text for _, text in said(import_bytes(data))] == expected
    assert [text for _, text in said(import_bytes(data, whole=True))][2] == "I look."

    forgotten = {"forgotten_event_ids": ["e2", "e3", "e4", "e5"], "summary": "It listed.", "summary_offset": 2}
    event = {"kind": "Condensation", "id": "e8", "source": "environment", **forgotten}
    again = {**event, "id": "e9", "forgotten_event_ids": ["e8-summary", "e7"], "summary": "All done."}
    data = jsonl(*OPENHANDS_SDK, event, again)
    expected = ["You are a helper.", "What is here?", "Be brief.", "All done."]
    assert [text for _, text in said(import_bytes(data))] == expected
    assert [text for _, text in said(import_bytes(data, whole=True))][-1] == "One file."


def test_calls_of_one_response_are_one_message() -> None:
    (chat,) = import_bytes(jsonl(*OPENHANDS_SDK)).conversations
    assert [call.name for call in calls_of(chat.messages[2])] == ["terminal", "think"]
    (last,) = results_of(chat.messages[4])
    assert (last.call_id, last.is_error) == ("t2", True)


def test_an_event_of_an_unknown_kind_is_listed() -> None:
    found = import_bytes(jsonl(*OPENHANDS_SDK, {"kind": "NewEvent", "source": "agent", "text": "x"}))
    assert [(item.where, item.why) for item in found.skipped] == [("line 9", "no event and no row with events")]


def test_events_without_a_message_are_refused_by_name() -> None:
    with pytest.raises(FormatError, match="No OpenHands messages were found"):
        import_bytes(dumps([OPENHANDS[2]]))
    with pytest.raises(FormatError, match="No OpenHands messages were found"):
        import_bytes(dumps([OPENHANDS_SDK[6]]))


def test_a_failed_result_says_so_as_the_sdk_sends_it() -> None:
    failed = {"kind": "FileEditorObservation", "content": [sdk_text("no such file")], "is_error": True}
    data = jsonl(*OPENHANDS_SDK[:4], {**OPENHANDS_SDK[4], "observation": failed})
    (chat,) = import_bytes(data).conversations
    (result,) = results_of(chat.messages[3])
    assert result.is_error
    assert result.content == (TextPart("[An error occurred during execution.]\n"), TextPart("no such file"))


def test_events_of_the_first_versions_name_no_source_and_keep_all_in_one_object() -> None:
    history = [
        {"action": "message", "content": "Add a licence.", "images_urls": None, "wait_for_response": False},
        {"action": "run", "command": "touch LICENSE", "thought": "I make the file.", "keep_prompt": True},
        {"observation": "run", "content": "done", "command": "touch LICENSE", "exit_code": 0},
        {"action": "message", "content": "Which year?", "thought": "", "wait_for_response": True},
        {"action": "message", "content": "This one.", "images_urls": None},
        {"action": "finish", "outputs": {}, "thought": "It is there."},
    ]
    row = {"issue": {"title": "Licence"}, "instruction": "Add a licence.", "history": history, "git_patch": "diff"}
    found = import_bytes(jsonl(row, row))
    assert (found.format, len(found.conversations)) == ("openhands", 2)
    assert said(found)[:5] == [
        ("user", "Add a licence."),
        ("assistant", "I make the file."),
        ("assistant", "Which year?"),
        ("user", "This one."),
        ("assistant", "It is there."),
    ]
    messages = found.conversations[0].messages
    assert [call.arguments for message in messages for call in calls_of(message)] == ['{"command":"touch LICENSE"}']
    assert [result.call_id for message in messages for result in results_of(message)] == ["call_1"]
    assert found.accounting is not None
    assert not found.accounting.is_lossy
