"""What a history strategy sees and what it answers: arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.chat import ROLES
from budgeteer.engine.config import HistoryConfig
from budgeteer.engine.expressing import Loss
from budgeteer.engine.history.summary import Summary, SummaryRequest
from budgeteer.engine.measures import Ints
from budgeteer.engine.transcript import MessageMeasures

type Mask = NDArray[np.bool_]

USER = ROLES.index("user")
_SYSTEM = (ROLES.index("system"), ROLES.index("developer"))


class Rule(IntEnum):
    """Which rule decided a message's fate."""

    KEPT = 0
    VALIDITY = 1
    NEWEST_FIRST = 2
    SUMMARIZE_OLDER = 3
    NO_SUMMARY = 4
    RETRY_OLDEST_HALF = 5
    RETRY_LAST_EXCHANGE = 6
    FIRST_IS_USER = 7


@dataclass(frozen=True, slots=True)
class HistoryView:
    """One conversation under one profile, ready to be fitted.

    Attributes:
        tokens: each message with its frame, 0 for what the profile cannot be sent.
        chars: each message's characters.
        frames: the frame's share of `tokens`. all_frames: the same with those that cannot be sent.
        group, turn: as in groups.Pairing. role: indexes chat.ROLES.
        alive: what the profile can be sent at all.
        system: system and developer messages, which always stay.
        pinned: whole groups that are pinned.
        room_tokens: what the rest of the prompt leaves for history.
        query_tokens: the query, which is charged to `newestFirst`'s tokens as the newest message it is.
        config: the strategy's numbers; `max_tokens` already a number.
        max_tokens: the strategy's own token limit.
    """

    tokens: Ints
    chars: Ints
    frames: Ints
    all_frames: Ints
    group: Ints
    turn: Ints
    role: Ints
    alive: Mask
    system: Mask
    pinned: Mask
    room_tokens: int
    query_tokens: int
    config: HistoryConfig
    max_tokens: int

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def always(self) -> Mask:
        """What stays whatever the limit: system texts and pinned groups."""
        return self.alive & (self.system | self.pinned)

    def widened(self, kept: Mask) -> Mask:
        """`kept` widened to whole groups, within what can be sent."""
        chosen = np.isin(self.group, np.unique(self.group[kept & self.alive]))
        return chosen & self.alive

    def last_turns(self, count: int) -> Mask:
        """The last `count` typed user messages and all that follows the first of them, in whole groups.

        Everything where nobody typed.
        """
        begins = (np.diff(self.turn, prepend=self.turn[:1] - 1) > 0) & (self.role == USER) & self.alive
        users = np.flatnonzero(begins)
        start = int(users[-min(count, len(users))]) if len(users) else 0
        return self.widened(np.arange(len(self)) >= start)

    def last_exchange(self) -> Mask:
        """The last typed user message and everything after it."""
        return self.last_turns(1)

    def size_tokens(self, kept: Mask) -> int:
        """The tokens of what is kept, frames included."""
        return int(self.tokens[kept].sum())


def view_of(
    measures: MessageMeasures, profile: str, *, frame_tokens: Ints, pinned: Mask, config: HistoryConfig
) -> HistoryView:
    """The view of measured messages; room and limit are set by `with_room`."""
    alive = (measures.column(profile, "loss") & int(Loss.EMPTY)) == 0
    frames = np.where(alive, frame_tokens, 0)
    whole = np.isin(measures.group, np.unique(measures.group[pinned])) if pinned.any() else pinned
    return HistoryView(
        tokens=np.where(alive, measures.column(profile, "tokens"), 0) + frames,
        chars=np.where(alive, measures.column(profile, "chars"), 0),
        frames=frames,
        all_frames=frame_tokens,
        group=measures.group,
        turn=measures.turn,
        role=measures.role,
        alive=alive,
        system=np.isin(measures.role, _SYSTEM),
        pinned=whole,
        room_tokens=0,
        query_tokens=0,
        config=config,
        max_tokens=config.max_tokens if isinstance(config.max_tokens, int) else 0,
    )


@dataclass(frozen=True, slots=True)
class Rung:
    """One step of the retry ladder: what it is called, what history takes then, whether that fits."""

    name: str
    tokens: int
    fits: bool


@dataclass(frozen=True, slots=True)
class HistoryFit:
    """Which messages stay.

    Attributes:
        kept: what is sent.
        rule: Rule per message.
        limit_tokens: the limit that ruled, in tokens (the smaller of the strategy's own and the room left).
        needed_tokens: per message, the history limit from which it would have been kept; 0 where that says nothing.
        summary: the summary that stands for the messages marked SUMMARIZE_OLDER, None when there is none.
        summary_tokens: its size with its frame.
        rungs: the steps of the retry ladder that were tried.
        over: None when it fits, else the tokens and the sentence of what cannot shrink.
    """

    kept: Mask
    rule: Ints
    limit_tokens: int
    needed_tokens: Ints
    summary: Summary | None = None
    summary_tokens: int = 0
    rungs: tuple[Rung, ...] = ()
    over: Over | None = None


@dataclass(frozen=True, slots=True)
class Over:
    """What cannot shrink: the tokens it needs, the tokens there are, and why, in a sentence."""

    needed_tokens: int
    allowed_tokens: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Summarising:
    """How a strategy gets its summary.

    Attributes:
        write: writes a summary; raises SummaryFailed where it cannot.
        request: the request for the messages at these indices and a limit in characters.
        cost_tokens: what a summary costs as a message, with its frame.
    """

    write: Callable[[SummaryRequest], str]
    request: Callable[[tuple[int, ...], int], SummaryRequest]
    cost_tokens: Callable[[str], int]
