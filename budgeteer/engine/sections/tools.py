"""Tool definitions: compact JSON in the provider's form, as many as fit `maxToolDefinitionChars`.

The section's text is the JSON array: `[`, the definitions joined by `,`, `]`. Providers rewrite definitions, so their
tokens are estimates: each definition counted alone, one token a bracket or comma, and the profile's preamble.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.config import SkillsBudgetConfig
from budgeteer.engine.ledger import Size
from budgeteer.engine.library import ToolDefinition, tool_is_sent
from budgeteer.engine.measures import Ints, ToolMeasures
from budgeteer.engine.profiles import PROFILES
from budgeteer.engine.sections.order import Standing, ordered
from budgeteer.engine.tokens import TokenCounter

type Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ToolFit:
    """Which tool definitions are sent.

    Attributes:
        order: the kept tools' indices, in the order sent.
        sequence: every tool's index in the order considered.
        profile: the request form they are fitted for.
        kept, pinned, called: one entry a tool; `called` those that kept history calls.
        refused: one entry a tool; those that run at another provider, so that this one cannot be sent them.
        tokens, chars: each definition's own size in the profile's form.
        needed_chars: the array's characters up to and including this tool; with all before it where it does not fit.
        asked: the whole array with every tool.
        order_sentence: what decided the order.
    """

    profile: str
    order: tuple[int, ...]
    sequence: tuple[int, ...]
    kept: NDArray[np.bool_]
    pinned: NDArray[np.bool_]
    called: NDArray[np.bool_]
    refused: NDArray[np.bool_]
    tokens: Ints
    chars: Ints
    needed_chars: Ints
    asked: Size
    order_sentence: str


@dataclass(frozen=True, slots=True)
class ToolCosts:
    """In which form definitions are sent and what is counted beside them."""

    profile: str
    counter: TokenCounter

    def joins(self, count: int) -> Size:
        """What the array costs beside its definitions; nothing for an empty one."""
        if not count:
            return Size()
        tokens = count + 1 + PROFILES[self.profile].tools.tokens
        return Size(tokens if self.counter.per_message_overhead else 0, count + 1)


def fit_tools(
    tools: Sequence[ToolDefinition],
    measures: ToolMeasures,
    config: SkillsBudgetConfig,
    *,
    costs: ToolCosts,
    standing: Standing,
) -> ToolFit:
    """The definitions that fit: pinned and called ones first, then the longest prefix of the rest (or `fill`)."""
    form = PROFILES[costs.profile].prefix
    tokens: Ints = getattr(measures, f"{form}_tokens")
    chars: Ints = getattr(measures, f"{form}_chars")
    pinned = np.array([f"tool:{tool.name}" in standing.pins for tool in tools], np.bool_)
    used = np.array([tool.name in standing.called for tool in tools], np.bool_)
    refused = np.array([not tool_is_sent(tool, form) for tool in tools], np.bool_)
    prioritization = config.optimization.prioritization if config.enabled else None
    sequence, sentence = ordered(
        [(tool.name, "") for tool in tools], prioritization=prioritization, usage=standing.usage
    )
    asked = Size(int(tokens.sum()), int(chars.sum())) + costs.joins(len(tools))
    needed = np.zeros(len(tools), np.int64)
    kept = ~refused
    if config.enabled:
        stays = (pinned | used) & ~refused
        sequence = [i for i in sequence if stays[i]] + [i for i in sequence if not stays[i]]
        kept, needed = _within_limit(sequence, chars, config, stays=stays, refused=refused)
    return ToolFit(
        profile=costs.profile,
        order=tuple(i for i in sequence if kept[i]),
        sequence=tuple(sequence),
        kept=kept,
        pinned=pinned,
        called=used,
        refused=refused,
        tokens=tokens,
        chars=chars,
        needed_chars=needed,
        asked=asked,
        order_sentence=sentence if config.enabled else "in the order given",
    )


def _within_limit(
    sequence: Sequence[int], chars: Ints, config: SkillsBudgetConfig, *, stays: Mask, refused: Mask
) -> tuple[Mask, Ints]:
    """Which definitions stay, and for each the array's characters with it (with all before it where it does not)."""
    kept, needed = np.zeros(len(chars), np.bool_), np.zeros(len(chars), np.int64)
    taken = asked_so_far = 1
    open_ended = True
    for index in sequence:
        if refused[index]:
            continue
        size = int(chars[index]) + 1
        asked_so_far += size
        fits = open_ended and taken + size <= config.limits.max_tool_definition_chars
        if stays[index] or fits:
            kept[index] = True
            taken += size
        elif config.fit == "prefix":
            open_ended = False
        needed[index] = taken if kept[index] else asked_so_far
    return kept, needed
