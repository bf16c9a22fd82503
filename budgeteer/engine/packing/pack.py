"""pack(): from a bundle and a configuration to a packing.

Order: what no limit touches (system, query), skills, tool definitions, features, retrieved chunks, then history in
the room that is left. A tool that kept history calls stays, so libraries and history are fitted in turn until neither
changes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from budgeteer.engine.config.schema import BudgetConfig
from budgeteer.engine.counting.tokenizers import TokenCounter, counter_for
from budgeteer.engine.inputs.bundle import Bundle
from budgeteer.engine.inputs.history_index import index_of
from budgeteer.engine.inputs.sent_settings import settings_notes
from budgeteer.engine.packing.allocation import Allowance, Shares, allowance, provider_of, resolve_percents, shares_of
from budgeteer.engine.packing.binding_limits import limits_that_bind
from budgeteer.engine.packing.chunk_reduction import chunk_reduction
from budgeteer.engine.packing.history.history_texts import Writing
from budgeteer.engine.packing.history.named_messages import NamedMessages
from budgeteer.engine.packing.history.registry import STRATEGIES, fit_history
from budgeteer.engine.packing.history.summary import SummaryRequest, extractive_summary
from budgeteer.engine.packing.history.task import history_notes, with_task
from budgeteer.engine.packing.history.tool_texts import ToolTexts
from budgeteer.engine.packing.history.view import USER, HistoryFit, HistoryView, Mask
from budgeteer.engine.packing.ledger import Ledger, LedgerRows, Overhead, Size
from budgeteer.engine.packing.ledger_rows import (
    PRUNING_ADDED,
    SEARCH_ADDED,
    chunk_rows,
    feature_rows,
    history_rows,
    query_rows,
    skill_rows,
    summary_row,
    system_rows,
    tool_rows,
    with_added,
)
from budgeteer.engine.packing.library_fitting import Libraries, LibraryFitter
from budgeteer.engine.packing.limits import (
    budget_fix,
    budget_limit,
    cost_of,
    limits_of,
    section_totals,
    share_limits,
    unknown_parts,
)
from budgeteer.engine.packing.message_overhead import MessageOverhead
from budgeteer.engine.packing.pruned_ledger_rows import pruned_rows
from budgeteer.engine.packing.pruned_overhead import pruned_demand, pruned_notes, tag_overhead, tagged_view, typed_rows
from budgeteer.engine.packing.pruning.nudges import ModelRequest, Nudge, nudge_for
from budgeteer.engine.packing.pruning.pruned import Pruned, Pruning
from budgeteer.engine.packing.pruning.recorded_calls import recorded_compressions, with_recorded_ranges
from budgeteer.engine.packing.result import Packing, Selection
from budgeteer.engine.packing.sections.instruction_block import InstructionBlock
from budgeteer.engine.packing.sections.search_tool import Searching, with_search_tool
from budgeteer.engine.packing.sections.skill_block import effective
from budgeteer.engine.packing.sections.skills import SkillFit
from budgeteer.engine.packing.sections.system import adds_text
from budgeteer.engine.packing.task_check import asked_of, checked, ended
from budgeteer.engine.packing.verdict import error_of, is_close, verdict_of, warning_of

type Summariser = Callable[[SummaryRequest], str]


def pack(
    bundle: Bundle,
    config: BudgetConfig,
    *,
    counter: TokenCounter,
    summarise: Summariser = extractive_summary,
    provider: str | None = None,
) -> Packing:
    """Pack a bundle: what is sent, what is not and why, with every number.

    `counter` must be the one the bundle was measured with; it counts only short new texts here. `provider` is the
    request form, by default the model's own.

    Raises:
        ConfigError: model, window and reserve do not go together.
        CompressRefused: a batch of compress ranges does not go with the conversation.
        SummaryPending: only from a `summarise` that raises it.
    """
    if bundle.tokenizer != counter.name:
        raise ValueError(f"measured with {bundle.tokenizer}, packed with {counter.name}")
    form = provider or provider_of(config)
    allowed = allowance(config, counter)
    return Packer.of(bundle, resolve_percents(config, allowed), counter, form, allowed).pack(summarise)


def pack_unlimited(packing: Packing) -> Packing:
    """The same bundle with nothing limited, every feature spec loaded and the block before the user's first message.

    This is the seed's state before its changes (token limit error); it may be larger than any window. Where there is
    nothing but the conversation's own system messages, they stay where they are: no block is made of them.
    """
    config, bundle = packing.config, packing.bundle
    makes_block = bool(bundle.skills or bundle.features or bundle.chunks) or adds_text(bundle)
    placement = "prepended" if makes_block else config.system.placement
    everything = config.model_copy(
        update={
            "system": config.system.model_copy(update={"placement": placement}),
            "shares": config.shares.model_copy(update={"enabled": False}),
            "skills_budget": config.skills_budget.model_copy(update={"enabled": False}),
            "features": config.features.model_copy(update={"mode": "all"}),
            "retrieval": config.retrieval.model_copy(update={"search_top_k": max(len(bundle.chunks), 1)}),
            "history": config.history.model_copy(update={"strategy": "full"}),
            "pruning": config.pruning.model_copy(update={"mode": "off"}),
        }
    )
    counter = counter_for(packing.bundle.tokenizer)
    allowed = replace(packing.allowance, usable_tokens=sys.maxsize)
    return Packer.of(packing.bundle, everything, counter, packing.provider, allowed).pack(extractive_summary)


@dataclass(frozen=True, slots=True)
class Fitted:
    """What stays of a bundle, before a word is said of it: the fits, and the view with the room they were made in.

    `pruned` is what pruning left of the bundle before anything was fitted, None where it is off.
    """

    block: InstructionBlock
    libraries: Libraries
    history: HistoryFit
    view: HistoryView
    pruned: Pruned | None = None


@dataclass(frozen=True)
class Packer:
    """One packing under way: everything that does not change while tools and history are fitted.

    `config` has no percents left (allocation.settled); `shares` are None where they are off. `searching` is set where
    `bundle` has the search tool, `pruned` where it is what pruning left. `nudge` is the reminder that is sent.
    `skills` may be given where they were fitted before: without shares they depend on
    no other section.
    """

    bundle: Bundle
    config: BudgetConfig
    counter: TokenCounter
    provider: str
    allowed: Allowance
    shares: Shares | None
    pruned: Pruned | None = None
    skills: SkillFit | None = None
    searching: Searching | None = None
    nudge: Nudge | None = None

    @classmethod
    def of(
        cls, bundle: Bundle, config: BudgetConfig, counter: TokenCounter, provider: str, allowed: Allowance
    ) -> Packer:
        """The packer with the shares of its configuration, and the recorded compressions where it names none."""
        config = with_recorded_ranges(config, bundle, counter)
        packer = cls(bundle, config, counter, provider, allowed, None)
        if not config.shares.enabled:
            return packer
        query_tokens = packer.framing.query_tokens() + packer.framing.reply()
        return replace(packer, shares=shares_of(config, allowed, query_tokens=query_tokens))

    @cached_property
    def framing(self) -> MessageOverhead:
        """What stands around the messages of the bundle."""
        return MessageOverhead(self.bundle, self.provider, self.counter)

    def pack(self, summarise: Summariser) -> Packing:
        """Everything fitted, with a decision for each item, sums, limits and the verdict."""
        fitted = self.fitted(summarise)
        libraries = fitted.libraries
        chosen = Selection(
            libraries.pieces,
            libraries.tools,
            libraries.skills,
            libraries.features,
            libraries.retrieval,
            fitted.history,
            self.shares,
        )
        packer = self._of(fitted)
        return packer.result(packer.ledger(fitted), chosen, fitted.view)

    def fitted(self, summarise: Summariser) -> Fitted:
        """What stays of everything: pruning first, then the libraries and history in the room that is left."""
        if self._adds_search:
            return self._with_search().fitted(summarise)
        if self._prunes:
            fitted = self.over(self._pruned()).fitted(summarise)
            nudge = self._nudge_for(fitted)
            return fitted if nudge is None else replace(self, nudge=nudge).fitted(summarise)
        bundle, framing, pruned = self.bundle, self.framing, self.pruned
        pinned = self._pinned_messages() if pruned is None else pruned.pinned
        view = framing.sent_messages().view(self.config.history, pinned=pinned)
        view = view if pruned is None else tagged_view(view, pruned)
        view = self._named().applied(view)
        view = ended(view, bundle)
        view = with_task(
            view,
            asked_of(bundle, self.provider),
            typed=None if pruned is None else typed_rows(pruned),
            losses=bundle.history_measures.column(self.provider, "loss"),
        )
        block = InstructionBlock.of(bundle, self.config, framing)
        fitter = LibraryFitter(block, self.allowed, self.shares, self._exchange_tokens(view), self.skills)
        libraries, history, view = self._fit(fitter, view, summarise)
        return Fitted(block, libraries, history, view, pruned)

    def ledger(self, fitted: Fitted) -> Ledger:
        """Every decision and overhead of what was fitted."""
        if self._adds_search or (self._prunes and fitted.pruned is not None):
            return self._of(fitted).ledger(fitted)
        overheads = self._overheads(fitted.block, fitted.libraries, fitted.history, fitted.view)
        rows = self._rows(fitted.libraries, fitted.history, fitted.view)
        return Ledger(rows, overheads, kind=self.allowed.kind)

    @property
    def _adds_search(self) -> bool:
        """Whether the model is to search the specs itself, and the bundle is still as it came."""
        return self.searching is None and self.config.features.mode == "tool" and bool(self.bundle.features)

    def _with_search(self) -> Packer:
        """The packer over the bundle with the search tool."""
        searching = with_search_tool(self.bundle, self.config.texts, counter=self.counter)
        return replace(self, bundle=searching.bundle, searching=searching)

    def _of(self, fitted: Fitted) -> Packer:
        """The packer over the bundle that was fitted."""
        packer = self._with_search() if self._adds_search else self
        return packer if fitted.pruned is None else packer.over(fitted.pruned)

    def _nudge_for(self, fitted: Fitted) -> Nudge | None:
        """The reminder that goes with what was fitted without one, None where none is due or none is to be sent."""
        if not self.config.pruning.send_nudge or self.nudge is not None:
            return None
        measures, calls = self.bundle.history_measures, 0
        if self.bundle.query is None:
            users = np.flatnonzero(measures.role == USER)
            calls = int(measures.calls[int(users[-1]) if len(users) else 0 :].sum())
        request = ModelRequest(self.ledger(fitted).total().tokens, self.allowed.window, calls)
        return nudge_for(request, self.config.pruning)

    def _recorded_notes(self) -> Iterator[str]:
        """What the conversation's own calls of `compress` came to, where they are what is applied."""
        if self.pruned is None:
            return
        recorded = recorded_compressions(self.pruned.given, self.config, self.counter)
        if list(recorded.batches) != self.config.pruning.ranges:
            return
        if recorded.batches:
            yield f"Calls of compress that the session recorded are applied: {len(recorded.batches):,}."
        for why in recorded.left_out:
            yield f"A recorded call of compress is not applied: {why}."

    @property
    def _prunes(self) -> bool:
        """Whether pruning is on and the bundle is still as it came."""
        return self.pruned is None and self.config.pruning.mode != "off"

    def _pruned(self) -> Pruned:
        """What pruning leaves of the bundle."""
        config, budget = self.config, self.allowed.input_budget
        pruning = Pruning(config.pruning, self.provider, self.counter, budget, config.texts, self.nudge)
        return pruning.prune(self.bundle, self._pinned_messages())

    def over(self, pruned: Pruned) -> Packer:
        """The packer over what pruning left."""
        return replace(self, bundle=pruned.bundle, pruned=pruned)

    def _exchange_tokens(self, view: HistoryView) -> int:
        """What the most recent exchange takes at most: the best chunks come after it, older history after them."""
        if not self.bundle.chunks:
            return 0
        exchange = view.size_tokens(view.last_exchange() | view.always)
        if STRATEGIES[self.config.history.strategy].cuts_exchange:
            return min(exchange, view.max_tokens)
        return exchange

    def _overheads(
        self, block: InstructionBlock, libraries: Libraries, history: HistoryFit, view: HistoryView
    ) -> list[Overhead]:
        framing = self.framing
        costs = libraries.tool_costs
        said = history.summary is not None or bool((history.kept & (view.role == USER)).any())
        return [
            *block.overheads(libraries.pieces, needs_message=not (said or framing.has_query())),
            Overhead("skills", "header and tags", libraries.skills.wrapper, self.counter.kind),
            block.labels(libraries.pieces, libraries.retrieval),
            Overhead("tools", "joins and preamble", costs.joins(len(libraries.tools.order)), costs.kind),
            *self._message_overheads(view, history),
            Overhead("query", "message frame", Size(framing.query()), framing.kind, is_around_messages=True),
            Overhead("query", "reply priming", Size(framing.reply()), framing.kind, is_around_messages=True),
        ]

    def _message_overheads(self, view: HistoryView, history: HistoryFit) -> list[Overhead]:
        frames = self.framing.history(view, history)
        tags = [] if self.pruned is None else [tag_overhead(self.pruned, view, history, self.counter)]
        own = frames - Size(sum(tag.size.tokens for tag in tags))
        return [Overhead("history", "message frames", own, self.framing.kind, is_around_messages=True), *tags]

    def _rows(self, libraries: Libraries, history: HistoryFit, view: HistoryView) -> list[LedgerRows]:
        bundle, framing, pruned = self.bundle, self.framing, self.pruned
        system, tools = (
            system_rows(bundle, libraries.pieces, self.provider),
            tool_rows(bundle, libraries.tools, self.config.skills_budget, ever_called=self._ever_called()),
        )
        parts: list[LedgerRows | None] = [system, tools]
        if self.searching is not None:
            parts = [with_added(part, self.searching.added, SEARCH_ADDED) for part in parts]
        if pruned is not None:
            parts = [with_added(part, pruned.added, PRUNING_ADDED) for part in parts]
        parts += [
            skill_rows(bundle, libraries.skills, effective(self.config.skills_budget)),
            feature_rows(bundle, libraries.features, self.config.features),
            chunk_rows(bundle, libraries.retrieval, self.config.retrieval),
            summary_row(history, self.config.history.strategy, frame_tokens=framing.written("user")),
            history_rows(bundle, view, history, self.provider)
            if pruned is None
            else pruned_rows(pruned, view, history),
            query_rows(bundle, self.provider, frame_tokens=framing.query(), view=view, fit=history),
        ]
        return [part for part in parts if part is not None]

    def result(self, ledger: Ledger, chosen: Selection, view: HistoryView) -> Packing:
        """The packing of what was fitted over this very bundle."""
        error = error_of(ledger, chosen.history.over, self.allowed.usable_tokens, shares=chosen.shares)
        sections = section_totals(ledger, chosen, self.config, self.allowed, view)
        if self.pruned is not None:
            given_frames = int(self.framing.messages(self.pruned.given.history_measures).sum())
            sections = pruned_demand(sections, self.pruned, view, given_frames=given_frames)
        demand = sum((section.demand.size for section in sections), Size())
        limits = list(limits_of(self.bundle, chosen, self.config, view))
        counts = ledger.counts()
        is_whole = error is None and not counts["dropped"] and not counts["summarised"]
        charged = ledger.total() if is_whole else demand  # what is only shortened asks for no more than is sent
        if is_close(charged.tokens, self.allowed.usable_tokens, self.config):
            limits.append(budget_limit(charged, self.allowed, budget_fix(self.bundle, chosen, self.config, view)))
        if chosen.shares is not None:
            demands = {section.name: section.demand.size.tokens for section in sections}
            limits += share_limits(demands, chosen.shares, is_limited=self.config.skills_budget.enabled)
        warnings = [warning_of(limit, self.config, usable_tokens=self.allowed.usable_tokens) for limit in limits]
        notes = [*self.bundle.notes, *settings_notes(self.bundle, self.provider, with_tools=bool(chosen.tools.order))]
        if self.bundle.skills and self.config.skills_budget.optimization.prioritization:
            order_by = chosen.skills.order_by
            known = f" ({self.bundle.usage_source})" if order_by.reads_usage else ""
            notes.append(f"Skills are taken {order_by.value}{known}.")
        notes += pruned_notes(self.pruned, self.config.pruning)
        notes += self._recorded_notes()
        notes += history_notes(chosen.history, view)
        return Packing(
            bundle=self._given,
            pruned=self.pruned,
            searching=self.searching,
            config=self.config,
            provider=self.provider,
            allowance=self.allowed,
            ledger=ledger,
            chosen=chosen,
            sections=sections,
            warnings=tuple(warning for warning in warnings if warning is not None),
            verdict=verdict_of(
                ledger,
                demand=demand,
                allowance=self.allowed,
                error=error,
                limits=limits_that_bind(ledger, chosen, view),
            ),
            cost=cost_of(self.allowed.row, ledger.total().tokens),
            error=error,
            unknown=unknown_parts(self.bundle, chosen.history, self.provider),
            notes=tuple(notes),
            demand=demand,
        )

    def _pinned_messages(self) -> Mask:
        pins = {pin for pin in self.config.pins if pin.startswith("message:")}
        pinned = np.zeros(len(self.bundle.history_measures), np.bool_)
        if pins:
            pinned[:] = [key in pins for key in index_of(self.bundle).ids]
        return pinned

    @property
    def _given(self) -> Bundle:
        """The bundle as it came."""
        if self.searching is not None:
            return self.searching.given
        return self.bundle if self.pruned is None else self.pruned.given

    def _protected_tools(self) -> frozenset[str]:
        """The tools of ours that the model is to call: they stay whatever the limits."""
        texts, names = self.config.texts, set[str]()
        if self.pruned is not None and self.config.pruning.model_driven:
            names.add(texts.compress_tool_name)
        if self.config.features.mode == "tool":
            names.add(texts.search_tool_name)
        return frozenset(names)

    def _named(self) -> NamedMessages:
        history = self.config.history
        if not history.priorities and not history.keep_with:
            return NamedMessages({}, ())
        if self.pruned is None:
            return NamedMessages.of(history, index_of(self.bundle).ids)
        return NamedMessages.of(history, index_of(self.pruned.given).ids).moved(self.pruned.rows)

    def _called_by(self, kept: Mask) -> frozenset[str]:
        if self.pruned is None:
            return _called(self.bundle, kept)
        given = np.zeros(len(self.pruned.cover), np.bool_)
        rows = self.pruned.rows[kept]
        given[rows[rows >= 0]] = True
        return _called(self.pruned.given, given)

    def _ever_called(self) -> frozenset[str]:
        bundle = self.bundle if self.pruned is None else self.pruned.given
        return _called(bundle, np.ones(len(bundle.history_measures), np.bool_)) if bundle.tools else frozenset()

    def _fit(
        self, fitter: LibraryFitter, view: HistoryView, summarise: Summariser
    ) -> tuple[Libraries, HistoryFit, HistoryView]:
        """Fit both until the tools that kept history calls are all in; the protected set only grows, so it ends."""
        called = self._protected_tools()
        query = self.framing.query_tokens()
        writing = Writing(
            self.bundle.history,
            summarise,
            self.counter.count,
            self.framing.written("user"),
            self.config.history.topic_chars,
            self.config.history.summarizing.instructions,
            ToolTexts(self.bundle, self.provider, self.counter),
        )
        while True:
            libraries = fitter.fit(called)
            charged = self.config.history.count_system
            room = replace(
                view,
                room_tokens=libraries.room_tokens,
                rest_tokens=libraries.rest_tokens,
                query_tokens=query,
                system_tokens=libraries.block_tokens if charged else 0,
                system_messages=sum(text.message is not None for text in self.bundle.system) if charged else 0,
            )
            history = fit_history(room, self.config, writing=writing)
            if history.rungs:
                fewer_chunks = chunk_reduction(fitter, libraries, called)
                room = fewer_chunks.view(room)
                history = fit_history(room, self.config, writing=writing)
                libraries = fewer_chunks.libraries(history.reduced_chunks)
            placement = self.config.system.placement
            history = checked(history, room, self.bundle, self.provider, placement=placement)
            now = called | self._called_by(history.kept)
            if now == called or not (self.config.skills_budget.enabled or self.config.tools.leave_out):
                return libraries, history, room
            called = now


def _called(bundle: Bundle, kept: Mask) -> frozenset[str]:
    """The names of the tools that kept history calls."""
    if not bundle.tools or not (kept & (bundle.history_measures.calls > 0)).any():
        return frozenset()
    return index_of(bundle).called_by(kept)
