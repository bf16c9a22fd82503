"""What a history strategy is given (`HistoryView`) and what it answers (`HistoryFit` or `Over`), as arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.config.schema import HistoryConfig
from budgeteer.engine.content.conversation import ROLES, Message
from budgeteer.engine.content.written_messages import is_written
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.counting.message_measures import MessageMeasures
from budgeteer.engine.errors import OverCause
from budgeteer.engine.packing.history.summary import Summary
from budgeteer.engine.providers.capabilities import Loss

type Mask = NDArray[np.bool_]

USER = ROLES.index("user")
#: System and developer stand first among the roles.
_LAST_SYSTEM = ROLES.index("developer")


class HistoryRule(IntEnum):
    """Which rule decided a message's fate."""

    KEPT = 0
    VALIDITY = 1
    NEWEST_FIRST = 2
    SUMMARIZE_OLDER = 3
    NO_SUMMARY = 4
    RETRY_OLDEST_HALF = 5
    RETRY_LAST_EXCHANGE = 6
    FIRST_IS_USER = 7
    NOT_COUNTED = 8
    RECENT_EXCHANGE = 9
    TOPIC_ANCHOR = 10
    LINE_RENEWED = 11
    CLEARED = 12
    RETRY_WITHIN_EXCHANGE = 13
    KEEP_ENDS = 14
    ENDS_SUMMARISED = 15
    END_ON = 16
    OLDEST_FIRST = 17
    START_ON = 18
    BY_PRIORITY = 19
    RETRY_TASK = 20


def is_summarised(rule: Ints) -> Mask:
    """Which messages a summary stands for, by their rules."""
    found: Mask = (rule == HistoryRule.SUMMARIZE_OLDER) | (rule == HistoryRule.ENDS_SUMMARISED)
    return found


@dataclass(frozen=True, slots=True)
class ReducedChunks:
    """What the retry ladder may take from retrieval: so many of the best chunks stay, so much room history has then."""

    most_chunks: int
    room_tokens: int


@dataclass(frozen=True, slots=True)
class HistoryView:
    """One conversation under one provider, ready to be fitted.

    Attributes:
        tokens: each message with its frame, 0 for what the provider cannot be sent.
        chars: each message's characters.
        frames: the frame's share of `tokens`. all_frames: the same with those that cannot be sent.
        group, turn: as in pairing.Pairing. role: indexes conversation.ROLES.
        alive: what the provider can be sent at all.
        system: system and developer messages, which always stay.
        pinned: whole groups that are pinned.
        beside_system: what `keepWith` keeps together with a system text; None where that is nothing.
        written: notices and summaries that an earlier packing wrote in the place of others.
        room_tokens: what the rest of the prompt leaves for history.
        system_tokens, system_messages: the system texts before the history, where `countSystem` charges them to the
            strategy's limits as well; 0 where it does not.
        rest_tokens: what the rest of the prompt takes, the query and the priming of the reply included.
        query_tokens: the query, which is charged to `newestFirst`'s tokens as the newest message it is.
        config: the strategy's numbers; `max_tokens` already a number.
        max_tokens: the strategy's own token limit.
        tag_chars: the characters of each message's id, where pruning puts one behind it; a part of `chars`.
        half_chunks, best_chunk: what the ladder may take from retrieval, None where that changes nothing.
        task_row: the message that must be sent because no query asks for anything, -1 where none must (history.task).
        opener_row: the user's message that history begins with where a provider asks for one, kept before all others
            while it fits; -1 where there is none.
        priority: each message's by `priorities`, None where none is set.
        end_row: the message that history ends with by `endOn`, -1 where it ends as it came; what follows is not alive.
        lost_task: why what was typed last cannot be sent to the provider, None where it can.
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
    written: Mask
    room_tokens: int
    query_tokens: int
    config: HistoryConfig
    max_tokens: int
    rest_tokens: int = 0
    system_tokens: int = 0
    system_messages: int = 0
    tag_chars: Ints | None = None
    half_chunks: ReducedChunks | None = None
    best_chunk: ReducedChunks | None = None
    task_row: int = -1
    opener_row: int = -1
    priority: Ints | None = None
    end_row: int = -1
    lost_task: Loss | None = None
    beside_system: Mask | None = None

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def charged_tokens(self) -> int:
        """What a strategy's own limit in tokens is charged beside history."""
        return self.query_tokens + self.system_tokens

    @property
    def charged_messages(self) -> int:
        """How many messages a limit of messages is charged beside history."""
        return int(self.query_tokens > 0) + self.system_messages

    @property
    def always(self) -> Mask:
        """What stays whatever the limit: system texts with what is kept together with them, and pinned groups."""
        stays = self.system | self.pinned
        return self.alive & (stays if self.beside_system is None else stays | self.beside_system)

    @property
    def typed(self) -> Mask:
        """The user's messages that somebody typed, whether they can be sent or not."""
        begins: Mask = self.role == USER
        begins[1:] &= self.turn[1:] > self.turn[:-1]
        begins[:1] &= self.turn[:1] > 0
        return begins

    @property
    def asked(self) -> Mask:
        """The user's messages that somebody typed and that can be sent: each begins a turn."""
        return self.alive & self.typed

    @property
    def task(self) -> Mask:
        """The group of the message that must be sent because no query asks for anything."""
        return self._group_of(self.task_row)

    @property
    def opener(self) -> Mask:
        """The group of the message that history begins with where the first message must be the user's."""
        return self._group_of(self.opener_row)

    def widened(self, kept: Mask) -> Mask:
        """`kept` widened to whole groups, within what can be sent."""
        return of_groups(self.group, kept & self.alive) & self.alive

    def _group_of(self, row: int) -> Mask:
        if row < 0:
            return np.zeros(len(self), np.bool_)
        mine: Mask = self.alive & (self.group == self.group[row])
        return mine

    def last_turns(self, count: int) -> Mask:
        """The last `count` typed user messages and all that follows the first of them, in whole groups.

        Everything where nobody typed.
        """
        users = np.flatnonzero(self.asked)
        start = int(users[-min(count, len(users))]) if len(users) else 0
        kept = np.zeros(len(self), np.bool_)
        kept[start:] = True
        return self.widened(kept)

    def last_messages(self, count: int) -> Mask:
        """The newest `count` messages beside system texts, in whole groups."""
        rows = np.flatnonzero(self.alive & ~self.system)
        kept = np.zeros(len(self), np.bool_)
        kept[rows[len(rows) - min(count, len(rows)) :]] = True
        return self.widened(kept)

    def last_exchange(self) -> Mask:
        """The last typed user message and everything after it."""
        return self.last_turns(1)

    def size_tokens(self, kept: Mask) -> int:
        """The tokens of what is kept, frames included."""
        return int(only(self.tokens, kept).sum())


@dataclass(frozen=True, slots=True)
class SentMessages:
    """Measured messages under one provider, whatever the configuration; attributes as of HistoryView."""

    tokens: Ints
    chars: Ints
    frames: Ints
    all_frames: Ints
    group: Ints
    turn: Ints
    role: Ints
    alive: Mask
    system: Mask
    written: Mask

    @classmethod
    def of(cls, measures: MessageMeasures, provider: str, *, frame_tokens: Ints, written: Mask) -> SentMessages:
        """The messages with these frames."""
        alive = (measures.column(provider, "loss") & int(Loss.EMPTY)) == 0
        is_all = bool(alive.all())

        def sent(column: Ints) -> Ints:
            return column if is_all else only(column, alive)

        frames = sent(frame_tokens)
        return cls(
            tokens=sent(measures.column(provider, "tokens")) + frames,
            chars=sent(measures.column(provider, "chars")),
            frames=frames,
            all_frames=frame_tokens,
            group=measures.group,
            turn=measures.turn,
            role=measures.role,
            alive=alive,
            system=measures.role <= _LAST_SYSTEM,
            written=written,
        )

    def view(self, config: HistoryConfig, *, pinned: Mask) -> HistoryView:
        """The view of them; `room_tokens` and `query_tokens` are set where the room is known."""
        return HistoryView(
            tokens=self.tokens,
            chars=self.chars,
            frames=self.frames,
            all_frames=self.all_frames,
            group=self.group,
            turn=self.turn,
            role=self.role,
            alive=self.alive,
            system=self.system,
            pinned=of_groups(self.group, pinned) if pinned.any() else pinned,
            written=self.written,
            room_tokens=0,
            query_tokens=0,
            config=config,
            max_tokens=0 if isinstance(config.max_tokens, str) else config.max_tokens,
        )


def written_rows(measures: MessageMeasures, messages: Sequence[Message]) -> Mask:
    """Which of measured messages an earlier packing wrote in the place of others: notices and summaries."""
    users = np.flatnonzero(measures.role == USER)
    turn_before = np.where(users > 0, measures.turn[users - 1], 0)
    found = np.zeros(len(measures), np.bool_)
    for row in users[measures.turn[users] == turn_before].tolist():
        found[row] = is_written(messages[row])
    return found


def only(column: Ints, chosen: Mask) -> Ints:
    """The column of what is chosen, 0 elsewhere: ten times as fast as np.where for a mask that changes often."""
    found: Ints = column * chosen
    return found


def rules_of(view: HistoryView, kept: Mask, rule: HistoryRule) -> Ints:
    """The rule that decides each message: `rule` where it is left out for size, VALIDITY where it cannot be sent."""
    found: Ints = ~kept * np.int64(rule)
    if not view.alive.all():
        found[~(kept | view.alive)] = HistoryRule.VALIDITY
    return found


def last_rows(group: Ints, rows: Ints | None = None) -> Ints:
    """The row at which each group ends, by its number, among `rows` (ascending; None: all); 0 without any."""
    last = np.zeros(int(group.max(initial=-1)) + 1, np.int64)
    rows = np.arange(len(group)) if rows is None else rows
    last[group[rows]] = rows  # of the messages of a group the last one is written last
    return last


def of_groups(group: Ints, chosen: Mask) -> Mask:
    """Which messages are of the groups of those that are chosen."""
    among = np.zeros(int(group.max(initial=0)) + 1, np.bool_)
    among[group[chosen]] = True
    found: Mask = among[group]
    return found


@dataclass(frozen=True, slots=True)
class Rung:
    """One step of the retry ladder: what it is called, what history takes then, and what it may take then."""

    name: str
    tokens: int
    allowed_tokens: int

    @property
    def fits(self) -> bool:
        """Whether history is within what it may take."""
        return self.tokens <= self.allowed_tokens

    @property
    def figures(self) -> str:
        """The step in figures."""
        return f"{self.name}: {self.tokens:,} of {max(self.allowed_tokens, 0):,}"


@dataclass(frozen=True, slots=True, eq=False)
class ShortenedMessages:
    """Messages of which only a part is sent, or another text in their place.

    Attributes:
        rows: where they stand, ascending.
        tokens, chars: what is sent of each, without its frame.
        frames: the frame of each then.
        write: what is sent of a message, by its row.
    """

    rows: Ints
    tokens: Ints
    chars: Ints
    frames: Ints
    write: Callable[[int, Message], Message]

    def among(self, kept: Mask) -> ShortenedMessages:
        """Those of them that are kept."""
        mine = kept[self.rows]
        return replace(
            self, rows=self.rows[mine], tokens=self.tokens[mine], chars=self.chars[mine], frames=self.frames[mine]
        )

    def holds(self, row: int) -> bool:
        """Whether the message at `row` is one of them."""
        at = int(np.searchsorted(self.rows, row))
        return at < len(self.rows) and int(self.rows[at]) == row

    def applied(self, view: HistoryView) -> HistoryView:
        """The view with these messages as they are sent."""
        tokens, chars, frames = view.tokens.copy(), view.chars.copy(), view.frames.copy()
        tokens[self.rows], chars[self.rows], frames[self.rows] = self.tokens + self.frames, self.chars, self.frames
        if view.tag_chars is not None:
            chars[self.rows] += view.tag_chars[self.rows]
        return replace(view, tokens=tokens, chars=chars, frames=frames)


def frames_around(view: HistoryView, rows: Ints, chars: Ints, *, by_chars: bool) -> Ints:
    """The frames of messages that hold so many characters; `by_chars` where tokens are a quarter of characters."""
    if by_chars and view.tag_chars is not None:
        return -(-(chars + view.tag_chars[rows]) // 4) - -(-chars // 4)
    return view.frames[rows]


@dataclass(frozen=True, slots=True)
class NeededCounts:
    """For each message, how many messages and turns must be allowed for it to be kept; 0 where no limit drops it."""

    messages: Ints
    turns: Ints

    def within(self, config: HistoryConfig) -> Mask:
        """Which messages neither of the limits leaves out."""
        found = np.ones(len(self.messages), np.bool_)
        if config.max_messages is not None:
            found &= self.messages <= config.max_messages
        if config.max_turns is not None:
            found &= self.turns <= config.max_turns
        return found


@dataclass(frozen=True, slots=True)
class HistoryFit:
    """Which messages stay.

    Attributes:
        kept: what is sent.
        rule: Rule per message.
        limit_tokens: the limit that ruled, in tokens (the smaller of the strategy's own and the room left).
        needed_tokens: per message, the history limit from which it would have been kept; 0 where that says nothing.
        needed_messages: per message, how many older messages would have to be allowed; 0 where that says nothing.
        needed_counts: per message, the messages and turns that would have to be allowed; None where neither is limited.
        summary: what was written in the place of messages, None when nothing was.
        summary_tokens: its size with its frame.
        shortened: the messages of which only a part is sent, None when all that are kept are whole.
        rungs: the steps of the retry ladder that were tried.
        beside_tokens: what of the limit was held back for a summary or a notice; `needed_tokens` are without it.
        reduced_chunks: what the ladder took from retrieval, None when nothing.
        over: None when it fits, else the tokens and the sentence of what cannot shrink.
    """

    kept: Mask
    rule: Ints
    limit_tokens: int
    needed_tokens: Ints
    needed_messages: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    summary: Summary | None = None
    summary_tokens: int = 0
    shortened: ShortenedMessages | None = None
    rungs: tuple[Rung, ...] = ()
    reduced_chunks: ReducedChunks | None = None
    beside_tokens: int = 0
    over: Over | None = None
    needed_counts: NeededCounts | None = None

    def decided(self, row: int, *, kept: bool, rule: HistoryRule) -> HistoryFit:
        """The fit with another decision on one message."""
        stays, rules = self.kept.copy(), self.rule.copy()
        stays[row], rules[row] = kept, rule
        return replace(self, kept=stays, rule=rules)

    def without(self, gone: Mask, rule: HistoryRule) -> HistoryFit:
        """The fit with these messages left out by another rule."""
        rules = np.where(gone, int(rule), self.rule).astype(np.int64)
        return replace(self, kept=self.kept & ~gone, rule=rules)

    def as_sent(self, view: HistoryView) -> HistoryView:
        """The view with the messages that are shortened as they are sent."""
        return view if self.shortened is None else self.shortened.among(self.kept).applied(view)

    def sent(self, row: int, message: Message) -> Message:
        """What is sent of the message at `row`: all of it, unless it is shortened."""
        return (
            message if self.shortened is None or not self.shortened.holds(row) else self.shortened.write(row, message)
        )


@dataclass(frozen=True, slots=True)
class Over:
    """What cannot be sent: the tokens it needs, the tokens there are, and why, in a sentence.

    `cause` is "size" where fewer tokens would do, "ownLimit" where `maxTokens` alone is too low, which `least_limit`
    would mend; else nothing is left to send ("empty") or what asks for an answer cannot be sent to the provider
    ("task"): then no size is at fault, and `needed_tokens` is 0.
    """

    needed_tokens: int
    allowed_tokens: int
    sentence: str
    cause: OverCause = "size"
    least_limit: int = 0
