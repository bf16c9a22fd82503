"""What stands around the messages of a request: frames, the priming of the reply; nothing under chars/4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from budgeteer.engine.content.conversation import Message, Role
from budgeteer.engine.counting.calibrated_counter import message_tokens
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.counting.message_frames import message_frames
from budgeteer.engine.counting.message_measures import MessageMeasures
from budgeteer.engine.counting.tokenizers import CountKind, TokenCounter
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.packing.history.view import HistoryFit, HistoryView, Mask, SentMessages, only, written_rows
from budgeteer.engine.packing.ledger import Size
from budgeteer.engine.providers.capabilities import Loss
from budgeteer.engine.providers.registry import PROVIDERS

#: Where the history is kept in `Bundle.prepared`, by provider and counter.
_KEPT_AS: Final = "sent messages"


@dataclass(frozen=True, slots=True)
class _CachedMessages:
    """A history under a provider, with what it was made from."""

    history: Sequence[Message]
    measures: MessageMeasures
    sent: SentMessages

    def are_of(self, bundle: Bundle) -> bool:
        """Whether it is this bundle's: one made from it may hold another history."""
        return self.history is bundle.history and self.measures is bundle.history_measures


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

    def sent_messages(self) -> SentMessages:
        """The bundle's history under the provider, worked out once for the bundle and the counter."""
        bundle, key = self.bundle, f"{_KEPT_AS} {self.provider} {self.counter.name}"
        kept = bundle.prepared.get(key)
        if not isinstance(kept, _CachedMessages) or not kept.are_of(bundle):
            measures = bundle.history_measures
            written = written_rows(measures, bundle.history)
            sent = SentMessages.of(measures, self.provider, frame_tokens=self.messages(measures), written=written)
            kept = bundle.prepared[key] = _CachedMessages(bundle.history, measures, sent)
        return kept.sent

    def written(self, role: Role) -> int:
        """The frame of a message that is written here: a system message, a summary."""
        return message_tokens(PROVIDERS[self.provider], self.counter, role)

    def query(self) -> int:
        """The query's frame; 0 where there is none, or nothing of it can be sent."""
        return self._query_frame

    def query_tokens(self) -> int:
        """The query with its frame."""
        return self._query_tokens

    def has_query(self) -> bool:
        """Whether a query is sent."""
        return self._has_query

    def reply(self) -> int:
        """The priming of the reply."""
        return PROVIDERS[self.provider].overhead.reply.tokens if self.counter.per_message_overhead else 0

    def history(self, view: HistoryView, fit: HistoryFit) -> Size:
        """The frames of the history that is sent, the summary's with them."""
        frames = int(only(fit.as_sent(view).frames, fit.kept).sum())
        return Size(frames + (self.written("user") if fit.summary else 0))

    @cached_property
    def _query_frame(self) -> int:
        return int(self.messages(self.bundle.query_measures)[self._query_is_sent].sum())

    @cached_property
    def _query_tokens(self) -> int:
        return self._query_frame + int(self.bundle.query_measures.column(self.provider, "tokens").sum())

    @cached_property
    def _has_query(self) -> bool:
        return bool(self._query_is_sent.any())

    @cached_property
    def _query_is_sent(self) -> Mask:
        sent: Mask = (self.bundle.query_measures.column(self.provider, "loss") & int(Loss.EMPTY)) == 0
        return sent
