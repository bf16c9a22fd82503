"""prune(): from a bundle and a configuration to the pruned bundle that is fitted.

Blocks stand in the place of their messages, notes in the place of what the automatic strategies take, a tag behind
every message. Everything after it, the history strategies among it, works on what is left.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from budgeteer.engine.config.schema import PruningConfig, TextsConfig
from budgeteer.engine.content.conversation import ROLES
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.counting.message_measures import MessageMeasures
from budgeteer.engine.counting.sized import Sized
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.packing.pruning.additions import with_additions
from budgeteer.engine.packing.pruning.automatic import AutomaticCuts, found_by
from budgeteer.engine.packing.pruning.blocks import Block, Compressed
from budgeteer.engine.packing.pruning.calls import Calls
from budgeteer.engine.packing.pruning.compress import Bounds, compress
from budgeteer.engine.packing.pruning.history_facts import Facts, facts_of, says_instructions
from budgeteer.engine.packing.pruning.message_ids import TagSizes, tag_of
from budgeteer.engine.packing.pruning.minified import minified_sizes
from budgeteer.engine.packing.pruning.nudges import Nudge
from budgeteer.engine.packing.pruning.pruned_messages import PrunedHistory, Rewriter
from budgeteer.engine.packing.pruning.shape import Mask, leads, shape_of
from budgeteer.engine.packing.pruning.shortening import (
    Bare,
    Shortened,
    bare_sizes,
    shortened_by,
    tag_sizes,
    with_minified,
)
from budgeteer.engine.packing.sections.own_tools import OURS

_KEPT_AS = "pruning.last"
_USER = ROLES.index("user")
_SYSTEM = (ROLES.index("system"), ROLES.index("developer"))


@dataclass(frozen=True, slots=True)
class Pruned:
    """A bundle as it came, and what is left of it.

    Attributes:
        given: the bundle as it came. provider: the request form it is pruned for.
        bundle: what is fitted: its history holds blocks, notes and messages without tags.
        facts: what was read of the given history.
        rows: per message of the bundle's history its row in the given one, -1 for a block.
        blocks: the blocks in the bundle's history, in its order. compressed: every block there is.
        cover: per given message the number of the block that stands for it, 0 for none.
        bare: the given messages without tags they bring along. shortened: what the automatic strategies leave.
        tags: per message of the bundle's history what its tag costs; nothing for one that has none.
        pinned: per message of the bundle's history.
        max_summary_tokens: what all summaries may take.
        added: the decision ids of what was added beside the messages.
    """

    given: Bundle
    provider: str
    bundle: Bundle
    facts: Facts
    rows: Ints
    blocks: tuple[Block, ...]
    compressed: Compressed
    cover: Ints
    bare: Bare
    shortened: Shortened
    tags: Sized
    pinned: Mask
    max_summary_tokens: int
    added: frozenset[str]

    def tag(self, row: int) -> str:
        """The tag of the message at this row of the bundle's history, "" where it has none."""
        if not self.tags.chars[row]:
            return ""
        given = int(self.rows[row])
        if given >= 0:
            return tag_of(self.facts.numbering.id_of(given))
        return tag_of(self.blocks[int((self.rows[:row] < 0).sum())].id)

    def block_rows(self) -> Ints:
        """Where the blocks stand in the bundle's history."""
        found: Ints = np.flatnonzero(self.rows < 0)
        return found


@dataclass(frozen=True, slots=True)
class _CachedPruning:
    """What a bundle was pruned to, and how that was asked for."""

    asked: tuple[PruningConfig, TextsConfig, Nudge | None, str, int, bytes]
    pruned: Pruned


@dataclass(frozen=True, slots=True)
class Pruning:
    """How a bundle is pruned: the configuration's part, the request form, the counter, and the input budget.

    `texts` are what is said to the model, `nudge` the reminder that is sent, None for none.
    """

    config: PruningConfig
    provider: str
    counter: TokenCounter
    input_budget: int
    texts: TextsConfig
    nudge: Nudge | None = None

    @property
    def max_summary_tokens(self) -> int:
        """What all summaries may take: `maxSummaryPercent` of the input budget."""
        return self.input_budget * self.config.max_summary_percent // 100

    def prune(self, given: Bundle, pinned: Mask) -> Pruned:
        """The bundle pruned; `pinned` says of each message whether it, and so its group, is pinned.

        The last answer is kept with the bundle, for most changes of a configuration leave it as it is.

        Raises:
            CompressRefused: the ranges do not go with the conversation.
        """
        asked = (self.config, self.texts, self.nudge, self.provider, self.input_budget, pinned.tobytes())
        kept = given.prepared.get(_KEPT_AS)
        if isinstance(kept, _CachedPruning) and kept.asked == asked:
            return kept.pruned
        pruned = self._prune(given, pinned)
        given.prepared[_KEPT_AS] = _CachedPruning(asked, pruned)
        return pruned

    def _prune(self, given: Bundle, pinned: Mask) -> Pruned:
        facts, measures = self._facts(given), given.history_measures
        pinned = np.isin(measures.group, np.unique(measures.group[pinned]))
        compressed = self._compressed(measures, facts, pinned)
        standing = tuple(sorted(compressed.standing(), key=lambda block: block.anchor))
        cover = np.zeros(len(measures), np.int64)
        for block in standing:
            cover[compressed.covered(block)] = block.number
        bare = bare_sizes(measures, self.provider, facts.numbering, self.counter)
        turn = _turns(measures, facts)
        asked = given.query is not None and given.query.typed
        age = turn.max(initial=0) + asked - turn
        found = self._found(facts.calls, age=age, seen=cover == 0, pinned=pinned)
        shortened = shortened_by(facts.calls, found, bare, provider=self.provider, counter=self.counter)
        if found.minified.any():
            sizes = minified_sizes(given, facts.calls, self.counter)
            shortened = with_minified(shortened, facts.calls, found.minified, bare, sizes)
        rows = _order(cover, standing)
        left = _Left(rows, standing, turn, bare, shortened)
        history = PrunedHistory(Rewriter(given.history, facts.numbering, facts.calls, shortened), rows, standing)
        mode: Literal["auto", "manual"] = "auto" if self.config.mode == "auto" else "manual"
        bundle, added = given, set[str]()
        if self.config.model_driven:
            bundle, added = with_additions(given, mode, self.texts, nudge=self.nudge, counter=self.counter)
        return Pruned(
            given=given,
            provider=self.provider,
            bundle=replace(bundle, history=history, history_measures=self._measures(measures, left)),
            facts=facts,
            rows=rows,
            blocks=standing,
            compressed=compressed,
            cover=cover,
            bare=bare,
            shortened=shortened,
            tags=self._tags(facts, leads(measures), left),
            pinned=(rows >= 0) & pinned[rows],
            max_summary_tokens=self.max_summary_tokens,
            added=frozenset(added),
        )

    def _facts(self, given: Bundle) -> Facts:
        """What is read of the bundle; own words of the system text tell that it was packed before, too."""
        facts = facts_of(given, counter=self.counter)
        if self.texts != OURS and says_instructions(given, self.texts):
            return replace(facts, numbering=replace(facts.numbering, read_back=True))
        return facts

    def _compressed(self, measures: MessageMeasures, facts: Facts, pinned: Mask) -> Compressed:
        if not self.config.ranges:
            return Compressed({}, (), 0, 0)
        stays = pinned | np.isin(measures.role, _SYSTEM)
        shape = shape_of(measures, facts.numbering, stays=stays, bodies=facts.bodies)
        bounds = Bounds(self.config.max_nesting, self.max_summary_tokens)
        return compress(shape, self.config.ranges, bounds, self.counter.count)

    def _found(self, calls: Calls, *, age: Ints, seen: Mask, pinned: Mask) -> AutomaticCuts:
        """What the automatic strategies find; nothing where they are off."""
        if self.config.mode != "auto" or not len(calls):
            none = np.zeros(len(calls), np.bool_)
            return AutomaticCuts(none, np.zeros(len(calls), np.int64), none)
        return found_by(calls, self.config, age=age, seen=seen, touchable=seen & ~pinned)

    def _measures(self, measures: MessageMeasures, left: _Left) -> MessageMeasures:
        """The measures of what is left: each message's own, and a message in the user's name for each block.

        Columns of request forms that were not measured stay empty.
        """
        rows, blocks = left.rows, left.rows < 0
        kept = measures.taken(rows).to_arrays()
        arrays = {name: np.where(blocks, 0, column) if len(column) else column for name, column in kept.items()}
        column = functools.partial(MessageMeasures.column_name, self.provider)
        tokens, chars = arrays[column("tokens")], arrays[column("chars")]
        tokens[:], chars[:] = left.shortened.sized.tokens[rows], left.shortened.sized.chars[rows]
        arrays[column("before_tokens")] = np.where(blocks, 0, left.bare.before.tokens[rows])
        arrays[column("before_chars")] = np.where(blocks, 0, left.bare.before.chars[rows])
        arrays[column("unknown")][left.shortened.result[rows] & ~blocks] = 0
        arrays["images"][left.shortened.result[rows] & ~blocks] = 0
        tokens[blocks] = [block.tokens for block in left.blocks]
        chars[blocks] = [len(block.text) for block in left.blocks]
        arrays["role"][blocks] = _USER
        arrays["frame_tokens"][blocks] = self.counter.count("user") if self.counter.per_message_overhead else 0
        arrays["group"][blocks] = int(measures.group.max(initial=-1)) + 1 + np.arange(len(left.blocks))
        begins = np.diff(left.turn, prepend=0) > 0
        arrays["turn"] = np.cumsum(~blocks & begins[rows])
        return MessageMeasures.from_arrays(arrays)

    def _tags(self, facts: Facts, lead: Mask, left: _Left) -> Sized:
        """What the tags cost: nothing for what cannot be sent, and for reasoning that leads to the next message."""
        if not self.config.model_driven:
            return Sized(np.zeros(len(left.rows), np.int64), np.zeros(len(left.rows), np.int64))
        own, rows, blocks = tag_sizes(facts.numbering, self.counter), left.rows, left.rows < 0
        numbers = np.array([block.number for block in left.blocks], np.int64)
        sizes = TagSizes(self.counter)
        tokens, chars = own.tokens[rows], own.chars[rows]
        tokens[blocks] = sizes.tokens(numbers, of_blocks=True)
        chars[blocks] = sizes.chars(numbers, of_blocks=True)
        shown = blocks | (left.bare.alive & facts.numbering.named & ~lead)[rows]
        body = Sized(left.shortened.sized.tokens[rows], left.shortened.sized.chars[rows])
        body.tokens[blocks] = [block.tokens for block in left.blocks]
        body.chars[blocks] = [len(block.text) for block in left.blocks]
        tagged = body.changed(tokens * shown, chars * shown, counter=self.counter)
        return Sized(tagged.tokens - body.tokens, tagged.chars - body.chars)


@dataclass(frozen=True, slots=True)
class _Left:
    """What is left: rows as in Pruned, the blocks, and per given message its turn and its sizes."""

    rows: Ints
    blocks: tuple[Block, ...]
    turn: Ints
    bare: Bare
    shortened: Shortened


def _turns(measures: MessageMeasures, facts: Facts) -> Ints:
    """The turns without those that a block which was read back would begin."""
    begins = (measures.role == _USER) & (np.diff(measures.turn, prepend=0) > 0)
    begins[[row for row in facts.numbering.blocks.values() if row >= 0]] = False
    return np.cumsum(begins)


def _order(cover: Ints, blocks: tuple[Block, ...]) -> Ints:
    """The given rows that are seen, -1 for each block, in prompt order: a block before the first it stands for."""
    rows = np.flatnonzero(cover == 0)
    anchors = np.array([block.anchor for block in blocks], np.int64)
    keys = np.concatenate([2 * anchors, 2 * rows + 1])
    return np.concatenate([np.full(len(anchors), -1), rows])[np.argsort(keys, kind="stable")]
