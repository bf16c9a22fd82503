"""What the notice of left-out messages takes, by how many groups of a history are kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from budgeteer.engine.content.written_messages import notice_text
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.errors import TokenizerUnavailable
from budgeteer.engine.packing.history.view import HistoryView, Mask


@dataclass(frozen=True, slots=True)
class NoticeCosts:
    """The notice at each number of groups that are kept, from none to all of them.

    Attributes:
        most_tokens: what is reserved for it before it is known how many messages go.
        tokens, chars: what it takes, frame included; 0 where every message is kept.
        newest: the row of the newest message that is kept beside system texts, -1 where none is.
    """

    most_tokens: int
    tokens: Ints
    chars: Ints
    newest: Ints

    def stands(self, groups: Ints, unnoticed: Ints) -> Mask:
        """Whether the notice is written beside so many groups, where without it there would be room for `unnoticed`.

        A newest message comes before the notice (packing.history.notice).
        """
        found: Mask = (self.newest[groups] >= self.newest[unnoticed]) & (self.tokens[groups] <= self.most_tokens)
        return found


def notice_costs(
    view: HistoryView, needed: Ints, reaches: Ints, message_tokens: Callable[[str], int]
) -> NoticeCosts | None:
    """The costs where a message is kept from the limit `needed` on, which is 0 or among `reaches` (ascending).

    `message_tokens` counts a message in the user's name with its frame. None where it cannot count.
    """
    count = len(reaches) + 1
    level = np.searchsorted(reaches, needed, side="right")
    sent = np.bincount(level[view.alive], minlength=count)
    gone = int(view.alive.sum()) - np.cumsum(sent)
    texts = [notice_text(number) if number else "" for number in gone.tolist()]
    try:
        tokens = [message_tokens(text) if text else 0 for text in texts]
        most_tokens = message_tokens(notice_text(int(view.alive.sum())))
    except (TokenizerUnavailable, ValueError):
        return None
    newest = np.full(count, -1)
    rows = np.flatnonzero(view.alive & ~view.system)
    np.maximum.at(newest, level[rows], rows)
    return NoticeCosts(
        most_tokens,
        np.array(tokens, np.int64),
        np.array([len(text) for text in texts], np.int64),
        np.maximum.accumulate(newest),
    )
