"""Sweep axes: the numbers of a configuration that limit a packing, each with its range.

A sweep walks positions, whole numbers from the tightest to the widest. Mostly a position is the value itself; a reserve
is walked downwards (a smaller reserve leaves more room), a share in the tokens it comes to.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from pydantic import BaseModel

from budgeteer.engine.config.overlay import get_path
from budgeteer.engine.config.schema import MOST_HISTORY_MESSAGES, BudgetConfig, dump_config
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.errors import ConfigError
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.packing.allocation import Allowance, allowance, window_leaving

type Unit = Literal["tokens", "characters", "bytes", "items", "messages", "turns", "percent", "share"]

#: The largest value of a limit that the schema leaves open: the largest whole number every reader of JSON keeps.
MOST: Final = 2**53 - 1
#: The longest topic that is looked at: a topic is cut from one line. Source: ours.
_MOST_TOPIC_CHARS: Final = 400
#: The longest head or tail of a result that is looked at. Source: ours.
_MOST_END_CHARS: Final = 2_000

_LIMITS: Final = "skillsBudget.limits."
#: Every path -> its unit. `inputBudget` is no key: it stands for the window that leaves so many tokens of input.
UNITS: Final[Mapping[str, Unit]] = {
    "contextWindow": "tokens",
    "inputBudget": "tokens",
    "outputReserve": "tokens",
    "safetyMarginPercent": "percent",
    "shares.context": "share",
    "shares.history": "share",
    "shares.system": "share",
    f"{_LIMITS}maxSkillsInPrompt": "items",
    f"{_LIMITS}maxSkillsPromptChars": "characters",
    f"{_LIMITS}maxSkillFileBytes": "bytes",
    f"{_LIMITS}maxToolDefinitionChars": "characters",
    f"{_LIMITS}maxSkillsPromptTokens": "tokens",
    "features.topK": "items",
    "retrieval.searchTopK": "items",
    "history.maxTokens": "tokens",
    "history.maxChars": "characters",
    "history.keepUserTurns": "turns",
    "history.summaryMaxChars": "characters",
    "history.topicChars": "characters",
    "history.maxHistoryMessages": "messages",
    "history.fallbackMessages": "messages",
    "history.uncountedFallbackMessages": "messages",
    "history.summarizing.trigger": "tokens",
    "history.summarizing.target": "tokens",
    "history.summarizing.keepMessages": "messages",
    "history.summarizing.keepPercent": "percent",
    "history.summarizing.userMessageTokens": "tokens",
    "history.ends.keepFirst": "messages",
    "history.ends.removePercent": "percent",
    "history.maxMessages": "messages",
    "history.maxTurns": "turns",
    "history.clearing.trigger": "tokens",
    "history.clearing.keep": "items",
    "history.clearing.clearAtLeast": "tokens",
    "history.clearing.headChars": "characters",
    "history.clearing.tailChars": "characters",
}
#: Limits that a packing only compares with sums, so that one packing answers for a range of them.
COMPARED: Final = frozenset(
    {
        f"{_LIMITS}maxSkillsInPrompt",
        f"{_LIMITS}maxSkillsPromptChars",
        f"{_LIMITS}maxSkillFileBytes",
        f"{_LIMITS}maxToolDefinitionChars",
        f"{_LIMITS}maxSkillsPromptTokens",
        "history.maxTokens",
        "history.maxChars",
        "history.summaryMaxChars",
        "history.maxHistoryMessages",
        "history.maxMessages",
        "history.maxTurns",
        "history.summarizing.trigger",
        "history.summarizing.target",
        "history.summarizing.userMessageTokens",
        "history.clearing.trigger",
        "history.clearing.keep",
        "history.clearing.clearAtLeast",
    }
)
BUDGETS: Final = frozenset({"contextWindow", "inputBudget", "outputReserve"})


@dataclass(frozen=True, slots=True)
class Axis:
    """One number that is swept.

    Attributes:
        path: its full path in the configuration, or "inputBudget".
        unit: what it counts.
        low, high: the first and the last position; nothing changes beyond `high`, or nothing wider is allowed.
        value: position -> the value in the configuration's own terms. position: its inverse, the last one not above.
        config: position -> the configuration with that value.
        widest: the value at the last position; of a share the largest one, which may come to no more tokens.
        current: the value in force, None where the configuration sets no such limit.
    """

    path: str
    unit: Unit
    low: int
    high: int
    value: Callable[[int], int | float]
    position: Callable[[float], int]
    config: Callable[[int], BudgetConfig]
    widest: int | float
    current: int | float | None


def full_path(name: str) -> str:
    """The path that a name means: a path, or its last step where no other ends so.

    Raises:
        ConfigError: no limit is called so; names the nearest.
    """
    if name in UNITS:
        return name
    short = {path.rpartition(".")[2]: path for path in UNITS if UNITS[path] != "share"}
    if name in short:
        return short[name]
    known = [*UNITS, *short]
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    lowered = {one.lower(): one for one in known}
    near = [lowered[name.lower()]] if name.lower() in lowered else near
    mend = f"Did you mean {near[0]}?" if near else f"Known: {', '.join(UNITS)}."
    raise ConfigError("there is no limit of this name to sweep over", where=name, mend=mend)


def axis_of(path: str, bundle: Bundle, config: BudgetConfig, *, counter: TokenCounter, available_tokens: int) -> Axis:
    """The axis of a full path for one bundle; `available_tokens` is what shares are taken of.

    Raises:
        ConfigError: the configuration as it is cannot be used, or has its shares off.
    """
    allowed = allowance(config, counter)
    if path in BUDGETS:
        return _budget_axis(path, config, allowed)
    if path.startswith("shares."):
        return _share_axis(path, config, available_tokens)
    low, high = _range(path, bundle)
    current = get_path(dump_config(config), path)
    if path == "safetyMarginPercent":
        current = allowed.safety_margin_percent
    if isinstance(current, str):
        current = allowed.tokens(current)
    return _plain(path, low, high, lambda at: with_value(config, path, at), current)


def input_budgets(path: str, config: BudgetConfig, allowed: Allowance, positions: Ints) -> Ints:
    """The input budget at each of many positions of a budget: allocation.allowance for arrays.

    `allowed` is the allowance at any of them.
    """
    if path == "inputBudget":
        budget = positions
    elif path == "outputReserve":
        budget = allowed.window + positions
    else:
        own = config.output_reserve
        reserve = np.minimum(allowed.row.output_reserve, positions // 4) if own is None else np.int64(own)
        budget = positions - reserve
    if allowed.row.max_input is not None:
        return np.minimum(budget, allowed.row.max_input)
    return budget


def with_value(part: BudgetConfig, path: str, value: Any) -> BudgetConfig:
    """The configuration with another value at a path, which is not validated again."""
    changed = _changed(part, path.split("."), value)
    assert isinstance(changed, BudgetConfig)  # noqa: S101 - a copy of it
    return changed


def _changed(part: BaseModel, steps: list[str], value: Any) -> BaseModel:
    names = {info.alias or name: name for name, info in type(part).model_fields.items()}
    name = names[steps[0]]
    inner = _changed(getattr(part, name), steps[1:], value) if len(steps) > 1 else value
    return part.model_copy(update={name: inner})


def _plain(path: str, low: int, high: int, config: Callable[[int], BudgetConfig], current: float | None) -> Axis:
    return Axis(path, UNITS[path], low, high, lambda at: at, int, config, high, current)


def _budget_axis(path: str, config: BudgetConfig, allowed: Allowance) -> Axis:
    row, reserve = allowed.row, allowed.output_reserve
    if path == "contextWindow":
        low = 1 if config.output_reserve is None else reserve + 1
        return _plain(path, low, row.context_window, lambda at: with_value(config, path, at), allowed.window)
    if path == "outputReserve":

        def reserving(at: int) -> BudgetConfig:
            return with_value(config, path, -at)

        return Axis(path, "tokens", 1 - allowed.window, 0, lambda at: -at, lambda v: -int(v), reserving, 0, reserve)

    def leaving(at: int) -> BudgetConfig:
        return with_value(config, "contextWindow", window_leaving(config, at))

    most = row.context_window - (row.output_reserve if config.output_reserve is None else reserve)
    most = most if row.max_input is None else min(most, row.max_input)
    return _plain(path, 1, most, leaving, allowed.input_budget)


def _share_axis(path: str, config: BudgetConfig, available_tokens: int) -> Axis:
    if not config.shares.enabled:
        mend = "Set shares.enabled to true, or sweep over another limit."
        raise ConfigError("the shares are off, so none of them limits anything", where=path, mend=mend)
    name = path.rpartition(".")[2]
    others = {"context", "history", "system"} - {name}
    widest = max(1 - sum(getattr(config.shares, other) for other in others), 0.0)

    def position(share: float) -> int:
        return int(available_tokens * share)

    def value(at: int) -> float:
        return _share_of(at, available_tokens)

    current = float(getattr(config.shares, name))
    return Axis(
        path,
        "share",
        0,
        max(position(widest), position(current)),
        value,
        position,
        lambda at: with_value(config, path, value(at)),
        max(widest, current),
        current,
    )


def _share_of(tokens: int, available_tokens: int) -> float:
    """A share that comes to just so many tokens when it is floored."""
    share = tokens / available_tokens if tokens else 0.0
    while int(available_tokens * share) < tokens:
        share = math.nextafter(share, math.inf)
    return share


def _range(path: str, bundle: Bundle) -> tuple[int, int]:
    """The first and last position; past the last one there is nothing left to let in."""
    messages = len(bundle.history)
    ranges = {
        "safetyMarginPercent": (0, 100),
        "features.topK": (1, max(2 * len(bundle.features), 1)),
        "retrieval.searchTopK": (1, max(len(bundle.chunks), 1)),
        "history.keepUserTurns": (1, max(messages, 1)),
        "history.topicChars": (1, _MOST_TOPIC_CHARS),
        "history.maxHistoryMessages": (0, MOST_HISTORY_MESSAGES),
        "history.clearing.headChars": (0, _MOST_END_CHARS),
        "history.clearing.tailChars": (0, _MOST_END_CHARS),
        "history.fallbackMessages": (0, messages),
        "history.ends.keepFirst": (0, messages),
        "history.ends.removePercent": (0, 100),
        "history.summarizing.keepPercent": (0, 100),
        "history.summarizing.keepMessages": (1, max(messages, 1)),
        "history.maxMessages": (1, max(messages + len(bundle.system), 1) + 1),
        "history.maxTurns": (1, messages + 1),
        "history.uncountedFallbackMessages": (0, messages),
    }
    return ranges.get(path, (0, MOST))
