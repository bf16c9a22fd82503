"""What a source recorded of each request, placed among the messages that were read of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from budgeteer.engine.content.conversation import Message, RecordedRequest
from budgeteer.engine.counting.lazy_messages import outlines_of


def token_count(value: Any) -> int:
    """A number of tokens as a source writes it; 0 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def placed_requests(
    replies: Iterable[tuple[int, RecordedRequest]], messages: Sequence[Message]
) -> tuple[RecordedRequest, ...]:
    """The requests in the order of their replies, each with the position of its reply.

    Args:
        replies: for each request the line of the source at which its reply begins, and what was recorded of it.
        messages: the conversation. A request whose reply is not among them is left out.
    """
    positions: dict[int, int] = {}
    for position, message in enumerate(outlines_of(messages)):
        if message.role == "assistant":
            positions.setdefault(message.line, position)
    found = {positions[line]: request for line, request in replies if line in positions}
    return tuple(replace(found[position], position=position) for position in sorted(found))
