"""The first message must be the user's: which user message must be kept for another message to be kept."""

from __future__ import annotations

import numpy as np

from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.packing.history.view import USER, HistoryView


def opening_user(view: HistoryView, needed: Ints, row: int) -> int | None:
    """The row of the user message that a strategy reaches first and that may stand before the message at `row`.

    It stands before all of that message's group, or opens it; `needed` is what each message takes to be reached. None
    where there is no such message.
    """
    first = int(np.flatnonzero(view.alive & (view.group == view.group[row]))[0])
    users = np.flatnonzero(view.alive[: first + 1] & (view.role[: first + 1] == USER))
    return int(users[needed[users].argmin()]) if len(users) else None
