"""The overhead of pruning beside blocks: tags behind messages, the resulting demand, notes on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from budgeteer.engine.config.schema import PruningConfig
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.packing.history.view import USER, HistoryFit, HistoryView, Mask
from budgeteer.engine.packing.ledger import Overhead, Size
from budgeteer.engine.packing.pruning.pruned import Pruned
from budgeteer.engine.packing.result import CountedWith, SectionTotal


def tagged_view(view: HistoryView, pruned: Pruned) -> HistoryView:
    """The view with each message's tag: its tokens count as a part of the frame."""
    tags = pruned.tags
    return replace(
        view,
        tokens=view.tokens + tags.tokens,
        chars=view.chars + tags.chars,
        frames=view.frames + tags.tokens,
        all_frames=view.all_frames + tags.tokens,
        tag_chars=tags.chars,
    )


def typed_rows(pruned: Pruned) -> Mask:
    """The messages that somebody typed among what pruning left, and the blocks that stand for such messages."""
    given = pruned.given.history_measures
    typed = (given.role == USER) & (np.diff(given.turn, prepend=0) > 0)
    typed[[row for row in pruned.facts.numbering.blocks.values() if row >= 0]] = False
    rows = pruned.rows
    standing = {int(number) for number in pruned.cover[typed]}
    found = (rows >= 0) & typed[rows] if len(typed) else np.zeros(len(rows), np.bool_)
    for block, row in zip(pruned.blocks, pruned.block_rows().tolist(), strict=True):
        found[row] = block.number in standing
    return found


def tag_overhead(pruned: Pruned, view: HistoryView, fit: HistoryFit, counter: TokenCounter) -> Overhead:
    """The tags of the messages that are sent; under chars/4 they are all there is of a frame."""
    tokens = pruned.tags.tokens if counter.per_message_overhead else fit.as_sent(view).frames
    size = Size(int(tokens[fit.kept].sum()), int(pruned.tags.chars[fit.kept].sum()))
    return Overhead("history", "message ids", size, counter.kind, is_around_messages=True)


def pruned_demand(
    sections: Sequence[SectionTotal], pruned: Pruned, view: HistoryView, *, given_frames: int
) -> tuple[SectionTotal, ...]:
    """The sections with what pruning asks for beside its tool and texts: tags, and blocks that make it larger.

    What blocks stand for is asked for as it came, with its frames.
    """
    found = []
    for section in sections:
        more = around = Size()
        if section.name == "history":
            tags = Size(int(pruned.tags.tokens.sum()), int(pruned.tags.chars.sum()))
            around = tags - Size(int(view.all_frames.sum()) - given_frames)
            more = around + _larger(pruned, view)
        demand = CountedWith(section.demand.items, section.demand.size + more)
        found.append(replace(section, demand=demand, around_tokens=section.around_tokens + around.tokens))
    return tuple(found)


def _larger(pruned: Pruned, view: HistoryView) -> Size:
    """By how much blocks are larger than what they stand for, where they are."""
    total = Size()
    for block, at in zip(pruned.blocks, pruned.block_rows().tolist(), strict=True):
        covered = pruned.compressed.covered(block)
        tokens = int(view.tokens[at] - pruned.tags.tokens[at]) - int(pruned.bare.after.tokens[covered].sum())
        chars = len(block.text) - int(pruned.bare.after.chars[covered].sum())
        total += Size(max(tokens, 0), max(chars, 0))
    return total


def pruned_notes(pruned: Pruned | None, config: PruningConfig) -> Iterator[str]:
    """What blocks there are, against both of their bounds; ranges that are not applied."""
    if pruned is None:
        if config.ranges:
            yield f"Compress ranges are not applied while pruning.mode is off: {len(config.ranges):,} batches."
        return
    if pruned.compressed.earlier:
        count = pruned.compressed.earlier
        yield f"Compress ranges whose ends are gone since an earlier packing of this conversation: {count:,}."
    if pruned.blocks:
        tokens, most = pruned.compressed.tokens, pruned.max_summary_tokens
        deepest = int(np.max([block.depth for block in pruned.blocks]))
        yield (
            f"Blocks: {len(pruned.blocks):,}, nested {deepest} deep of {config.max_nesting}; all summaries take "
            f"{tokens:,} of {most:,} tokens ({config.max_summary_percent} % of the input budget)."
        )
