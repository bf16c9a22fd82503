"""pack(): a bundle and a configuration become a packing.

Order: what no limit touches (system, features, query), the skills block, the tool definitions, then history in the
room that is left. A tool that kept history calls stays, so tools and history are fitted in turn until neither changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from budgeteer.engine.allocation import Allowance, allowance, profile_of, settled
from budgeteer.engine.bundle import Bundle
from budgeteer.engine.chat import calls_of
from budgeteer.engine.config import BudgetConfig
from budgeteer.engine.framing import Framing
from budgeteer.engine.history.full import keep_full
from budgeteer.engine.history.newest_first import newest_first
from budgeteer.engine.history.summarize_older import summarize_older
from budgeteer.engine.history.summary import SummaryRequest, extractive_summary
from budgeteer.engine.history.view import USER, HistoryFit, HistoryView, Mask, Rule, Summarising, view_of
from budgeteer.engine.ledger import Ledger, Overhead, Size
from budgeteer.engine.options import check_available
from budgeteer.engine.profiles import PROFILES
from budgeteer.engine.result import Chosen, Packing
from budgeteer.engine.rows import (
    feature_rows,
    history_rows,
    message_id,
    query_rows,
    skill_rows,
    summary_row,
    system_rows,
    tool_rows,
)
from budgeteer.engine.sections.order import Standing
from budgeteer.engine.sections.skill_block import effective, skill_entry, skills_block
from budgeteer.engine.sections.skills import SkillFit, entry_sizes, fit_skills
from budgeteer.engine.sections.system import (
    FEATURES_HEADER,
    Piece,
    feature_pieces,
    instruction_pieces,
    joined,
    marked,
    piece_overheads,
    skills_piece,
    text_piece,
)
from budgeteer.engine.sections.tools import ToolCosts, ToolFit, fit_tools
from budgeteer.engine.summing import budget_limit, cost_of, limits_of, section_totals, unknown_parts
from budgeteer.engine.tokens import TokenCounter
from budgeteer.engine.verdict import error_of, verdict_of, warning_of

type Summariser = Callable[[SummaryRequest], str]


def pack(
    bundle: Bundle,
    config: BudgetConfig,
    *,
    counter: TokenCounter,
    summarise: Summariser = extractive_summary,
    profile: str | None = None,
) -> Packing:
    """Pack a bundle: what is sent, what is not and why, with every number.

    `counter` must be the one the bundle was measured with; it counts only short new texts here. `profile` is the
    request form, by default the model's own.

    Raises:
        NotAvailableYet: the configuration asks for a rule the engine does not have yet.
        ConfigError: model, window and reserve do not go together.
        SummaryPending: only from a `summarise` that raises it.
    """
    check_available(config)
    if bundle.tokenizer != counter.name:
        raise ValueError(f"measured with {bundle.tokenizer}, packed with {counter.name}")
    form = profile or profile_of(config)
    allowed = allowance(config, counter)
    packer = _Packer(bundle, settled(config, allowed), counter, form, allowed)
    return packer.pack(summarise)


@dataclass(frozen=True, slots=True)
class _Packer:
    """One packing under way: everything that does not change while tools and history are fitted."""

    bundle: Bundle
    config: BudgetConfig
    counter: TokenCounter
    profile: str
    allowed: Allowance

    @property
    def framing(self) -> Framing:
        return Framing(self.bundle, self.profile, self.counter)

    def pack(self, summarise: Summariser) -> Packing:
        bundle, budget = self.bundle, self.config.skills_budget
        skills = fit_skills(bundle.skills, bundle.skill_measures, budget, counter=self.counter, usage=bundle.usage)
        pieces = self._pieces(skills)
        system_overheads = self._system_overheads(pieces, skills)
        framing = self.framing
        query_frame = framing.query()
        fixed = sum(entry.size.tokens for entry in system_overheads) + int(skills.after_tokens.sum())
        fixed += sum(piece.tokens for piece in pieces if not piece.name and piece.section != "skills")
        fixed += framing.query_tokens() + framing.reply()
        view = view_of(
            bundle.history_measures,
            self.profile,
            frame_tokens=framing.messages(bundle.history_measures),
            pinned=self._pinned_messages(),
            config=self.config.history,
        )
        tools, history, view = self._tools_and_history(view, fixed, summarise)
        joins = ToolCosts(self.profile, self.counter).joins(len(tools.order))
        overheads = [
            *system_overheads,
            Overhead("tools", "joins and preamble", joins, "estimated"),
            Overhead("history", "message frames", framing.history(view, history), framing.kind),
            Overhead("query", "message frame", Size(query_frame), framing.kind),
            Overhead("query", "reply priming", Size(framing.reply()), framing.kind),
        ]
        entries = entry_sizes(bundle.skills, bundle.skill_measures, effective(budget), counter=self.counter)
        parts = [
            system_rows(bundle, pieces),
            tool_rows(bundle, tools, budget, ever_called=self._ever_called()),
            skill_rows(bundle, skills, entries, effective(budget)),
            feature_rows(bundle),
            summary_row(history, frame_tokens=framing.written("user")),
            history_rows(bundle, view, history, self.profile),
            query_rows(bundle, self.profile, frame_tokens=query_frame),
        ]
        ledger = Ledger([part for part in parts if part is not None], overheads, kind=self.allowed.kind)
        return self._result(ledger, Chosen(tuple(pieces), tools, skills, history), view)

    def _result(self, ledger: Ledger, chosen: Chosen, view: HistoryView) -> Packing:
        error = error_of(ledger, chosen.history.over, self.allowed.usable_tokens)
        sections = section_totals(ledger, chosen, self.config, self.allowed, view)
        demand = sum((section.demand.size for section in sections), Size())
        whole = budget_limit(chosen, self.config, view, demand=demand, allowed=self.allowed)
        limits = [*limits_of(self.bundle, chosen, self.config, view), whole]
        warnings = [warning_of(limit, self.config) for limit in limits]
        notes = list(self.bundle.notes)
        if self.bundle.skills and self.config.skills_budget.optimization.prioritization:
            known = f" ({self.bundle.usage_source})" if "first" in chosen.skills.order_sentence else ""
            notes.append(f"Skills are taken {chosen.skills.order_sentence}{known}.")
        return Packing(
            bundle=self.bundle,
            config=self.config,
            profile=self.profile,
            allowance=self.allowed,
            ledger=ledger,
            chosen=chosen,
            sections=sections,
            warnings=tuple(warning for warning in warnings if warning is not None),
            verdict=verdict_of(ledger, demand=demand, allowance=self.allowed, error=error),
            cost=cost_of(self.allowed.row, ledger.total().tokens),
            error=error,
            unknown=unknown_parts(self.bundle, chosen.history, self.profile),
            notes=tuple(notes),
            demand=demand,
        )

    def _pieces(self, skills: SkillFit) -> list[Piece]:
        bundle, counter = self.bundle, self.counter
        budget = effective(self.config.skills_budget)
        sections = instruction_pieces(bundle, counter=counter)
        if skills.order:
            size = Size(int(skills.after_tokens.sum()), int(skills.after_chars.sum())) + skills.wrapper

            def text() -> str:
                return skills_block(
                    [skill_entry(bundle.skills[i], budget, short=bool(skills.short[i])) for i in skills.order]
                )

            sections.append([skills_piece(size, text, counter=counter)])
        if bundle.features:
            header = text_piece(FEATURES_HEADER, section="features", name="header", counter=counter)
            sections.append([header, *feature_pieces(bundle.features, bundle.feature_measures)])
        return marked(joined(sections, counter=counter), self.config.system.marker, counter=counter)

    def _system_overheads(self, pieces: list[Piece], skills: SkillFit) -> list[Overhead]:
        overheads = piece_overheads(pieces, counter=self.counter)
        overheads.append(Overhead("skills", "header and tags", skills.wrapper, self.counter.kind))
        if pieces:
            frame = Size(self.framing.written("system"))
            overheads.append(Overhead("system", "message frame", frame, self.framing.kind))
        return overheads

    def _pinned_messages(self) -> Mask:
        pins = {pin for pin in self.config.pins if pin.startswith("message:")}
        pinned = np.zeros(len(self.bundle.history_measures), np.bool_)
        if pins:
            for row, message in enumerate(self.bundle.history):
                pinned[row] = message_id(message, row) in pins
        return pinned

    def _ever_called(self) -> frozenset[str]:
        return self._called(np.ones(len(self.bundle.history_measures), np.bool_))

    def _called(self, kept: Mask) -> frozenset[str]:
        if not self.bundle.tools:
            return frozenset()
        rows = np.flatnonzero(kept & (self.bundle.history_measures.calls > 0))
        return frozenset(call.name for row in rows for call in calls_of(self.bundle.history[int(row)]))

    def _tools_and_history(
        self, view: HistoryView, fixed: int, summarise: Summariser
    ) -> tuple[ToolFit, HistoryFit, HistoryView]:
        """Fit both until the tools that kept history calls are all in; the protected set only grows, so it ends."""
        costs = ToolCosts(self.profile, self.counter)
        pins = frozenset(self.config.pins)
        called: frozenset[str] = frozenset()
        query = self.framing.query_tokens()
        while True:
            tools = fit_tools(
                self.bundle.tools,
                self.bundle.tool_measures,
                self.config.skills_budget,
                costs=costs,
                standing=Standing(self.bundle.usage, pins, called),
            )
            taken = int(tools.tokens[tools.kept].sum()) + costs.joins(len(tools.order)).tokens
            room = replace(view, room_tokens=self.allowed.usable_tokens - fixed - taken, query_tokens=query)
            history = self._first_is_user(self._fit_history(room, summarise), room)
            now = called | self._called(history.kept)
            if now == called or not self.config.skills_budget.enabled:
                return tools, history, room
            called = now

    def _fit_history(self, view: HistoryView, summarise: Summariser) -> HistoryFit:
        match self.config.history.strategy:
            case "newestFirst":
                return newest_first(view)
            case "summarizeOlder":
                return summarize_older(view, summarising=self._summarising(summarise), retry=self.config.retry.enabled)
            case _:
                return keep_full(view, retry=self.config.retry.enabled)

    def _summarising(self, summarise: Summariser) -> Summarising:
        history, config = self.bundle.history, self.config.history

        def request(covers: tuple[int, ...], max_chars: int) -> SummaryRequest:
            return SummaryRequest(tuple(history[index] for index in covers), max_chars, config.topic_chars)

        def cost_tokens(text: str) -> int:
            return self.counter.count(text) + self.framing.written("user")

        return Summarising(summarise, request, cost_tokens)

    def _first_is_user(self, fit: HistoryFit, view: HistoryView) -> HistoryFit:
        """Where the first message must be the user's, what stands before the first kept user message goes."""
        if not PROFILES[self.profile].first_is_user or fit.summary is not None:
            return fit
        users = np.flatnonzero(fit.kept & (view.role == USER))
        start = int(users[0]) if len(users) else len(view)
        early = fit.kept & (np.arange(len(view)) < start)
        if not early.any():
            return fit
        gone = fit.kept & np.isin(view.group, np.unique(view.group[early]))
        rule = fit.rule.copy()
        rule[gone] = Rule.FIRST_IS_USER
        return replace(fit, kept=fit.kept & ~gone, rule=rule)
