"""Texts that a history strategy reads and writes: messages, summaries, and the cost of new text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from budgeteer.engine.content.conversation import Message
from budgeteer.engine.errors import TokenizerUnavailable
from budgeteer.engine.packing.history.summary import CountingFailed, SummaryRequest
from budgeteer.engine.packing.history.tool_texts import ToolTexts


@dataclass(frozen=True, slots=True)
class Writing:
    """The texts of one history.

    Attributes:
        messages: read only where they are looked at.
        summarise: writes a summary; raises SummaryFailed where it cannot.
        count: counts a text.
        frame_tokens: the frame of a message that is written in the user's name.
        topic_chars: the most characters of a topic.
        instructions: the user's own, for a summary that a language model writes.
        tools: the texts of answered calls once they are shortened.
    """

    messages: Sequence[Message]
    summarise: Callable[[SummaryRequest], str]
    count: Callable[[str], int]
    frame_tokens: int
    topic_chars: int
    instructions: str
    tools: ToolTexts

    def request(self, covers: Sequence[int], max_chars: int) -> SummaryRequest:
        """The request for a summary of the messages at these rows."""
        return SummaryRequest(tuple(self._messages_at(covers)), max_chars, self.topic_chars, self.instructions)

    def _messages_at(self, rows: Sequence[int]) -> Iterator[Message]:
        """The messages at these rows, ascending; rows that follow each other are read as one slice."""
        places = np.asarray(rows, np.int64)
        for stretch in np.split(places, np.flatnonzero(np.diff(places) != 1) + 1):
            if len(stretch):
                yield from self.messages[int(stretch[0]) : int(stretch[-1]) + 1]

    def text_tokens(self, text: str) -> int:
        """The tokens of a new text.

        Raises:
            CountingFailed: the counter cannot count it.
        """
        try:
            return self.count(text)
        except (TokenizerUnavailable, ValueError) as error:
            raise CountingFailed(f"{len(text):,} characters cannot be counted: {error}") from error

    def message_tokens(self, text: str) -> int:
        """The tokens of a new message in the user's name, with its frame.

        Raises:
            CountingFailed: the counter cannot count it.
        """
        return self.text_tokens(text) + self.frame_tokens
