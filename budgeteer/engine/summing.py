"""Sums over a packing: sections against their limits, the limits that are watched, money, and what nobody can count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.allocation import Allowance, Shares
from budgeteer.engine.bundle import Bundle
from budgeteer.engine.config import MOST_HISTORY_MESSAGES, BudgetConfig
from budgeteer.engine.history.summarize_older import turns_fit
from budgeteer.engine.history.view import HistoryFit, HistoryView
from budgeteer.engine.history_index import message_id
from budgeteer.engine.ledger import ADDED, SECTIONS, Ledger, Size
from budgeteer.engine.result import Chosen, Cost, Counted, SectionTotal
from budgeteer.engine.sections.skill_block import effective, location_opener
from budgeteer.engine.sections.skills import Cause, SkillFit
from budgeteer.engine.transcript import unknown_kinds
from budgeteer.engine.verdict import SYSTEM_GROUP, Limit
from budgeteer.engine.windows import ModelRow


def section_totals(
    ledger: Ledger, chosen: Chosen, config: BudgetConfig, allowed: Allowance, view: HistoryView
) -> tuple[SectionTotal, ...]:
    """Each section that holds anything: limits, demand, what it takes.

    Demand is what it would take with no limit and nothing shortened, overhead included.
    """
    budget = config.skills_budget
    totals = []
    for name in SECTIONS:
        parts = [part for part in ledger.parts if part.section == name]
        after = ledger.total(name)
        if not parts and after == Size():
            continue
        before = sum((part.before for part in parts), Size())
        demand = before + _demand_overhead(name, ledger, chosen, view)
        limited = budget.enabled or name == "history"
        limit_tokens, limit_chars = _own_limits(name, config, allowed) if limited else (None, None)
        limit_tokens = _smaller(limit_tokens, _share_of(name, chosen.shares))
        kept = sum(part.sent for part in parts)
        items = sum(len(part) - part.count(ADDED) for part in parts)
        totals.append(SectionTotal(name, limit_tokens, limit_chars, Counted(items, demand), Counted(kept, after)))
    return tuple(totals)


def _demand_overhead(name: str, ledger: Ledger, chosen: Chosen, view: HistoryView) -> Size:
    own = sum((entry.size for entry in ledger.overhead if entry.section == name), Size())
    if name == "tools":
        asked = chosen.tools.asked
        return asked - Size(int(chosen.tools.tokens.sum()), int(chosen.tools.chars.sum()))
    if name == "history":
        return Size(int(view.all_frames.sum()))
    return own


def _own_limits(name: str, config: BudgetConfig, allowed: Allowance) -> tuple[int | None, int | None]:
    limits = config.skills_budget.limits
    if name == "skills":
        tokens = limits.max_skills_prompt_tokens
        return (allowed.tokens(tokens) if tokens is not None else None), limits.max_skills_prompt_chars
    if name == "tools":
        return None, limits.max_tool_definition_chars
    if name == "history" and config.history.strategy == "newestFirst":
        return allowed.tokens(config.history.max_tokens), None
    if name == "history" and config.history.strategy == "summarizeOlder":
        return None, config.history.max_chars
    return None, None


def _share_of(name: str, shares: Shares | None) -> int | None:
    """The share that a section has for itself; the system share is its group's, shown with the system texts."""
    if shares is None:
        return None
    return {
        "system": shares.system_tokens,
        "retrieval": shares.context_tokens,
        "history": shares.history_tokens,
    }.get(name)


def _smaller(first: int | None, second: int | None) -> int | None:
    return min((limit for limit in (first, second) if limit is not None), default=None)


def share_limits(demands: Mapping[str, int], shares: Shares) -> Iterator[Limit]:
    """Each share with the demand of what it holds, in tokens."""
    groups = (
        ("system", SYSTEM_GROUP, shares.system_tokens, "Give shares.system more, or turn the skills budget on."),
        ("context", ("retrieval",), shares.context_tokens, "Turn shares.redistribute on, or give shares.context more."),
        ("history", ("history",), shares.history_tokens, "Turn shares.redistribute on, or give shares.history more."),
    )
    for name, sections, allowed, fix in groups:
        asked = sum(demands.get(section, 0) for section in sections)
        spare = f"Nothing is left out yet: {allowed - asked:,} to spare."
        unit = f"tokens of {', '.join(sections)}"
        yield Limit(f"shares.{name}", asked, allowed, unit, spare if asked <= allowed else fix)


def limits_of(bundle: Bundle, chosen: Chosen, config: BudgetConfig, view: HistoryView) -> Iterator[Limit]:
    """Every section limit in force with the demand against it and the cheapest fix; `config` has no percents left."""
    if config.skills_budget.enabled:
        yield from skill_limits(bundle, chosen, config)
        yield from _tool_limits(chosen, config)
    history = config.history
    if history.strategy == "newestFirst":
        tokens = int(view.tokens.sum())
        or_else = "use summarizeOlder" if turns_fit(view) else ""
        fix = _raise("history.maxTokens", tokens, view.max_tokens, or_else=or_else)
        yield Limit("history.maxTokens", tokens, view.max_tokens, "tokens of history", fix)
    if history.strategy == "summarizeOlder":
        chars = int(view.chars.sum())
        fix = _raise("history.maxChars", chars, history.max_chars)
        yield Limit("history.maxChars", chars, history.max_chars, "characters of history", fix)
    if history.strategy == "recentExchange":
        older = int((view.alive & ~view.always & ~view.last_exchange()).sum())
        fix = _raise("history.maxHistoryMessages", older, history.max_history_messages)
        if older > MOST_HISTORY_MESSAGES:
            fix = "Set history.strategy to newestFirst: it keeps as many older messages as fit."
        yield Limit("history.maxHistoryMessages", older, history.max_history_messages, "older messages", fix)


def budget_limit(chosen: Chosen, config: BudgetConfig, view: HistoryView, *, demand: Size, allowed: Allowance) -> Limit:
    """The input budget itself, less the margin, with the demand of everything against it."""
    return Limit("inputBudget", demand.tokens, allowed.usable_tokens, "tokens", _budget_fix(chosen, config, view))


def _budget_fix(chosen: Chosen, config: BudgetConfig, view: HistoryView) -> str:
    libraries = int(chosen.tools.tokens.sum()) + chosen.skills.asked.tokens
    if not config.skills_budget.enabled and libraries > int(view.tokens.sum()):
        return f"Turn the skills budget on: skills and tools take {libraries:,} tokens."
    if config.history.strategy == "full" and len(view):
        return "Set history.strategy to newestFirst: the oldest messages go first."
    unused = chosen.tools.kept & ~chosen.tools.called
    if unused.any():
        saved = int(chosen.tools.tokens[unused].sum())
        return f"Leave out the {int(unused.sum()):,} tools that are never called: {saved:,} tokens saved."
    return "Choose a model with a larger window, or lower the output reserve."


def skill_limits(bundle: Bundle, chosen: Chosen, config: BudgetConfig) -> Iterator[Limit]:
    """The limits on skills with the demand against each; `config` has no percents left."""
    limits, fit = config.skills_budget.limits, chosen.skills
    considered = int(_considered(fit).sum())
    raise_count = _raise("maxSkillsInPrompt", considered, limits.max_skills_in_prompt)
    yield Limit("maxSkillsInPrompt", considered, limits.max_skills_in_prompt, "skills", raise_count)
    shorten = _shortening_fix(bundle, chosen, config)
    fix = shorten or _raise("maxSkillsPromptChars", fit.asked.chars, limits.max_skills_prompt_chars)
    yield Limit("maxSkillsPromptChars", fit.asked.chars, limits.max_skills_prompt_chars, "characters of skills", fix)
    if isinstance(limits.max_skills_prompt_tokens, int):
        fix = shorten or _raise("maxSkillsPromptTokens", fit.asked.tokens, limits.max_skills_prompt_tokens)
        yield Limit("maxSkillsPromptTokens", fit.asked.tokens, limits.max_skills_prompt_tokens, "tokens of skills", fix)
    conflicts = np.flatnonzero(fit.pinned & (fit.cause == Cause.FILE_TOO_LARGE))
    for row in conflicts:
        skill = bundle.skills[int(row)]
        fix = f"{skill.name} is pinned but its file is too large: shorten it, or raise maxSkillFileBytes."
        yield Limit("maxSkillFileBytes", skill.file_bytes, limits.max_skill_file_bytes, f"bytes of {skill.path}", fix)


def _considered(fit: SkillFit) -> NDArray[np.bool_]:
    """Which skills were held against the limits on the block."""
    return np.isin(fit.cause, [cause for cause in Cause if cause.is_considered])


def _raise(name: str, asked: int, allowed: int, *, or_else: str = "") -> str:
    """How far to raise a limit that is passed; how much is left of one that is not."""
    if asked <= allowed:
        return f"Nothing is left out yet: {allowed - asked:,} to spare."
    return f"Raise {name} to {asked:,}, or {or_else}." if or_else else f"Raise {name} to {asked:,}."


def _shortening_fix(bundle: Bundle, chosen: Chosen, config: BudgetConfig) -> str:
    """The shortening that is not on yet, with its saving; "" when both are on or save nothing."""
    optimization = config.skills_budget.optimization
    fit, measures = chosen.skills, bundle.skill_measures
    rows = np.flatnonzero(fit.kept | _considered(fit))
    if not optimization.minify_descriptions and len(measures.minified_chars) == len(measures):
        saved_chars = int((measures.description_chars - measures.minified_chars)[rows].sum())
        saved_tokens = int((measures.description_tokens - measures.minified_tokens)[rows].sum())
        if saved_chars > 0:
            return f"Minify descriptions: saves {saved_chars:,} characters ({saved_tokens:,} tokens)."
    if not optimization.compact_paths:
        on = optimization.model_copy(update={"compact_paths": True})
        compacted = effective(config.skills_budget.model_copy(update={"optimization": on}))
        saved = len(location_opener(config.skills_budget)) - len(location_opener(compacted))
        if saved > 0:
            return f"Compact paths: saves {saved * len(rows):,} characters."
    return ""


def _tool_limits(chosen: Chosen, config: BudgetConfig) -> Iterator[Limit]:
    limit = config.skills_budget.limits.max_tool_definition_chars
    asked = chosen.tools.asked.chars
    fix = _raise("maxToolDefinitionChars", asked, limit, or_else="pin the tools that must stay")
    yield Limit("maxToolDefinitionChars", asked, limit, "characters of tool definitions", fix)


def cost_of(row: ModelRow, tokens: int) -> Cost:
    """The input's price, uncached and all cached, from the model's row."""

    def price(per_million: float | None) -> float | None:
        return None if per_million is None else round(tokens * per_million / 1_000_000, 6)

    return Cost("USD", price(row.input_price), price(row.cached_input_price), row.date)


def unknown_parts(bundle: Bundle, history: HistoryFit, profile: str) -> tuple[tuple[str, str], ...]:
    """The messages sent with parts whose tokens nobody publishes, and what these are ("audio", "2 × file")."""
    counts = bundle.history_measures.column(profile, "unknown")
    rows = np.flatnonzero(history.kept & (counts > 0)).tolist() if counts.any() else []
    if history.anchor is not None:
        rows = [row for row in rows if row != history.anchor.row]
    found = [(message_id(bundle.history[row], row), bundle.history[row]) for row in rows]
    if bundle.query is not None and int(bundle.query_measures.column(profile, "unknown")[0]):
        found.append((message_id(bundle.query, 0), bundle.query))
    return tuple((key, unknown_kinds(message, profile)) for key, message in found)
