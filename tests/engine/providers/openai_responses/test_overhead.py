"""What Responses charges around calls."""

from __future__ import annotations

from budgeteer.engine.content.conversation import Message, TextPart, ToolCallPart, ToolResultPart
from budgeteer.engine.counting.message_frames import message_frames
from budgeteer.engine.counting.message_measures import measure_messages
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.providers.openai_responses.provider import OPENAI_RESPONSES


def frames(calls: int) -> int:
    names = [f"c{number}" for number in range(calls)]
    messages = [
        Message("assistant", (TextPart("So."), *(ToolCallPart(name, "look", "{}") for name in names))),
        *(Message("tool", (ToolResultPart(name, (TextPart("yes"),)),)) for name in names),
    ]
    counter = counter_for("o200k_base")
    return int(message_frames(measure_messages(messages, counter=counter), OPENAI_RESPONSES, counter).sum())


def test_the_calls_of_a_message_are_charged_each_once_and_as_several() -> None:
    overhead = OPENAI_RESPONSES.overhead
    message = overhead.message.tokens + 1
    each = message + overhead.call.tokens
    assert frames(0) == message
    assert frames(1) == message + overhead.calling.tokens + each == 24
    assert frames(2) == frames(1) + each + overhead.parallel.tokens == 56
    assert frames(3) == frames(2) + each == 72
