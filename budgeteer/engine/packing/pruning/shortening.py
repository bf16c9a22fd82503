"""Sizes of each message under one provider after the automatic strategies, and which strategy changed it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.counting.message_measures import MessageMeasures
from budgeteer.engine.counting.sized import Sized
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.packing.pruning.automatic import AutomaticCuts, Strategy
from budgeteer.engine.packing.pruning.calls import Calls
from budgeteer.engine.packing.pruning.message_ids import Numbering, TagSizes
from budgeteer.engine.packing.pruning.minified import MinifiedSizes
from budgeteer.engine.packing.pruning.placeholders import REPEATED_NOTE
from budgeteer.engine.packing.pruning.shape import Mask
from budgeteer.engine.providers.capabilities import Loss
from budgeteer.engine.providers.registry import PROVIDERS


@dataclass(frozen=True, slots=True)
class Bare:
    """Each message without the tag it brings along: as it came, and what of it the provider can be sent."""

    before: Sized
    after: Sized
    alive: Mask


@dataclass(frozen=True, slots=True)
class Shortened:
    """Each message after the strategies.

    Attributes:
        sized: what is sent of it.
        strategy: the one that took something, Strategy.NONE where none did.
        result: the messages whose result is a note now.
        arguments: per call the strategy that shortened its arguments.
    """

    sized: Sized
    strategy: Ints
    result: Mask
    arguments: Ints


def bare_sizes(measures: MessageMeasures, provider: str, numbering: Numbering, counter: TokenCounter) -> Bare:
    """The sizes without tags that came along, which are counted as tags and not as text."""
    alive = (measures.column(provider, "loss") & int(Loss.EMPTY)) == 0
    before = Sized(measures.column(provider, "before_tokens"), measures.column(provider, "before_chars"))
    after = Sized(measures.column(provider, "tokens"), measures.column(provider, "chars"))
    if numbering.own.any():
        tag = tag_sizes(numbering, counter)
        came = Sized(-tag.tokens * numbering.own, -tag.chars * numbering.own)
        before = before.changed(came.tokens, came.chars, counter=counter)
        after = after.changed(came.tokens * alive, came.chars * alive, counter=counter)
    return Bare(before, after, alive)


def tag_sizes(numbering: Numbering, counter: TokenCounter) -> Sized:
    """What the tag of each message costs by itself."""
    sizes = TagSizes(counter)
    tokens, chars = sizes.tokens(numbering.numbers), sizes.chars(numbering.numbers)
    for number, row in numbering.blocks.items():
        if row >= 0:
            one = np.array([number], np.int64)
            tokens[row] = sizes.tokens(one, of_blocks=True)[0]
            chars[row] = sizes.chars(one, of_blocks=True)[0]
    return Sized(tokens, chars)


def shortened_by(calls: Calls, found: AutomaticCuts, bare: Bare, *, provider: str, counter: TokenCounter) -> Shortened:
    """The sizes after what was found is taken, where that makes a message smaller."""
    size = len(bare.alive)
    note = counter.count(REPEATED_NOTE)
    result = np.zeros(size, np.bool_)
    result[calls.result_row[found.results]] = True
    result &= bare.after.tokens > note
    arguments = np.zeros(len(calls), np.int64)
    tokens, chars = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for strategy, shorter in ((Strategy.PURGE_ERRORS, calls.as_failed), (Strategy.SUPERSEDE_WRITES, calls.as_written)):
        saved = shorter.saved(PROVIDERS[provider].capabilities.argument_form)
        worth = (saved.tokens if counter.per_message_overhead else saved.chars) < 0
        rows = np.flatnonzero((found.arguments == strategy) & worth & bare.alive[calls.call_row])
        arguments[rows] = strategy
        np.add.at(tokens, calls.call_row[rows], saved.tokens[rows])
        np.add.at(chars, calls.call_row[rows], saved.chars[rows])
    sized = bare.after.changed(tokens, chars, counter=counter)
    sized = Sized(np.where(result, note, sized.tokens), np.where(result, len(REPEATED_NOTE), sized.chars))
    by = np.where(result, int(Strategy.DEDUPE), 0).astype(np.int64)
    for strategy in (Strategy.SUPERSEDE_WRITES, Strategy.PURGE_ERRORS):
        by[calls.call_row[arguments == strategy]] = strategy
    return Shortened(sized, by, result, arguments)


def with_minified(done: Shortened, calls: Calls, chosen: Mask, bare: Bare, minified: MinifiedSizes) -> Shortened:
    """The sizes with the results of these calls minified, where that makes one smaller and nothing replaced it."""
    smaller = np.zeros(len(bare.alive), np.bool_)
    smaller[calls.result_row[chosen]] = True
    smaller &= minified.shorter & bare.alive & ~done.result & (minified.sized.tokens < bare.after.tokens)
    tokens = np.where(smaller, minified.sized.tokens, done.sized.tokens)
    chars = np.where(smaller, minified.sized.chars, done.sized.chars)
    strategy = np.where(smaller, int(Strategy.MINIFY_RESULTS), done.strategy)
    return replace(done, sized=Sized(tokens, chars), strategy=strategy)
