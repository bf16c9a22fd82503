"""Measures that grow message by message are those of the whole conversation."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from budgeteer.engine.content.conversation import Conversation, Message, ReasoningPart, TextPart, ToolCallPart
from budgeteer.engine.counting.growing_measures import GrowingMeasures
from budgeteer.engine.counting.library_measures import NotMeasured
from budgeteer.engine.counting.message_measures import MessageMeasures, measure_messages
from budgeteer.engine.counting.tokenizers import counter_for
from tests.conformance.generated import conversations
from tests.engine.packs import assistant, result, system, user

COUNTER = counter_for("o200k_base")

#: What hangs together in ways that a conversation as it should be has not.
ODD = [
    user(),
    assistant(),
    assistant(""),
    assistant("", "a", "b"),
    assistant("Wait.", "b"),
    result("a"),
    result("b"),
    result("c"),
    Message("assistant", (ReasoningPart("hm", signature="s"),)),
    Message("assistant", (ReasoningPart("hm"), ToolCallPart("c", "run", "{}"))),
    Message("assistant", (ToolCallPart("a", "", ""), ToolCallPart("b", "run", "{}"))),
    Message("user", (TextPart("printed"),), typed=False),
    Message("user", (TextPart(" "),)),
    Message("user", (TextPart("hi"),), name="ann"),
    system("Mind this."),
]


def assert_same(grown: MessageMeasures, whole: MessageMeasures) -> None:
    for name, column in whole.to_arrays().items():
        assert np.array_equal(grown.to_arrays()[name], column), name


@pytest.mark.parametrize("tokenizer", ["o200k_base", "chars/4"])
@given(
    messages=st.lists(st.sampled_from(ODD), max_size=12) | conversations(valid=False).map(lambda one: [*one.messages]),
    known=st.integers(0, 12),
    looks=st.sets(st.integers(0, 40)),
)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_grown_measures_are_those_of_the_whole(
    tokenizer: str, messages: list[Message], known: int, looks: set[int]
) -> None:
    counter = counter_for(tokenizer)
    growing = GrowingMeasures(messages[:known], counter=counter)
    for number, message in enumerate(messages[known:], start=known):
        growing.append(message)
        if number in looks:
            assert_same(growing.measures(), measure_messages(messages[: number + 1], counter=counter))
    assert_same(growing.measures(), measure_messages(messages, counter=counter))
    assert [*growing.messages] == messages
    assert len(growing) == len(messages)


@given(conversation=conversations())
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=20)
def test_what_was_counted_before_is_not_counted_again(conversation: Conversation) -> None:
    *before, last = conversation.messages
    measures = measure_messages(before, counter=COUNTER, providers=["anthropic"])
    growing = GrowingMeasures(before, counter=COUNTER, measures=measures, providers=["anthropic"])
    growing.append(last)
    assert_same(growing.measures(), measure_messages(conversation.messages, counter=COUNTER, providers=["anthropic"]))
    with pytest.raises(NotMeasured):
        growing.measures().column("gemini", "tokens")


def test_there_is_room_for_as_many_as_come() -> None:
    growing = GrowingMeasures(counter=COUNTER)
    messages = [user(f"Question {number}?") for number in range(1000)]
    for message in messages:
        growing.append(message)
    assert_same(growing.measures(), measure_messages(messages, counter=COUNTER))
