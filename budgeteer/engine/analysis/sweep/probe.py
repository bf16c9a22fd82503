"""One packing at one position of an axis, and the range of the axis over which its answer is certain to hold."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, NamedTuple, cast

from budgeteer.engine.analysis.sweep.axes import BUDGETS, COMPARED, MOST, Axis, axis_of, full_path, with_value
from budgeteer.engine.analysis.sweep.packing_answer import PackingAnswer, answer_of, item_ids
from budgeteer.engine.analysis.sweep.tracked_number import TrackedNumber, Watch
from budgeteer.engine.config.schema import BudgetConfig, HistoryConfig
from budgeteer.engine.counting.text_boundaries import cut_at_word
from budgeteer.engine.counting.tokenizers import TokenCounter, counter_for
from budgeteer.engine.errors import CompressRefused, TokenizerUnavailable
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.packing.allocation import (
    Allowance,
    Shares,
    allowance,
    provider_of,
    resolve_percents,
    shares_of,
    tokenizer_of,
)
from budgeteer.engine.packing.history.summary import (
    Extract,
    SummaryFailed,
    SummaryRequest,
    extractive_summary,
)
from budgeteer.engine.packing.ledger import Ledger
from budgeteer.engine.packing.message_overhead import MessageOverhead
from budgeteer.engine.packing.pack import Fitted, Packer, Summariser, pack
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.packing.verdict import error_of

#: So many characters ahead it is looked whether a summary stays the same; more is asked for when it comes to that.
_AHEAD_CHARS: Final = 256


class _Numbers(NamedTuple):
    """Everything that a budget sets, at one position."""

    allowed: Allowance
    config: BudgetConfig
    shares: Shares | None


class Probed(NamedTuple):
    """What was found at one position; the answer holds up to the position `last`."""

    answer: PackingAnswer
    last: int
    packer: Packer
    fitted: Fitted
    ledger: Ledger


@dataclass(frozen=True, slots=True)
class Subject:
    """What a question is asked about: a bundle under a configuration, and how it is packed (see packing.pack).

    `recount` gives the same inputs counted for a configuration with another tokenizer, None where they are not counted
    by it; without it another tokenizer is refused.
    """

    bundle: Bundle
    config: BudgetConfig
    counter: TokenCounter
    summarise: Summariser = extractive_summary
    provider: str | None = None
    recount: Callable[[BudgetConfig], Bundle | None] | None = None

    def packed(self, config: BudgetConfig | None = None) -> Packing:
        """The packing, under another configuration where one is given; in the form of its model, as this one is.

        Raises:
            BudgeteerError: it cannot be packed, or is not counted by its tokenizer.
        """
        chosen = config or self.config
        name = tokenizer_of(chosen)
        form = None if self.provider == provider_of(self.config) else self.provider
        if name == tokenizer_of(self.config):
            return pack(self.bundle, chosen, counter=self.counter, summarise=self.summarise, provider=form)
        if (bundle := self.recount(chosen) if self.recount else None) is None:
            raise TokenizerUnavailable(name, "the sources are not counted by it")
        return pack(bundle, chosen, counter=counter_for(name), summarise=self.summarise, provider=form)


@dataclass(frozen=True)
class Prober:
    """Packs one subject at any position of one axis."""

    subject: Subject
    provider: str
    axis: Axis
    writer: Writer

    @classmethod
    def of(cls, subject: Subject, name: str) -> Prober:
        """The prober for the limit called `name`.

        Raises:
            ConfigError: there is no such limit, or the configuration cannot be used.
        """
        bundle, config, counter = subject.bundle, subject.config, subject.counter
        if bundle.tokenizer != counter.name:
            raise ValueError(f"measured with {bundle.tokenizer}, packed with {counter.name}")
        form = subject.provider or provider_of(config)
        shares = shares_of(config, allowance(config, counter), query_tokens=_query_tokens(bundle, form, counter))
        available = shares.available_tokens if shares else 0
        axis = axis_of(full_path(name), bundle, config, counter=counter, available_tokens=available)
        return cls(subject, form, axis, Writer(subject.summarise))

    def answer(self, position: int) -> tuple[PackingAnswer | None, int]:
        """The answer at a position, None where a compress range is refused, and the last position where it is so."""
        watch = Watch(position)
        try:
            probed = self.probe(position, watch)
        except CompressRefused:
            return None, watch.last(self.axis.high) if watch.roots else position
        return probed.answer, probed.last

    def probe(self, position: int, watch: Watch | None = None) -> Probed:
        """The packing at a position.

        Raises:
            CompressRefused: a compress range does not go with the conversation and the limits there.
        """
        watch = watch or Watch(position)
        packer = self._packer(watch)
        fitted = packer.fitted(self.writer.write)
        ledger = packer.ledger(fitted)
        error = error_of(ledger, fitted.history.over, packer.allowed.usable_tokens, shares=packer.shares)
        last = watch.last(self.axis.high) if watch.roots else position
        return Probed(answer_of(ledger, fitted, fits=error is None), last, packer, fitted, ledger)

    def items(self) -> tuple[str, ...]:
        """The decision ids that an answer's fates stand for."""
        probed = self.probe(self.axis.high)
        return item_ids(probed.ledger, probed.fitted)

    def _packer(self, watch: Watch) -> Packer:
        """The packer at the watch's position, with a watched number wherever the axis sets one."""
        path, numbers = self.axis.path, self.numbers(watch.position)
        packer = Packer(
            self.subject.bundle, numbers.config, self.subject.counter, self.provider, numbers.allowed, numbers.shares
        )
        if path in BUDGETS:
            return self._budgeted(packer, watch)
        if path in COMPARED:
            return replace(packer, config=with_value(packer.config, path, watch.number(lambda at: at)))
        if numbers.shares is not None and path.startswith("shares."):
            return replace(packer, shares=_with_share(numbers.shares, path, watch.number(lambda at: at)))
        return packer

    def _budgeted(self, packer: Packer, watch: Watch) -> Packer:
        """The packer with what its budget sets: what may be used, percents of it, and shares."""

        def watched(pick: Callable[[_Numbers], int]) -> int:
            return watch.number(lambda position: pick(self.numbers(position)))

        allowed = replace(
            packer.allowed,
            usable_tokens=watched(lambda found: found.allowed.usable_tokens),
            input_budget=watched(lambda found: found.allowed.input_budget),
        )
        config, limits = packer.config, self.subject.config.skills_budget.limits
        for path, pick in _HISTORY_PERCENTS.items():
            if isinstance(pick(self.subject.config.history), str):
                config = with_value(config, path, watched(functools.partial(_history_tokens, pick)))
        if isinstance(limits.max_skills_prompt_tokens, str):
            config = with_value(config, "skillsBudget.limits.maxSkillsPromptTokens", watched(_skills_tokens))
        shares = packer.shares
        if shares is not None:
            shares = replace(
                shares,
                context_tokens=watched(lambda found: _shared(found).context_tokens),
                history_tokens=watched(lambda found: _shared(found).history_tokens),
                system_tokens=watched(lambda found: _shared(found).system_tokens),
            )
        return replace(packer, allowed=allowed, config=config, shares=shares)

    def numbers(self, position: int) -> _Numbers:
        """What the configuration at a position sets."""
        if position not in self._known:
            config = self.axis.config(position)
            allowed = allowance(config, self.subject.counter)
            shares = shares_of(config, allowed, query_tokens=self._query_tokens)
            self._known[position] = _Numbers(allowed, resolve_percents(config, allowed), shares)
        return self._known[position]

    @functools.cached_property
    def _known(self) -> dict[int, _Numbers]:
        return {}

    @functools.cached_property
    def _query_tokens(self) -> int:
        return _query_tokens(self.subject.bundle, self.provider, self.subject.counter)


def _query_tokens(bundle: Bundle, provider: str, counter: TokenCounter) -> int:
    framing = MessageOverhead(bundle, provider, counter)
    return framing.query_tokens() + framing.reply()


def _with_share(shares: Shares, path: str, tokens: int) -> Shares:
    match path:
        case "shares.context":
            return replace(shares, context_tokens=tokens)
        case "shares.history":
            return replace(shares, history_tokens=tokens)
        case _:
            return replace(shares, system_tokens=tokens)


#: By path, each limit of history that may be a percent of the input budget.
_HISTORY_PERCENTS: Final[Mapping[str, Callable[[HistoryConfig], int | str | None]]] = MappingProxyType(
    {
        "history.maxTokens": lambda history: history.max_tokens,
        "history.clearing.trigger": lambda history: history.clearing.trigger,
        "history.summarizing.trigger": lambda history: history.summarizing.trigger,
        "history.summarizing.target": lambda history: history.summarizing.target,
        "history.summarizing.userMessageTokens": lambda history: history.summarizing.user_message_tokens,
    }
)


def _history_tokens(pick: Callable[[HistoryConfig], int | str | None], found: _Numbers) -> int:
    return cast("int", pick(found.config.history))


def _skills_tokens(found: _Numbers) -> int:
    return cast("int", found.config.skills_budget.limits.max_skills_prompt_tokens)


def _shared(found: _Numbers) -> Shares:
    return cast("Shares", found.shares)


class Writer:
    """Summarises under a limit that is swept: the messages are read once, and equal texts noted as equal."""

    def __init__(self, summarise: Summariser) -> None:
        self._summarise = summarise
        self._asked: SummaryRequest | None = None
        self._extract = Extract(())
        self._texts: dict[int, str | None] = {}

    def write(self, request: SummaryRequest) -> str:
        """The summary, as a summariser of the engine's writes it.

        Raises:
            SummaryFailed: it cannot be written within its limit.
        """
        limit: object = request.max_chars
        chars = limit.value if isinstance(limit, TrackedNumber) else request.max_chars
        if self._asked is None or (request.messages, request.topic_chars) != (
            self._asked.messages,
            self._asked.topic_chars,
        ):
            self._asked, self._texts = request, {}
            self._extract = Extract.of(request) if self._summarise is extractive_summary else Extract(())
        text = self._text(chars)
        if isinstance(limit, TrackedNumber):
            self._note(limit, chars, text)
        if text is None:
            raise SummaryFailed(f"no summary could be written within {chars:,} characters")
        return text

    def _note(self, limit: TrackedNumber, chars: int, text: str | None) -> None:
        """Compare the limit with where its text begins and ends to be this one."""
        after = chars + 1
        if self._summarise is extractive_summary:
            if text is not None and text == self._text(MOST):
                return
            while after <= chars + _AHEAD_CHARS and self._text(after) == text:
                after += 1
        bool(limit >= chars)
        bool(limit < after)

    def _text(self, chars: int) -> str | None:
        """The text within so many characters; None where there is none."""
        if chars not in self._texts:
            self._texts[chars] = self._written(chars)
        return self._texts[chars]

    def _written(self, chars: int) -> str | None:
        try:
            if self._summarise is extractive_summary:
                return self._extract.text(chars)
            assert self._asked is not None  # noqa: S101 - set before any text is asked for
            return cut_at_word(self._summarise(replace(self._asked, max_chars=chars)), chars)
        except SummaryFailed:
            return None
