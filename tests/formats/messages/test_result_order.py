"""Results behind the calls that they answer."""

from __future__ import annotations

import time

from budgeteer.engine.content.conversation import Message, TextPart, ToolCallPart, ToolResultPart, text_of
from budgeteer.formats.messages.numbering import Notes
from budgeteer.formats.messages.result_order import behind_calls

ASK = Message("assistant", (ToolCallPart("call_0", "look", "{}"),))


def answer(text: str) -> Message:
    return Message("tool", (ToolResultPart("call_0", (TextPart(text),)),))


def told(*messages: Message) -> tuple[list[str], dict[str, int]]:
    """What is left of the messages, and what was counted."""
    notes = Notes()
    return [text_of(message) for message in behind_calls(messages, notes)], dict(notes.counts)


def test_a_second_answer_to_a_call_is_left_out_and_counted() -> None:
    said, counts = told(ASK, answer("one"), answer("again"))
    assert said == [text_of(ASK), "one"]
    assert counts == {"Tool results for a call that was answered before, left out": 1}


def test_a_call_with_the_id_of_an_earlier_one_has_a_result_of_its_own() -> None:
    between = Message("user", (TextPart("Look again"),))
    said, counts = told(ASK, answer("one"), between, ASK, answer("two"))
    assert said == [text_of(ASK), "one", "Look again", text_of(ASK), "two"]
    assert counts == {}


def test_the_time_grows_with_the_messages_and_not_with_their_square() -> None:
    def seconds(calls: int) -> float:
        """The least of three times that many calls with their results take."""
        said = [
            message
            for number in range(calls)
            for message in (
                Message("assistant", (ToolCallPart(f"c{number}", "look", "{}"),)),
                Message("tool", (ToolResultPart(f"c{number}", (TextPart("seen"),)),)),
            )
        ]
        times: list[float] = []
        for _ in range(3):
            start = time.process_time()
            assert len(behind_calls(said, Notes())) == len(said)
            times.append(time.process_time() - start)
        return min(times)

    # Four times as many take four times as long, sixteen times where each call looks at all results before it.
    assert seconds(20_000) < 9 * seconds(5_000)
