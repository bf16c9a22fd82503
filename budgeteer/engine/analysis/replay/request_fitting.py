"""Fit one request of a conversation in tokens: what its packing sends, without building the packing."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from budgeteer.engine.analysis.replay.growing_summary import GrowingSummary
from budgeteer.engine.analysis.replay.requests import with_facts
from budgeteer.engine.analysis.sweep.probe import Subject
from budgeteer.engine.config.schema import BudgetConfig
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.counting.message_frames import framed_tokens
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.packing.allocation import allowance, provider_of, resolve_percents
from budgeteer.engine.packing.history.summary import extractive_summary
from budgeteer.engine.packing.history.view import USER
from budgeteer.engine.packing.message_overhead import MessageOverhead
from budgeteer.engine.packing.pack import Fitted, Packer, pack
from budgeteer.engine.packing.result import Packing
from budgeteer.engine.packing.sections.skills import SkillFit
from budgeteer.engine.packing.verdict import error_of
from budgeteer.engine.providers.registry import PROVIDERS


@dataclass(frozen=True, slots=True)
class FittedRequest:
    """What a request sends in tokens, whether it fits, how many messages a summary stands for in it, and the fit."""

    tokens: int
    fits: bool
    covered: int
    packer: Packer
    fitted: Fitted


class RequestFitter:
    """Fits the requests of one conversation. What the libraries take is counted once for each choice of them."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._provider = subject.provider or provider_of(subject.config)
        self._allowed = allowance(subject.config, subject.counter)
        growing = GrowingSummary()
        self._summarise = growing.write if subject.summarise is extractive_summary else subject.summarise
        self._skills: SkillFit | None = None
        self._libraries: dict[object, int] = {}
        self.whole = _unpruned(subject)
        framing = MessageOverhead(subject.bundle, self._provider, subject.counter)
        asked = [
            section.demand.size.tokens for section in self.whole.sections if section.name not in ("history", "query")
        ]
        self._fixed = sum(asked) + framing.reply()
        sizes = [
            framed_tokens(measures, PROVIDERS[self._provider], subject.counter)
            for measures in (subject.bundle.history_measures, subject.bundle.query_measures)
        ]
        self._reach = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])

    @property
    def message_tokens(self) -> Ints:
        """What each message takes as it came, with its frame; the query's at the end, where there is one."""
        return np.diff(self._reach)

    def before_tokens(self, end: int | None) -> int:
        """Everything up to the reply at row `end`, or up to now, with no limit."""
        return self._fixed + int(self._reach[-1 if end is None else end])

    def fit(self, bundle: Bundle, config: BudgetConfig) -> FittedRequest:
        """The request that a bundle is, under a configuration that differs in its ranges alone."""
        counter = self._subject.counter
        if config.pruning.mode != "off" and bundle is not self._subject.bundle:
            bundle = with_facts(bundle, self._subject.bundle, counter=counter)
        packer = Packer.of(bundle, resolve_percents(config, self._allowed), counter, self._provider, self._allowed)
        if packer.shares is None:
            packer = replace(packer, skills=self._skills)
        fitted = packer.fitted(self._summarise)
        self._skills = fitted.libraries.skills
        summary = fitted.history.summary
        covered = len(summary.covers) if summary is not None and summary.kind == "summary" else 0
        if packer.shares is not None or fitted.pruned is not None:
            ledger = packer.ledger(fitted)
            error = error_of(ledger, fitted.history.over, self._allowed.usable_tokens, shares=packer.shares)
            return FittedRequest(ledger.total().tokens, error is None, covered, packer, fitted)
        tokens = self._library_tokens(packer, fitted) + _history_tokens(fitted)
        tokens += packer.framing.query_tokens() + packer.framing.reply()
        fits = fitted.history.over is None and tokens <= self._allowed.usable_tokens
        return FittedRequest(tokens, fits, covered, packer, fitted)

    def _library_tokens(self, packer: Packer, fitted: Fitted) -> int:
        """Everything but history and query, in tokens."""
        libraries, history = fitted.libraries, fitted.history
        said = packer.framing.has_query() or bool((history.kept & (fitted.view.role == USER)).any())
        key = (
            said or history.summary is not None,
            libraries.skills.order,
            libraries.tools.order,
            libraries.features.order,
            libraries.features.listed,
            libraries.features.header,
            libraries.retrieval.order,
            libraries.retrieval.says_nothing,
        )
        if key not in self._libraries:
            ledger = packer.ledger(fitted)
            others = ledger.total("history") + ledger.total("query")
            self._libraries[key] = ledger.total().tokens - others.tokens
        return self._libraries[key]


def _history_tokens(fitted: Fitted) -> int:
    """The history that is sent with its frames, a summary and an anchor among it."""
    view, fit = fitted.view, fitted.history
    return fit.as_sent(view).size_tokens(fit.kept) + fit.summary_tokens


def _unpruned(subject: Subject) -> Packing:
    """The whole conversation packed without pruning, for what it asks for."""
    pruning = subject.config.pruning.model_copy(update={"mode": "off"})
    config = subject.config.model_copy(update={"pruning": pruning})
    return pack(subject.bundle, config, counter=subject.counter, summarise=subject.summarise, provider=subject.provider)
