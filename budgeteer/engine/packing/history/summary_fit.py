"""A summary within characters and tokens: how large it may be, and the text once it is written."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from budgeteer.engine.content.written_messages import SUMMARY_LINE
from budgeteer.engine.counting.text_boundaries import cut_at_word
from budgeteer.engine.packing.history.history_texts import Writing
from budgeteer.engine.packing.history.summary import Summary, SummaryFailed
from budgeteer.engine.packing.history.view import HistoryView, Mask


@dataclass(frozen=True, slots=True)
class SummarySize:
    """How many tokens a summary of so many characters may take, at the tokens a character that a history has."""

    tokens: int
    chars: int
    frame_tokens: int

    @classmethod
    def of(cls, view: HistoryView, writing: Writing) -> SummarySize:
        """The size by the messages of a history; at least a token for four characters."""
        said = view.alive & (view.chars > 0)
        tokens, chars = int((view.tokens - view.frames)[said].sum()), int(view.chars[said].sum())
        return cls(max(tokens, 1), min(max(chars, 1), 4 * max(tokens, 1)), writing.frame_tokens)

    def tokens_of(self, chars: int) -> int:
        """The tokens of so many characters, with the message's frame."""
        return (chars * self.tokens + self.chars - 1) // self.chars + self.frame_tokens

    def chars_in(self, tokens: int) -> int:
        """The characters that so many tokens hold, beside the message's frame."""
        return (tokens - self.frame_tokens) * self.chars // self.tokens


def written_summary(
    view: HistoryView, kept: Mask, writing: Writing, *, max_chars: int, room_tokens: int
) -> tuple[Summary, int]:
    """The summary of what is not kept, and its tokens with its frame; it stands before the newest messages.

    Raises:
        SummaryFailed: none can be written, or none that fits.
        CountingFailed: it cannot be counted.
    """
    covers = tuple(np.flatnonzero(view.alive & ~kept).tolist())
    text = cut_at_word(writing.summarise(writing.request(covers, max_chars)), max_chars)
    text = _within_tokens(text, room_tokens, writing)
    if not text:
        raise SummaryFailed("the summary itself does not fit")
    return Summary(text, covers, before=place_after(kept, covers[-1])), writing.message_tokens(text)


def place_after(kept: Mask, row: int) -> int:
    """The first kept message after `row`; as large as their number where there is none."""
    after = np.flatnonzero(kept[row + 1 :])
    return row + 1 + int(after[0]) if len(after) else len(kept)


def most_that_fits(count: int, fits: Callable[[int], bool]) -> int:
    """The largest number up to `count` that fits; 0 where none does."""
    return bisect_left(range(1, count + 1), 1, key=lambda number: not fits(number))


def _within_tokens(text: str, limit: int, writing: Writing) -> str:
    """The text, cut at a word where it takes more than a limit in tokens; "" where too little of it fits."""
    if writing.message_tokens(text) <= limit:
        return text
    chars = most_that_fits(len(text), lambda count: writing.message_tokens(cut_at_word(text, count)) <= limit)
    cut = cut_at_word(text, chars) if chars else ""
    return cut if len(cut) > len(SUMMARY_LINE) + 2 else ""
