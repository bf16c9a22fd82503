"""When a replay compresses: at the configuration's own ranges, or by a named policy.

The policy `extractive` answers every context-limit nudge: before the next request, everything between the last block
and the last exchange becomes a block, with the extractive summary under `history.summaryMaxChars`; where nothing lies
there, what lies between the prompt of that exchange and its newest step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np

from budgeteer.engine.analysis.sweep.probe import Subject
from budgeteer.engine.config.schema import BudgetConfig, CompressBatch
from budgeteer.engine.content.conversation import ROLES
from budgeteer.engine.errors import ConfigError
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.packing.allocation import allowance
from budgeteer.engine.packing.history.summary import Extract, SummaryFailed, SummaryRequest
from budgeteer.engine.packing.pruning.blocks import block_text
from budgeteer.engine.packing.pruning.history_facts import facts_of
from budgeteer.engine.packing.pruning.nudges import Nudge
from budgeteer.engine.packing.pruning.recorded_calls import recorded_compressions
from budgeteer.engine.packing.pruning.shape import HistoryShape, shape_of
from budgeteer.engine.packing.pruning.stage import PLACEHOLDER

type Policy = Literal["none", "extractive"]
POLICIES: Final[tuple[Policy, ...]] = get_args(Policy.__value__)

_USER = ROLES.index("user")
_SYSTEM = (ROLES.index("system"), ROLES.index("developer"))


def policy_named(name: str) -> Policy:
    """The policy of this name.

    Raises:
        ConfigError: there is none; names them all.
    """
    for policy in POLICIES:
        if policy == name:
            return policy
    raise ConfigError(f"there is no policy {name!r}", where="policy", mend=f"Known: {', '.join(POLICIES)}.")


@dataclass(frozen=True, slots=True)
class Due:
    """The configuration of a request, and a sentence for each batch that is new in it."""

    config: BudgetConfig
    topics: tuple[str, ...] = ()


class AutoCompression:
    """Which compress batches stand at each request, asked in the order of the requests."""

    def __init__(self, subject: Subject, policy: Policy) -> None:
        pruning = subject.config.pruning
        if policy != "none" and pruning.mode == "off":
            mend = "Set it to auto or manual, or replay without a policy."
            raise ConfigError("a policy compresses only where pruning is on", where="pruning.mode", mend=mend)
        if policy != "none" and not pruning.model_driven:
            mend = "Turn it on, or replay without a policy."
            raise ConfigError("a policy stands in for a model that compresses", where="pruning.modelDriven", mend=mend)
        if policy != "none" and pruning.ranges:
            mend = "Take the ranges out, or replay without a policy."
            raise ConfigError("ranges are placed, so no policy compresses", where="pruning.ranges", mend=mend)
        self._subject = subject
        self._policy = policy
        self._batches, self._due_rows = self._placed()
        self._made = 0
        self._asked = False
        self._from_row = 0

    def note(self, nudge: Nudge | None) -> None:
        """What the request before was nudged to."""
        self._asked = nudge in ("contextLimitStrong", "contextLimitSoft")

    def due(self, bundle: Bundle) -> Due:
        """What stands at the request that this bundle is."""
        config = self._subject.config
        if config.pruning.mode == "off":
            return Due(config)
        known = len(bundle.history)
        if self._policy == "extractive" and self._asked:
            self._compress(bundle)
        there = sum(row < known for row in self._due_rows)
        new = self._batches[self._made : there]
        self._made = there
        pruning = config.pruning.model_copy(update={"ranges": self._batches[:there]})
        sentences = tuple(f"Compressed: {batch.topic} ({len(batch.ranges):,} ranges)." for batch in new)
        return Due(config.model_copy(update={"pruning": pruning}), sentences)

    def _placed(self) -> tuple[list[CompressBatch], list[int]]:
        """The batches that are placed, and the row that must be there before each is made.

        Those that the session recorded are made where it made them, and not beside a policy.
        """
        subject, pruning = self._subject, self._subject.config.pruning
        if pruning.mode == "off":
            return [], []
        if pruning.ranges is not None:
            return list(pruning.ranges), self._last_rows(pruning.ranges)
        if self._policy != "none":
            return [], []
        recorded = recorded_compressions(subject.bundle, subject.config, subject.counter)
        return list(recorded.batches), list(recorded.rows)

    def _last_rows(self, batches: list[CompressBatch]) -> list[int]:
        """For each batch the last row that must be there before it can be made, never before the batch ahead of it."""
        bundle = self._subject.bundle
        numbering = facts_of(bundle, counter=self._subject.counter).numbering
        last = len(bundle.history) - 1
        rows: list[int] = []
        for batch in batches:
            ends = [one for asked in batch.ranges for one in (asked.start_id, asked.end_id) if one[0] == "m"]
            found = [numbering.row_of(one) for one in ends]
            mine = max((last if row is None else row for row in found), default=0)
            rows.append(max([mine, *rows[-1:]]))
        return rows

    def _compress(self, bundle: Bundle) -> None:
        """One block more, of what lies between the last block and the last exchange.

        Where nothing does, of what lies within that exchange, between its prompt and its newest step.
        """
        facts = facts_of(self._subject.bundle, counter=self._subject.counter)
        end = self._exchange_row(bundle)
        shape = shape_of(
            self._subject.bundle.history_measures,
            facts.numbering,
            stays=np.isin(self._subject.bundle.history_measures.role, _SYSTEM),
            bodies=facts.bodies,
        )
        rows = _whole_groups(shape, self._from_row, end)
        if not rows and end < len(bundle.history):
            start, end = max(self._from_row, end + 1), int(shape.first[len(bundle.history) - 1])
            rows = _whole_groups(shape, start, end)
        if not rows:
            return
        text = self._summary(bundle, rows)
        if not text:
            return
        start_id, end_id = (facts.numbering.id_of(row) for row in (int(shape.opener[rows[0]]), rows[-1]))
        if start_id == end_id:
            return
        asked = {"startId": start_id, "endId": end_id, "summary": text}
        batch = {"topic": f"messages {start_id} to {end_id}", "ranges": [asked]}
        self._batches.append(CompressBatch.model_validate(batch))
        self._due_rows.append(rows[-1])
        self._from_row = end

    def _exchange_row(self, bundle: Bundle) -> int:
        """Where the last exchange begins: what somebody typed last."""
        if bundle.query is not None and bundle.query.typed:
            return len(bundle.history)
        measures = bundle.history_measures
        asked = np.flatnonzero((measures.role == _USER) & (np.diff(measures.turn, prepend=0) > 0))
        return int(asked[-1]) if len(asked) else 0

    def _summary(self, bundle: Bundle, rows: list[int]) -> str:
        """The extractive summary of these messages; "" where there is none, or no room for one more."""
        history = self._subject.config.history
        request = SummaryRequest(
            tuple(bundle.history[row] for row in rows), history.summary_max_chars, history.topic_chars
        )
        try:
            text = PLACEHOLDER.sub(r"\1", Extract.of(request).text(request.max_chars))
        except SummaryFailed:
            return ""
        bodies = [*(asked.summary for batch in self._batches for asked in batch.ranges), text]
        taken = sum(self._subject.counter.count(block_text(body)) for body in bodies)
        pruning = self._subject.config.pruning
        most = allowance(self._subject.config, self._subject.counter).input_budget * pruning.max_summary_percent // 100
        return text if taken <= most else ""


def _whole_groups(shape: HistoryShape, start: int, end: int) -> list[int]:
    """The rows from `start` up to `end` that may be compressed, those of whole groups."""
    rows = [row for row in range(start, end) if not shape.stays[row]]
    return [row for row in rows if start <= shape.first[row] and shape.last[row] < end]
