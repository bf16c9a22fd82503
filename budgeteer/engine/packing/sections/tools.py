"""Tool definitions: compact JSON in the provider's form, as many as fit `maxToolDefinitionChars`.

Characters are those of the JSON array that is sent: `[`, the definitions joined by `,`, `]`. Tokens are those of the
text that the model reads, where that is known (`ToolReading`): what each definition adds to it, and what it costs with
none, or the provider's preamble. For other models they are an estimate: each definition's JSON counted alone, one token
a bracket or comma, and the preamble.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.config.schema import SkillsBudgetConfig
from budgeteer.engine.content.library import ToolDefinition
from budgeteer.engine.content.usage_order import OrderBasis, Priority, ordered
from budgeteer.engine.counting.library_measures import Ints, ToolMeasures
from budgeteer.engine.counting.tokenizers import CountKind, TokenCounter
from budgeteer.engine.models.registry import ModelRow
from budgeteer.engine.packing.ledger import Size
from budgeteer.engine.providers.base import ToolReading
from budgeteer.engine.providers.registry import PROVIDERS

type Mask = NDArray[np.bool_]

#: Characters at the end of a text that decide what a line end adds to it.
LAST_STRETCH: Final = 1_000


@dataclass(frozen=True, slots=True)
class ToolFit:
    """Which tool definitions are sent.

    Attributes:
        order: the kept tools' indices, in the order sent.
        sequence: every tool's index in the order considered.
        provider: the request form they are fitted for.
        kept, pinned, called: one entry a tool; `called` those that kept history calls.
        refused: one entry a tool; those that run at another provider, so that this one cannot be sent them.
        named: one entry a tool; those that `tools.leaveOut` names.
        adapted: one entry a tool; those that are sent without fields that this provider has no place for.
        renamed: one entry a tool; those whose name this provider refuses, and is sent another for.
        exact: one entry a tool; whether published counts say what it takes.
        tokens, chars: each definition's own size in the provider's form.
        needed_chars, needed_tokens: the array's size up to and including this tool; with all before it where it does
            not fit.
        limit_tokens: the most tokens of the array, None where only characters are limited.
        asked: the whole array with every tool.
        order_by: what decided the order.
    """

    provider: str
    order: tuple[int, ...]
    sequence: tuple[int, ...]
    kept: Mask
    pinned: Mask
    called: Mask
    refused: Mask
    named: Mask
    adapted: Mask
    renamed: Mask
    exact: Mask
    tokens: Ints
    chars: Ints
    needed_chars: Ints
    needed_tokens: Ints
    asked: Size
    order_by: OrderBasis
    limit_tokens: int | None = None

    @property
    def left_out(self) -> Mask:
        """Those that are left out by name: neither a pin nor kept history holds them."""
        found: Mask = self.named & ~self.pinned & ~self.called & ~self.refused
        return found


@dataclass(frozen=True, slots=True)
class ToolCosts:
    """In which form definitions are sent and read, what is counted beside them, and how many tokens they may take.

    Attributes:
        provider: the request form. model: the model that reads them. counter: what counts.
        limit_tokens: the most tokens of the whole, None without shares.
        line_end: what a line end adds to the system message before them, None where there is no such message.
        is_forced: whether the request asks for a call, which costs what only some providers publish.
    """

    provider: str
    counter: TokenCounter
    model: ModelRow
    limit_tokens: int | None = None
    line_end: int | None = None
    is_forced: bool = False

    @property
    def reading(self) -> ToolReading | None:
        """How the model reads definitions; None where that is not known, or frames cost nothing (chars/4)."""
        reading = PROVIDERS[self.provider].tools.reading
        if reading is None or not self.counter.per_message_overhead or self.model.maker not in reading.makers:
            return None
        return reading

    @property
    def is_published(self) -> bool:
        """Whether the counts for this model and form were checked with the provider and published."""
        reading = self.reading
        return (
            reading is not None
            and not self.is_forced
            and PROVIDERS[self.provider].tools.counts_are_published
            and self.model.name in reading.models
            and self.counter.name == self.model.tokenizer
        )

    @property
    def kind(self) -> CountKind:
        """How what is counted beside the definitions is known."""
        return self.counter.kind if self.is_published else "estimated"

    def tokens(self, measures: ToolMeasures) -> Ints:
        """What each definition adds to what the model reads."""
        sizes = measures.of(self.provider)
        return sizes.tokens if self.reading is None else sizes.read_tokens

    def exact(self, measures: ToolMeasures) -> Mask:
        """Whether published counts say what each definition adds."""
        published: Mask = measures.of(self.provider).published > 0
        return published & self.is_published

    def joins(self, count: int) -> Size:
        """What so many definitions cost beside themselves; nothing where there are none."""
        if not count:
            return Size()
        return Size(self._joins_tokens(count) if self.counter.per_message_overhead else 0, count + 1)

    def _joins_tokens(self, count: int) -> int:
        reading = self.reading
        preamble = PROVIDERS[self.provider].overhead.for_tools(self.model.name, is_forced=self.is_forced)
        if reading is None:
            return count + 1 + preamble.tokens
        around = self.counter.count(reading.opening + reading.closing) + (reading.charge or preamble).tokens
        if self.line_end is None or reading.shared_with_system is None:
            return around
        return around - reading.shared_with_system + self.line_end


def line_end_tokens(text: str, counter: TokenCounter) -> int:
    """What a line end adds to a text.

    That depends on how the text ends: all of it is counted only where its last stretch has neither letter nor digit.
    """
    end = text[-LAST_STRETCH:]
    if not any(map(str.isalnum, end)):
        end = text
    return counter.count(end + "\n") - counter.count(end)


def fit_tools(
    tools: Sequence[ToolDefinition],
    measures: ToolMeasures,
    config: SkillsBudgetConfig,
    *,
    costs: ToolCosts,
    standing: Priority,
) -> ToolFit:
    """The definitions that fit: pinned and called ones first, then the longest prefix of the rest (or `fill`)."""
    provider = PROVIDERS[costs.provider]
    tokens, chars = costs.tokens(measures), measures.of(costs.provider).chars
    pinned = np.array([f"tool:{tool.name}" in standing.pins for tool in tools], np.bool_)
    used = np.array([tool.name in standing.called for tool in tools], np.bool_)
    refused = np.array([not provider.tools.is_sent(tool) for tool in tools], np.bool_)
    named = np.array([tool.name in standing.leave_out for tool in tools], np.bool_)
    gone = refused | (named & ~pinned & ~used)
    prioritization = config.optimization.prioritization if config.enabled else None
    sequence, order_by = ordered(
        [(tool.name, "") for tool in tools], prioritization=prioritization, usage=standing.usage
    )
    asked = Size(int(tokens.sum()), int(chars.sum())) + costs.joins(len(tools))
    fit = ToolFit(
        provider=costs.provider,
        order=tuple(i for i in sequence if not gone[i]),
        sequence=tuple(sequence),
        kept=~gone,
        pinned=pinned,
        called=used,
        refused=refused,
        named=named,
        adapted=np.array([provider.tools.loses_fields(tool) for tool in tools], np.bool_),
        renamed=np.array([provider.tools.renames(tool) for tool in tools], np.bool_),
        exact=costs.exact(measures),
        tokens=tokens,
        chars=chars,
        needed_chars=np.zeros(len(tools), np.int64),
        needed_tokens=np.zeros(len(tools), np.int64),
        asked=asked,
        order_by=order_by if config.enabled else OrderBasis.AS_GIVEN,
    )
    return _within_limits(fit, config, costs) if config.enabled else fit


def _within_limits(fit: ToolFit, config: SkillsBudgetConfig, costs: ToolCosts) -> ToolFit:
    """The fit with what is over left out: definitions that stay first, then the others in their order."""
    stays = (fit.pinned | fit.called) & ~fit.refused
    sequence = [i for i in fit.sequence if stays[i]] + [i for i in fit.sequence if not stays[i]]
    kept = np.zeros(len(sequence), np.bool_)
    needed_chars, needed_tokens = fit.needed_chars.copy(), fit.needed_tokens.copy()
    limit_chars = config.limits.max_tool_definition_chars
    # An array of one definition costs its two brackets, and what stands around all; every further one a comma.
    comma = costs.joins(2) - costs.joins(1)
    first = costs.joins(1) - comma
    chars, tokens = (fit.chars + comma.chars).tolist(), (fit.tokens + comma.tokens).tolist()
    used_chars, used_tokens = first.chars, first.tokens
    asked_chars, asked_tokens = used_chars, used_tokens
    open_ended = True
    gone = fit.refused | fit.left_out
    for index in (i for i in sequence if not gone[i]):
        asked_chars, asked_tokens = asked_chars + chars[index], asked_tokens + tokens[index]
        with_chars, with_tokens = used_chars + chars[index], used_tokens + tokens[index]
        within = costs.limit_tokens is None or with_tokens <= costs.limit_tokens
        if stays[index] or (open_ended and within and with_chars <= limit_chars):
            kept[index] = True
            used_chars, used_tokens = with_chars, with_tokens
        elif config.fit == "prefix":
            open_ended = False
        needed_chars[index] = used_chars if kept[index] else asked_chars
        needed_tokens[index] = used_tokens if kept[index] else asked_tokens
    return replace(
        fit,
        order=tuple(i for i in sequence if kept[i]),
        sequence=tuple(sequence),
        kept=kept,
        needed_chars=needed_chars,
        needed_tokens=needed_tokens,
        limit_tokens=costs.limit_tokens,
    )
