"""The measures of a conversation that grows: one more message costs its own counting, whatever came before it.

The columns stand in a table with room to grow, which doubles when it is full. What a new message may change stands at
the end alone: the calls that it answers, the reasoning that it follows. So only the last messages that hang together
are paired again, and only when somebody looks.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

import numpy as np

from budgeteer.engine.content.conversation import ROLES, Message, TextPart, calls_of
from budgeteer.engine.content.pairing import group_start, has_name, pair
from budgeteer.engine.content.written_messages import begins_turn
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.counting.message_counting import FORM, HEAD, message_table
from budgeteer.engine.counting.message_measures import MessageMeasures, measure_messages
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.providers.registry import DEFAULT_PROVIDER, PROVIDERS

_COLUMNS: Final = MessageMeasures.column_names()
_ROLE, _GROUP, _TURN, _FRAME = (_COLUMNS.index(name) for name in ("role", "group", "turn", "frame_tokens"))
_PLAIN: Final = {role: ROLES.index(role) for role in ("user", "assistant")}
_ASSISTANT: Final = ROLES.index("assistant")
_LEAST_ROOM: Final = 64


class GrowingMeasures:
    """The measures of a conversation to which messages are appended; the same as measure_messages of all of them."""

    def __init__(
        self,
        messages: Sequence[Message] = (),
        *,
        counter: TokenCounter,
        measures: MessageMeasures | None = None,
        providers: Collection[str] = tuple(PROVIDERS),
    ) -> None:
        """Begin with `messages`; `measures` are theirs where they were counted before, for the same providers."""
        self._counter = counter
        self._providers = {DEFAULT_PROVIDER, *providers}
        self._messages = list(messages)
        self._frames = [counter.count(role) if counter.per_message_overhead else 0 for role in ROLES]
        self._forms = [len(HEAD) + at * len(FORM) for at, name in enumerate(PROVIDERS) if name in self._providers]
        known = measures or measure_messages(messages, counter=counter, providers=providers)
        self._table: Ints = np.zeros((len(_COLUMNS), max(2 * len(messages), _LEAST_ROOM)), np.int64)
        for at, column in enumerate(known.to_arrays().values()):
            self._table[at, : len(column)] = column
        self._cells = memoryview(self._table)
        #: The rows before this one are as they will stay, but for those of the last messages that hang together.
        self._settled = len(messages)
        self._groups = int(known.group.max(initial=-1)) + 1
        self._tail = 0
        self._seen: set[str] = set()
        self._advance(group_start(self._messages, len(messages) - 1, 0) if messages else 0)

    def __len__(self) -> int:
        return len(self._messages)

    @property
    def messages(self) -> Sequence[Message]:
        """The messages so far."""
        return self._messages

    def append(self, message: Message) -> None:
        """Take the next message: words are counted at once, what may hang together with others when somebody looks."""
        at = len(self._messages)
        if at == self._table.shape[1]:
            self._table = np.concatenate([self._table, np.zeros_like(self._table)], axis=1)
            self._cells = memoryview(self._table)
        self._messages.append(message)
        role, parts = _PLAIN.get(message.role), message.parts
        part = parts[0] if len(parts) == 1 else None
        if role is None or message.name or not isinstance(part, TextPart) or not part.text or part.text.isspace():
            return
        if self._settled == at and not (role == _ASSISTANT and self._follows_reasoning(at)):
            self._write(at, message, role, part.text)

    def _follows_reasoning(self, at: int) -> bool:
        return at > 0 and self._messages[at - 1].role == "assistant" and group_start(self._messages, at, 0) < at

    def _write(self, at: int, message: Message, role: int, text: str) -> None:
        cells = self._cells
        tokens, chars = self._counter.count(text), len(text)
        cells[_ROLE, at] = role
        cells[_FRAME, at] = self._frames[role]
        cells[_GROUP, at] = self._groups
        begins = begins_turn(message)
        cells[_TURN, at] = (cells[_TURN, at - 1] if at else 0) + begins
        for first in self._forms:
            cells[first, at] = cells[first + 2, at] = tokens
            cells[first + 1, at] = cells[first + 3, at] = chars
        self._groups += 1
        self._settled = at + 1
        self._advance(at)

    def measures(self) -> MessageMeasures:
        """The measures of all messages so far: views that stay right until the next message is appended."""
        self._settle()
        size = self._settled
        columns = dict(zip(_COLUMNS, self._table[:, :size], strict=True))
        measures = MessageMeasures.from_arrays(columns)
        return measures if self._providers.issuperset(PROVIDERS) else measures.only(self._providers)

    def _settle(self) -> None:
        """Measure what was only taken, with the messages that it hangs together with."""
        start, stop = self._tail, len(self._messages)
        if self._settled == stop:
            return
        messages = self._messages[start:stop]
        # A stretch's first message is its first group's.
        groups = int(self._table[_GROUP, start]) if start < self._settled else self._groups
        pairing = pair(messages, seen=self._seen)
        rows = self._table[:, start:stop]
        rows[:] = message_table(messages, pairing.place, counter=self._counter, providers=self._providers).T
        rows[_GROUP] = pairing.group
        rows[_TURN] = pairing.turn
        rows[_GROUP] += groups
        rows[_TURN] += self._table[_TURN, start - 1] if start else 0
        self._groups = int(rows[_GROUP].max()) + 1
        self._settled = stop
        self._advance(group_start(self._messages, stop - 1, start))

    def _advance(self, tail: int) -> None:
        """Let the messages from `tail` on be those that the next one may hang together with."""
        for message in self._messages[self._tail : tail]:
            if message.role == "assistant":
                self._seen.update(call.id for call in calls_of(message) if has_name(call))
        self._tail = tail
