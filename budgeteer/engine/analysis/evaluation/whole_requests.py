"""Which conversations of a chunk are sent whole, told from their sizes alone, and what they take.

It says yes only where packing could leave nothing out and would change nothing: the same figures without a packing. A
property test holds them against packings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, assert_never

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from budgeteer.engine.config.schema import BudgetConfig
from budgeteer.engine.content.conversation import ROLES, Conversation
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.counting.message_frames import message_frames
from budgeteer.engine.counting.message_measures import MessageMeasures
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.packing.allocation import allowance, provider_of, resolve_percents
from budgeteer.engine.packing.ledger import LETTERS, OVERHEAD_LETTER
from budgeteer.engine.packing.ledger_rows import LETTER_OF_ROLE
from budgeteer.engine.providers.registry import DEFAULT_PROVIDER, PROVIDERS

_USER = ROLES.index("user")
_LAST_SYSTEM = ROLES.index("developer")


@dataclass(frozen=True, slots=True, eq=False)
class WholeRequests:
    """A chunk under one configuration.

    Attributes:
        is_whole: one entry a conversation; whether it is certain that all of it is sent as it came.
        tokens: what each request takes then; only right where `is_whole`.
        message_tokens: what each message takes, without its frame. framed: the same with it.
        letters: the category of each message, an index into LETTERS. owner: the conversation of each.
        reply_tokens: the priming of each reply.
    """

    is_whole: NDArray[np.bool_]
    tokens: Ints
    message_tokens: Ints
    framed: Ints
    letters: NDArray[np.int8]
    owner: Ints
    reply_tokens: int

    def categories(self) -> Iterator[tuple[str, int, int]]:
        """For each category of what is sent whole its letter, items and tokens; last what stands around messages."""
        mine = self.is_whole[self.owner]
        counts = np.bincount(self.letters[mine], minlength=len(LETTERS))
        tokens = np.bincount(self.letters[mine], weights=self.message_tokens[mine], minlength=len(LETTERS))
        for place, letter in enumerate(LETTERS):
            if counts[place] or tokens[place]:
                yield letter, int(counts[place]), int(tokens[place])
        around = int((self.framed - self.message_tokens)[mine].sum()) + self.reply_tokens * int(self.is_whole.sum())
        if around:
            yield OVERHEAD_LETTER, 0, around


def whole_requests(
    conversations: Sequence[Conversation],
    measures: MessageMeasures,
    starts: Ints,
    config: BudgetConfig,
    *,
    counter: TokenCounter,
) -> WholeRequests:
    """What of a chunk is sent whole; `starts` are the first rows of the conversations, and the number of all rows."""
    provider = provider_of(config)
    form = PROVIDERS[provider]
    allowed = allowance(config, counter)
    system = measures.role <= _LAST_SYSTEM
    tokens = _column(measures, "tokens", provider, system)
    framed = tokens + message_frames(measures, form, counter)
    reply = form.overhead.reply.tokens if counter.per_message_overhead else 0
    sizes = np.diff(starts)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    total = _sums(framed, starts) + reply
    history = _sums(framed * ~system, starts)
    chars = _sums(measures.column(provider, "chars") * ~system, starts)
    plain = (_column(measures, "loss", provider, system) == 0) & (measures.images == 0)
    plain &= measures.column(provider, "unknown") == 0
    plain &= tokens == _column(measures, "before_tokens", provider, system)
    certain = (_sums(~plain, starts) == 0) & (sizes > 0)
    certain &= total <= allowed.usable_tokens
    certain &= np.array([not one.tools for one in conversations], np.bool_)
    certain &= _is_asked(measures, starts, sizes)
    certain &= _keeps_all(resolve_percents(config, allowed), history=history, chars=chars, total=total)
    return WholeRequests(certain, total, tokens, framed, LETTER_OF_ROLE.take(measures.role), owner, reply)


def _column(measures: MessageMeasures, name: str, provider: str, system: NDArray[np.bool_]) -> Ints:
    """A column of what is sent: system texts have a place of their own in every form, and count as the default's do."""
    found: Ints = np.where(system, measures.column(DEFAULT_PROVIDER, name), measures.column(provider, name))
    return found


# Settings that change nothing of a conversation without tools and libraries where all of it fits: those of the model,
# those of what it does not have, and those of a strategy's cut. A setting that is not here must be at its default.
_ONLY_OF_OTHERS: Final = frozenset(
    {"model", "context_window", "output_reserve", "tokenizer", "safety_margin_percent", "calibrations"}
    | {"skills_budget", "tools", "features", "retrieval", "retry"}
)
_ONLY_OF_A_CUT: Final = frozenset(
    {"strategy", "max_tokens", "max_chars", "keep_user_turns", "summary_max_chars", "topic_chars", "topic_anchor"}
    | {"max_history_messages", "name_previous", "fallback_messages", "uncounted_fallback_messages"}
    | {"clearing", "summarizing", "ends", "notice"}
)


def _keeps_all(config: BudgetConfig, *, history: Ints, chars: Ints, total: Ints) -> NDArray[np.bool_]:
    """Where the configuration leaves a conversation as it is that fits the window.

    `history` and `chars` are with the query, so that a limit may be taken to be passed where it is not quite.
    """
    nothing = np.zeros(len(total), np.bool_)
    settings = config.history
    if not (_is_default(config, but=_ONLY_OF_OTHERS | {"history"}) and _is_default(settings, but=_ONLY_OF_A_CUT)):
        return nothing
    match settings.strategy:
        case "full":
            return ~nothing
        case "newestFirst":
            return history <= int(settings.max_tokens)
        case "summarizeOlder" if settings.summarizing.trigger is None:
            return chars <= settings.max_chars
        case "summarizeOlder":
            return total <= int(settings.summarizing.trigger or 0)
        case "recentExchange" | "keepEnds" | "oldestFirst" | "byPriority" | "clearToolResults":
            return nothing
        case strategy:
            assert_never(strategy)


def _is_default(part: BaseModel, *, but: frozenset[str]) -> bool:
    """Whether every setting of `part` has its default, except those named."""
    default = _default_of(type(part))
    return all(getattr(part, name) == getattr(default, name) for name in type(part).model_fields if name not in but)


@cache
def _default_of(kind: type[BaseModel]) -> BaseModel:
    """Settings of a kind as they are where nobody sets any; nobody changes them."""
    return kind()


def _is_asked(measures: MessageMeasures, starts: Ints, sizes: Ints) -> NDArray[np.bool_]:
    """Where each conversation has its system texts first, then a message of the user's that somebody typed."""
    system = measures.role <= _LAST_SYSTEM
    leading = _sums(system, starts)
    places = np.arange(len(measures)) - np.repeat(starts[:-1], sizes)
    in_front = _sums(system & (places < np.repeat(leading, sizes)), starts) == leading
    if not len(measures):
        return np.zeros(len(sizes), np.bool_)
    opener = np.minimum(starts[:-1] + leading, len(measures) - 1)
    opens: NDArray[np.bool_] = (leading < sizes) & (measures.role[opener] == _USER) & (measures.turn[opener] > 0)
    found: NDArray[np.bool_] = in_front & opens
    return found


def _sums(column: NDArray[np.bool_] | Ints, starts: Ints) -> Ints:
    """The sum over each conversation's rows."""
    reached = np.concatenate([[0], np.cumsum(column, dtype=np.int64)])
    found: Ints = reached[starts[1:]] - reached[starts[:-1]]
    return found
