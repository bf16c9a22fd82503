"""The seed's truncateMessagesToFit, written again from its description: characters over four, newest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

DEFAULT_BUDGET = 80_000


@dataclass(frozen=True)
class NaiveMessage:
    """What the seed looks at: who speaks, and how many characters it takes."""

    role: str
    chars: int


def estimate_tokens(message: NaiveMessage) -> int:
    return -(-message.chars // 4)


def truncate_messages_to_fit(messages: Sequence[NaiveMessage], budget: int = DEFAULT_BUDGET) -> list[int]:
    """The indices that stay: system messages always; the rest newest to oldest until the budget is spent.

    A tool result left at the head of what is kept goes too: its call is gone.
    """
    spent = sum(estimate_tokens(message) for message in messages if message.role == "system")
    kept: list[int] = []
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "system":
            continue
        spent += estimate_tokens(messages[index])
        if spent > budget:
            break
        kept.insert(0, index)
    while kept and messages[kept[0]].role == "tool":
        kept.pop(0)
    return sorted([*kept, *(index for index, message in enumerate(messages) if message.role == "system")])
