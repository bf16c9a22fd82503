"""What the harness asks for: the first entries within a limit in a form of their own, and many budgets at once."""

from __future__ import annotations

import pytest

from benchmarks.inputs import workloads
from benchmarks.packers import counted, oracle, tokenizer
from benchmarks.packers.contenders import ours

HEAD, TAIL = "Choose from:\n<list>\n", "</list>\n"
ENTRIES = [f"  <one>{skill.name}: {skill.description.strip()}</one>\n" for skill in workloads.skills(30)]


def subject(*, in_chars: bool) -> counted.Counted:
    conversation = ours.conversation_of(workloads.conversation(60))
    return counted.Counted.of(conversation, ENTRIES, (HEAD, TAIL), in_chars=in_chars)


@pytest.mark.parametrize(("in_chars", "size"), [(False, tokenizer.count), (True, len)])
@pytest.mark.parametrize("kept", [0, 1, 7, 29, 30])
def test_as_many_entries_as_the_formatted_list_may_hold(in_chars, size, kept):
    whole = size(HEAD + "".join(ENTRIES[:kept]) + TAIL)
    found = subject(in_chars=in_chars)
    assert found.skills_within(whole) == kept
    assert found.skills_within(whole - 1) == max(kept - 1, 0)


def test_messages_are_kept_as_the_oracle_keeps_them_counted_before_or_not():
    messages = workloads.conversation(60)
    costs, conversation = oracle.costs_of(messages), ours.conversation_of(messages)
    found, systems = subject(in_chars=False), counted.systems_in(conversation)
    assert systems == [0]
    for budget in (1_000, 2_500, 10_000):
        right = oracle.newest_that_fit(costs, budget)
        assert found.messages_within(budget) == right
        assert counted.messages_within(conversation, systems, budget) == right


def test_many_budgets_at_once_are_each_budget_alone():
    found = subject(in_chars=False)
    costs = oracle.costs_of(workloads.conversation(60))
    budgets = (2_000, 3_500, 3_501, 9_000)
    starts, kept = found.sweep(budgets, share_percent=10)
    for budget, start, entries in zip(budgets, starts, kept, strict=True):
        assert entries == found.skills_within(budget // 10)
        room = budget - tokenizer.count(HEAD + "".join(ENTRIES[:entries]) + TAIL)
        assert oracle.newest_that_fit(costs, room)[1] == start


def test_messages_of_a_chat_request_are_read():
    call = {"id": "c", "type": "function", "function": {"name": "run", "arguments": "{}"}}
    chat = [
        {"role": "system", "content": "S"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "done"},
    ]
    said = (
        workloads.Said("system", "S"),
        workloads.Said("assistant", "", (workloads.Call("c", "run", "{}"),)),
        workloads.Said("tool", "done", answers="c"),
    )
    assert counted.conversation_of_chat(chat) == ours.conversation_of(said)
