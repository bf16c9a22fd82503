"""Sessions of fifty thousand lines: read in seconds, whatever shape their tree has."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from budgeteer.engine.content.conversation import Conversation
from budgeteer.formats.detect import import_bytes
from tests.formats.agent_shapes import Events, PiSession, Rollout, pi_call
from tests.formats.shapes import Session, jsonl, text_block, use_block

pytestmark = pytest.mark.slow

LINES = 50_000
TIMES_PARSING = 70
"""The bound in times of what parsing the same lines takes, which is measured before and after: these take 4 to 31 times
that with both cores busy, quadratic work hundreds."""


def parsing_seconds(data: bytes) -> float:
    """The processor time that parsing each line takes."""
    start = time.process_time()
    for line in data.splitlines():
        json.loads(line)
    return time.process_time() - start


def claude_code_comb() -> bytes:
    """A chain of calls with a branch of one prompt at every step."""
    session = Session()
    for number in range(LINES // 5):
        session.user(f"u{number}", f"Step {number}")
        session.assistant(f"a{number}", text_block("Yes."), message_id=f"m{number}")
        session.assistant(f"b{number}", use_block(f"t{number}"), message_id=f"m{number}")
        at = session.result(f"r{number}", f"t{number}")
        session.user(f"x{number}", f"Aside {number}")
        session.last = at
    return session.data


def codex_compacted_often() -> bytes:
    rollout = Rollout()
    for number in range(LINES // 4):
        rollout.item("message", role="user", content=[{"type": "input_text", "text": f"Step {number}"}])
        rollout.call(f"k{number}")
        rollout.output(f"k{number}")
        if number % 10 == 5:
            rollout.event("thread_rolled_back", num_turns=1)
        elif number % 100 == 99:
            kept = {"type": "message", "role": "user", "content": "Go on"}
            rollout.add("compacted", {"message": "", "replacement_history": [kept]})
        else:
            rollout.usage(number + 1, number + 1)
    return rollout.data


def copilot_with_parallel_calls() -> bytes:
    events = Events()
    for number in range(LINES // 7):
        events.user(f"Step {number}")
        events.assistant("", f"t{number}", f"s{number}")
        events.result(f"s{number}")
        events.result(f"t{number}")
        events.assistant("Done.")
    return events.data


def pi_comb() -> bytes:
    session = PiSession(tree=True)
    for number in range(LINES // 4):
        session.user(f"Step {number}")
        session.assistant(pi_call(f"t{number}"))
        at = session.result(f"t{number}")
        session.user(f"Aside {number}")
        session.last = at
    return session.data


def kimi_code_undone_and_compacted() -> bytes:
    """Nothing is undone where nobody asked, and a compaction that keeps all prompts changes little."""
    said = typed_line("assistant", "Yes.")
    undo = {"type": "context.undo", "count": 1}
    kept = {"type": "context.apply_compaction", "summary": "So far.", "keptUserMessageCount": LINES}
    rest = {"type": "context.apply_compaction", "summary": "So far.", "compactedCount": 0}
    ask = typed_line("user", "Go on")
    return jsonl(*[said, undo] * (LINES // 5), *[ask, kept] * (LINES // 5), *[rest] * (LINES // 10))


def typed_line(role: str, text: str) -> dict[str, Any]:
    return {"type": "context.append_message", "message": {"role": role, "content": [{"type": "text", "text": text}]}}


def copilot_debug_log_of_other_tools() -> bytes:
    """Calls that wait, and as many answers of a tool that none of them called."""
    calls = [{"type": "tool_call", "name": "look", "id": f"c{number}"} for number in range(LINES // 2)]
    event = {"sid": "s", "spanId": "u"}
    return jsonl(
        {**event, "type": "user_message", "attrs": {"content": "Go on"}},
        {**event, "type": "agent_response", "attrs": {"response": json.dumps([{"role": "assistant", "parts": calls}])}},
        *(
            {**event, "spanId": f"x{number}", "type": "tool_call", "name": "run", "attrs": {}}
            for number in range(LINES // 2)
        ),
    )


@pytest.mark.parametrize(
    ("make", "messages", "branches"),
    [
        (claude_code_comb, LINES // 5 * 3 + 1, LINES // 5 - 1),
        (codex_compacted_often, 2, 0),
        (copilot_with_parallel_calls, LINES // 7 * 5, 0),
        (pi_comb, LINES // 4 * 3 + 1, LINES // 4 - 1),
        (kimi_code_undone_and_compacted, LINES // 5 + 1 + LINES // 10, 0),
        (copilot_debug_log_of_other_tools, LINES + 2, 0),
    ],
    ids=["claude-code", "codex", "copilot-cli", "pi", "kimi-code", "vscode-debug-log"],
)
def test_a_long_session_is_read_in_seconds(make: Callable[[], bytes], messages: int, branches: int) -> None:
    data = make()
    parsing = parsing_seconds(data)
    start = time.process_time()
    main: Conversation = import_bytes(data).conversations[0]
    took = time.process_time() - start
    assert took < TIMES_PARSING * max(parsing, parsing_seconds(data))
    assert (len(main.messages), main.branches) == (messages, branches)
