"""One more message to a conversation that was counted: what it takes beside counting its text and nothing else."""

from __future__ import annotations

import random

from benchmarks.inputs import texts
from benchmarks.inputs.workloads import Said
from benchmarks.packers import tokenizer
from benchmarks.packers.contenders import ours
from benchmarks.packers.oracle import MESSAGE_TOKENS, Costs
from benchmarks.packers.race import Contender, Work
from budgeteer.engine.counting.growing_measures import GrowingMeasures
from budgeteer.engine.counting.message_measures import MessageMeasures

APPENDED = "Budgeteer, appended and counted"
ENCODED = "tiktoken, encoded"
FAST = "toktok, counted"

#: Messages that take turns, about 80 tokens each.
MESSAGES = 64
MEAN_CHARS = 340


def appenders(costs: Costs) -> list[Contender]:
    """A user's message put after a conversation, and its text alone in the hands of both tokenizers."""
    chance = random.Random(MESSAGES)
    said = [Said("user", texts.prose(chance, MEAN_CHARS)) for _ in range(MESSAGES)]
    size = len(costs.messages)

    def appended() -> Work:
        before = ours.conversation_of(costs.messages).messages
        messages = ours.conversation_of(said).messages
        growing = GrowingMeasures(before, counter=ours.counter())

        def append(turn: int) -> GrowingMeasures:
            growing.append(messages[turn % MESSAGES])
            return growing

        return append

    def encoded() -> Work:
        encode = tokenizer.encoding().encode_ordinary
        return lambda turn: len(encode(said[turn % MESSAGES].text))

    def fast() -> Work:
        import toktok

        return lambda turn: toktok.batch_count([said[turn % MESSAGES].text], tokenizer.ENCODING)[0]

    def faults(tokens: int) -> list[str]:
        right = tokenizer.count(said[0].text)
        return [] if tokens == right else [f"counts {tokens:,} in place of {right:,}"]

    def faults_of_growing(growing: GrowingMeasures) -> list[str]:
        return growth_faults(growing.measures(), costs, said[0])

    return [
        Contender(APPENDED, size, appended, faults_of_growing, ours=True),
        Contender(ENCODED, size, encoded, faults),
        Contender(FAST, size, fast, faults),
    ]


def growth_faults(measures: MessageMeasures, costs: Costs, said: Said) -> list[str]:
    """Whether the measures are those of the conversation with one message more."""
    found = (measures.of("openai-chat").tokens + measures.frame_tokens).tolist()
    right = [tokens - MESSAGE_TOKENS for tokens in costs.tokens] + [
        tokenizer.count(said.role) + tokenizer.count(said.text)
    ]
    wrong = abs(len(found) - len(right)) + sum(one != other for one, other in zip(found, right, strict=False))
    return [f"{wrong:,} messages are counted wrong"] if wrong else []
