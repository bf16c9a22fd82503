"""Where the prefix of a request breaks off from the one before, and which rule broke it, from the decisions of both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from budgeteer.engine.analysis.cache.sent_segments import SegmentKind, Segments
from budgeteer.engine.inputs.history_index import message_id
from budgeteer.engine.packing.history.view import is_summarised
from budgeteer.engine.packing.pruning.automatic import RULES, Strategy
from budgeteer.engine.packing.reasons import explain_message, explain_summary

type BreakCause = Literal[
    "toolsChanged",
    "instructionsChanged",
    "messageDropped",
    "messageSummarised",
    "messageCompressed",
    "messageShortened",
    "messageReturned",
    "idAdded",
    "summaryRewritten",
]

_COMPRESS: Final = "compress"
_IDS: Final = "pruning.mode"


@dataclass(frozen=True, slots=True)
class PrefixBreak:
    """The first segment that is not repeated.

    Attributes:
        cause: what happened to it.
        rule: the rule of the decision that did it, as decisions name rules; the section where no decision has one.
        item: the decision id of the item, "" where it has none.
        position: its place among the segments of the request before, from 0.
    """

    cause: BreakCause
    rule: str
    item: str
    position: int

    def to_json(self) -> dict[str, str | int]:
        """`{cause, rule, item, position}`."""
        return {"cause": self.cause, "rule": self.rule, "item": self.item, "position": self.position}


def prefix_break(before: Segments, now: Segments, shared: int) -> PrefixBreak | None:
    """What broke the prefix of the request before after `shared` segments; None where all of it is repeated."""
    if shared >= len(before.kind):
        return None
    here = SegmentKind(int(now.kind[shared])) if shared < len(now.kind) else None
    match SegmentKind(int(before.kind[shared])):
        case SegmentKind.TOOL:
            return PrefixBreak("toolsChanged", "tools", _tool(before, int(before.row[shared])), shared)
        case SegmentKind.INSTRUCTIONS:
            return _head_break(before, now, shared, here)
        case SegmentKind.WRITTEN:
            return PrefixBreak("summaryRewritten", _written_rule(now, before), _written_id(before), shared)
        case SegmentKind.BLOCK:
            return PrefixBreak("messageCompressed", _COMPRESS, "", shared)
        case SegmentKind.MESSAGE if here is SegmentKind.TOOL:
            return PrefixBreak("toolsChanged", "tools", _tool(now, int(now.row[shared])), shared)
        case SegmentKind.MESSAGE if here is SegmentKind.INSTRUCTIONS:
            return PrefixBreak("instructionsChanged", _section(now, int(now.row[shared])), "", shared)
        case SegmentKind.MESSAGE:
            return _message_break(now, int(before.row[shared]), shared, here)


def _head_break(before: Segments, now: Segments, shared: int, here: SegmentKind | None) -> PrefixBreak:
    if here is SegmentKind.TOOL:
        return PrefixBreak("toolsChanged", "tools", _tool(now, int(now.row[shared])), shared)
    return PrefixBreak("instructionsChanged", _section(before, int(before.row[shared])), "", shared)


def _message_break(now: Segments, row: int, shared: int, here: SegmentKind | None) -> PrefixBreak:
    """What happened to a message: it went, another text stands for it, or something stands before it."""
    fitted, pruned = now.fitted, now.fitted.pruned
    history = now.packer.bundle.history if pruned is None else pruned.given.history
    if row >= len(history):
        return PrefixBreak("messageDropped", "query", "query", shared)
    item = message_id(history[row], row)
    if pruned is not None and pruned.cover[row]:
        return PrefixBreak("messageCompressed", _COMPRESS, item, shared)
    place = row if pruned is None else int(np.flatnonzero(pruned.rows == row)[0])
    if not fitted.history.kept[place]:
        summarised = bool(is_summarised(fitted.history.rule[place : place + 1])[0])
        return PrefixBreak("messageSummarised" if summarised else "messageDropped", _rule(now, place), item, shared)
    if here is not None and int(now.row[shared]) != row:
        return _inserted(now, place, shared, here)
    return PrefixBreak(*_changed(now, row, place), item, shared)


def _inserted(now: Segments, place: int, shared: int, here: SegmentKind) -> PrefixBreak:
    """What stands before a message that stays as it was."""
    if here is SegmentKind.WRITTEN:
        return PrefixBreak("summaryRewritten", _written_rule(now, now), _written_id(now), shared)
    if here is SegmentKind.BLOCK:
        return PrefixBreak("messageCompressed", _COMPRESS, "", shared)
    pruned, back = now.fitted.pruned, int(now.row[shared])
    history = now.packer.bundle.history if pruned is None else pruned.given.history
    item = message_id(history[back], back) if back < len(history) else "query"
    return PrefixBreak("messageReturned", _rule(now, place), item, shared)


def _changed(now: Segments, row: int, place: int) -> tuple[BreakCause, str]:
    """What changed a message that stays, and by which rule."""
    shortened, pruned = now.fitted.history.shortened, now.fitted.pruned
    if shortened is not None and shortened.holds(place):
        return "messageShortened", _rule(now, place)
    if pruned is not None and (strategy := Strategy(int(pruned.shortened.strategy[row]))) is not Strategy.NONE:
        return "messageShortened", RULES[strategy]
    return "idAdded", _IDS


def _rule(now: Segments, place: int) -> str:
    """The rule of the decision on the message at `place` of what is fitted."""
    pruned, provider = now.fitted.pruned, now.packer.provider
    bundle = now.packer.bundle if pruned is None else pruned.bundle
    loss = bundle.history_measures.column(provider, "loss")
    return explain_message(now.fitted.view, now.fitted.history, loss, provider, place).rule


def _tool(segments: Segments, row: int) -> str:
    pruned = segments.fitted.pruned
    bundle = segments.packer.bundle if pruned is None else pruned.bundle
    return f"tool:{bundle.tools[row].name}"


def _section(segments: Segments, place: int) -> str:
    pieces = segments.fitted.libraries.pieces
    return pieces[place].section if place < len(pieces) else "system"


def _written_rule(now: Segments, before: Segments) -> str:
    """The rule that writes summaries or notices: as the request writes one, else as the one before did."""
    for segments in (now, before):
        summary = segments.fitted.history.summary
        if summary is not None:
            return explain_summary(summary, segments.packer.config.history.strategy).rule
    return now.packer.config.history.strategy


def _written_id(segments: Segments) -> str:
    summary = segments.fitted.history.summary
    return summary.id if summary is not None else ""
