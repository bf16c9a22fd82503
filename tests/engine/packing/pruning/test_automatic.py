"""Automatic strategies: each rule by itself, and generated conversations against a plain reading of the rules."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from budgeteer.engine.content.conversation import (
    Conversation,
    Message,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    calls_of,
    results_of,
)
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.packing.pruning.placeholders import FAILED_NOTE, REPEATED_NOTE, WRITTEN_NOTE
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.rendering import render_request
from tests.conformance.packing.pruning.pruning_material import conversations
from tests.engine.packs import bundle_of, fates, packed, user
from tests.examples import examples

LONG = "the quick brown fox jumps over the lazy dog " * 6
FREE: list[str] = []


def call(number: int, tool: str, **arguments: Any) -> Message:
    return Message("assistant", (ToolCallPart(f"c{number}", tool, json.dumps(arguments)),))


def answer(number: int, text: str = LONG, *, failed: bool = False) -> Message:
    return Message("tool", (ToolResultPart(f"c{number}", (TextPart(text),), failed),))


def pruned(*messages: Message, **pruning: Any) -> Packing:
    settings_given = {"mode": "auto", "protectedTools": FREE, **pruning}
    return packed(bundle_of(*messages), {"pruning": settings_given}, provider="anthropic")


def rules(packing: Packing) -> dict[str, str]:
    return {one.id.removeprefix("message:m"): one.rule for one in packing.ledger if one.fate == "truncated"}


def test_what_stands_around_messages_is_a_part_of_the_demand() -> None:
    packing = pruned(user("a"), call(1, "ls", a=1), answer(1), call(2, "ls", a=1), answer(2), user("z"))
    section = next(one for one in packing.sections if one.name == "history")
    asked = sum(part.before.tokens for part in packing.ledger.parts if part.section == "history")
    assert 0 < section.around_tokens == section.demand.size.tokens - asked


def test_of_two_equal_calls_the_last_result_stays_whatever_the_order_of_parameters() -> None:
    packing = pruned(user("a"), call(1, "ls", a=1, b=2), answer(1), call(2, "ls", b=2, a=1), answer(2), user("z"))
    assert rules(packing) == {"3": "dedupe"}
    (first, second) = [one for one in packing.fitted_bundle.history if one.role == "tool"]
    assert results_of(first)[0].content == (TextPart(REPEATED_NOTE),)
    assert results_of(second)[0].content == (TextPart(LONG),)
    decision = next(one for one in packing.ledger if one.id == "message:m3")
    assert decision.after.tokens < decision.before.tokens
    assert decision.counterfactual


@pytest.mark.parametrize(
    ("pruning", "second"),
    [
        ({"dedupe": False}, {"a": 1}),
        ({"protectedTools": ["LS"]}, {"a": 1}),
        ({"turnProtection": 1}, {"a": 1}),
        ({"mode": "manual"}, {"a": 1}),
        ({}, {"a": 2}),
    ],
)
def test_calls_stay_whole_where_nothing_allows_to_take_them(pruning: dict[str, Any], second: dict[str, Any]) -> None:
    packing = pruned(user("a"), call(1, "ls", a=1), answer(1), call(2, "ls", **second), answer(2), **pruning)
    assert rules(packing) == {}


def test_a_short_result_and_a_pinned_group_stay() -> None:
    talk = (user("a"), call(1, "ls"), answer(1, "short"), call(2, "ls"), answer(2), call(3, "ls"), answer(3), user("z"))
    config = {"pruning": {"mode": "auto"}, "pins": ["message:m4"]}
    assert rules(packed(bundle_of(*talk), config)) == {}


def test_arguments_of_a_failed_call_go_after_so_many_turns_and_its_path_stays() -> None:
    talk = [user("a"), call(1, "patch", path="a.py", text=LONG), answer(1, "no", failed=True)]
    packing = pruned(*talk, user("z"), purgeErrorsAfterTurns=2)
    for turns in range(3):
        packing = pruned(*talk, *[user("next")] * turns, user("z"), purgeErrorsAfterTurns=2)
        assert rules(packing) == ({"2": "purgeErrorsAfterTurns"} if turns >= 1 else {})
    (made,) = calls_of(packing.fitted_bundle.history[1])
    assert json.loads(made.arguments) == {"path": "a.py", "text": FAILED_NOTE}


@pytest.mark.parametrize(
    ("later", "superseded"),
    [
        (call(2, "mcp__files__write_file", file_path="a.py", content="new"), True),
        (call(2, "Read", path="a.py"), True),
        (call(2, "read", path="a.py", limit=10), False),
        (call(2, "read", path="b.py"), False),
        (call(2, "grep", path="a.py"), False),
    ],
)
def test_a_write_is_superseded_by_a_later_write_or_a_whole_read_of_its_file(later: Message, superseded: bool) -> None:
    packing = pruned(
        user("a"), call(1, "Write", path="a.py", content=LONG), answer(1, "ok"), later, answer(2), user("z")
    )
    assert rules(packing) == ({"2": "supersedeWrites"} if superseded else {})
    if superseded:
        (made,) = calls_of(packing.fitted_bundle.history[1])
        assert json.loads(made.arguments) == {"path": "a.py", "content": WRITTEN_NOTE}


def test_a_write_that_failed_supersedes_nothing() -> None:
    writes = [call(number, "write", path="a.py", content=LONG + str(number)) for number in (1, 2)]
    packing = pruned(user("a"), writes[0], answer(1, "ok"), writes[1], answer(2, "no", failed=True), user("z"))
    assert rules(packing) == {}


def test_a_result_of_no_call_and_arguments_that_were_shortened_before_are_left_alone() -> None:
    stray = pruned(user("a"), call(1, "ls"), answer(9), answer(1), user("b"), call(2, "ls"), answer(2), user("z"))
    assert (rules(stray), fates(stray)["message:m3"]) == ({"4": "dedupe"}, "dropped")
    again = [call(number, "run", code=FAILED_NOTE) for number in (1, 2)]
    assert rules(pruned(user("a"), again[0], answer(1), user("b"), again[1], answer(2), user("z"))) == {}


def test_a_call_under_a_block_makes_no_other_one_old() -> None:
    talk = (user("a"), call(1, "ls"), answer(1), user("b"), call(2, "ls"), answer(2), user("c"), user("z"))
    ranges = [{"topic": "t", "ranges": [{"startId": "m004", "endId": "m006", "summary": "Listed again."}]}]
    assert rules(pruned(*talk)) == {"3": "dedupe"}
    packing = pruned(*talk, ranges=ranges)
    assert rules(packing) == {}
    assert fates(packing)["block:b1"] == "added"


class Plain:
    """The rules read plainly: one loop over every call for each question, nothing prepared."""

    def __init__(self, messages: list[Message], pruning: dict[str, Any], *, query_typed: bool) -> None:
        self.messages, self.pruning = messages, pruning
        self.calls: list[tuple[int, ToolCallPart, int, ToolResultPart]] = []
        for at, message in enumerate(messages):
            for one in calls_of(message):
                follow = at + 1
                while follow < len(messages) and messages[follow].role == "tool":
                    (said,) = results_of(messages[follow])
                    if said.call_id == one.id:
                        self.calls.append((at, one, follow, said))
                    follow += 1
        typed = [message.role == "user" and message.typed for message in messages]
        self.age = [sum(typed[at + 1 :]) + query_typed for at in range(len(messages))]

    def may(self, at: int, one: ToolCallPart) -> bool:
        protected = one.name.lower() in [name.lower() for name in self.pruning["protectedTools"]]
        return not protected and self.age[at] >= self.pruning["turnProtection"]

    def expected(self) -> dict[int, set[str]]:
        """Row -> what is taken of it."""
        found: dict[int, set[str]] = {}
        for number, (at, one, follow, said) in enumerate(self.calls):
            if not self.may(at, one):
                continue
            later = self.calls[number + 1 :]
            if self.pruning["dedupe"] and any(self.same(one, other[1]) for other in later):
                found.setdefault(follow, set()).add("result")
            if said.is_error and self.age[at] >= self.pruning["purgeErrorsAfterTurns"]:
                found.setdefault(at, set()).add(one.id)
            path = self.file(one, "write")
            if self.pruning["supersedeWrites"] and path:
                hits = [
                    other
                    for other in later
                    if other[0] > at and not other[3].is_error
                    and path in (self.file(other[1], "write"), self.file(other[1], "read"))
                ]  # fmt: skip
                if hits:
                    found.setdefault(at, set()).add(one.id)
        return found

    @staticmethod
    def value(one: ToolCallPart) -> Any:
        try:
            return json.loads(one.arguments) if one.arguments else {}
        except ValueError:
            return one.arguments

    def same(self, one: ToolCallPart, other: ToolCallPart) -> bool:
        return one.name == other.name and bool(self.value(one) == self.value(other))

    def file(self, one: ToolCallPart, kind: str) -> str:
        name = one.name.split("__")[-1].lower().replace("_", "")
        value = self.value(one)
        if name not in (kind, f"{kind}file") or not isinstance(value, dict):
            return ""
        others = [key for key, given_value in value.items() if key != "path" and given_value is not None]
        return "" if kind == "read" and others else str(value.get("path", ""))


@settings(
    max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(
    conversations(),
    st.fixed_dictionaries(
        {
            "protectedTools": st.lists(st.sampled_from(["write", "READ", "run"]), max_size=2),
            "turnProtection": st.integers(0, 3),
            "purgeErrorsAfterTurns": st.integers(0, 3),
            "dedupe": st.booleans(),
            "supersedeWrites": st.booleans(),
        }
    ),
)
def test_any_conversation_is_pruned_as_the_rules_say(conversation: Conversation, pruning: dict[str, Any]) -> None:
    messages = [Message(one.role, one.parts, typed=one.typed) for one in conversation.messages if one.role != "system"]
    bundle = bundle_of(*messages, query="what now?")
    packing = packed(bundle, {"pruning": {"mode": "auto", "maxSummaryPercent": 100, **pruning}}, provider="openai-chat")
    plain = Plain(list(bundle.history), pruning, query_typed=True)
    expected = plain.expected()
    count = counter_for("o200k_base").count
    notes = (REPEATED_NOTE, FAILED_NOTE, WRITTEN_NOTE)
    for row, (before, after) in enumerate(zip(bundle.history, packing.fitted_bundle.history, strict=True)):
        taken = expected.get(row, set())
        for said, left in zip(results_of(before), results_of(after), strict=True):
            text = "".join(part.text for part in said.content if isinstance(part, TextPart))
            smaller = count(text) > count(REPEATED_NOTE)
            assert (left.content == (TextPart(REPEATED_NOTE),)) == ("result" in taken and smaller)
        for made, left_call in zip(calls_of(before), calls_of(after), strict=True):
            assert (made.id, made.name) == (left_call.id, left_call.name)
            if left_call.arguments != made.arguments:
                assert made.id in taken
                assert any(note in left_call.arguments for note in notes)
                assert count(left_call.arguments) < count(made.arguments)
            elif made.id in taken:
                value = plain.value(made)
                values = value.values() if isinstance(value, dict) else [made.arguments]
                assert not any(isinstance(one, str) and count(one) > 40 for one in values)
    assert render_request(packing)["messages"]


def test_a_notice_that_is_read_back_gets_no_id() -> None:
    notice = "[7 earlier messages removed to save context]"
    packing = packed(bundle_of(user(notice), user("Go on"), user("Now")), {"pruning": {"mode": "auto"}})
    messages = render_request(packing)["messages"]
    assert [notice == message["content"] for message in messages].count(True) == 1
    assert str(messages[-2]["content"]).count("<id>") == 1
