"""The counts of the header say what was taken, and how much where that is known."""

from __future__ import annotations

from budgeteer.engine.content.conversation import Message, ReasoningPart, TextPart
from budgeteer.presentation.header import header_of
from tests.engine.packs import bundle_of, packed, user

SEALED = Message("assistant", (ReasoningPart("", encrypted="x" * 400, provider="anthropic"), TextPart("Seven.")))


def counts_of(*messages: Message) -> list[str]:
    return [count.text for count in header_of(packed(bundle_of(*messages), {"model": "gpt-4o"})).counts]


def test_messages_without_their_reasoning_are_told_apart_from_shortened_ones() -> None:
    assert "1 sent without its reasoning" in counts_of(user("Which berth?"), SEALED, user("And now?"))
    both = counts_of(user("Which berth?"), SEALED, user("And then?"), SEALED, user("And now?"))
    assert "2 sent without their reasoning" in both
    assert not any("shortened" in text or "unknown" in text for text in both)
