"""Shorter texts for answered calls: what stands in the place of a result or of a call's arguments, and its size.

A result is replaced by a placeholder, or cut to its first and last characters with a line between them that says how
much was cut. Arguments are emptied. Each text is counted once for a conversation.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from budgeteer.engine.config.schema import ClearingConfig
from budgeteer.engine.content.conversation import (
    Message,
    Part,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    calls_of,
    result_text,
    results_of,
)
from budgeteer.engine.counting.calibrated_counter import parameter_tokens
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.counting.sized import Sized
from budgeteer.engine.counting.tokenizers import TokenCounter
from budgeteer.engine.errors import TokenizerUnavailable
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.inputs.tool_results import ToolResults, tool_results_of
from budgeteer.engine.packing.history.summary import CountingFailed
from budgeteer.engine.providers.call_arguments import argument_chars, argument_texts, parameters_in
from budgeteer.engine.providers.registry import PROVIDERS

#: Arguments of a call whose input was cleared, as LangChain's ClearToolUsesEdit writes them.
NO_ARGUMENTS: Final = "{}"
#: The longest line between the two ends of a result that is cut. A result that is longer than both ends by no more than
#: this stays, so that one that was cut is not cut again.
_LONGEST_LINE: Final = 64
#: Stands in a table of sizes where nothing was counted yet; no saving comes near it.
_NOT_COUNTED: Final = -(2**62)


@dataclass(frozen=True, slots=True)
class ResultShape:
    """What becomes of a result that is cleared: the placeholder, or its first and last characters where any stay."""

    placeholder: str
    head_chars: int
    tail_chars: int

    @classmethod
    def of(cls, config: ClearingConfig) -> ResultShape:
        """The shape that a configuration asks for."""
        return cls(config.placeholder, config.head_chars, config.tail_chars)

    @property
    def cuts(self) -> bool:
        """Whether anything of a result stays."""
        return self.head_chars + self.tail_chars > 0

    def text(self, result: ToolResultPart) -> str:
        """What stands in the place of a result. Pictures, files and sound go with what is cut."""
        if not self.cuts:
            return self.placeholder
        said = result_text(result)
        cut_chars = len(said) - self.head_chars - self.tail_chars
        others = sum(not isinstance(part, TextPart) for part in result.content)
        if cut_chars <= _LONGEST_LINE and not others:
            return said
        if not said:
            return self.placeholder
        rest = f" and {others:,} other part{'s' * (others > 1)}" if others else ""
        if cut_chars <= _LONGEST_LINE:
            return f"{said}\n[{others:,} other part{'s' * (others > 1)} cut]"
        head, tail = said[: self.head_chars], said[len(said) - self.tail_chars :]
        line = f"[{cut_chars:,} characters{rest} cut]"
        return "\n".join(piece for piece in (head, line, tail) if piece)


@dataclass(frozen=True, slots=True)
class ToolTexts:
    """The answered calls of one history under one provider, and the sizes of their texts once shortened."""

    bundle: Bundle
    provider: str
    counter: TokenCounter

    @property
    def losses(self) -> Ints:
        """What of each message the provider cannot be sent, as Loss."""
        return self.bundle.history_measures.column(self.provider, "loss")

    @property
    def results(self) -> ToolResults:
        """The answered calls, read when they are first asked for."""
        return tool_results_of(self.bundle)

    def results_as(self, shape: ResultShape, rows: Ints) -> Sized:
        """The sizes of these rows of `results` once cleared."""
        messages, result_row = self.bundle.history, self.results.result_row

        def size(row: int) -> tuple[int, int]:
            text = shape.text(results_of(messages[int(result_row[row])])[0])
            return self._count((text,)), len(text)

        if not shape.cuts:
            tokens, chars = self._count((shape.placeholder,)), len(shape.placeholder)
            return Sized(np.full(len(rows), tokens), np.full(len(rows), chars))
        return self._known(shape, rows, size)

    def arguments_saved(self, rows: Ints) -> Sized:
        """What emptying the arguments of these calls saves; less than nothing where they are empty."""
        provider = PROVIDERS[self.provider]
        form, charge = provider.capabilities.argument_form, parameter_tokens(provider, self.counter)
        messages, results = self.bundle.history, self.results

        def size_of(arguments: str) -> tuple[int, int]:
            texts = argument_texts(arguments, form)
            charged = charge * parameters_in(len(texts), form) if self.counter.per_message_overhead else 0
            return self._count(texts) + charged, argument_chars(arguments, form)

        def saved(row: int) -> tuple[int, int]:
            call = calls_of(messages[int(results.call_row[row])])[int(results.position[row])]
            (tokens, chars), (least, fewest) = size_of(call.arguments), size_of(NO_ARGUMENTS)
            return tokens - least, chars - fewest

        return self._known(("arguments", self.provider), rows, saved)

    def _count(self, texts: Sequence[str]) -> int:
        try:
            return self.counter.count_parts(texts)
        except (TokenizerUnavailable, ValueError) as error:
            raise CountingFailed(f"shortened texts cannot be counted: {error}") from error

    def _known(self, key: object, rows: Ints, size: Callable[[int], tuple[int, int]]) -> Sized:
        """The tokens and characters of these rows, each of which is counted once."""
        counted, count = self.results.counted, len(self.results)
        table = counted.get(key)
        if table is None or table.shape[1] < count:
            wider = np.full((2, count), _NOT_COUNTED, np.int64)
            if table is not None:
                wider[:, : table.shape[1]] = table
            table = counted[key] = wider
        for row in rows[table[1, rows] == _NOT_COUNTED].tolist():
            table[:, row] = size(row)
        return Sized(table[0, rows], table[1, rows])


def without_arguments(message: Message, positions: Collection[int]) -> Message:
    """The message with the arguments of its calls at these places emptied."""
    parts: list[Part] = []
    place = 0
    for part in message.parts:
        if isinstance(part, ToolCallPart):
            parts.append(replace(part, arguments=NO_ARGUMENTS) if place in positions else part)
            place += 1
        else:
            parts.append(part)
    return replace(message, parts=tuple(parts))


def with_result(message: Message, shape: ResultShape) -> Message:
    """The message with its result cleared."""
    parts = (
        replace(part, content=(TextPart(shape.text(part)),)) if isinstance(part, ToolResultPart) else part
        for part in message.parts
    )
    return replace(message, parts=tuple(parts))
