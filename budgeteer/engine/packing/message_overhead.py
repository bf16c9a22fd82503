"""What stands around the messages of a request: frames, the priming of the reply; nothing under chars/4."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from budgeteer.engine.content.conversation import Role
from budgeteer.engine.counting.calibrated_counter import message_tokens
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.counting.message_frames import message_frames
from budgeteer.engine.counting.message_measures import MessageMeasures
from budgeteer.engine.counting.tokenizers import CountKind, TokenCounter
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.packing.history.view import HistoryFit, HistoryView, Mask
from budgeteer.engine.packing.ledger import Size
from budgeteer.engine.providers.capabilities import Loss
from budgeteer.engine.providers.registry import PROVIDERS


@dataclass(frozen=True)
class MessageOverhead:
    """The frames of one bundle's messages under one provider, in tokens."""

    bundle: Bundle
    provider: str
    counter: TokenCounter

    @property
    def kind(self) -> CountKind:
        """Estimated where the provider publishes no frames and nobody measured them, or the counter is an estimate."""
        if self.counter.kind == "calibrated":
            return "calibrated"
        return self.counter.kind if PROVIDERS[self.provider].overhead.message.published else "estimated"

    def messages(self, measures: MessageMeasures) -> Ints:
        """The frame of each message, as `message_frames` gives it."""
        return message_frames(measures, PROVIDERS[self.provider], self.counter)

    def written(self, role: Role) -> int:
        """The frame of a message that is written here: a system message, a summary."""
        return message_tokens(PROVIDERS[self.provider], self.counter, role)

    def query(self) -> int:
        """The query's frame; 0 where there is none, or nothing of it can be sent."""
        return self._query_frame

    def query_tokens(self) -> int:
        """The query with its frame."""
        return self.query() + int(self.bundle.query_measures.column(self.provider, "tokens").sum())

    def has_query(self) -> bool:
        """Whether a query is sent."""
        return bool(self._query_is_sent.any())

    def reply(self) -> int:
        """The priming of the reply."""
        return PROVIDERS[self.provider].overhead.reply.tokens if self.counter.per_message_overhead else 0

    def history(self, view: HistoryView, fit: HistoryFit) -> Size:
        """The frames of the history that is sent, the summary's with them."""
        frames = int(fit.as_sent(view).frames[fit.kept].sum())
        return Size(frames + (self.written("user") if fit.summary else 0))

    @cached_property
    def _query_frame(self) -> int:
        return int(self.messages(self.bundle.query_measures)[self._query_is_sent].sum())

    @cached_property
    def _query_is_sent(self) -> Mask:
        sent: Mask = (self.bundle.query_measures.column(self.provider, "loss") & int(Loss.EMPTY)) == 0
        return sent
