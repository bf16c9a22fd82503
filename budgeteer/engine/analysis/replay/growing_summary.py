"""An incremental extractive summary: each message of a growing history is read once."""

from __future__ import annotations

from budgeteer.engine.content.conversation import Message
from budgeteer.engine.packing.history.summary import Gathered, SummaryRequest


class GrowingSummary:
    """A summariser as the engine's own; each request goes on from the one before where it only adds messages."""

    def __init__(self) -> None:
        self._read: tuple[Message, ...] = ()
        self._topic_chars = 0
        self._gathered = Gathered()

    def write(self, request: SummaryRequest) -> str:
        """The summary, as extractive_summary writes it.

        Raises:
            SummaryFailed: it cannot be written within its limit.
        """
        known = len(self._read)
        if request.messages[:known] != self._read or request.topic_chars != self._topic_chars:
            self._gathered, known = Gathered(), 0
        self._gathered.add(request.messages[known:], request.topic_chars)
        self._read, self._topic_chars = request.messages, request.topic_chars
        return self._gathered.extract().text(request.max_chars)
