"""A fast answer to which messages `newestFirst` keeps: counted from the newest until the budget is full.

Nothing need be counted beforehand, and nothing older than what is kept is looked at, so the answer takes the same time
for a hundred thousand messages as for a thousand. It is `pack`'s own (the same fit over the same measures), without
what needs the whole conversation: no decisions or reasons, no demand, no totals by section, no warnings, no request.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from budgeteer.engine.config.schema import BudgetConfig
from budgeteer.engine.content.conversation import Conversation, Message
from budgeteer.engine.content.pairing import ALONE, group_start
from budgeteer.engine.content.written_messages import begins_turn, is_written
from budgeteer.engine.counting.message_measures import MessageMeasures, measure_messages
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.errors import ConfigError
from budgeteer.engine.inputs.bundle import Bundle, Inputs, build_bundle
from budgeteer.engine.packing.allocation import allowance, provider_of, resolve_percents
from budgeteer.engine.packing.history.strategies.newest_first import newest_first
from budgeteer.engine.packing.history.task import is_lost, with_task
from budgeteer.engine.packing.history.view import HistoryView, SentMessages
from budgeteer.engine.packing.library_fitting import LibraryFitter
from budgeteer.engine.packing.pack import Packer
from budgeteer.engine.packing.sections.instruction_block import InstructionBlock
from budgeteer.engine.packing.task_check import asked_of, checked
from budgeteer.engine.providers.capabilities import Loss, supported_parts

_SYSTEM_ROLES: Final = ("system", "developer")

#: Messages that are counted at once on the way back: more at once would count more than is kept.
_STRETCH: Final = 128


@dataclass(frozen=True, slots=True)
class NewestKept:
    """What `newestFirst` keeps of a conversation.

    Attributes:
        rows: the kept messages' places in the conversation, ascending, beside its leading system texts and the query.
        tokens: what they take with their frames. limit_tokens: what they may take, the query included.
        counted: how many messages were counted.
    """

    rows: tuple[int, ...]
    tokens: int
    limit_tokens: int
    counted: int


def newest_kept(
    talk: Conversation,
    config: BudgetConfig,
    *,
    counter: TokenCounter,
    query: str | None = None,
    systems: Sequence[int] = (),
) -> NewestKept:
    """The messages that `pack` keeps of this conversation with its own tools and no libraries, under `newestFirst`.

    `query` is what was typed, None to take the conversation's final user message. `systems` are the places of system
    texts that stand between messages: they always stay, and are not searched for beyond what is kept. Where no query
    asks for anything, the last typed message is searched for, for it always stays; nothing before it is looked at.

    Raises:
        ConfigError: the configuration asks for what needs the whole conversation.
    """
    _check(talk, config)
    form = provider_of(config)
    allowed = allowance(config, counter)
    config = resolve_percents(config, allowed)
    start, end = _bounds(talk.messages, query)
    others = replace(talk, messages=(*talk.messages[:start], *talk.messages[end:]), reported_input_tokens=None)
    bundle = _without_history(others, counter=counter, query=query, form=form)
    packer = Packer.of(bundle, config, counter, form, allowed)
    fitter = LibraryFitter(
        InstructionBlock.of(bundle, config, packer.framing), allowed, packer.shares, exchange_tokens=0
    )
    walk = _Walk(talk.messages, packer, room_tokens=fitter.fit(frozenset()).room_tokens)
    view, rows = walk.back(start, end, systems)
    fit = checked(newest_first(view), view, bundle, form)
    kept = np.flatnonzero(fit.kept)
    return NewestKept(
        tuple(rows[int(at)] for at in kept), view.size_tokens(fit.kept), fit.limit_tokens, counted=len(rows)
    )


def _check(talk: Conversation, config: BudgetConfig) -> None:
    history = config.history
    needs_all = {
        "history.strategy": history.strategy != "newestFirst",
        "history.notice": history.notice,
        "history.endOn": history.end_on != "any",
        "history.startOn": history.start_on not in ("any", "user"),
        "history.maxMessages": history.max_messages is not None,
        "history.maxTurns": history.max_turns is not None,
        "history.countSystem": history.count_system,
        "history.keepWith": bool(history.keep_with),
        "pruning.mode": config.pruning.mode != "off",
        "pins": any(pin.startswith("message:") for pin in config.pins),
        "skillsBudget.enabled": config.skills_budget.enabled and bool(talk.tools),
        "tools.leaveOut": bool(config.tools.leave_out) and bool(talk.tools),
    }
    where = next((path for path, is_set in needs_all.items() if is_set), "")
    if where:
        without = "a notice, endOn, limits of messages, pruning, pinned messages and limited tools"
        what = f"only newestFirst without {without} can be answered from the newest on"
        raise ConfigError(what, where=where, mend="Pack the conversation instead.")


def _bounds(messages: Sequence[Message], query: str | None) -> tuple[int, int]:
    """Where history begins and ends: after the leading system texts, before the query."""
    start, end = 0, len(messages)
    while start < end and messages[start].role in _SYSTEM_ROLES:
        start += 1
    if not query and end > start and messages[end - 1].role == "user" and not is_written(messages[end - 1]):
        end -= 1
    return start, end


def _without_history(talk: Conversation, *, counter: TokenCounter, query: str | None, form: str) -> Bundle:
    """The bundle of a conversation whose history was taken out."""
    measures = measure_messages(talk.messages, counter=counter, providers=(form,))
    return build_bundle(Inputs(conversation=talk, conversation_measures=measures, query=query), counter=counter)


class _Walk:
    """The way back through a conversation, from the newest message."""

    def __init__(self, messages: Sequence[Message], packer: Packer, *, room_tokens: int) -> None:
        self._messages = messages
        self._packer = packer
        self._room_tokens = room_tokens
        self._query_tokens = packer.framing.query_tokens()

    def back(self, start: int, end: int, systems: Sequence[int]) -> tuple[HistoryView, list[int]]:
        """The view of what was looked at, in order, and the place of each of its messages in the conversation."""
        found: list[MessageMeasures] = []
        at, taken = end, self._query_tokens
        while at > start and taken <= self._limit_tokens:
            before = group_start(self._messages, max(at - _STRETCH, start), start)
            found.insert(0, self._measured(self._messages[before:at]))
            taken += int(self._view(found[0]).tokens.sum())
            at = before
        further = sorted({row for row in (*systems, *self._asking(start, end)) if start <= row < at})
        if further:
            found.insert(0, self._measured([self._messages[row] for row in further]))
        rows = [*further, *range(at, end)]
        measures = _joined(found or [self._measured(())])
        typed = np.array([self._is_typed(row) for row in rows], np.bool_)
        losses = measures.column(self._packer.provider, "loss")
        return with_task(
            self._view(measures, [is_written(self._messages[row]) for row in rows]),
            asked_of(self._packer.bundle, self._packer.provider),
            typed=typed,
            losses=losses,
        ), rows

    def _asking(self, start: int, end: int) -> Iterator[int]:
        """The rows among which the task is: back to the last message that somebody typed, or to the last user's."""
        asked = asked_of(self._packer.bundle, self._packer.provider)
        if asked.query == "lost" or (asked.query == "typed" and not asked.first_is_user):
            return
        for row in range(end - 1, start - 1, -1):
            message = self._messages[row]
            if message.role != "user" or is_written(message):
                continue
            loss = supported_parts(message, self._packer.provider, ALONE).loss
            is_sent = Loss.EMPTY not in loss
            if is_sent or is_lost(loss):
                yield row
            if is_sent if asked.query == "typed" else begins_turn(message) and (is_sent or is_lost(loss)):
                return

    def _is_typed(self, row: int) -> bool:
        return begins_turn(self._messages[row])

    @property
    def _limit_tokens(self) -> int:
        own = self._packer.config.history.max_tokens
        room = self._room_tokens + self._query_tokens
        return min(own, room) if isinstance(own, int) else room

    def _measured(self, messages: Sequence[Message]) -> MessageMeasures:
        return measure_messages(messages, counter=self._packer.counter, providers=(self._packer.provider,))

    def _view(self, measures: MessageMeasures, written: Sequence[bool] = ()) -> HistoryView:
        sent = SentMessages.of(
            measures,
            self._packer.provider,
            frame_tokens=self._packer.framing.messages(measures),
            written=np.array(written or [False] * len(measures), np.bool_),
        )
        view = sent.view(self._packer.config.history, pinned=np.zeros(len(measures), np.bool_))
        return replace(view, room_tokens=self._room_tokens, query_tokens=self._query_tokens)


def _joined(pieces: Sequence[MessageMeasures]) -> MessageMeasures:
    """The rows of stretches that do not hang together, one stretch after the other, their groups numbered through."""
    given = [piece.to_arrays() for piece in pieces]
    columns = {name: np.concatenate([arrays[name] for arrays in given]) for name in given[0]}
    counts = [int(piece.group.max()) + 1 if len(piece) else 0 for piece in pieces]
    before = np.repeat(np.cumsum([0, *counts[:-1]]), [len(piece) for piece in pieces])
    return MessageMeasures.from_arrays({**columns, "group": columns["group"] + before})
