"""What Claude Code said of plan mode and wrote no line for, and the files that a prompt named with `@`."""

from __future__ import annotations

from typing import Any

import pytest

from budgeteer.engine.content.conversation import Conversation
from budgeteer.formats.claude_code.attachments import unwritten_tokens
from budgeteer.formats.claude_code.plan_mode import LINES_BETWEEN, TEXTS_OF_WHOLE
from budgeteer.formats.detect import import_bytes
from tests.formats.shapes import Session

WHOLE, SHORT, OVER, OVER_WITHOUT_PLAN, AGAIN = 1075, 94, 72, 40, 238


class Agent:
    """A session on a version that writes no attachments, a reply with one call and its result at a time.

    `TaskCreate` keeps the reminder of the task list away.
    """

    def __init__(self, prompt: str = "Build the wall", *, version: str = "2.1.37") -> None:
        self.session = Session()
        self.version, self.replies = version, 0
        self.session.user("u0", prompt, version=version)

    def call(self, name: str = "TaskCreate", *, refused: bool = False) -> None:
        self.replies += 1
        at = self.replies
        block = {"type": "tool_use", "id": f"t{at}", "name": name, "input": {}}
        self.session.assistant(f"a{at}", block, message_id=f"msg_{at}", version=self.version)
        self.session.lines[-1]["message"]["model"] = "claude-opus-4-5"
        self.session.result(f"r{at}", f"t{at}")
        self.session.lines[-1]["message"]["content"][0]["is_error"] = refused

    def prompt(self, text: str = "Go on", **line: Any) -> None:
        self.session.user(f"p{self.replies}", text, version=self.version, **line)

    @property
    def talk(self) -> Conversation:
        return import_bytes(self.session.data, name="s.jsonl", whole=True).conversations[0]

    @property
    def words(self) -> dict[int, int]:
        """Which requests had words that no line has: by their number from 0."""
        return {at: one.unwritten_tokens for at, one in enumerate(self.talk.recorded) if one.unwritten_tokens}

    @property
    def with_files(self) -> list[int]:
        return [at for at, one in enumerate(self.talk.recorded) if one.files_unread]


def test_plan_mode_is_explained_whole_and_then_in_short_every_five_lines() -> None:
    agent = Agent()
    agent.call("EnterPlanMode")
    for _ in range(LINES_BETWEEN * TEXTS_OF_WHOLE + 1):
        agent.call()
    short = {1 + LINES_BETWEEN * at: SHORT for at in range(1, TEXTS_OF_WHOLE)}
    assert agent.words == {1: WHOLE, **short, 1 + LINES_BETWEEN * TEXTS_OF_WHOLE: WHOLE}


def test_an_approved_plan_ends_it_and_is_named_when_it_begins_again() -> None:
    agent = Agent()
    agent.call("EnterPlanMode")
    agent.call("ExitPlanMode", refused=True)
    agent.call("ExitPlanMode")
    for _ in range(LINES_BETWEEN):
        agent.call()
    agent.call("EnterPlanMode")
    agent.call()
    assert agent.words == {1: WHOLE, 3: OVER, 9: WHOLE + AGAIN}


def test_a_refused_call_does_not_begin_it() -> None:
    agent = Agent()
    agent.call("EnterPlanMode", refused=True)
    agent.call()
    assert agent.words == {}


def test_a_prompt_tells_the_mode_that_it_was_sent_in() -> None:
    agent = Agent()
    agent.call()
    agent.prompt(permissionMode="plan")
    agent.call()
    agent.prompt()
    agent.call()
    agent.prompt(permissionMode="default")
    agent.call()
    agent.call()
    assert agent.words == {1: WHOLE, 3: OVER_WITHOUT_PLAN}


def test_after_a_compaction_it_is_explained_anew() -> None:
    agent = Agent()
    agent.call("EnterPlanMode")
    agent.call()
    agent.session.compact("c1", "All of it.")
    agent.call()
    agent.call()
    assert agent.words == {1: WHOLE, 2: WHOLE}


def test_older_versions_had_other_texts() -> None:
    agent = Agent(version="2.0.76")
    agent.call("EnterPlanMode")
    agent.call()
    assert agent.words == {}


@pytest.mark.parametrize(
    ("attachment", "tokens"),
    [
        ({"type": "plan_mode", "reminderType": "full", "planExists": True}, WHOLE),
        ({"type": "plan_mode", "reminderType": "sparse", "planExists": False}, SHORT),
        ({"type": "plan_mode", "reminderType": "full", "isSubAgent": True}, 0),
        ({"type": "plan_mode_exit", "planExists": True}, OVER),
        ({"type": "plan_mode_exit", "planExists": False}, OVER_WITHOUT_PLAN),
        ({"type": "plan_mode_reentry"}, AGAIN),
    ],
)
def test_a_line_of_a_newer_version_takes_the_same(attachment: dict[str, Any], tokens: int) -> None:
    assert unwritten_tokens({"attachment": attachment}, "claude-v3") == tokens


@pytest.mark.parametrize(
    "prompt",
    ["See @src/wall.py", "@README.md says so", 'Read @"my notes.md", please', "In @docs/ it stands", "@.env"],
)
def test_a_prompt_that_names_a_file_was_sent_with_it(prompt: str) -> None:
    agent = Agent()
    agent.call()
    agent.prompt(prompt)
    agent.call()
    agent.call()
    assert agent.with_files == [1]
    skill = Agent()
    skill.call("Skill")
    skill.prompt(prompt, isMeta=True)
    skill.call()
    assert skill.with_files == [1]


@pytest.mark.parametrize("prompt", ["Ask @anna.", "mail a@b.org", "@dataclass", "@", '@"', "it costs 3 @ 4.50"])
def test_other_signs_name_no_file(prompt: str) -> None:
    agent = Agent(prompt)
    agent.call()
    assert agent.with_files == []


def test_what_a_session_with_attachments_was_sent_stands_in_it() -> None:
    agent = Agent("See @src/wall.py")
    agent.session.other("attachment", attachment={"type": "file", "content": {"file": {"content": "Stones"}}})
    agent.call()
    assert agent.with_files == []
