"""What Claude Code added to requests and wrote no line for, told from the lines that it wrote."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import WITHOUT_TEXTS, Conversation, text_of
from budgeteer.formats.claude_code.unwritten_attachments import REMINDER_PACES
from budgeteer.formats.detect import import_bytes
from tests.formats.shapes import Session, text_block, use_block

#: The words of a reminder, by the tool that keeps the list: without a list and with one.
TASKS, TODOS, QUEUED = (110, 118), (103, 117), 49
NEW, OLD = "2.1.37", "2.0.76"
(_, NEWER), (_, OLDER) = REMINDER_PACES
REMINDER_EVERY = NEWER.between


class Agent:
    """A session of one prompt that calls tools, a reply and a result at a time."""

    def __init__(self, *, version: str = NEW, model: str = "claude-opus-4-5") -> None:
        self.session = Session()
        self.version, self.model = version, model
        self.replies = self.calls = 0
        self.session.user("u1", "Build the wall", version=version)

    def call(self, name: str = "Bash", arguments: Any = None, *, result: Any = None) -> None:
        """One reply with one call, and its result."""
        self.calls += 1
        block = {"type": "tool_use", "id": f"t{self.calls}", "name": name, "input": arguments or {"command": "ls"}}
        self.reply(block)
        self.session.result(f"r{self.calls}", f"t{self.calls}")
        if result is not None:
            self.session.lines[-1]["toolUseResult"] = result

    def reply(self, *blocks: dict[str, Any]) -> None:
        """One reply, a line for each block."""
        self.replies += 1
        for at, block in enumerate(blocks):
            uuid, reply = f"a{self.replies}-{at}", f"msg_{self.replies}"
            self.session.assistant(uuid, block, message_id=reply, version=self.version)
            self.session.lines[-1]["message"]["model"] = self.model

    def create(self, number: int, subject: str) -> None:
        self.call("TaskCreate", {"subject": subject}, result={"task": {"id": str(number), "subject": subject}})

    def update(self, number: int, status: str) -> None:
        self.call("TaskUpdate", {"taskId": str(number), "status": status})

    @property
    def talk(self) -> Conversation:
        return import_bytes(self.session.data, name="s.jsonl", whole=True).conversations[0]


def words(talk: Conversation) -> dict[int, int]:
    """Which requests had words that no line has: by their number from 0."""
    return {at: one.unwritten_tokens for at, one in enumerate(talk.recorded) if one.unwritten_tokens}


def untyped(talk: Conversation) -> list[str]:
    return [text_of(message) for message in talk.messages if message.role == "user" and not message.typed]


def test_the_task_list_is_sent_after_ten_replies_without_it_and_every_ten() -> None:
    agent = Agent()
    for _ in range(2 * REMINDER_EVERY + 3):
        agent.call()
    assert words(agent.talk) == {10: TASKS[0], 20: TASKS[0]}
    assert untyped(agent.talk) == []


def test_versions_before_remind_sooner_and_count_the_line_that_writes_the_list() -> None:
    agent = Agent(version=OLD)
    for _ in range(OLDER.since_list + 2 * OLDER.between + 1):
        agent.call()
    assert words(agent.talk) == {7: TODOS[0], 10: TODOS[0], 13: TODOS[0]}
    agent.call("TodoWrite", {"todos": [{"content": "Lay the stones", "status": "pending"}]})
    for _ in range(OLDER.since_list):
        agent.call()
    written = agent.talk
    assert {at: tokens for at, tokens in words(written).items() if at > 13} == {21: TODOS[1]}
    assert untyped(written) == ["1. [pending] Lay the stones"]


def test_lines_of_a_reply_are_counted_and_thinking_is_not() -> None:
    agent = Agent()
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    for _ in range(6):
        agent.reply(thought, text_block("Looking."), use_block(f"x{agent.replies}"))
        agent.session.result(f"y{agent.replies}", f"x{agent.replies - 1}")
    assert words(agent.talk) == {5: TASKS[0]}


def test_the_list_is_shown_as_it_stands() -> None:
    agent = Agent()
    agent.create(4, "Lay the stones")
    agent.create(5, "Paint them")
    agent.create(6, "Never mind")
    agent.update(4, "completed")
    agent.update(6, "deleted")
    agent.update(5, "in_progress")
    for _ in range(REMINDER_EVERY + 1):
        agent.call()
    assert words(agent.talk) == {16: TASKS[1]}
    assert untyped(agent.talk) == ["#4. [completed] Lay the stones\n#5. [in_progress] Paint them"]
    reminded = next(at for at, message in enumerate(agent.talk.messages) if text_of(message).startswith("#4."))
    assert agent.talk.messages[reminded + 1].role == "assistant"
    assert agent.talk.recorded[16].position == reminded + 1


def test_a_list_that_is_done_is_empty() -> None:
    agent = Agent()
    agent.create(1, "Lay the stones")
    agent.update(1, "completed")
    for _ in range(REMINDER_EVERY + 1):
        agent.call()
    assert words(agent.talk) == {12: TASKS[0]}
    assert untyped(agent.talk) == []


def test_a_task_that_was_not_created_is_not_listed() -> None:
    agent = Agent()
    agent.call("TaskCreate", {"subject": "Lay the stones"}, result="Error: no")
    for _ in range(REMINDER_EVERY + 1):
        agent.call()
    assert untyped(agent.talk) == []


def test_todos_are_the_list_of_sessions_that_write_them() -> None:
    agent = Agent(version="2.1.7")
    todos = [{"content": "Lay the stones", "status": "completed"}, {"content": "Paint them", "status": "pending"}]
    agent.call("TodoWrite", {"todos": todos})
    for _ in range(REMINDER_EVERY + 1):
        agent.call()
    assert words(agent.talk) == {11: TODOS[1]}
    assert untyped(agent.talk) == ["1. [completed] Lay the stones\n2. [pending] Paint them"]


@pytest.mark.parametrize(
    ("version", "expected"),
    [("2.1.7", TODOS[0]), ("2.1.16", TASKS[0]), ("1.0.80", 0), ("", 0), ("9" * 5_000 + ".1.1", 0)],
)
def test_the_version_tells_the_list_where_no_call_does(version: str, expected: int) -> None:
    agent = Agent(version=version)
    for _ in range(REMINDER_EVERY + 1):
        agent.call()
    assert words(agent.talk) == ({10: expected} if expected else {})


def test_words_take_the_tokens_of_the_model_that_read_them() -> None:
    agent = Agent(model="claude-opus-4-8")
    for _ in range(REMINDER_EVERY + 1):
        agent.call()
    assert words(agent.talk) == {10: 162}


def test_a_compaction_counts_replies_anew_and_keeps_the_list() -> None:
    agent = Agent()
    agent.create(1, "Lay the stones")
    for _ in range(5):
        agent.call()
    agent.session.compact("c1", "All of it.")
    for _ in range(REMINDER_EVERY + 1):
        agent.call()
    assert words(agent.talk) == {16: TASKS[1]}
    cut = import_bytes(agent.session.data, name="s.jsonl").conversations[0]
    assert words(cut) == {10: TASKS[1]}
    assert untyped(cut)[1:] == ["#1. [pending] Lay the stones"]
    assert [one.id for one in cut.messages] == [one.id for one in agent.talk.messages[-len(cut.messages) :]]


def queued(agent: Agent, *operations: tuple[str, str]) -> None:
    for operation, content in operations:
        agent.session.other("queue-operation", operation=operation, **({"content": content} if content else {}))


def test_a_prompt_that_was_taken_from_the_queue_stands_before_the_next_reply() -> None:
    agent = Agent()
    agent.call()
    queued(agent, ("enqueue", "Hurry"))
    agent.reply(text_block("Wait."), use_block("q"))
    queued(agent, ("remove", ""))
    agent.session.result("rq", "q")
    agent.call()
    talk = agent.talk
    at = next(at for at, message in enumerate(talk.messages) if text_of(message) == "Hurry")
    assert talk.messages[at].typed
    assert talk.recorded[2].position == at + 1
    assert words(talk) == {2: QUEUED}


@pytest.mark.parametrize(
    "operations",
    [
        [("enqueue", "Hurry"), ("dequeue", "")],
        [("enqueue", "Hurry"), ("popAll", ""), ("remove", "")],
        [("enqueue", '{"task_id":"b1","description":"Lay"}'), ("remove", "")],
        [("enqueue", "<task-notification>\n<task-id>b1</task-id>\n</task-notification>"), ("remove", "")],
        [("enqueue", "<agent-notification>\n<agent-id>b1</agent-id>\n</agent-notification>"), ("remove", "")],
        [("remove", "")],
    ],
    ids=["a prompt of its own", "taken back", "a task's notice", "one in tags", "an agent's notice", "an empty queue"],
)
def test_what_else_happens_to_a_queue_is_no_prompt(operations: list[tuple[str, str]]) -> None:
    agent = Agent()
    agent.call()
    queued(agent, *operations)
    agent.call()
    assert (words(agent.talk), len(agent.talk.messages)) == ({}, 5)


def test_a_session_that_writes_attachments_is_read_as_it_was_written() -> None:
    agent = Agent(version="2.1.219")
    for _ in range(REMINDER_EVERY + 3):
        agent.call()
    empty = {"type": "task_reminder", "content": [], "itemCount": 0}
    agent.session.add("attachment", "at1", attachment=empty)
    agent.call()
    shown = {"type": "task_reminder", "content": [{"id": "7", "subject": "Paint", "status": "pending"}], "itemCount": 1}
    agent.session.add("attachment", "at2", attachment=shown)
    agent.call()
    assert words(agent.talk) == {13: TASKS[0], 14: TASKS[1]}
    assert untyped(agent.talk) == ["#7. [pending] Paint"]


def test_the_text_that_was_sent_is_read_where_it_stands_beside_the_attachment() -> None:
    agent = Agent(version="2.1.270")
    agent.call()
    said = [{"content": "<note>\nThe list is empty.\n</note>"}, {"content": [text_block("Look there.")]}]
    empty = {"type": "task_reminder", "content": [], "itemCount": 0}
    agent.session.add("attachment", "at1", attachment=empty, rendered=said, renderedRole="system")
    agent.session.add("attachment", "at2", attachment={"type": "skill_listing", "content": "- all"}, rendered=[])
    agent.call()
    assert words(agent.talk) == {}
    assert untyped(agent.talk) == ["<note>\nThe list is empty.\n</note>\nLook there."]


def test_a_run_in_the_progress_of_another_has_no_texts() -> None:
    agent = Agent()
    agent.call("Task", {"prompt": "Look"})
    inner = {"role": "assistant", "id": "msg_i", "model": "claude-x", "content": [use_block("i")], "usage": {}}
    message = {"type": "assistant", "uuid": "i1", "message": inner}
    agent.session.other("progress", data={"type": "agent_progress", "agentId": "g", "message": message})
    main, run = import_bytes(agent.session.data, name="s.jsonl").conversations
    assert (WITHOUT_TEXTS in main.metadata, run.metadata[WITHOUT_TEXTS]) == (False, True)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [("req_1", True), ("chatcmpl-9", True), ("msg_bdrk_1", False), ("m1", False), ("", False)],
)
def test_a_reply_whose_id_has_a_prefix_of_others_came_from_another_server(reply: str, expected: bool) -> None:
    agent = Agent()
    agent.call()
    agent.session.assistant("z", text_block("Done."), message_id=reply)
    assert [one.other_server for one in agent.talk.recorded] == [False, expected]
