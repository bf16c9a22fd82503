"""Messages that several branches share are counted once, and each branch's numbers are as if it stood alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from budgeteer.engine.content.conversation import Message, TextPart, ToolCallPart, ToolResultPart
from budgeteer.engine.counting.message_measures import measure_conversations, measure_messages
from budgeteer.engine.counting.tokenizers import counter_for

INNER = counter_for("o200k_base")


class Watched:
    """A counter that writes down what it was asked to count."""

    name = INNER.name
    kind = INNER.kind
    per_message_overhead = INNER.per_message_overhead

    def __init__(self) -> None:
        self.asked: list[str] = []

    def count(self, text: str) -> int:
        self.asked.append(text)
        return INNER.count(text)

    def count_parts(self, texts: Sequence[str]) -> int:
        self.asked.extend(texts)
        return INNER.count_parts(texts)

    def count_all(self, texts: Sequence[str]) -> list[int]:
        self.asked.extend(texts)
        return INNER.count_all(texts)


def said(role: str, text: str) -> Message:
    return Message(role, (TextPart(text),))  # type: ignore[arg-type]  # the role is one of ROLES


PROMPT = said("user", "What is the tide in Oslo?")
CALL = Message("assistant", (ToolCallPart("t", "tide", '{"city":"Oslo"}'),))
RESULT = Message("tool", (ToolResultPart("t", (TextPart("0.4 m at noon"),)),))
BRANCHES = ((PROMPT, CALL, RESULT, said("assistant", "About 40 cm.")), (PROMPT, CALL, said("user", "Never mind.")))


def test_the_rows_are_those_of_each_branch_alone() -> None:
    together = measure_conversations(BRANCHES, counter=INNER)
    alone = [measure_messages(branch, counter=INNER) for branch in BRANCHES]
    separate = [measures.to_arrays() for measures in alone]
    for name, column in together.to_arrays().items():
        if name not in ("group", "turn"):
            assert column.tolist() == np.concatenate([arrays[name] for arrays in separate]).tolist(), name


def test_a_message_that_stands_alike_in_two_branches_is_counted_once() -> None:
    watched = Watched()
    measure_conversations(BRANCHES, counter=watched)
    assert sum("tide in Oslo" in text for text in watched.asked) == 1
    again = Watched()
    measure_conversations([BRANCHES[0]], counter=again)
    assert sum("tide in Oslo" in text for text in again.asked) == 1


def test_the_rows_are_the_same_batch_by_batch() -> None:
    branches = [*BRANCHES * 40]
    steps: list[int] = []
    batched = measure_conversations(branches, counter=INNER, progress=lambda done, _total: steps.append(done))
    assert steps
    at_once = measure_conversations(branches, counter=INNER)
    assert batched.of("openai-chat").tokens.tolist() == at_once.of("openai-chat").tokens.tolist()
