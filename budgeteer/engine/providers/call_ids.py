"""Call ids as a provider allows them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

from budgeteer.engine.content.conversation import Message, calls_of


class CallIds:
    """The call ids of one request as its provider allows them, and no two calls with the same.

    Ask `of_calls` for each message that calls, in order, and `of_result` for the results behind it.
    """

    def __init__(self, pattern: re.Pattern[str] | None, messages: Iterable[Message]) -> None:
        self._pattern = pattern
        given = {call.id for message in messages for call in calls_of(message)}
        self._free = (name for name in (f"call_{number}" for number in itertools.count(1)) if name not in given)
        self._used: set[str] = set()
        self._open: dict[str, str] = {}

    def of_calls(self, message: Message) -> None:
        """Take the calls of the message whose turn it is."""
        for call in calls_of(message):
            allowed = self._pattern is None or self._pattern.match(call.id)
            sent = call.id if allowed and call.id not in self._used else next(self._free)
            self._used.add(sent)
            self._open[call.id] = sent

    def __getitem__(self, call_id: str) -> str:
        return self._open[call_id]
