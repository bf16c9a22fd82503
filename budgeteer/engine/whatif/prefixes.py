"""Many answers at once, where a limit lets in one more of a row of things and decides nothing else.

That is so for `newestFirst` under any budget, for `full` while everything fits, and for skills taken as a prefix. The
fits tell from which size on each item is kept, so one packing at the widest position answers for all the others by
sums. Everywhere else `prefixes_of` gives None, and packings are made one by one.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.history.view import HistoryView
from budgeteer.engine.ledger import DROPPED, Size
from budgeteer.engine.measures import Ints
from budgeteer.engine.whatif.answers import Answer, SectionAnswer, item_slice
from budgeteer.engine.whatif.axes import BUDGETS, usable_tokens
from budgeteer.engine.whatif.probing import Probed, Prober
from budgeteer.engine.whatif.swept import plain

SKILL_CHARS: Final = "skillsBudget.limits.maxSkillsPromptChars"
HISTORY_TOKENS: Final = "history.maxTokens"


def prefixes_of(prober: Prober) -> Prefixes | None:
    """The prefixes of a prober's axis; None where anything but prefixes depends on it."""
    config, bundle = prober.subject.config, prober.subject.bundle
    budget, path = config.skills_budget, prober.axis.path
    percents = (config.history.max_tokens, budget.limits.max_skills_prompt_tokens)
    if path not in (*BUDGETS, SKILL_CHARS, HISTORY_TOKENS) or config.shares.enabled or bundle.chunks:
        return None
    if path in BUDGETS and any(isinstance(limit, str) for limit in percents):
        return None
    if config.history.strategy not in ("full", "newestFirst") or config.pruning.mode != "off":
        return None
    if path == SKILL_CHARS and not (budget.enabled and budget.fit == "prefix" and budget.fallback == "none"):
        return None
    widest = prober.probe(prober.axis.high)
    return Prefixes(prober, widest) if _is_regular(prober, widest) else None


def _is_regular(prober: Prober, widest: Probed) -> bool:
    """Whether nothing else may turn: no ladder, no tool that comes and goes, no frame that depends on who speaks."""
    config, libraries, fit = prober.subject.config, widest.fitted.libraries, widest.fitted.history
    budget = config.skills_budget
    settled_tools = not budget.enabled or libraries.tools.asked.chars <= budget.limits.max_tool_definition_chars
    settled_frame = config.system.placement == "dedicated" or widest.packer.framing.has_query()
    has_skills = prober.axis.path != SKILL_CHARS or bool(libraries.skills.order)
    return widest.answer.fits and not fit.rungs and settled_tools and settled_frame and has_skills


@dataclass(frozen=True, slots=True)
class _History:
    """The history at one place of the row: its fates, how many messages are sent, and what they take with frames."""

    fates: NDArray[np.int8]
    kept: int
    size: Size


@dataclass(frozen=True)
class Prefixes:
    """The answers of one axis, from the packing at its widest position."""

    prober: Prober
    widest: Probed

    @functools.cached_property
    def first(self) -> int:
        """The first position from which on prefixes are all there is to it."""
        axis = self.prober.axis
        if axis.path == SKILL_CHARS:
            return axis.low if self._pinned_skills else max(int(self._skill_chars[0]), axis.low)
        least = int(self._view.tokens[self._stays].sum())
        if axis.path == HISTORY_TOKENS:
            return max(least, axis.low) if self._is_newest_first else axis.low
        return int(self._leaving(np.array([least]))[0])

    def candidates(self) -> list[int]:
        """Every position from `first` on where the answer may change, `first` among them."""
        axis = self.prober.axis
        if axis.path == SKILL_CHARS:
            found = self._skill_chars
        elif axis.path == HISTORY_TOKENS:
            found = self._reaches
        else:
            found = self._leaving(self._reaches - self._query_tokens)
        return sorted({self.first, *found[(found >= self.first) & (found <= axis.high)].tolist()})

    def answers(self, positions: Sequence[int]) -> list[Answer]:
        """The answers at positions that are not before `first`."""
        at = np.array(positions, np.int64)
        skills = np.full(len(at), len(self._skill_tokens) - 1)
        if self.prober.axis.path == SKILL_CHARS:
            skills = np.maximum(np.searchsorted(self._skill_chars, at, side="right"), self._pinned_skills)
        room = self._room_tokens(at) + self._skill_tokens[-1] - self._skill_tokens[skills]
        own = at if self.prober.axis.path == HISTORY_TOKENS else np.int64(plain(self._view.max_tokens))
        limits = np.minimum(own, room + self._query_tokens)
        places = np.searchsorted(self._reaches, limits, side="right")
        return [self._answer(int(place), int(count)) for place, count in zip(places, skills, strict=True)]

    def _answer(self, place: int, skills: int) -> Answer:
        history, widest = self._history(place), self.widest.answer
        fates = np.frombuffer(widest.fates, np.int8).copy()
        fates[self._slice("history")] = history.fates
        sections = [self._changed(section, history, skills) for section in widest.sections]
        if skills < len(self._skill_rows):
            fates[self._slice("skills")][self._skill_rows[skills:]] = DROPPED
        size = sum((section.size for section in sections), Size())
        return replace(widest, size=size, sections=tuple(sections), fates=fates.tobytes())

    def _changed(self, section: SectionAnswer, history: _History, skills: int) -> SectionAnswer:
        if section.name == "history":
            return SectionAnswer("history", history.kept, section.size - self._widest_history + history.size)
        if section.name == "skills" and self.prober.axis.path == SKILL_CHARS:
            gone = Size(
                int(self._skill_tokens[-1] - self._skill_tokens[skills]),
                int(self._skill_sizes[-1] - self._skill_sizes[skills]),
            )
            return SectionAnswer("skills", skills, section.size - gone)
        return section

    def _slice(self, section: str) -> slice:
        return item_slice(self.widest.ledger, self.widest.fitted, section)

    @functools.cached_property
    def _view(self) -> HistoryView:
        return self.widest.fitted.view

    @functools.cached_property
    def _is_newest_first(self) -> bool:
        return self.prober.subject.config.history.strategy == "newestFirst"

    @functools.cached_property
    def _query_tokens(self) -> int:
        return self._view.query_tokens

    @functools.cached_property
    def _stays(self) -> NDArray[np.bool_]:
        """What of the history no position leaves out: under `full` everything, for below that there is no prefix."""
        return self._view.always if self._is_newest_first else self._view.alive

    @functools.cached_property
    def _reaches(self) -> Ints:
        """The limits from which on one more group is kept, ascending, the query's tokens included."""
        free = self._view.alive & ~self._stays
        return np.unique(self.widest.fitted.history.needed_tokens[free])

    @functools.cached_property
    def _histories(self) -> dict[int, _History]:
        """What was made by `_history`."""
        return {}

    def _history(self, place: int) -> _History:
        """The history where so many of `_reaches` are within the limit."""
        if place not in self._histories:
            self._histories[place] = self._made_history(place)
        return self._histories[place]

    def _made_history(self, place: int) -> _History:
        view, fit = self._view, self.widest.fitted.history
        kept = self._stays
        if place:
            free = view.alive & ~kept
            kept = kept | (free & (fit.needed_tokens <= self._reaches[place - 1]))
        kept = self.widest.packer.first_is_user(replace(fit, kept=kept), view).kept
        whole = np.frombuffer(self.widest.answer.fates, np.int8)[self._slice("history")]
        size = Size(int(view.tokens[kept].sum()), int(view.chars[kept].sum()))
        return _History(np.where(kept, whole, np.int8(DROPPED)), int(kept.sum()), size)

    @functools.cached_property
    def _widest_history(self) -> Size:
        """What the widest position's messages take."""
        kept = self.widest.fitted.history.kept
        return Size(int(self._view.tokens[kept].sum()), int(self._view.chars[kept].sum()))

    @functools.cached_property
    def _skill_rows(self) -> list[int]:
        """The skills that the widest position keeps, in their order, where they are what is swept."""
        return list(self.widest.fitted.libraries.skills.order) if self.prober.axis.path == SKILL_CHARS else []

    @functools.cached_property
    def _skill_chars(self) -> Ints:
        """The block's characters up to and including each skill."""
        return self.widest.fitted.libraries.skills.needed_chars[self._skill_rows]

    @functools.cached_property
    def _skill_tokens(self) -> Ints:
        """The tokens of the first so many skills."""
        return np.cumsum([0, *self.widest.fitted.libraries.skills.after_tokens[self._skill_rows]])

    @functools.cached_property
    def _skill_sizes(self) -> Ints:
        """The characters of the first so many skills."""
        return np.cumsum([0, *self.widest.fitted.libraries.skills.after_chars[self._skill_rows]])

    @functools.cached_property
    def _pinned_skills(self) -> int:
        """How many of them no limit on characters drops."""
        return int(self.widest.fitted.libraries.skills.pinned[self._skill_rows].sum())

    def _usable(self, positions: Ints) -> Ints:
        return usable_tokens(self.prober.axis.path, self.prober.subject.config, self.widest.packer.allowed, positions)

    def _room_tokens(self, positions: Ints) -> Ints:
        """What is left for history at positions, with the skills of the widest one."""
        room = plain(self._view.room_tokens)
        if self.prober.axis.path not in BUDGETS:
            return np.full(len(positions), room)
        return room - plain(self.widest.packer.allowed.usable_tokens) + self._usable(positions)

    def _leaving(self, rooms: Ints) -> Ints:
        """The first position of a budget that leaves history so much room, past the last one where none does."""
        axis = self.prober.axis
        low, high = np.full(len(rooms), axis.low), np.full(len(rooms), axis.high + 1)
        while (low < high).any():
            middle = (low + high) // 2
            enough = self._room_tokens(middle) >= rooms
            low, high = np.where(enough, low, np.minimum(middle + 1, high)), np.where(enough, middle, high)
        return low
