"""What is counted of a tool call's arguments, in each form."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from budgeteer.engine.content.conversation import Message, TextPart, ToolCallPart, ToolResultPart
from budgeteer.engine.counting.message_measures import measure_messages
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.providers.call_arguments import argument_chars, argument_texts
from budgeteer.engine.providers.registry import PROVIDERS

WRITTEN = '{"path": "a.py", "lines": [1, 2], "text": "say \\"hi\\"\\n"}'
COMPACT = '{"path":"a.py","lines":[1,2],"text":"say \\"hi\\"\\n"}'


def test_each_form_of_arguments() -> None:
    assert argument_texts(WRITTEN, "text") == (WRITTEN,)
    assert argument_texts(WRITTEN, "object") == (COMPACT,)
    assert argument_texts(WRITTEN, "parameters") == ("path", "a.py", "lines", "[1, 2]", "text", 'say "hi"\n')
    assert argument_texts("no object", "parameters") == ("arguments", "no object")
    assert argument_texts("", "parameters") == ()
    assert [argument_chars(WRITTEN, form) for form in ("text", "object", "parameters")] == [
        len(WRITTEN),
        len(COMPACT),
        len(COMPACT),
    ]


@given(st.dictionaries(st.text(max_size=8), st.text(max_size=20) | st.integers() | st.lists(st.booleans()), max_size=4))
def test_parameters_are_read_one_by_one_whoever_counts_them(arguments: dict[str, object]) -> None:
    """A plain message, counted with all others, and one that is looked at by itself count the same."""
    call = ToolCallPart("c1", "edit", json.dumps(arguments))
    plain = (Message("assistant", (call,)), Message("tool", (ToolResultPart("c1", (TextPart("done"),)),)))
    alone = (Message("assistant", (call,), name="bot"), plain[1])
    for tokenizer in ("o200k_base", "chars/4"):
        counter = counter_for(tokenizer)
        found = [
            measure_messages(messages, counter=counter).column("anthropic", column)[0]
            for messages in (plain, alone)
            for column in ("tokens", "chars")
        ]
        assert found[:2] == found[2:]
        texts = argument_texts(call.arguments, "parameters")
        chars = len("edit") + argument_chars(call.arguments, "parameters")
        expected = counter.count("edit") + sum(map(counter.count, texts)) + 15 * len(arguments)
        assert found[:2] == [expected if tokenizer != "chars/4" else -(-chars // 4), chars]


@pytest.mark.parametrize(("provider", "call"), [("anthropic", 39), ("openai-responses", 12), ("openai-chat", 0)])
def test_what_stands_around_a_call_is_charged_with_its_message(provider: str, call: int) -> None:
    assert PROVIDERS[provider].overhead.call.tokens == call
