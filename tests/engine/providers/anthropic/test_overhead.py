"""What a request of Anthropic's costs beside its texts is what Anthropic and others published of real requests."""

from __future__ import annotations

import pytest

from budgeteer.engine.config.schema import load_config
from budgeteer.engine.content.conversation import Conversation, Message, Role, TextPart, ToolCallPart, ToolResultPart
from budgeteer.engine.counting.message_frames import message_frames
from budgeteer.engine.counting.message_measures import measure_messages
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.bundle import Inputs, build_bundle
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.providers.anthropic.provider import ANTHROPIC
from budgeteer.engine.rendering import render_request


def said(role: Role, text: str) -> Message:
    return Message(role, (TextPart(text),))


#: Requests and their recorded input tokens: the first of Anthropic's guide to counting tokens, the others of recorded
#: requests of Claude 3, Sonnet 4.5 and Opus 4.6 in pydantic-ai's tests.
PUBLISHED = [
    ([said("system", "You are a scientist"), said("user", "Hello, Claude")], 14),
    ([said("system", "You are a helpful assistant.\n\n"), said("user", "What is the capital of France?")], 20),
    ([said("user", "What is 2+2?")], 14),
]


@pytest.mark.parametrize(("messages", "recorded"), PUBLISHED)
def test_a_published_request_is_counted_to_the_token(messages: list[Message], recorded: int) -> None:
    counter = counter_for("claude-v3")
    bundle = build_bundle(Inputs(conversation=Conversation("c", "c", tuple(messages))), counter=counter)
    packing = pack(bundle, load_config({"model": "claude-sonnet-4-5"}), counter=counter)
    sent = [message.get("role", "") for message in render_request(packing)["messages"]]
    assert sent == ["user"]
    assert packing.total.tokens == pytest.approx(recorded, abs=1)


def test_several_calls_of_one_message_are_charged_once_more() -> None:
    def frames(calls: int) -> int:
        names = [f"c{number}" for number in range(calls)]
        messages = [
            Message("assistant", tuple(ToolCallPart(name, "look", "{}") for name in names)),
            *(Message("tool", (ToolResultPart(name, (TextPart("yes"),)),)) for name in names),
        ]
        counter = counter_for("claude-v3")
        return int(message_frames(measure_messages(messages, counter=counter), ANTHROPIC, counter).sum())

    overhead = ANTHROPIC.overhead
    each = overhead.call.tokens + overhead.message.tokens + 1
    assert frames(1) == overhead.message.tokens + 1 + each == 45
    assert frames(2) == frames(1) + each + overhead.parallel.tokens
    assert frames(3) == frames(2) + each
