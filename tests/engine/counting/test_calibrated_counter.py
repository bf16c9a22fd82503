"""Counts that follow recorded requests: a counter whose name says what it charges."""

from __future__ import annotations

import pytest

from budgeteer.engine.content.conversation import Message, TextPart, ToolCallPart, ToolResultPart
from budgeteer.engine.counting.calibrated_counter import Charges, charges_of, vocabulary_of
from budgeteer.engine.counting.message_frames import framed_tokens
from budgeteer.engine.counting.message_measures import measure_messages
from budgeteer.engine.counting.tokenizers import TOKENIZERS, counter_for
from budgeteer.engine.providers.registry import PROVIDERS

CHARGES = Charges.of("claude-v3", per_token=1.25, message=3, call=46, parameter=14)


def test_a_counter_is_found_by_a_name_that_says_all_of_it() -> None:
    counter = counter_for(CHARGES.name)
    assert counter.name == "claude-v3x1.2500m3c46p14"
    assert charges_of(counter) == CHARGES == Charges.named(counter.name)
    assert (counter.kind, vocabulary_of(counter.name)) == ("calibrated", "claude-v3")
    longest = Charges.of("claude-v4.8", per_token=4, message=999, call=999, parameter=999).name
    assert len(longest) <= 32  # what the database has room for


@pytest.mark.parametrize("name", TOKENIZERS)
def test_no_tokenizer_is_taken_for_a_calibrated_one(name: str) -> None:
    assert Charges.named(name) is None
    assert vocabulary_of(name) == name
    assert charges_of(counter_for(name)) is None


def test_each_text_is_counted_by_the_factor_in_whole_tokens() -> None:
    plain, counter = counter_for("claude-v3"), counter_for(CHARGES.name)
    texts = ["", "Lamp", "The harbour wall holds.", "A keeper rows past. " * 50]
    expected = [(5 * plain.count(text) + 2) // 4 for text in texts]
    assert counter.count_all(texts) == [counter.count(text) for text in texts] == expected
    assert counter.count_parts(texts) == sum(expected)
    halved = counter_for(Charges.of("claude-v3", per_token=0.5, message=0, call=0, parameter=0).name)
    assert halved.count("Lamp") >= 1


def test_messages_take_what_was_measured_around_them() -> None:
    messages = [
        Message("user", (TextPart("Look."),)),
        Message("assistant", (ToolCallPart("c1", "look", '{"where":"harbour","far":true}'),)),
        Message("tool", (ToolResultPart("c1", (TextPart("A wall."),)),)),
    ]
    counter = counter_for(CHARGES.name)
    measures = measure_messages(messages, counter=counter)
    sizes = framed_tokens(measures, PROVIDERS["anthropic"], counter).tolist()
    call = sum(map(counter.count, ("look", "where", "harbour", "far", "true")))
    assert sizes == [counter.count("Look.") + 3, call + 2 * 14 + 46, counter.count("A wall.")]
