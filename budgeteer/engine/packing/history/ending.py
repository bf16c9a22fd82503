"""Where a history may end by `endOn`."""

from __future__ import annotations

import numpy as np

from budgeteer.engine.packing.history.opening import has_role
from budgeteer.engine.packing.history.view import HistoryView, Mask, last_rows


def end_places(view: HistoryView, among: Mask) -> Mask:
    """Which of these messages are of a role that `endOn` asks for and part no group of them."""
    reach = np.maximum.accumulate(np.where(among, last_rows(view.group)[view.group], -1))
    found: Mask = among & (reach == np.arange(len(view))) & has_role(view, view.config.end_on)
    return found
