"""What a source recorded of each request, placed among the messages that were read of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from budgeteer.engine.content.conversation import Message, RecordedRequest
from budgeteer.engine.counting.lazy_messages import outlines_of
from budgeteer.formats.messages.outlines import OutlineList


def token_count(value: Any) -> int:
    """A number of tokens as a source writes it; 0 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def openai_request(usage: Any, model: str = "") -> RecordedRequest | None:
    """What a usage in the form of OpenAI (chat or Responses) reports of its request; None when it reports no input.

    What came from the cache and what was reasoning are parts of its totals.
    """
    if not isinstance(usage, Mapping):
        return None
    total = token_count(usage.get("prompt_tokens")) or token_count(usage.get("input_tokens"))
    if not total:
        return None
    came = _details(usage, "prompt_tokens_details", "input_tokens_details")
    went = _details(usage, "completion_tokens_details", "output_tokens_details")
    thought = went.get("reasoning_tokens")
    return RecordedRequest(
        0,
        total,
        cache_read_tokens=token_count(came.get("cached_tokens")),
        output_tokens=token_count(usage.get("completion_tokens")) or token_count(usage.get("output_tokens")),
        reasoning_tokens=thought if isinstance(thought, int) and not isinstance(thought, bool) else None,
        model=model,
    )


def _details(usage: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    return next((given for key in keys if isinstance(given := usage.get(key), Mapping)), {})


def placed_requests(
    replies: Iterable[tuple[int, RecordedRequest]], messages: Sequence[Message]
) -> tuple[RecordedRequest, ...]:
    """The requests in the order of their replies, each with the position of its reply.

    Args:
        replies: for each request the line of the source at which its reply begins, and what was recorded of it.
        messages: the conversation. A request whose reply is not among them is left out.
    """
    replies = tuple(replies)
    if not replies:
        return ()
    positions: dict[int, int] = {}
    outlines = outlines_of(messages)
    if isinstance(outlines, OutlineList):
        for position in outlines.of_role("assistant"):
            positions.setdefault(outlines.lines[position], position)
    else:
        for position, message in enumerate(outlines):
            if message.role == "assistant":
                positions.setdefault(message.line, position)
    found = {positions[line]: request for line, request in replies if line in positions}
    return tuple(replace(found[position], position=position) for position in sorted(found))
