"""Calls of `compress` that a session recorded, as batches of ranges: what its agent had compressed when it ended.

A call is `{topic, ranges: [{startId, endId, summary}]}`, as in the seed's tool, or under `content` as in opencode's
dynamic context pruning, whose other mode names one message: `{messageId, topic, summary}`. Calls that failed, or that
nothing answers, changed nothing. Source: github.com/Opencode-DCP/opencode-dynamic-context-pruning, lib/compress
(1061efa), read 2026-11-24.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from budgeteer.engine.config.schema import BudgetConfig, CompressBatch, CompressRange
from budgeteer.engine.config.size_limits import LINE_CHARS, LIST_ENTRIES, SUMMARY_CHARS
from budgeteer.engine.content.answered_calls import answered_calls
from budgeteer.engine.content.conversation import ROLES, Message, ToolCallPart, call_input
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.errors import CompressRefused
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.packing.pruning.compress import Bounds, apply_batch
from budgeteer.engine.packing.pruning.history_facts import Facts, facts_of
from budgeteer.engine.packing.pruning.message_ids import Numbering
from budgeteer.engine.packing.pruning.shape import shape_of
from budgeteer.engine.packing.pruning.stage import Stage
from budgeteer.engine.packing.sections.own_tools import OURS

_KEPT_AS: Final = "pruning.recorded"
_ID: Final = re.compile(r"\s*([mb])0*([0-9]{1,9})\s*\Z", re.IGNORECASE)
_SYSTEM: Final = (ROLES.index("system"), ROLES.index("developer"))


@dataclass(frozen=True, slots=True)
class RecordedCompressions:
    """What a conversation's calls of `compress` come to.

    Attributes:
        batches: those that go with the conversation, in the order of the calls. rows: the row of each call's result.
        left_out: why each other call does not go with it, in words.
    """

    batches: tuple[CompressBatch, ...]
    rows: tuple[int, ...]
    left_out: tuple[str, ...]


def recorded_compressions(bundle: Bundle, config: BudgetConfig, counter: TokenCounter) -> RecordedCompressions:
    """The calls of `compress` in a bundle's history, read once for each name of the tool."""
    name = config.texts.compress_tool_name.casefold()
    kept = bundle.prepared.setdefault(_KEPT_AS, {})
    if name not in kept:
        kept[name] = _read(bundle, {name, OURS.compress_tool_name}, counter)
    found: RecordedCompressions = kept[name]
    return found


def with_recorded_ranges(config: BudgetConfig, bundle: Bundle, counter: TokenCounter) -> BudgetConfig:
    """The configuration with the recorded ranges where it prunes and names none."""
    if config.pruning.mode == "off" or config.pruning.ranges is not None:
        return config
    recorded = recorded_compressions(bundle, config, counter)
    pruning = config.pruning.model_copy(update={"ranges": list(recorded.batches)})
    return config.model_copy(update={"pruning": pruning})


def _read(bundle: Bundle, names: set[str], counter: TokenCounter) -> RecordedCompressions:
    facts, measures = facts_of(bundle, counter=counter), bundle.history_measures
    called = {number for number, tool in enumerate(facts.calls.tools) if tool.rpartition("__")[2].casefold() in names}
    batches: list[CompressBatch] = []
    rows: list[int] = []
    left_out: list[str] = []
    if not called or not np.isin(facts.calls.tool, list(called)).any():
        return RecordedCompressions((), (), ())
    shape = shape_of(measures, facts.numbering, stays=np.isin(measures.role, _SYSTEM), bodies=facts.bodies)
    stage = Stage(shape, counter.count, np.zeros(len(shape), np.int64))
    places = _places(bundle.history, facts) if bundle.ids_by_line else None
    for row, call in _calls(bundle.history, facts, called):
        found = _batch(call, facts.numbering, places)
        if isinstance(found, str):
            left_out.append(found)
            continue
        try:
            apply_batch(stage, len(batches), found, Bounds.none())
        except CompressRefused as error:
            left_out.append(f"“{found.topic}”: {error.what}")
            continue
        batches.append(found)
        rows.append(row)
    return RecordedCompressions(tuple(batches), tuple(rows), tuple(left_out))


def _calls(history: Sequence[Message], facts: Facts, called: set[int]) -> Iterator[tuple[int, ToolCallPart]]:
    """The calls that went well, each with the row of its result."""
    calls = facts.calls
    wanted = {
        (int(calls.call_row[at]), int(calls.position[at])): int(calls.result_row[at])
        for at in np.flatnonzero(np.isin(calls.tool, list(called)) & ~calls.failed).tolist()
    }
    for row, position, call, result_row, _ in answered_calls(history):
        if (row, position) in wanted:
            yield result_row, call


def _places(history: Sequence[Message], facts: Facts) -> dict[int, tuple[str, str]]:
    """By line of the source the ids of the first and the last of its messages that have one."""
    found: dict[int, tuple[str, str]] = {}
    for row, message in enumerate(history):
        if facts.numbering.named[row]:
            name = facts.numbering.id_of(row)
            found[message.line] = (found.get(message.line, (name, ""))[0], name)
    return found


def _batch(
    call: ToolCallPart, numbering: Numbering, places: Mapping[int, tuple[str, str]] | None
) -> CompressBatch | str:
    """A call's ranges, or why they cannot be read."""
    given = call_input(call.arguments)
    topic = given.get("topic")
    topic = topic.strip()[:LINE_CHARS] if isinstance(topic, str) else ""
    ranges: list[CompressRange] = []
    for entry in _entries(given):
        ends = [entry.get("startId", entry.get("messageId")), entry.get("endId", entry.get("messageId"))]
        summary = entry.get("summary")
        topic = topic or str(entry.get("topic", "")).strip()[:LINE_CHARS]
        if not isinstance(summary, str) or not summary.strip() or len(summary) > SUMMARY_CHARS:
            return f"“{topic}”: a range has no summary that can be used"
        ids = [_named(end, at, numbering, places) for at, end in enumerate(ends)]
        if not all(ids):
            return f"“{topic}”: there is no message {ends[ids.index('')]}"
        ranges.append(CompressRange.model_validate({"startId": ids[0], "endId": ids[1], "summary": summary}))
    if not ranges or len(ranges) > LIST_ENTRIES:
        return f"“{topic}”: it names no range"
    return CompressBatch(topic=topic or "recorded", ranges=ranges, recorded=True)


def _entries(given: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    listed = given.get("ranges", given.get("content"))
    if isinstance(listed, str):
        try:
            listed = json.loads(listed)
        except (ValueError, RecursionError):
            return []
    listed = [listed] if isinstance(listed, Mapping) else listed
    return [entry for entry in listed if isinstance(entry, Mapping)] if isinstance(listed, list) else []


def _named(given: object, end: int, numbering: Numbering, places: Mapping[int, tuple[str, str]] | None) -> str:
    """An id as ours, however many digits it has, by line where the source counts its lines; "" where there is none."""
    match = _ID.match(given) if isinstance(given, str) else None
    if match is None:
        return ""
    kind, number = match[1].lower(), int(match[2])
    if kind == "b":
        return f"b{number}" if number else ""
    if places is not None:
        return places[number][end] if number in places else ""
    name = f"m{number:03d}"
    return name if numbering.read_back or numbering.row_of(name) is not None else ""
