"""Many sweep answers at once, where a limit only decides how many items of a list are included.

That is so for `newestFirst` and `keepEnds` under any budget, for `full` while everything fits, and for skills taken as
a prefix. The fits tell from which size on each item is kept, so one packing at the widest position answers for all the
others by sums; where a notice stands for what goes, its size is added, which depends on nothing but how many go.
Everywhere else `prefixes_of` gives None, and packings are made one by one.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import repeat
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.analysis.sweep.axes import BUDGETS, input_budgets
from budgeteer.engine.analysis.sweep.notice_costs import NoticeCosts, notice_costs
from budgeteer.engine.analysis.sweep.packing_answer import PackingAnswer, SectionAnswer, item_slice
from budgeteer.engine.analysis.sweep.probe import Probed, Prober
from budgeteer.engine.analysis.sweep.tracked_number import plain
from budgeteer.engine.config.schema import OF_THE_WINDOW, BudgetConfig, HistoryConfig
from budgeteer.engine.counting.library_measures import Ints
from budgeteer.engine.packing.history.notice import wants_notice
from budgeteer.engine.packing.history.opening import beginning_roles
from budgeteer.engine.packing.history.reach import limits_counts
from budgeteer.engine.packing.history.strategies.keep_ends import first_messages
from budgeteer.engine.packing.history.view import USER, HistoryView, Mask
from budgeteer.engine.packing.ledger import DROPPED, Size
from budgeteer.engine.packing.task_check import asked_of, first_is_user

SKILL_CHARS: Final = "skillsBudget.limits.maxSkillsPromptChars"
HISTORY_TOKENS: Final = "history.maxTokens"
#: So many positions of a budget are looked at in one go.
_AT_ONCE: Final = 2**18
#: So many fates are written in one go.
_FATES_AT_ONCE: Final = 2**22


def prefixes_of(prober: Prober) -> Prefixes | None:
    """The prefixes of a prober's axis; None where anything but prefixes depends on it."""
    config, path = prober.subject.config, prober.axis.path
    if path not in (*BUDGETS, SKILL_CHARS, HISTORY_TOKENS) or not _is_plain(prober.subject.config, path):
        return None
    if prober.subject.bundle.chunks:
        return None
    widest = prober.probe(prober.axis.high)
    found = Prefixes(prober, widest)
    return found if _is_regular(config, path, widest) and found.has_plain_notice else None


def _is_plain(config: BudgetConfig, path: str) -> bool:
    """Whether the configuration takes things in rows, and nothing but one of them depends on the limit."""
    if config.shares.enabled or config.pruning.mode != "off":
        return False
    if (
        not _is_in_rows(config.history)
        or config.history.end_on != "any"
        or config.history.start_on not in ("any", "user")
        or limits_counts(config.history)
        or config.history.count_system
    ):
        return False
    if path in BUDGETS and isinstance(config.history.max_tokens, str):
        return False
    budget = config.skills_budget
    if budget.notice or OF_THE_WINDOW in str(budget.limits.max_skills_prompt_tokens):
        return False
    return not _sweeps_skills(config, path) or (budget.enabled and budget.fit == "prefix" and budget.fallback == "none")


def _is_in_rows(config: HistoryConfig) -> bool:
    """Whether a larger limit keeps the same messages and more, and nothing but a notice stands for the others."""
    match config.strategy:
        case "full":
            return not config.notice
        case "newestFirst":
            return True
        case "keepEnds":
            return config.ends.between != "summary" and not config.ends.remove_percent
        case _:
            return False


def _sweeps_skills(config: BudgetConfig, path: str) -> bool:
    """Whether skills come and go with the limit."""
    percent = config.skills_budget.enabled and isinstance(config.skills_budget.limits.max_skills_prompt_tokens, str)
    return path == SKILL_CHARS or (path in BUDGETS and percent)


def _is_regular(config: BudgetConfig, path: str, widest: Probed) -> bool:
    """Whether nothing else may turn: no ladder, no tool that comes and goes, no frame that depends on who speaks."""
    libraries, fit, budget = widest.fitted.libraries, widest.fitted.history, config.skills_budget
    within = not budget.enabled or libraries.tools.asked.chars <= budget.limits.max_tool_definition_chars
    settled_tools = within and not libraries.tools.named.any()
    settled_frame = config.system.placement != "prepended" or widest.packer.framing.has_query()
    has_skills = not _sweeps_skills(config, path) or bool(libraries.skills.order)
    return widest.answer.fits and not fit.rungs and settled_tools and settled_frame and has_skills


class _Places(NamedTuple):
    """At each position: how many skills are kept, how many groups are reached, whether that is all there is to it."""

    skills: Ints
    groups: Ints
    valid: Mask

    def part(self, first: int, end: int) -> _Places:
        """Those from one place up to another."""
        return _Places(self.skills[first:end], self.groups[first:end], self.valid[first:end])


@dataclass(frozen=True)
class Prefixes:
    """The answers of one axis, from the packing at its widest position."""

    prober: Prober
    widest: Probed

    def answers(self, positions: Sequence[int]) -> dict[int, PackingAnswer]:
        """The answers at those of the positions where prefixes are all there is to it."""
        held = np.array(positions, np.int64)
        places = self._places(held)
        if not places.valid.all():
            held = held[places.valid]
            places = self._places(held)
        fates = self._fates(places)
        sections, less_tokens, less_chars = self._sections(places)
        whole = self.widest.answer.size
        sizes = map(Size, (whole.tokens - less_tokens).tolist(), (whole.chars - less_chars).tolist())
        made = zip(held.tolist(), sizes, sections, fates, strict=True)
        return {at: PackingAnswer(fits=True, size=size, sections=own, fates=row) for at, size, own, row in made}

    def _fates(self, places: _Places) -> Iterator[bytes]:
        """One row a place, a block of them at a time: all of them at once would take several times their size."""
        rows = max(_FATES_AT_ONCE // max(len(self.widest.answer.fates), 1), 1)
        for first in range(0, len(places.groups), rows):
            for row in self._fates_in_block(places.part(first, first + rows)):
                yield row.tobytes()

    def _fates_in_block(self, places: _Places) -> NDArray[np.int8]:
        ledger, fitted = self.widest.ledger, self.widest.fitted
        whole = np.frombuffer(self.widest.answer.fates, np.int8)
        fates = np.tile(whole, (len(places.groups), 1))
        for section, level, reached in (("history", self._level, places.groups), ("skills", self._rank, places.skills)):
            mine = item_slice(ledger, fitted, section)
            if len(level):
                gone = level.astype(np.int32) > reached[:, np.newaxis].astype(np.int32)
                fates[:, mine] += gone * (np.int8(DROPPED) - whole[mine])
        return fates

    def _sections(self, places: _Places) -> tuple[Iterator[tuple[SectionAnswer, ...]], Ints, Ints]:
        """The sections at each place, and what all of them take less than the widest: tokens and characters."""
        widest = self.widest.answer.sections
        found: list[Iterable[SectionAnswer]] = [repeat(section, len(places.valid)) for section in widest]
        less: Ints = np.zeros((2, len(places.valid)), np.int64)
        for name, column, at in (("history", self._history, places.groups), ("skills", self._skills, places.skills)):
            place = self._section_at.get(name)
            if place is not None:
                kept, tokens, chars = (numbers[at] for numbers in column)
                whole = widest[place].size
                sizes = map(Size, (whole.tokens - tokens).tolist(), (whole.chars - chars).tolist())
                found[place] = map(SectionAnswer, repeat(name), kept.tolist(), sizes)
                less += (tokens, chars)
        return zip(*found, strict=True), less[0], less[1]

    def turns(self, low: int, high: int) -> list[int]:
        """From the first position on from which it holds up to `high`: that one, and each where the answer may change.

        Empty where it does not hold at `high`.
        """
        if self.prober.axis.path not in BUDGETS:
            row = self._skill_reaches if self._sweeps_skills else self._history_turns
            found = sorted({low, *row[(row > low) & (row <= high)].tolist()})
            held = self._places(np.array(found, np.int64)).valid.tolist()
            return found[len(held) - held[::-1].index(False) :] if False in held else found
        turns: list[int] = []
        for first, places in self._scanned(low, high):
            keys = places.groups * (len(self._skill_tokens) + 1) + places.skills
            new = np.append([True], keys[1:] != keys[:-1])
            lost = np.flatnonzero(~places.valid)
            if len(lost):
                turns = []
                new[: lost[-1] + 1] = False
                new[lost[-1] + 1 : lost[-1] + 2] = True
            turns += (first + np.flatnonzero(new)).tolist()
        return turns

    def _scanned(self, low: int, high: int) -> Iterator[tuple[int, _Places]]:
        for first in range(low, high + 1, _AT_ONCE):
            yield first, self._places(np.arange(first, min(first + _AT_ONCE, high + 1)))

    def _places(self, at: Ints) -> _Places:
        axis = self.prober.axis
        skills = np.full(len(at), len(self._skill_tokens) - 1)
        if self._sweeps_skills:
            reached = np.searchsorted(self._skill_reaches, self._skill_limits(at), side="right")
            skills = np.maximum(reached, self._pinned_skills)
        room = self._room_tokens(at) + self._skill_tokens[-1] - self._skill_tokens[skills]
        least = int(self._view.tokens[self._stays].sum())
        own = at if axis.path == HISTORY_TOKENS else np.full(len(at), plain(self._view.max_tokens))
        limit = np.minimum(own, room + self._query_tokens)
        groups = np.searchsorted(self._reaches, limit, side="right")
        valid = room >= least
        if not self._is_full:
            valid &= own >= least
        if self._keeps_ends:
            valid &= limit >= least + self._query_tokens
        notice = self._notice
        if notice is not None:
            unnoticed, lacks = groups, groups < len(self._reaches)
            reached = np.searchsorted(self._reaches, limit - notice.most_tokens, side="right")
            groups = np.where(lacks, reached, groups)
            stands = limit - notice.most_tokens >= least + self._query_tokens
            valid &= ~lacks | (stands & notice.stands(groups, unnoticed))
        if not self._always_asks:
            valid &= groups > 0
        return _Places(skills, groups, valid & (skills > 0) if self._sweeps_skills else valid)

    @functools.cached_property
    def _view(self) -> HistoryView:
        return self.widest.fitted.view

    @functools.cached_property
    def _section_at(self) -> dict[str, int]:
        """Where the sections stand that come and go."""
        moving = ("history", "skills") if self._sweeps_skills else ("history",)
        return {section.name: at for at, section in enumerate(self.widest.answer.sections) if section.name in moving}

    @functools.cached_property
    def has_plain_notice(self) -> bool:
        """Whether no notice is written, or all there is to it is how many messages go.

        An earlier notice adds to that number. Where the history must begin with a certain role, the notice may take the
        place of its first message, but not where that one is there at every position.
        """
        view, packer = self._view, self.widest.packer
        if not wants_notice(view.config):
            return True
        alive = np.flatnonzero(view.alive)
        if view.written.any() or not len(alive) or self._notice is None:
            return False
        first = alive[0]
        begins = bool(self._stays[first]) and view.role[first] == USER
        return begins or not beginning_roles(packer.provider, view.config)

    @functools.cached_property
    def _notice(self) -> NoticeCosts | None:
        """What the notice takes, None where none is written."""
        view, packer = self._view, self.widest.packer
        if not wants_notice(view.config):
            return None
        needed = np.where(self._stays, 0, self.widest.fitted.history.needed_tokens)
        frame_tokens = packer.framing.written("user")
        return notice_costs(view, needed, self._reaches, lambda text: packer.counter.count(text) + frame_tokens)

    @functools.cached_property
    def _history_turns(self) -> Ints:
        """The limits of history from which on it may hold more."""
        if self._notice is None or not len(self._reaches):
            return self._reaches
        return np.append(self._reaches[:-1] + self._notice.most_tokens, self._reaches[-1])

    @functools.cached_property
    def _is_full(self) -> bool:
        return self.prober.subject.config.history.strategy == "full"

    @functools.cached_property
    def _keeps_ends(self) -> bool:
        return self.prober.subject.config.history.strategy == "keepEnds"

    @functools.cached_property
    def _query_tokens(self) -> int:
        return self._view.query_tokens

    @functools.cached_property
    def _stays(self) -> Mask:
        """What of the history no position leaves out: under `full` everything, for below that there is no prefix."""
        if self._is_full:
            return self._view.alive
        stays = self._view.always | self._view.task
        return stays | self._view.opener | first_messages(self._view) if self._keeps_ends else stays

    @functools.cached_property
    def _always_asks(self) -> bool:
        """Whether a message is sent at every position: a query, or one that always stays."""
        packer = self.widest.packer
        asks = asked_of(packer.bundle, packer.provider).sends_query
        return asks or bool((self._stays & ~self._view.system).any())

    @functools.cached_property
    def _reaches(self) -> Ints:
        """The limits from which on one more group is kept, ascending, the query's tokens included."""
        free = self._view.alive & ~self._stays
        reaches = np.sort(self.widest.fitted.history.needed_tokens[free])
        return reaches[np.diff(reaches, prepend=-1) > 0]

    @functools.cached_property
    def _level(self) -> Ints:
        """For each message how many groups must be within the limit for it to be sent; past all where it never is.

        Where the first message must be the user's, those before the first user's go, with their groups: so a message
        waits for a user's that stands no later than its group. If only the configuration asks for that, what always
        stays does not wait (packing.task_check).
        """
        view, packer = self._view, self.widest.packer
        never = len(self._reaches) + 1
        level = np.searchsorted(self._reaches, self.widest.fitted.history.needed_tokens) + 1
        level = np.where(view.alive, np.where(self._stays, 0, level), never)
        if first_is_user(packer.provider, view.config) and len(view):
            first = np.full(int(view.group.max()) + 1, len(view) - 1)
            rows = np.flatnonzero(view.alive)
            np.minimum.at(first, view.group[rows], rows)
            spared = view.always | view.task | view.written
            if asked_of(packer.bundle, packer.provider).first_is_user:
                spared = np.zeros(len(view), np.bool_)
            reached, before = level, None
            while before is None or not np.array_equal(level, before):  # a user's may wait with its group (`keepWith`)
                before = level
                users = np.minimum.accumulate(np.where(view.alive & (view.role == USER), level, never))
                level = np.where(spared, reached, np.maximum(reached, users[first[view.group]]))
        return level

    @functools.cached_property
    def _history(self) -> tuple[Ints, Ints, Ints]:
        """By the number of groups: the messages sent, the tokens and characters less than at the widest position.

        A notice is no message, but its tokens and characters count.
        """
        view, level = self._view, self._level
        kept = self.widest.fitted.history.kept
        ones = np.ones(len(view), np.int64)
        sums = [self._by_level(column, level <= len(self._reaches)) for column in (ones, view.tokens, view.chars)]
        most = [int(column[kept].sum()) for column in (view.tokens, view.chars)]
        notice, summary = self._notice, self.widest.fitted.history.summary
        if notice is not None:
            sums[1:] = sums[1] + notice.tokens, sums[2] + notice.chars
        if summary is not None:
            most = [most[0] + self.widest.fitted.history.summary_tokens, most[1] + len(summary.text)]
        return sums[0], most[0] - sums[1], most[1] - sums[2]

    def _by_level(self, column: Ints, sent: Mask) -> Ints:
        """The sum over the messages of each level and all below it."""
        found = np.bincount(self._level[sent], weights=column[sent], minlength=len(self._reaches) + 1)
        return np.cumsum(found).astype(np.int64)

    @functools.cached_property
    def _skills(self) -> tuple[Ints, Ints, Ints]:
        """By the number of skills: that number, and the tokens and characters less than at the widest position."""
        tokens, chars = self._skill_tokens, self._skill_chars
        return np.arange(len(tokens)), tokens[-1] - tokens, chars[-1] - chars

    @functools.cached_property
    def _sweeps_skills(self) -> bool:
        return _sweeps_skills(self.prober.subject.config, self.prober.axis.path)

    @functools.cached_property
    def _skill_rows(self) -> Ints:
        """The skills that the widest position keeps, in their order, where they come and go."""
        return np.array(self.widest.fitted.libraries.skills.order if self._sweeps_skills else (), np.int64)

    @functools.cached_property
    def _rank(self) -> Ints:
        """For each skill how many must be kept for it to be sent, 0 where the widest position has none of it."""
        rank = np.zeros(len(self.widest.fitted.libraries.skills.kept) if self._sweeps_skills else 0, np.int64)
        rank[self._skill_rows] = np.arange(1, len(self._skill_rows) + 1)
        return rank

    @functools.cached_property
    def _skill_reaches(self) -> Ints:
        """The block up to and including each skill, in the unit of the limit that lets them in."""
        skills = self.widest.fitted.libraries.skills
        needed = skills.needed_chars if self.prober.axis.path == SKILL_CHARS else skills.needed_tokens
        return needed[self._skill_rows]

    def _skill_limits(self, positions: Ints) -> Ints:
        """What the skills may take at positions, in that unit."""
        if self.prober.axis.path == SKILL_CHARS:
            return positions
        percent = str(self.prober.subject.config.skills_budget.limits.max_skills_prompt_tokens)
        part = Fraction(percent.rstrip("%")) / 100
        return self._budgets(positions) * part.numerator // part.denominator

    @functools.cached_property
    def _skill_tokens(self) -> Ints:
        """The tokens of the first so many skills."""
        return _summed(self.widest.fitted.libraries.skills.after_tokens[self._skill_rows])

    @functools.cached_property
    def _skill_chars(self) -> Ints:
        """The characters of the first so many skills."""
        return _summed(self.widest.fitted.libraries.skills.after_chars[self._skill_rows])

    @functools.cached_property
    def _pinned_skills(self) -> int:
        """How many of them no limit drops."""
        return int(self.widest.fitted.libraries.skills.pinned[self._skill_rows].sum())

    def _budgets(self, positions: Ints) -> Ints:
        """The input budget at positions of a budget."""
        return input_budgets(self.prober.axis.path, self.prober.subject.config, self.widest.packer.allowed, positions)

    def _room_tokens(self, positions: Ints) -> Ints:
        """What is left for history at positions, with the skills of the widest one."""
        room, allowed = plain(self._view.room_tokens), self.widest.packer.allowed
        if self.prober.axis.path not in BUDGETS:
            return np.full(len(positions), room)
        usable = self._budgets(positions) * (100 - allowed.safety_margin_percent) // 100
        return room - plain(allowed.usable_tokens) + usable


def _summed(sizes: Ints) -> Ints:
    """The sums of the first none, one, two, … of them."""
    sums: Ints = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=sums[1:])
    return sums
