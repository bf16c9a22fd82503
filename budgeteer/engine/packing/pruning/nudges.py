"""Nudges: when a model is reminded to compress. A state machine over model requests, without any text.

`nudged` takes one request and says which nudge goes with it, and in which state the next request is met. Nothing is
sent from here: a packing sends one under `pruning.sendNudge`, and the words are in `model_texts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal, get_args

from budgeteer.engine.config.schema import PruningConfig

type Nudge = Literal["contextLimitStrong", "contextLimitSoft", "iteration", "turn"]
NUDGES: Final[tuple[Nudge, ...]] = get_args(Nudge.__value__)


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request as a nudge sees it.

    Attributes:
        tokens: the whole request, as packed, in tokens.
        window: the context window, in tokens; usage is `tokens / window`.
        calls_since_user: tool calls since the last user message.
        compressed: whether something was compressed since the request before.
    """

    tokens: int
    window: int
    calls_since_user: int = 0
    compressed: bool = False

    @property
    def usage_percent(self) -> float:
        """The share of the window the request takes, in percent."""
        return self.tokens * 100 / self.window


@dataclass(frozen=True, slots=True)
class Cadence:
    """How many model requests came since the last nudge or compress, None where there was neither yet."""

    requests: int | None = None


def nudged(cadence: Cadence, request: ModelRequest, config: PruningConfig) -> tuple[Nudge | None, Cadence]:
    """The nudge that goes with this request, None for none, and the cadence the next request is met in.

    A nudge comes at the earliest `nudgeFrequency` requests after the one before it, of whatever kind; a compress
    starts that count anew; the first one of a conversation waits for nothing.
    """
    waited = 0 if request.compressed else None if cadence.requests is None else cadence.requests + 1
    due = waited is None or waited >= config.nudge_frequency
    nudge = nudge_for(request, config) if due else None
    return nudge, Cadence(waited if nudge is None else 0)


def nudge_for(request: ModelRequest, config: PruningConfig) -> Nudge | None:
    """The nudge for this usage, whatever came before: above the maximum, or from the minimum on.

    Source of the order: the seed's prompts (dynamic context pruning); manual mode has the context-limit nudge alone.
    """
    if config.mode == "off" or not config.model_driven:
        return None
    used = request.tokens * 100
    if used > config.max_context_percent * request.window:
        return "contextLimitStrong" if config.nudge_force == "strong" else "contextLimitSoft"
    if config.mode == "manual" or used < config.min_context_percent * request.window:
        return None
    return "iteration" if request.calls_since_user >= config.iteration_nudge_threshold else "turn"


def nudges(requests: Iterable[ModelRequest], config: PruningConfig) -> Iterator[Nudge | None]:
    """The nudge of each request of a whole conversation, in order."""
    cadence = Cadence()
    for request in requests:
        nudge, cadence = nudged(cadence, request, config)
        yield nudge
