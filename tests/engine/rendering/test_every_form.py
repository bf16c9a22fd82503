"""What holds for every request form: a part without a place in it is an error, never left out in silence."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from budgeteer.engine.content.conversation import (
    AudioPart,
    Conversation,
    Message,
    OpaquePart,
    ReasoningPart,
    TextPart,
    ToolCallPart,
    ToolResultPart,
)
from budgeteer.engine.packing.ledger import Decision
from budgeteer.engine.providers.gemini.render import gemini_contents
from budgeteer.engine.providers.openai_chat.render import chat_message
from budgeteer.engine.providers.openai_responses.render import responses_items
from budgeteer.engine.providers.registry import PROVIDERS
from budgeteer.engine.rendering import render_request
from budgeteer.engine.rendering.markdown import markdown_transcript
from tests.engine.packs import bundle_of, packed, system, user

THOUGHT = ReasoningPart("Hm.")
CALL = Message("assistant", (ToolCallPart("a", "run", "{}"),))
#: A result holds no reasoning by its type; what a careless importer could still build must not vanish.
HOLLOW = Message("tool", (ToolResultPart("a", (THOUGHT,)),))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("write", "messages"),
    [
        (lambda messages: [chat_message(one) for one in messages], [Message("user", (THOUGHT,))]),
        (responses_items, [Message("assistant", (AudioPart({}),))]),
        (responses_items, [Message("user", (THOUGHT, TextPart("Hi")))]),
        (gemini_contents, [CALL, HOLLOW]),
    ],
)
def test_a_part_without_a_place_is_refused(write: Callable[[Sequence[Message]], Any], messages: list[Message]) -> None:
    with pytest.raises(TypeError, match=r"^(ReasoningPart|AudioPart) is "):
        write(messages)


def test_a_transcript_refuses_a_result_that_is_no_message_of_its_own() -> None:
    mixed = Message("user", (TextPart("Hi"), ToolResultPart("a", (TextPart("done"),))))
    with pytest.raises(TypeError, match="a result is a message of its own"):
        markdown_transcript([Conversation("c", "c", (mixed,))])


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_query_of_which_nothing_can_be_sent_is_left_out_and_says_so(provider: str) -> None:
    stranger = OpaquePart("thing", {"type": "thing"}, "nobody")
    packing = packed(bundle_of(system(), Message("user", (stranger,))), provider=provider)
    decision: Decision = list(packing.ledger)[-1]
    assert (decision.id, decision.rule, decision.after.tokens) == ("message:m2", f"validity:{provider}", 0)
    assert decision.sentence == "Not sent: a block of another provider cannot be sent to this one."
    assert "thing" not in str(render_request(packing))


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_query_that_loses_a_part_says_which(provider: str) -> None:
    stranger = OpaquePart("thing", {"type": "thing"}, "nobody")
    packing = packed(bundle_of(Message("user", (TextPart("Hi"), stranger))), provider=provider)
    decision = list(packing.ledger)[-1]
    assert decision.sentence == "Sent without a part: a block of another provider cannot be sent to this one."
    assert decision.before.tokens > decision.after.tokens > 0
    assert "thing" not in str(render_request(packing))


def test_an_empty_message_of_the_assistant_is_an_empty_text_in_chat() -> None:
    assert chat_message(Message("assistant", ())) == {"role": "assistant", "content": ""}


def test_an_item_of_responses_own_stands_alone_between_the_texts_of_a_message() -> None:
    own = OpaquePart("item_reference", {"type": "item_reference", "id": "i"}, "openai-responses")
    first, last = TextPart("Before"), TextPart("After")
    assert responses_items([Message("user", (own, first, own, last)), user("Go")]) == [
        dict(own.raw),
        {"role": "user", "content": "Before"},
        dict(own.raw),
        {"role": "user", "content": "After"},
        {"role": "user", "content": "Go"},
    ]
    assert responses_items([Message("user", (own,))]) == [dict(own.raw)]


@pytest.mark.parametrize(
    ("provider", "blank", "empty"),
    [
        ("openai-chat", True, True),
        ("openai-responses", True, False),
        ("anthropic", False, False),
        ("gemini", True, False),
    ],
)
def test_text_that_says_nothing_goes_only_where_it_may_stand(provider: str, *, blank: bool, empty: bool) -> None:
    for text, sent in ((" \n", blank), ("", empty)):
        packing = packed(bundle_of(user("Hi"), Message("assistant", (TextPart(text),)), user("Go")), provider=provider)
        decision = {one.id: one for one in packing.ledger}["message:m2"]
        assert (decision.fate != "dropped") is sent
