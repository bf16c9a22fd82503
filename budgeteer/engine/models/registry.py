"""Models: window, limits, tokenizer, prices. Every row is a literal of ours with its source and date.

A tokenizer is called exact only where tiktoken's own table names it for that model. Claude's are counted as they were
reconstructed. Models whose makers published their vocabulary are counted with it, every other with a named stand-in;
whatever is counted in one of these two ways is `estimated`, for nobody publishes what stands around messages.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple

from budgeteer.engine.errors import ConfigError
from budgeteer.engine.models.extra_vocabularies import vocabularies_installed
from budgeteer.engine.models.model_table import DATE, STAND_IN, TABLE
from budgeteer.engine.providers.names import ProviderName

DEFAULT_OUTPUT_RESERVE = 4_096
"""Tokens held back for the reply unless the model is smaller: what the command-line contract shows for gpt-4o."""

#: What a host writes around a provider's own id: `us.anthropic.` before it, `-v1`, `:free`, `[1m]` behind it.
_HOST_PREFIX = re.compile(r"^(?:[a-z][a-z-]*\.)+(?=[a-z])")
_HOST_SUFFIX = re.compile(r"(?:\[[^\[\]]*\]|:[\w.-]*|(?<=\d)-v\d+)$")
#: The date of a snapshot, `latest`, and a version that ends in nought and is as often written without it.
_VERSION_SUFFIX = re.compile(r"(?:[-@]\d{8}|-\d{4}-\d{2}-\d{2}|[-@]latest|-preview-\d{2}-\d{2}|-0)$")


class ReserveBound(NamedTuple):
    """An output reserve that no configuration sets, and what it follows from: a quarter of the window, for one."""

    tokens: int
    source: Literal["default", "maxOutput", "window"]


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One model.

    Attributes:
        name: what `model` in a configuration says, the provider's own id where there is one.
        title: the name people read.
        maker: who makes it.
        provider: the request form it is sent in.
        context_window: the most tokens it takes, input and output together.
        max_input: the most input tokens, None where the window alone bounds them.
        max_output: the most output tokens, None where no page of the provider says it.
        tokenizer: what counts for it, see tokenizer_is_stand_in.
        tokenizer_is_stand_in: True where counts with it are not exact for the model: its own vocabulary is not public
            or not packaged, or what its template writes around messages is not known (tokenizer_is_own); it may be
            reconstructed (claude_vocabulary).
        tokenizer_is_own: True where the vocabulary is the model's own as its makers published it.
        input_price, cached_input_price, output_price: US dollars a million tokens, None where there is no list price.
        source, date: where the row comes from and when it was checked.
    """

    name: str
    title: str
    maker: str
    provider: ProviderName
    context_window: int
    max_input: int | None
    max_output: int | None
    tokenizer: str
    tokenizer_is_stand_in: bool
    tokenizer_is_own: bool
    input_price: float | None
    cached_input_price: float | None
    output_price: float | None
    source: str
    date: str

    @property
    def output_reserve(self) -> int:
        """Tokens held back for the reply when a configuration does not say.

        The smallest of 4,096, the model's maximum output, and a quarter of its window, so that a window of 1,024
        keeps 256: the reserve the seed on small models uses.
        """
        return self.reserve_within(self.context_window).tokens

    def reserve_within(self, window: int) -> ReserveBound:
        """As `output_reserve`, of a window that a configuration sets, with what bounds it; nothing before the rest."""
        return min(self._widest_reserve, ReserveBound(window // 4, "window"), key=lambda one: one.tokens)

    def reserve_beside(self, input_budget: int) -> int:
        """As `reserve_within`, of the window that leaves so many tokens of input beside it.

        A quarter of the window is a third of what it leaves: w = b + b // 3 gives w // 4 = b // 3.
        """
        return min(self._widest_reserve.tokens, input_budget // 3)

    @property
    def _widest_reserve(self) -> ReserveBound:
        if self.max_output is not None and self.max_output < DEFAULT_OUTPUT_RESERVE:
            return ReserveBound(self.max_output, "maxOutput")
        return ReserveBound(DEFAULT_OUTPUT_RESERVE, "default")


def _rows() -> Iterator[ModelRow]:
    """Every row; one whose vocabulary is in an extra that is not installed has the stand-in, as it says."""
    has_extra = vocabularies_installed()
    for family, lines in TABLE:
        is_here = has_extra or not family.in_extra
        for name, title, window, max_input, max_output, *prices in lines:
            yield ModelRow(
                name=name,
                title=title,
                maker=family.maker,
                provider=family.provider,
                context_window=window,
                max_input=max_input,
                max_output=max_output,
                tokenizer=family.tokenizer if is_here else STAND_IN,
                tokenizer_is_stand_in=family.stand_in,
                tokenizer_is_own=is_here and (family.own or not family.stand_in),
                input_price=prices[0],
                cached_input_price=prices[1],
                output_price=prices[2],
                source=family.source,
                date=DATE,
            )


MODELS: Mapping[str, ModelRow] = MappingProxyType({row.name: row for row in _rows()})
"""Every model by its name, in the order the interfaces list them."""


_BY_SPELLING: Mapping[str, ModelRow] = MappingProxyType({name.replace(".", "-"): row for name, row in MODELS.items()})
"""Every model by its name with hyphens for dots: hosts write `claude-sonnet-4.5` for `claude-sonnet-4-5`."""


def known_model(name: str) -> ModelRow | None:
    """The row of a model as a configuration, a file or a host names it, None when there is none.

    What names no other model is read past where the full name has no row of its own: a path or a host's prefix
    (`openai/gpt-4o`, `us.anthropic.…`), a host's suffix (`:free`, `[1m]`), then the date of a snapshot
    (`claude-sonnet-4-5-20250929`), `latest` and `-0`. Nothing else is guessed: a name that goes on otherwise
    (`gpt-4o-audio-preview`) is another model.
    """
    plain = name.strip().lower().rpartition("/")[2]
    bare = _HOST_PREFIX.sub("", plain)
    while (shorter := _HOST_SUFFIX.sub("", bare)) != bare:
        bare = shorter
    candidates = (plain, _VERSION_SUFFIX.sub("", plain), bare, _VERSION_SUFFIX.sub("", bare))
    spelled = (_BY_SPELLING.get(candidate.replace(".", "-")) for candidate in candidates)
    return next((row for row in spelled if row is not None), None)


def model(name: str) -> ModelRow:
    """The row of a model; see `known_model` for how it may be named.

    Raises:
        ConfigError: no such model; names the nearest ones.
    """
    row = known_model(name)
    if row is not None:
        return row
    plain = name.strip().lower().rpartition("/")[2]
    nearest = difflib.get_close_matches(plain, MODELS, n=3, cutoff=0.5)
    mend = f"Did you mean {' or '.join(nearest)}?" if nearest else f"Known models: {', '.join(MODELS)}"
    raise ConfigError(f"there is no model {name!r}", where="model", mend=mend)


def dollars(tokens: int, price: float | None) -> float | None:
    """US dollars for tokens at a price for a million; None without a price."""
    return None if price is None else tokens * price / 1_000_000
