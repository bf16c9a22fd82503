"""What a step of a plan would set, read from a packing: changes of the configuration as data, by path.

A proposal is only a candidate: the plan packs with it and offers it if that helps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from budgeteer.engine.config.schema import PruningConfig
from budgeteer.engine.config.size_limits import LINE_CHARS, LIST_ENTRIES, MOST
from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.inputs.history_index import index_of
from budgeteer.engine.inputs.tool_results import tool_results_of
from budgeteer.engine.packing.conditions import (
    MAX_SKILL_CHARS,
    MAX_SKILL_TOKENS,
    MAX_SKILLS,
    MAX_TOOL_CHARS,
    short_name,
)
from budgeteer.engine.packing.fixes import Demand, raised_value
from budgeteer.engine.packing.history.summary import SummaryFailed, SummaryRequest
from budgeteer.engine.packing.pack import Summariser
from budgeteer.engine.packing.pruning.history_facts import facts_of
from budgeteer.engine.packing.pruning.stage import PLACEHOLDER
from budgeteer.engine.packing.result import LimitWarning, Packing

#: Limits of skills and tools, by the names that warnings give them.
_SKILL_PATHS: Final = {
    "maxSkillsInPrompt": MAX_SKILLS,
    "maxSkillsPromptChars": MAX_SKILL_CHARS,
    "maxSkillsPromptTokens": MAX_SKILL_TOKENS,
    "maxToolDefinitionChars": MAX_TOOL_CHARS,
}
#: Automatic strategies without anything that a model is told.
_AUTOMATIC: Final = {"pruning.mode": "auto", "pruning.modelDriven": False}
_ERRORS: Final = "pruning.purgeErrorsAfterTurns"
_ERROR_TURNS: Final = PruningConfig().purge_errors_after_turns
_SHARES: Final = ("shares.system", "shares.context", "shares.history")


@dataclass(frozen=True, slots=True)
class Proposal:
    """Values to set together by configuration path, as JSON, and the step's title with its figures."""

    settings: Mapping[str, Any]
    title: str


@dataclass(frozen=True, slots=True)
class TurnSummaries:
    """Summaries of turns of one conversation, each written once."""

    summarise: Summariser
    written: dict[tuple[int, ...], str] = field(default_factory=dict)

    def of(self, packing: Packing, rows: Sequence[int]) -> str:
        """The summary of these messages.

        Raises:
            SummaryFailed: it cannot be written.
        """
        limits, history = packing.config.history, packing.bundle.history
        key = (rows[0], rows[-1], len(rows), limits.summary_max_chars, limits.topic_chars)
        if key not in self.written:
            chosen = tuple(history[row] for row in rows)
            self.written[key] = self.summarise(SummaryRequest(chosen, limits.summary_max_chars, limits.topic_chars))
        return self.written[key]


type Proposer = Callable[[Packing, TurnSummaries], Iterator[Proposal]]
"""The proposals for a packing, in the order they are tried; none where the step has nothing to work on."""


def minified_descriptions(packing: Packing, _summaries: TurnSummaries) -> Iterator[Proposal]:
    """Skill descriptions without boilerplate; only where the skills budget is on, which shortening is a part of."""
    budget = packing.config.skills_budget
    if budget.enabled and len(packing.bundle.skills) and not budget.optimization.minify_descriptions:
        yield Proposal({"skillsBudget.optimization.minifyDescriptions": True}, "Minify skill descriptions")


def compact_paths(packing: Packing, _summaries: TurnSummaries) -> Iterator[Proposal]:
    """Skill locations with ~ for the home folder."""
    budget = packing.config.skills_budget
    if budget.enabled and len(packing.bundle.skills) and not budget.optimization.compact_paths:
        yield Proposal({"skillsBudget.optimization.compactPaths": True}, "Compact skill paths")


def minified_results(packing: Packing, _summaries: TurnSummaries) -> Iterator[Proposal]:
    """Tool results without white space that says nothing, and nothing else of pruning where that is off."""
    pruning = packing.config.pruning
    if pruning.minify_results or not _may_prune(packing):
        return
    off = {"pruning.dedupe": False, "pruning.supersedeWrites": False, "pruning.purgeErrorsAfterTurns": MOST}
    others = {} if pruning.mode == "auto" else {**_AUTOMATIC, **off}
    yield Proposal({**others, "pruning.minifyResults": True}, "Minify tool results")


def stale_content(packing: Packing, _summaries: TurnSummaries) -> Iterator[Proposal]:
    """Notes in the place of what a later call repeats or overwrites, and of what failed calls were given."""
    pruning = packing.config.pruning
    if not _may_prune(packing):
        return
    turned_on = {
        **({} if pruning.dedupe else {"pruning.dedupe": True}),
        **({} if pruning.supersede_writes else {"pruning.supersedeWrites": True}),
        **({} if pruning.purge_errors_after_turns <= _ERROR_TURNS else {_ERRORS: _ERROR_TURNS}),
    }
    settings = turned_on if pruning.mode == "auto" else {**_AUTOMATIC, **turned_on}
    if settings:
        yield Proposal(settings, "Replace repeated results and stale arguments")


def _may_prune(packing: Packing) -> bool:
    """Whether the automatic strategies may be turned on: not where a model is to compress only when it is told to."""
    pruning = packing.config.pruning
    return pruning.mode != "manual" or not pruning.model_driven


def unused_tools(packing: Packing, _summaries: TurnSummaries) -> Iterator[Proposal]:
    """The tools that the conversation never calls, by name; none where it calls none at all."""
    bundle, fit = packing.bundle, packing.chosen.tools
    if not bundle.tools:
        return
    called = index_of(bundle).called_tools
    sent = {packing.fitted_bundle.tools[row].name for row in fit.order if not fit.pinned[row]}
    unused = [tool.name for tool in bundle.tools if tool.name in sent and tool.name not in called]
    known = packing.config.tools.leave_out
    names = [*known, *(name for name in dict.fromkeys(unused) if name not in known)]
    if unused and any(tool.name in called for tool in bundle.tools) and len(names) <= LIST_ENTRIES:
        yield Proposal({"tools.leaveOut": names}, f"Leave out {_count(len(unused), 'tool')} never called")


def raised_limits(packing: Packing, _summaries: TurnSummaries) -> Iterator[Proposal]:
    """Every limit that leaves something out, raised together; then each alone."""
    raised = {}
    for warning in packing.warnings:
        if warning.level == "exceeded" and (found := _raised(packing, warning)) is not None:
            raised[found[0]] = found[1]
    if not raised:
        return
    names = " and ".join(f"{short_name(path)} to {value:,}" for path, value in raised.items())
    yield Proposal(raised, f"Raise {names}")
    if len(raised) > 1:
        for path, value in raised.items():
            yield Proposal({path: value}, f"Raise {short_name(path)} to {value:,}")


def _raised(packing: Packing, warning: LimitWarning) -> tuple[str, int] | None:
    """A limit's path and the value that its warning's fix names; None for what is no number to raise."""
    path = _SKILL_PATHS.get(warning.limit, warning.limit)
    if path in {"inputBudget", "maxSkillFileBytes", *_SHARES}:
        return None
    named = warning.fix.settings.get(path)
    if type(named) is int:
        return path, named
    threshold = packing.config.skills_budget.warnings.threshold_percent
    demand = Demand(path, warning.used, warning.allowed)
    value = raised_value(demand, threshold, usable_tokens=packing.allowance.usable_tokens)
    return (path, value) if value > warning.allowed else None


def passed_on_shares(packing: Packing, _summaries: TurnSummaries) -> Iterator[Proposal]:
    """What one share leaves unused, given to the next."""
    if packing.chosen.shares is not None and not packing.config.shares.redistribute:
        yield Proposal({"shares.redistribute": True}, "Pass unused shares on")


def without_pins(packing: Packing, _summaries: TurnSummaries) -> Iterator[Proposal]:
    """No pinned messages and chunks, where what is pinned does not fit."""
    pins = packing.config.pins
    others = [pin for pin in pins if not pin.startswith(("message:", "chunk:"))]
    if not packing.fits and len(others) < len(pins):
        yield Proposal({"pins": others}, f"Unpin {_count(len(pins) - len(others), 'item')}")


def limited_libraries(packing: Packing, _summaries: TurnSummaries) -> Iterator[Proposal]:
    """The limits on skills and tools, where there are none yet."""
    if not packing.config.skills_budget.enabled and (len(packing.bundle.skills) or packing.bundle.tools):
        yield Proposal({"skillsBudget.enabled": True}, "Turn the skills and tools budget on")


def cleared_results(packing: Packing, _summaries: TurnSummaries) -> Iterator[Proposal]:
    """Old tool results as placeholders, once the request is over the budget; as many stay whole as may."""
    count = len(tool_results_of(packing.bundle))
    for keep in _fewer(count, packing.config.history.clearing.keep):
        settings = {
            "history.strategy": "clearToolResults",
            "history.clearing.trigger": _budget_percent(packing),
            "history.clearing.keep": keep,
        }
        yield Proposal(settings, _cleared_title(keep, count))


def _cleared_title(keep: int, count: int) -> str:
    """What stays whole of so many results, as a title; one that takes no more than its placeholder stays as well."""
    if not keep:
        return "Clear every tool result"
    return f"Clear all but the newest {keep:,} of {count:,} tool results"


def compressed_turns(packing: Packing, summaries: TurnSummaries) -> Iterator[Proposal]:
    """A summary in the place of the oldest turns: as few as cover what is over, then all but those that stay."""
    if packing.config.pruning.ranges:
        return
    turn = packing.bundle.history_measures.turn
    last = int(turn.max(initial=0)) - packing.config.history.keep_user_turns
    if last < 1:
        return
    over = packing.verdict.asked_tokens - packing.verdict.limit_tokens
    tokens = packing.bundle.history_measures.column(packing.provider, "tokens")
    reach = np.cumsum([int(tokens[turn == number].sum()) for number in range(1, last + 1)])
    enough = int(np.searchsorted(reach, over + packing.config.history.summary_max_chars // 2)) + 1
    for end in dict.fromkeys((min(enough, last), last)):
        if (found := _compressed(packing, summaries, end)) is not None:
            yield found


def _compressed(packing: Packing, summaries: TurnSummaries, last: int) -> Proposal | None:
    """Turns 1 to `last` as one block; None where they are too short, or no summary can be written."""
    bundle = packing.bundle
    turn = bundle.history_measures.turn
    numbering = facts_of(bundle, counter=counter_for(bundle.tokenizer)).numbering
    rows = np.flatnonzero((turn >= 1) & (turn <= last) & numbering.named)
    if len(rows) < 2:
        return None
    try:
        summary = summaries.of(packing, rows.tolist())
    except SummaryFailed:
        return None
    said = PLACEHOLDER.sub(r"\1", summary)  # it stands for no block
    title = f"turns 1–{last:,}" if last > 1 else "turn 1"
    span = {"startId": numbering.id_of(int(rows[0])), "endId": numbering.id_of(int(rows[-1])), "summary": said}
    batch = {"topic": title.capitalize()[:LINE_CHARS], "ranges": [{**span, "open": False}]}
    base = {"pruning.mode": "manual", "pruning.modelDriven": False} if packing.config.pruning.mode == "off" else {}
    return Proposal({**base, "pruning.ranges": [batch]}, f"Compress {title}")


def summarised_older(packing: Packing, _summaries: TurnSummaries) -> Iterator[Proposal]:
    """One summary for older turns, written only where the request is over the budget; as many turns stay as may."""
    percent = _budget_percent(packing)
    turns = int(packing.bundle.history_measures.turn.max(initial=0))
    for keep in _fewer(turns, packing.config.history.keep_user_turns):
        settings = {
            "history.strategy": "summarizeOlder",
            "history.summarizing.trigger": percent,
            "history.summarizing.target": percent,
            "history.keepUserTurns": keep,
        }
        title = f"Summarise all but the last {keep:,} turns" if turns > keep > 1 else "Summarise older messages"
        yield Proposal(settings, title)


def newest_messages(_packing: Packing, _summaries: TurnSummaries) -> Iterator[Proposal]:
    """The newest messages that the budget holds."""
    settings = {"history.strategy": "newestFirst", "history.maxTokens": "100%"}
    yield Proposal(settings, "Keep the newest messages that fit")


def _budget_percent(packing: Packing) -> str:
    """What may be sent, as a percent of the input budget: it keeps its sense with another model."""
    allowed = packing.allowance
    return f"{allowed.usable_tokens * 100 // max(allowed.input_budget, 1)}%"


def _fewer(count: int, least: int) -> list[int]:
    """How many of a number may stay, from three quarters of them down to the least."""
    tried = [count * 3 // 4, count // 2, count // 4, count // 8, least]
    return sorted({number for number in tried if number >= least}, reverse=True)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
