"""What a bundle keeps of its history between packings is that of its own messages, and changes no packing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.conversation import Conversation, Message, TextPart, ToolCallPart, ToolResultPart
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import Bundle, Inputs, build_bundle
from budgeteer.engine.packing.history.registry import STRATEGIES
from budgeteer.engine.packing.message_overhead import MessageOverhead
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.providers.registry import PROVIDERS

COUNTER = counter_for("o200k_base")


def bundle_of(turns: int) -> Bundle:
    """A bundle of a conversation in which every turn calls a tool; the last message asks."""
    messages = [Message("system", (TextPart("Answer in one line."),))]
    for turn in range(turns):
        call = ToolCallPart(f"c{turn}", "read", f'{{"path": "{turn}"}}')
        messages.append(Message("user", (TextPart(f"What is in file {turn}, and what is it for?"),), name="Ada"))
        messages.append(Message("assistant", (TextPart("I look."), call)))
        messages.append(Message("tool", (ToolResultPart(f"c{turn}", (TextPart(f"line {turn}\n" * 20),)),)))
        messages.append(Message("assistant", (TextPart("It is a list of lines."),)))
    messages.append(Message("user", (TextPart("And all of them?"),)))
    return build_bundle(Inputs(conversation=Conversation("c", "Talk", tuple(messages))), counter=COUNTER)


def packed(bundle: Bundle, strategy: str, pruning: str, provider: str) -> Packing:
    settings = {"history": {"strategy": strategy, "maxTokens": 300}, "pruning": {"mode": pruning}}
    config = load_config({"model": "gpt-4.1", "contextWindow": 700, "outputReserve": 0, **settings})
    return pack(bundle, config, counter=COUNTER, provider=provider)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_history_under_a_provider_is_worked_out_once(provider):
    bundle = bundle_of(3)
    first = MessageOverhead(bundle, provider, COUNTER).sent_messages()
    assert MessageOverhead(bundle, provider, COUNTER).sent_messages() is first
    others = {id(MessageOverhead(bundle, name, COUNTER).sent_messages()) for name in PROVIDERS}
    assert len(others) == len(PROVIDERS)


def test_a_bundle_made_from_another_has_its_own_history():
    whole, shorter = bundle_of(3), bundle_of(2)
    MessageOverhead(whole, "anthropic", COUNTER).sent_messages()
    made = replace(whole, history=shorter.history, history_measures=shorter.history_measures)
    assert made.prepared is whole.prepared
    assert len(MessageOverhead(made, "anthropic", COUNTER).sent_messages().tokens) == len(shorter.history)
    assert len(MessageOverhead(whole, "anthropic", COUNTER).sent_messages().tokens) == len(whole.history)
    assert packed(made, "full", "off", "anthropic").total == packed(shorter, "full", "off", "anthropic").total


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_packing_is_the_same_whatever_was_packed_before(provider):
    used = bundle_of(6)
    cases = [(strategy, pruning) for strategy in STRATEGIES for pruning in ("off", "auto")]
    fresh = {case: packed(replace(used, prepared={}), *case, provider) for case in cases}
    for case in [*cases, *reversed(cases)]:
        again = packed(used, *case, provider)
        assert list(again.ledger) == list(fresh[case].ledger), case
        assert again.ledger.overhead == fresh[case].ledger.overhead
        assert again.verdict == fresh[case].verdict
