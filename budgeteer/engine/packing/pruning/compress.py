"""Replace ranges of messages by blocks (the tool `compress`): a batch is checked whole before any of it applies.

Rules of the domain, dynamic context pruning. A range holds at least two messages or blocks: its start is before its
end.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Final

import numpy as np

from budgeteer.engine.config.schema import CompressBatch, CompressRange
from budgeteer.engine.errors import CompressRefused, Refusal
from budgeteer.engine.packing.pruning.blocks import Compressed
from budgeteer.engine.packing.pruning.shape import HistoryShape
from budgeteer.engine.packing.pruning.stage import PLACEHOLDER, Stage, StageSpan

#: Where a refusal of a whole range stands.
_FIELDS: Final = {"missing": "summary", "repeated": "summary", "invented": "summary", "nesting": "summary"}


@dataclass(frozen=True, slots=True)
class Bounds:
    """How deep blocks may be nested, and how many tokens all summaries may take together."""

    max_nesting: int
    max_tokens: int

    @classmethod
    def none(cls) -> Bounds:
        """Nothing is bounded."""
        return cls(sys.maxsize, sys.maxsize)


def compress(
    shape: HistoryShape, batches: Sequence[CompressBatch], bounds: Bounds, count: Callable[[str], int]
) -> Compressed:
    """Every batch applied in its order.

    Raises:
        CompressRefused: the first batch that does not go with the conversation.
    """
    stage = Stage(shape, count, np.zeros(len(shape), np.int64))
    for at, batch in enumerate(batches):
        apply_batch(stage, at, batch, Bounds.none() if batch.recorded else bounds)
    return stage.compressed()


def apply_batch(stage: Stage, batch_at: int, batch: CompressBatch, bounds: Bounds) -> None:
    """Check a batch whole, then make its blocks.

    Raises:
        CompressRefused: it does not go with the conversation; nothing of it was applied.
    """
    check = _Check(stage, bounds, batch_at, batch.recorded)
    spans = check.spans([one for one in enumerate(batch.ranges) if not stage.is_earlier(one[1])])
    if check.refusals:
        raise CompressRefused(check.refusals)
    stage.make(batch.topic, [spans.get(at) for at in range(len(batch.ranges))])
    over = stage.summary_tokens()
    if spans and over > bounds.max_tokens:
        raise CompressRefused([check.too_large(over)])


@dataclass
class _Check:
    """One batch being checked: what is wrong with it, in its order.

    Of a recorded one the ends are widened to whole groups, one message is a range, and placeholders are as they are.
    """

    stage: Stage
    bounds: Bounds
    batch: int
    recorded: bool
    refusals: list[Refusal] = field(default_factory=list)

    def _refuse(self, code: str, at: int | None, ids: Sequence[str], sentence: str, mend: str) -> None:
        self.refusals.append(Refusal(code, self.batch, at, _FIELDS.get(code, ""), tuple(ids), sentence, mend))

    def spans(self, asked: Sequence[tuple[int, CompressRange]]) -> dict[int, StageSpan]:
        """The ranges by their place in the batch, everything checked but the size of the summaries."""
        found = {at: span for at, one in asked if (span := self.span(at, one)) is not None}
        self.overlaps(list(found.values()))
        for span in found.values():
            if not self.recorded:
                self.placeholders(span)
            self.nesting(span)
        return found

    def span(self, at: int, asked: CompressRange) -> StageSpan | None:
        """The range between its ends; None where it is no range."""
        start, end = self._key(at, "startId", asked.start_id), self._key(at, "endId", asked.end_id)
        if start is None or end is None:
            return None
        if start > end or (start == end and not self.recorded):
            ids = (asked.start_id, asked.end_id)
            self._refuse(
                "order", at, ids, f"{ids[0]} does not come before {ids[1]}", "Name the earlier one as startId."
            )
            return None
        whole_start, whole_end = self._whole_start(at, asked, start, end), self._whole_end(at, asked, start, end)
        if whole_start is None or whole_end is None:
            return None
        return StageSpan(at, asked, whole_start, whole_end)

    def _key(self, at: int, key: str, context_id: str) -> int | None:
        found = self.stage.key(context_id)
        if found is not None:
            return found
        cover = self.stage.cover_of(context_id)
        if cover:
            sentence, mend = f"{context_id} cannot be seen: b{cover} stands for it", f"Name b{cover} in its place."
        else:
            sentence, mend = f"there is no {context_id} in this conversation", "Take an id that the prompt shows."
        refusal = Refusal("covered" if cover else "unknown", self.batch, at, key, (context_id,), sentence, mend)
        self.refusals.append(replace(refusal, nearest=(f"b{cover}",) if cover else ()))
        return None

    def _whole_start(self, at: int, asked: CompressRange, start: int, end: int) -> int | None:
        """The start with the reasoning that leads to it, None where it cuts a group."""
        row, is_message = divmod(start, 2)
        shape = self.stage.shape
        if not is_message:
            return start
        if row <= shape.opener[row]:
            return 2 * int(shape.first[row]) + 1
        if self.recorded:
            return 2 * int(shape.first[row]) + 1
        before = self.stage.shape.numbering.id_of(int(shape.opener[row]))
        after = self.stage.neighbour(2 * int(shape.last[row]) + 1, step=1)
        self._cut(at, "startId", asked.start_id, [before, *([after[1]] if after and after[0] < end else [])])
        return None

    def _whole_end(self, at: int, asked: CompressRange, start: int, end: int) -> int | None:
        row, is_message = divmod(end, 2)
        shape = self.stage.shape
        if not is_message or row == shape.last[row]:
            return end
        if self.recorded:
            return 2 * int(shape.last[row]) + 1
        before = self.stage.neighbour(2 * int(shape.first[row]) + 1, step=-1)
        after = shape.numbering.id_of(int(shape.last[row]))
        self._cut(at, "endId", asked.end_id, [*([before[1]] if before and before[0] > start else []), after])
        return None

    def _cut(self, at: int, key: str, context_id: str, nearest: list[str]) -> None:
        what = "begin" if key == "startId" else "end"
        refusal = Refusal(
            "group",
            self.batch,
            at,
            key,
            (context_id,),
            f"a range cannot {what} at {context_id}: it would part calls from their results",
            f"Use {' or '.join(nearest)}.",
            tuple(nearest),
        )
        self.refusals.append(refusal)

    def overlaps(self, spans: Sequence[StageSpan]) -> None:
        """Refuse every two ranges that share something."""
        for one, other in combinations(spans, 2):
            if one.start <= other.end and other.start <= one.end:
                ids = (one.asked.start_id, one.asked.end_id, other.asked.start_id, other.asked.end_id)
                sentence = f"{ids[2]} to {ids[3]} overlaps {ids[0]} to {ids[1]}"
                self._refuse("overlap", other.at, ids, sentence, "Make one range of both, or move an end.")

    def placeholders(self, span: StageSpan) -> None:
        """Refuse a summary that does not name each block within its range exactly once."""
        _, inside = self.stage.contents(span)
        required = [f"b{number}" for number in inside]
        named = PLACEHOLDER.findall(span.asked.summary)
        distinct = list(dict.fromkeys(named))
        missing = [one for one in required if one not in named]
        repeated = [one for one in distinct if one in required and named.count(one) > 1]
        invented = [one for one in distinct if one not in required]
        if missing:
            sentence = f"the summary does not name {_listed(missing)}, which the range covers"
            self._refuse("missing", span.at, missing, sentence, "Name each of them once.")
        if repeated:
            sentence = f"the summary names {_listed(repeated)} more than once"
            self._refuse("repeated", span.at, repeated, sentence, "Name each of them once.")
        if invented:
            sentence = f"the summary names {_listed(invented)}, which the range does not cover"
            self._refuse("invented", span.at, invented, sentence, "Take them out, or write them without brackets.")

    def nesting(self, span: StageSpan) -> None:
        """Refuse a block that would hold blocks nested too deep."""
        _, inside = self.stage.contents(span)
        depth = 1 + max((self.stage.depth(number) for number in inside), default=0)
        if depth > self.bounds.max_nesting:
            deepest = [f"b{number}" for number in inside if self.stage.depth(number) == depth - 1]
            most = self.bounds.max_nesting
            sentence = f"blocks would be nested {depth} deep, through {', '.join(deepest)}; {most} is the most"
            self._refuse("nesting", span.at, deepest, sentence, "Leave them out of the range, or raise maxNesting.")

    def too_large(self, tokens: int) -> Refusal:
        """The refusal of a batch after which the summaries together are too large."""
        sentence = f"all summaries together would take {tokens:,} tokens; {self.bounds.max_tokens:,} are allowed"
        mend = "Shorten the summaries, or raise pruning.maxSummaryPercent."
        return Refusal("size", self.batch, None, "", (), sentence, mend)


def _listed(ids: Sequence[str]) -> str:
    return ", ".join(f"({one})" for one in ids)
