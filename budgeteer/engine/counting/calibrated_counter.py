"""Counts as a model's provider recorded them: those of a vocabulary, by a factor and with charges that were measured.

A calibrated counter's name says all of it (`claude-v3x1.0002m3c46p15`), so that whatever finds a counter by its name
finds this one as well, in every process, and numbers counted with other charges are never taken for its own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, Self

from budgeteer.engine.providers.base import Provider

#: Charges are kept in ten-thousandths of a token for each token counted.
_WHOLE: Final = 10_000
_NAME: Final = re.compile(r"(?P<vocabulary>.+)x(?P<factor>[0-4]\.\d{4})m(?P<m>\d{1,3})c(?P<c>\d{1,3})p(?P<p>\d{1,3})")


@dataclass(frozen=True, slots=True)
class Charges:
    """What a provider charges for what a vocabulary counts, in tokens.

    Attributes:
        vocabulary: the name of the tokenizer that counts.
        factor: recorded tokens for each token counted, in ten-thousandths.
        message: what stands around a message that neither calls a tool nor answers a call.
        call: what stands around a call and its result.
        parameter: what stands around each argument, where arguments are read one by one.
    """

    vocabulary: str
    factor: int
    message: int
    call: int
    parameter: int

    @classmethod
    def of(cls, vocabulary: str, *, per_token: float, message: int, call: int, parameter: int) -> Self:
        """The charges with `per_token` as a factor of four decimals."""
        return cls(vocabulary, round(per_token * _WHOLE), message, call, parameter)

    @property
    def name(self) -> str:
        """The name of the counter that counts so."""
        factor = f"{self.factor // _WHOLE}.{self.factor % _WHOLE:04d}"
        return f"{self.vocabulary}x{factor}m{self.message}c{self.call}p{self.parameter}"

    @classmethod
    def named(cls, name: str) -> Self | None:
        """The charges that a counter's name says, None where it is no calibrated one's."""
        match = _NAME.fullmatch(name)
        if match is None:
            return None
        factor = int(match["factor"].replace(".", ""))
        return cls(match["vocabulary"], factor, int(match["m"]), int(match["c"]), int(match["p"]))


def vocabulary_of(name: str) -> str:
    """The tokenizer that people are told: of a calibrated counter's name its vocabulary, else the name itself."""
    charges = Charges.named(name)
    return name if charges is None else charges.vocabulary


class _Counter(Protocol):
    """What counts a text; see tokenizers.TokenCounter."""

    per_message_overhead: bool

    def count(self, text: str) -> int: ...

    def count_all(self, texts: Sequence[str]) -> list[int]: ...


class CalibratedCounter:
    """A vocabulary's counts, each text's by the factor and rounded to whole tokens."""

    kind: Literal["exact", "reconstructed", "calibrated", "estimated", "reported", "unknown"] = "calibrated"
    per_message_overhead = True

    def __init__(self, counter: _Counter, charges: Charges) -> None:
        self.name = charges.name
        self.charges = charges
        self._counter = counter

    def count(self, text: str) -> int:
        """The tokens of one text."""
        return self._charged(self._counter.count(text))

    def count_parts(self, texts: Sequence[str]) -> int:
        """The sum over the texts, each a sequence of its own."""
        return sum(map(self.count, texts))

    def count_all(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text."""
        return [self._charged(count) for count in self._counter.count_all(texts)]

    def _charged(self, count: int) -> int:
        return (count * self.charges.factor + _WHOLE // 2) // _WHOLE


def charges_of(counter: _Counter) -> Charges | None:
    """The charges of a calibrated counter, None of any other."""
    return counter.charges if isinstance(counter, CalibratedCounter) else None


def parameter_tokens(provider: Provider, counter: _Counter) -> int:
    """What stands around each argument that is read by itself: as it was measured, else the provider's constant."""
    charges = charges_of(counter)
    return provider.overhead.parameter.tokens if charges is None else charges.parameter


def message_tokens(provider: Provider, counter: _Counter, role: str) -> int:
    """What stands around a message that is written here, role and all; nothing under chars/4."""
    if not counter.per_message_overhead:
        return 0
    if role == "system" and provider.overhead.system is not None:
        return provider.overhead.system.tokens
    charges = charges_of(counter)
    return provider.overhead.message.tokens + counter.count(role) if charges is None else charges.message
