"""The task: the message without which a request asks for nothing, and the error where it cannot be sent.

The task is the query. Where there is none, or nobody typed it, it is the last message of the history that somebody
typed; where nobody typed anything, the last message of the user's. A request without its task never "fits".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.packing.history.view import USER, HistoryFit, HistoryView, Mask, Over
from budgeteer.engine.providers.capabilities import ADAPTED, Loss

#: Losses of a message that holds nothing to be lost.
_SAYS_NOTHING: Final = Loss.EMPTY | Loss.BLANK | ADAPTED


@dataclass(frozen=True, slots=True)
class TaskContext:
    """What a prompt has beside its history, as far as its task depends on it.

    Attributes:
        query: "none", "typed", "untyped" (nobody typed it: a command's output) or "lost" (typed, and the provider
            cannot be sent it).
        query_loss: why a lost query cannot be sent.
        first_is_user: whether the first message must be the user's.
        system_only: whether a conversation of system text alone is to be sent to a provider that asks for a message
            beside it.
    """

    query: Literal["none", "typed", "untyped", "lost"]
    query_loss: Loss
    first_is_user: bool
    system_only: bool = False

    @property
    def sends_query(self) -> bool:
        """Whether a query is sent."""
        return self.query in ("typed", "untyped")


def is_lost(loss: Loss) -> bool:
    """Whether a message says something of which the provider can be sent nothing."""
    return Loss.EMPTY in loss and bool(loss & ~_SAYS_NOTHING)


def with_task(view: HistoryView, asked: TaskContext, *, losses: Ints, typed: Mask | None = None) -> HistoryView:
    """The view with its task.

    `typed` are the messages that somebody typed and the blocks that stand for such, None for those of the view;
    `losses` a Loss for each message.
    """
    if asked.query == "lost":
        return replace(view, lost_task=asked.query_loss)
    if asked.query != "typed":
        says = view.alive | ((losses & int(Loss.EMPTY) != 0) & (losses & ~int(_SAYS_NOTHING) != 0))
        rows = np.flatnonzero((view.typed if typed is None else typed) & says)
        row = int(rows[-1]) if len(rows) else -1
        if row >= 0 and not view.alive[row]:
            return replace(view, lost_task=Loss(int(losses[row])))
        if row >= 0 or asked.query == "none":
            return replace(view, task_row=row if row >= 0 else _last_user(view))
    return replace(view, opener_row=_last_user(view)) if asked.first_is_user else view


def _last_user(view: HistoryView) -> int:
    """The row of the last message of the user's that can be sent and that no earlier packing wrote, or -1."""
    rows = np.flatnonzero(view.alive & (view.role == USER) & ~view.written)
    return int(rows[-1]) if len(rows) else -1


def sendable_or_over(fit: HistoryFit, view: HistoryView, asked: TaskContext, *, lost: str) -> HistoryFit:
    """The fit, with `over` set where what is left asks for nothing; `lost` says why the task cannot be sent."""
    if fit.over is not None:
        return fit
    if view.lost_task is not None:
        return replace(fit, over=Over(0, view.room_tokens, lost, "task"))
    given = ~view.system
    if asked.sends_query or fit.summary is not None or (fit.kept & given).any():
        return fit
    room = min(view.room_tokens, fit.limit_tokens)
    if not given.any():
        sentence = "The conversation holds system text only, and the provider asks for a message beside it."
        return replace(fit, over=Over(0, room, sentence, "empty")) if asked.system_only else fit
    short = ~fit.kept & (fit.needed_tokens > 0)
    if short.any() and not asked.first_is_user:
        needed = int(fit.needed_tokens[short].min())
        sentence = f"The newest messages take {needed:,} tokens; history may take {max(room, 0):,}."
        return replace(fit, over=Over(needed, room, sentence))
    sentence = "Nothing of the conversation can be sent: no message of the user's is left to begin with."
    if not asked.first_is_user:
        sentence = "Nothing of the conversation can be sent: the decisions say why each message is left out."
    return replace(fit, over=Over(0, room, sentence, "empty"))


def history_notes(fit: HistoryFit, view: HistoryView) -> Iterator[str]:
    """What is said where a query is sent and nothing of the history it follows."""
    given = ~view.system
    if fit.over is None and fit.summary is None and given.any() and not (fit.kept & given).any():
        yield "Nothing of the conversation's history is sent: the query stands alone."
