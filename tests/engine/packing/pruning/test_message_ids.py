"""Ids and tags: their numbers, where they stand, what they cost, and that a packed prompt keeps them."""

import numpy as np
import pytest

from budgeteer.engine.content.conversation import Message, Part, ReasoningPart, TextPart, ToolCallPart, ToolResultPart
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.packing.pruning.message_ids import (
    TagSizes,
    message_context_id,
    number_messages,
    tag_of,
    tagged,
    untagged,
)
from budgeteer.engine.rendering import render_request
from tests.conformance.counting import reference
from tests.engine.packs import assistant, bundle_of, fates, packed, result, system, user

TEXT, TAG, CALL = TextPart("said"), TextPart("<id>m001</id>"), ToolCallPart("c", "run", "{}")
THOUGHT = ReasoningPart("hm", "sealed")


def test_numbers_have_three_digits_or_more() -> None:
    assert [message_context_id(number) for number in (1, 42, 999, 1000)] == ["m001", "m042", "m999", "m1000"]


@pytest.mark.parametrize("tokenizer", ["o200k_base", "cl100k_base"])
def test_every_number_of_as_many_digits_costs_the_same(tokenizer: str) -> None:
    numbers = np.array([*range(1, 2_000), *range(9_990, 10_020), 99_999, 100_000, 123_456])
    sizes = TagSizes(counter_for(tokenizer))
    for of_blocks, letter in ((False, "m"), (True, "b")):
        names = [f"{letter}{number if of_blocks else f'{number:03d}'}" for number in numbers.tolist()]
        counted = [reference.count(f"<id>{name}</id>", tokenizer) for name in names]
        assert sizes.tokens(numbers, of_blocks=of_blocks).tolist() == counted
        assert sizes.chars(numbers, of_blocks=of_blocks).tolist() == [len(tag_of(name)) for name in names]


@pytest.mark.parametrize(
    ("parts", "provider", "expected"),
    [
        ((TEXT,), "openai-chat", (TEXT, TAG)),
        ((TEXT, CALL), "openai-chat", (TEXT, TAG, CALL)),
        ((CALL,), "openai-chat", (TAG, CALL)),
        ((TEXT, THOUGHT, CALL), "gemini", (TEXT, TAG, THOUGHT, CALL)),
        ((THOUGHT, CALL), "anthropic", (THOUGHT, TAG, CALL)),
        ((TextPart(""),), "openai-chat", (TAG,)),
        ((ToolResultPart("c", (TEXT,)),), "openai-chat", (ToolResultPart("c", (TEXT, TAG)),)),
    ],
)
def test_a_tag_stands_behind_what_a_message_says(
    parts: tuple[Part, ...], provider: str, expected: tuple[Part, ...]
) -> None:
    assert tagged(parts, TAG.text, provider) == expected
    bare, shown = untagged(Message("assistant", expected))
    assert shown == "m001"
    assert tagged(bare.parts, TAG.text, provider) == expected


def test_ids_that_were_brought_along_stay_and_others_follow_them() -> None:
    shown = ["m002", "", "b1", "m009", "m004", None, ""]
    found = number_messages(shown, {"m002": 0, "b1": 2, "m009": 3, "m004": 4})
    assert found.numbers.tolist() == [2, 3, 0, 9, 10, 0, 11]
    assert found.own.tolist() == [True, False, True, True, False, False, False]
    assert (found.row_of("m009"), found.row_of("b1"), found.row_of("m011"), found.row_of("m001")) == (3, 2, 6, None)
    assert found.named.tolist() == [True, True, True, True, True, False, True]


def test_what_pruning_needs_is_added_once_with_its_cost() -> None:
    bundle = bundle_of(system(), user("a"), assistant("b"), user("c"))
    plain, pruned = packed(bundle), packed(bundle, {"pruning": {"mode": "manual"}})
    found = {one.id: one for one in pruned.ledger}
    added = [found["system:pruning"], found["tool:compress"]]
    assert [one.fate for one in added] == ["added", "added"]
    assert all(one.before.tokens == 0 < one.after.tokens and one.rule == "pruning.mode" for one in added)
    ids = next(entry for entry in pruned.ledger.overhead if entry.name == "message ids")
    assert ids.size.tokens == 2 * reference.count("<id>m001</id>")
    assert "system:pruning" not in fates(plain)
    assert pruned.verdict.asked_tokens == pruned.verdict.sent_tokens
    assert pruned.verdict.level == "fits"


def test_a_tool_of_that_name_is_not_given_twice_and_no_limit_drops_it() -> None:
    config = {
        "pruning": {"mode": "auto"},
        "skillsBudget": {"enabled": True, "limits": {"maxToolDefinitionChars": 0}},
    }
    request = render_request(packed(bundle_of(user("a"), assistant("b"), user("c")), config))
    assert [tool["function"]["name"] for tool in request["tools"]] == ["compress"]


@pytest.mark.parametrize("provider", ["openai-responses", "anthropic", "gemini"])
def test_the_query_and_reasoning_alone_have_no_tag(provider: str) -> None:
    thought = Message("assistant", (ReasoningPart("hm", "sealed", "secret", provider),))
    bundle = bundle_of(user("a"), thought, assistant("b", "c1"), result("c1"), user("c"))
    said = str(render_request(packed(bundle, {"pruning": {"mode": "auto"}}, provider=provider)))
    assert [f"<id>m00{number}</id>" in said for number in range(1, 6)] == [True, False, True, True, False]
