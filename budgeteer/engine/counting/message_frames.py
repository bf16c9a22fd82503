"""What stands around each message of a conversation, in tokens: nothing under chars/4."""

from __future__ import annotations

from typing import Final

import numpy as np

from budgeteer.engine.content.conversation import ROLES
from budgeteer.engine.counting.calibrated_counter import charges_of
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.counting.message_measures import MessageMeasures
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.providers.base import Provider

#: Roles up to this one are system texts.
_LAST_SYSTEM: Final = ROLES.index("developer")


def message_frames(measures: MessageMeasures, provider: Provider, counter: TokenCounter) -> Ints:
    """The frame of each message: the provider's constant, role, and name where there is one and it can be sent.

    What stands around calls and their results is in the frame of the message that calls; what a failed one takes more
    is in that of its result. System text has the frame of a message, or what the provider charges around a field of its
    own. A calibrated counter brings its own charges, roles included.
    """
    if not counter.per_message_overhead:
        return np.zeros(len(measures), np.int64)
    frames = _frames(measures, provider, counter)
    if provider.overhead.system is None:
        return frames
    return np.where(measures.role <= _LAST_SYSTEM, provider.overhead.system.tokens, frames)


def _frames(measures: MessageMeasures, provider: Provider, counter: TokenCounter) -> Ints:
    """The frame of each as that of a message."""
    overhead = provider.overhead
    charges = charges_of(counter)
    if charges is not None:
        speaks = (measures.calls == 0) & (measures.is_result == 0)
        speaker = 0 if overhead.speaker is None else overhead.speaker.tokens + measures.name_tokens
        measured: Ints = charges.message * speaks + charges.call * measures.calls + measures.named * speaker
        return measured
    once = overhead.calling.tokens * (measures.calls > 0) + overhead.parallel.tokens * (measures.calls > 1)
    around_calls = overhead.call.tokens * measures.calls + once
    around_parts = overhead.failed.tokens * measures.failed + overhead.reasoning.tokens * measures.thoughts
    frames: Ints = overhead.message.tokens + measures.frame_tokens + around_calls + around_parts
    if not measures.named.any():
        return frames
    if overhead.speaker is None:
        return frames - measures.name_tokens
    return frames + measures.named * overhead.speaker.tokens


def framed_tokens(measures: MessageMeasures, provider: Provider, counter: TokenCounter) -> Ints:
    """What each message takes as it came, with its frame."""
    return measures.column(provider.name, "before_tokens") + message_frames(measures, provider, counter)
