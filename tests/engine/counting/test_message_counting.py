"""Plain messages are counted all at once, and come out as if each were looked at by itself."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.conversation import (
    Conversation,
    ImagePart,
    Message,
    Part,
    ReasoningPart,
    TextPart,
    ToolCallPart,
)
from budgeteer.engine.counting import message_counting
from budgeteer.engine.counting.library_measures import NotMeasured
from budgeteer.engine.counting.message_counting import FORM, HEAD
from budgeteer.engine.counting.message_measures import MessageMeasures, measure_messages
from budgeteer.engine.counting.tokenizers import TOKENIZERS, counter_for
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.providers.registry import PROVIDERS
from tests.conformance.generated import conversations
from tests.engine.packs import assistant, result, user
from tests.examples import examples

ARGUMENTS = (
    "{}",
    '{ "a" : [1, 2] }',
    "no JSON",
    "",
    "[1]",
    '{"a": NaN}',
    '"\\ud800"',
    "[" * 2000,
    '{"x": "\\u00e9 é"}',
)
SAID: tuple[Part, ...] = (
    TextPart("so"),
    TextPart(" \n"),
    TextPart(""),
    ReasoningPart("hm", signature="s"),
    ImagePart({}),
)

odd = st.builds(
    lambda role, parts, name: Message(role, tuple(parts), name=name),
    st.sampled_from(["user", "assistant", "system", "tool"]),
    st.lists(
        st.sampled_from(SAID) | st.builds(ToolCallPart, st.just("c1"), st.just("f"), st.sampled_from(ARGUMENTS)),
        max_size=3,
    ),
    st.sampled_from(["", "", "ann"]),
)


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
@given(conversation=conversations() | conversations(valid=False), some=st.lists(odd, max_size=4))
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=examples(60))
def test_all_at_once_is_one_by_one(tokenizer: str, conversation: Conversation, some: list[Message]) -> None:
    counter = counter_for(tokenizer)
    messages = [*conversation.messages, *some, result("c1", "late")]
    at_once = measure_messages(messages, counter=counter)
    with mock.patch.object(message_counting._Plain, "take", side_effect=lambda given, _places: range(len(given))):
        one_by_one = measure_messages(messages, counter=counter)
    for name, column in one_by_one.to_arrays().items():
        assert np.array_equal(at_once.to_arrays()[name], column), name


def test_most_messages_are_plain() -> None:
    with mock.patch.object(message_counting, "_row", side_effect=AssertionError("looked at by itself")):
        measure_messages(
            [user(), assistant("", "a", "b"), result("a"), result("b"), assistant("Done.")],
            counter=counter_for("chars/4"),
        )


def test_the_columns_are_those_of_the_measures() -> None:
    forms = [f"{provider.column_prefix}_{column}" for provider in PROVIDERS.values() for column in FORM]
    assert [*HEAD, *forms] == list(measure_messages([], counter=counter_for("chars/4")).to_arrays())


def one_form(conversation: Conversation, name: str) -> MessageMeasures:
    return measure_messages(conversation.messages, counter=counter_for("o200k_base"), providers=[name])


@given(conversation=conversations(valid=False))
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=30)
def test_measured_for_one_form_packs_the_same_in_that_form(conversation: Conversation) -> None:
    counter = counter_for("o200k_base")
    config = load_config({"history": {"strategy": "newestFirst", "maxTokens": 60}})
    for name in PROVIDERS:
        packings = [
            pack(build_bundle(Inputs(conversation, measures), counter=counter), config, counter=counter, provider=name)
            for measures in (one_form(conversation, name), None)
        ]
        assert list(packings[0].ledger) == list(packings[1].ledger)
        assert packings[0].total == packings[1].total


def test_a_form_that_was_not_measured_says_so() -> None:
    conversation = Conversation("c", "c", (user(), assistant()))
    measures = one_form(conversation, "anthropic")
    assert measures.column("openai-chat", "tokens").sum() == measures.column("anthropic", "tokens").sum()
    with pytest.raises(NotMeasured, match="gemini"):
        measures.column("gemini", "tokens")
    with pytest.raises(NotMeasured, match="gemini"):
        measures.taken(slice(0, 1)).column("gemini", "tokens")
