"""newestFirst against the seed's truncateMessagesToFit."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.conversation import Conversation, Message, TextPart, ToolCallPart, ToolResultPart
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.packing.pack import pack
from tests.conformance.generated import conversations
from tests.conformance.packing.history.seed_history import (
    DEFAULT_BUDGET,
    NaiveMessage,
    estimate_tokens,
    truncate_messages_to_fit,
)
from tests.examples import examples

pytestmark = pytest.mark.conformance


def chars_of(message: Message) -> int:
    """The characters the seed's estimate counts: texts, call names and arguments, results."""
    total = 0
    for part in message.parts:
        match part:
            case TextPart(text=text):
                total += len(text)
            case ToolCallPart(name=name, arguments=arguments):
                total += len(name) + len(arguments)
            case ToolResultPart(content=content):
                total += sum(len(inner.text) for inner in content if isinstance(inner, TextPart))
            case _:
                raise AssertionError(part)
    return total


def engine_answer(conversation: Conversation, budget: int) -> list[int]:
    """The indices of the messages that are sent."""
    config = load_config(
        {
            "model": "gemini-4-argon",
            "tokenizer": "chars/4",
            "system": {"marker": ""},
            "history": {"strategy": "newestFirst", "maxTokens": budget},
        }
    )
    counter = counter_for("chars/4")
    bundle = build_bundle(Inputs(conversation=conversation), counter=counter)
    packing = pack(bundle, config, counter=counter, provider="openai-chat")
    sent = {one.id.rpartition(":")[2] for one in packing.ledger if one.fate != "dropped"}
    return [index for index, message in enumerate(conversation.messages) if message.id in sent]


def seed_answer(conversation: Conversation, budget: int) -> list[int]:
    """What the seed keeps, and what asks: the final question, or the last one of the user's.

    On purpose: the seed may drop the last question where something follows it; here it is charged before the rest.
    """
    naive = [NaiveMessage(message.role, chars_of(message)) for message in conversation.messages]
    task = max(index for index, message in enumerate(naive) if message.role == "user")
    if task == len(naive) - 1:
        return sorted({task, *truncate_messages_to_fit(naive, budget)})
    others = [index for index in range(len(naive)) if index != task]
    kept = truncate_messages_to_fit([naive[index] for index in others], budget - estimate_tokens(naive[task]))
    return sorted({task, *(others[index] for index in kept)})


@st.composite
def tight_budgets(draw: st.DrawFn) -> tuple[Conversation, int]:
    """A conversation and a budget at, just under or just over what its newest messages take."""
    conversation = draw(conversations(system=False))
    newest = conversation.messages[draw(st.integers(0, len(conversation.messages) - 1)) :]
    takes = sum(estimate_tokens(NaiveMessage(message.role, chars_of(message))) for message in newest)
    return conversation, max(takes + draw(st.integers(-2, 2)), 0)


@settings(deadline=None, max_examples=examples(200), suppress_health_check=[HealthCheck.too_slow])
@given(tight_budgets())
def test_the_engine_keeps_what_the_seed_keeps(given_case: tuple[Conversation, int]) -> None:
    conversation, budget = given_case
    assert engine_answer(conversation, budget) == seed_answer(conversation, budget)


def test_the_seeds_default_budget_is_the_strategys() -> None:
    assert load_config({}).history.max_tokens == DEFAULT_BUDGET
