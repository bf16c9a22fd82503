"""The skills block: as many entries as fit, found by binary search on prefix sums.

A skill whose front matter keeps it from the model is never listed, with a budget or without.

The order of steps (domain: Libraries): files over the byte limit; policies; order; minify and compact; the first
`maxSkillsInPrompt`; the longest prefix whose rendered block is within the limits; a fallback: descriptions cut alike,
or names and locations only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from budgeteer.engine.config.schema import SkillsBudgetConfig
from budgeteer.engine.content.library import HIDING_KEY, Skill
from budgeteer.engine.content.usage_order import OrderBasis, Use, ordered
from budgeteer.engine.counting.library_measures import Ints, NotMeasured, SkillMeasures, skill_description, skill_tail
from budgeteer.engine.counting.tokenizers import TokenCounter, ends_in_word
from budgeteer.engine.packing.allocation import SYSTEM_SHARE
from budgeteer.engine.packing.ledger import Size
from budgeteer.engine.packing.sections.skill_block import (
    aliases_of,
    described,
    effective,
    located,
    location_opener,
    skills_notice,
    unshortened,
    wrapper_size,
)

#: The rule that is named where the tokens of skills are limited.
LIMIT_IN_TOKENS: Final = "maxSkillsPromptTokens"


class SkillCause(IntEnum):
    """What decided a skill's fate."""

    FITS = 0
    FILE_TOO_LARGE = 1
    POLICY_OFF = 2
    TOO_MANY = 3
    NO_ROOM_CHARS = 4
    NO_ROOM_TOKENS = 5
    NOT_LIMITED = 6
    HIDDEN = 7

    @property
    def is_considered(self) -> bool:
        """Whether a skill so decided was asked for, and then held against the limits on the block."""
        return self not in (SkillCause.FILE_TOO_LARGE, SkillCause.POLICY_OFF, SkillCause.HIDDEN)


@dataclass(frozen=True, slots=True)
class SkillAsk:
    """What is asked of the skills beside the configuration.

    Attributes:
        usage: how often each was used, by path or by name.
        share_tokens: what the system share leaves the block; None where there are no shares.
    """

    usage: Mapping[str, Use] = field(default_factory=dict)
    share_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Entries:
    """The sizes of every skill's entry under one configuration, in tokens and characters.

    `raw` as it came (nothing shortened), `full` with the optimisations asked for, `short` name and location only.
    """

    raw_tokens: Ints
    raw_chars: Ints
    full_tokens: Ints
    full_chars: Ints
    short_tokens: Ints
    short_chars: Ints


@dataclass(frozen=True, slots=True)
class SkillFit:
    """Which skills the block holds.

    Attributes:
        order: the kept skills' indices, in the order they stand in the block.
        sequence: every skill's index in the order considered (hidden, off and oversized ones last).
        kept, short, pinned: one entry a skill; `short` those shown by name and location only.
        cause: Cause per skill.
        rank: each skill's place among those considered, from 1; 0 for those that are off or oversized.
        file_bytes: each skill's file.
        needed_chars, needed_tokens: the block's size up to and including this skill, 0 where that says nothing; of one
            too many the block of all before it and itself.
        before_tokens, before_chars: each entry as it came, nothing of it shortened.
        after_tokens, after_chars: what each takes in the block, 0 when dropped.
        asked: the block with no limit, under the optimisations.
        wrapper: the block's header and tags, and the notice. notice: what tells the model that some are left out.
        order_by: what decided the order.
        tier: "full", "cutDescriptions" or "nameOnly".
        is_cut, cut_chars: which descriptions are cut, and to how many characters.
        aliases: by root what stands for it in locations; empty where none does.
        token_limits: (rule, tokens) of whatever limits the block's tokens, () where only characters are limited.
    """

    order: tuple[int, ...]
    sequence: tuple[int, ...]
    kept: NDArray[np.bool_]
    short: NDArray[np.bool_]
    pinned: NDArray[np.bool_]
    cause: Ints
    rank: Ints
    file_bytes: Ints
    needed_chars: Ints
    needed_tokens: Ints
    before_tokens: Ints
    before_chars: Ints
    after_tokens: Ints
    after_chars: Ints
    asked: Size
    wrapper: Size
    order_by: OrderBasis
    tier: str
    is_cut: NDArray[np.bool_]
    cut_chars: int
    aliases: Mapping[str, str]
    token_limits: tuple[tuple[str, int], ...] = ()
    notice: str = ""


def entry_sizes(
    skills: Sequence[Skill],
    measures: SkillMeasures,
    config: SkillsBudgetConfig,
    *,
    counter: TokenCounter,
    aliases: Mapping[str, str] = MappingProxyType({}),
) -> Entries:
    """Every entry's size from its measured pieces; nothing is counted anew but the install roots.

    A root ends in a letter or digit and is followed by a slash, where counts add up exactly; any other root, and a path
    that begins below a folder of the library, makes the location line be counted whole.
    """
    minify = config.optimization.minify_descriptions
    if minify and len(measures.minified_tokens) != len(measures):
        raise NotMeasured("These skills were measured without their minified descriptions.")
    lead_tokens, lead_chars = raw_tokens, raw_chars = _lead(skills, measures, unshortened(config), counter, {})
    if aliases or config.optimization.compact_paths:
        lead_tokens, lead_chars = _lead(skills, measures, config, counter, aliases)
    middle_tokens = measures.minified_tokens if minify else measures.description_tokens
    middle_chars = measures.minified_chars if minify else measures.description_chars
    sizes = Entries(
        raw_tokens=measures.head_tokens + measures.description_tokens + raw_tokens,
        raw_chars=measures.head_chars + measures.description_chars + raw_chars,
        full_tokens=measures.head_tokens + middle_tokens + lead_tokens,
        full_chars=measures.head_chars + middle_chars + lead_chars,
        short_tokens=measures.head_tokens + lead_tokens,
        short_chars=measures.head_chars + lead_chars,
    )
    return sizes if counter.per_message_overhead else _quartered(sizes)


def _quartered(sizes: Entries) -> Entries:
    """The entries under chars/4, where an entry is one item: a quarter of its characters, rounded up once."""
    return replace(
        sizes,
        raw_tokens=-(-sizes.raw_chars // 4),
        full_tokens=-(-sizes.full_chars // 4),
        short_tokens=-(-sizes.short_chars // 4),
    )


def _lead(
    skills: Sequence[Skill],
    measures: SkillMeasures,
    config: SkillsBudgetConfig,
    counter: TokenCounter,
    aliases: Mapping[str, str],
) -> tuple[Ints, Ints]:
    """The location lines, in tokens and characters."""
    if not config.install_roots:
        root, _ = located("", config)
        opener = location_opener(aliases.get(root, root))
        if ends_in_word(opener) or not counter.per_message_overhead:
            return measures.tail_tokens + counter.count(opener), measures.tail_chars + len(opener)
    tokens, chars = measures.tail_tokens.copy(), measures.tail_chars.copy()
    counted: dict[str, int] = {}
    for row, skill in enumerate(skills):
        root, path = located(skill.path, config)
        opener = location_opener(aliases.get(root, root))
        chars[row] += len(opener) + len(skill_tail(path)) - len(skill_tail(skill.path))
        if path == skill.path and ends_in_word(opener):
            tokens[row] += counted.setdefault(opener, counter.count(opener))
        else:
            tokens[row] = counter.count(opener + skill_tail(path))
    return tokens, chars


def fit_skills(
    skills: Sequence[Skill],
    measures: SkillMeasures,
    config: SkillsBudgetConfig,
    *,
    counter: TokenCounter,
    ask: SkillAsk = SkillAsk(),
) -> SkillFit:
    """The skills that fit, and why the others do not.

    A percent in `maxSkillsPromptTokens` must have been resolved to a number (see allocation.settled).
    """
    config = effective(config)
    if not skills:
        return _no_skills(config, ask)
    pinned, named, off = (_with_policy(skills, config, policy) for policy in ("pinned", "nameOnly", "off"))
    cause = np.full(len(skills), int(SkillCause.FITS if config.enabled else SkillCause.NOT_LIMITED), np.int64)
    if config.enabled:
        cause[off] = SkillCause.POLICY_OFF
        cause[measures.file_bytes > config.limits.max_skill_file_bytes] = SkillCause.FILE_TOO_LARGE
    hidden = [row for row, skill in enumerate(skills) if HIDING_KEY in skill.metadata and skill.is_hidden]
    cause[hidden] = SkillCause.HIDDEN
    sequence, order_by = _sequence(skills, config, ask.usage)
    considered = (cause[sequence] == SkillCause.FITS) | (cause[sequence] == SkillCause.NOT_LIMITED)
    eligible, rest = sequence[considered], sequence[~considered]
    if config.enabled:
        eligible = np.concatenate([eligible[pinned[eligible]], eligible[~pinned[eligible]]])
    token_limits = _token_limits(config, ask.share_tokens)
    max_tokens = min((most for _, most in token_limits), default=None)
    aliases: Mapping[str, str] = {}
    if config.optimization.alias_roots:
        aliases = aliases_of(located(skills[row].path, config)[0] for row in eligible.tolist())
    entries = entry_sizes(skills, measures, config, counter=counter, aliases=aliases)
    wrappers = _Wrappers(counter, len(eligible) if config.notice and config.enabled else 0, aliases)
    search = _Search(config, entries, wrappers, pinned, named, max_tokens)
    asked = search.asked(eligible)
    kept, short, needed, tier = search.run(eligible, cause)
    is_cut, cut_chars = np.zeros(len(skills), np.bool_), 0
    cut = _Cuts(skills, config, search).longest(eligible, cause) if tier == "nameOnly" else None
    if cut is not None:
        tier, short, entries = "cutDescriptions", named.copy(), cut.entries
        is_cut, cut_chars = cut.is_cut, cut.chars
    after_tokens = np.where(kept, np.where(short, entries.short_tokens, entries.full_tokens), 0)
    after_chars = np.where(kept, np.where(short, entries.short_chars, entries.full_chars), 0)
    order = tuple(eligible[kept[eligible]].tolist())
    if cut is not None:
        around = wrappers.of(len(order))
        needed[0][list(order)] = np.cumsum(after_chars[list(order)]) + around.chars
        needed[1][list(order)] = np.cumsum(after_tokens[list(order)]) + around.tokens
    rank = np.zeros(len(skills), np.int64)
    rank[eligible] = np.arange(1, len(eligible) + 1)
    return SkillFit(
        order=order,
        sequence=(*eligible.tolist(), *rest.tolist()),
        kept=kept,
        short=short & kept,
        pinned=pinned,
        cause=cause,
        rank=rank,
        file_bytes=measures.file_bytes,
        needed_chars=needed[0],
        needed_tokens=needed[1],
        before_tokens=entries.raw_tokens,
        before_chars=entries.raw_chars,
        after_tokens=after_tokens,
        after_chars=after_chars,
        asked=asked,
        wrapper=wrappers.of(len(order)) if order else Size(),
        order_by=order_by,
        tier=tier,
        is_cut=is_cut & kept,
        cut_chars=cut_chars,
        aliases=aliases,
        token_limits=token_limits,
        notice=wrappers.notice(len(order)),
    )


def _no_skills(config: SkillsBudgetConfig, ask: SkillAsk) -> SkillFit:
    """The fit of an empty library: nothing is counted for it."""
    none, nothing = np.zeros(0, np.bool_), np.zeros(0, np.int64)
    return SkillFit(
        order=(),
        sequence=(),
        kept=none,
        short=none,
        pinned=none,
        cause=nothing,
        rank=nothing,
        file_bytes=nothing,
        needed_chars=nothing,
        needed_tokens=nothing,
        before_tokens=nothing,
        before_chars=nothing,
        after_tokens=nothing,
        after_chars=nothing,
        asked=Size(),
        wrapper=Size(),
        order_by=_sequence((), config, {})[1],
        tier="full",
        is_cut=none,
        cut_chars=0,
        aliases={},
        token_limits=_token_limits(config, ask.share_tokens),
    )


def _sequence(skills: Sequence[Skill], config: SkillsBudgetConfig, usage: Mapping[str, Use]) -> tuple[Ints, OrderBasis]:
    """The rows of the skills in the order asked for, and what decided it."""
    prioritization = config.optimization.prioritization if config.enabled else None
    if prioritization is None:
        return np.arange(len(skills)), OrderBasis.AS_GIVEN
    keys = [(skill.name, skill.path) for skill in skills]
    rows, order_by = ordered(keys, prioritization=prioritization, usage=usage)
    return np.array(rows, np.int64), order_by


def _with_policy(skills: Sequence[Skill], config: SkillsBudgetConfig, policy: str) -> NDArray[np.bool_]:
    """Which skills have this policy, by their name or else their path; it is not the one that all have."""
    named = config.policies
    if policy not in named.values():
        return np.zeros(len(skills), np.bool_)
    return np.array([named.get(skill.name, named.get(skill.path)) == policy for skill in skills], np.bool_)


def _token_limits(config: SkillsBudgetConfig, share_tokens: int | None) -> tuple[tuple[str, int], ...]:
    """What limits the block's tokens, the configuration's own limit first; a percent is a number by now."""
    if not config.enabled:
        return ()
    limit = config.limits.max_skills_prompt_tokens
    own = () if limit is None or isinstance(limit, str) else ((LIMIT_IN_TOKENS, limit),)
    return own if share_tokens is None else (*own, (SYSTEM_SHARE, share_tokens))


@dataclass(frozen=True, slots=True)
class _Wrappers:
    """What stands around so many entries; `total` skills are asked for, 0 where the model is told of none left out."""

    counter: TokenCounter
    total: int
    aliases: Mapping[str, str]

    def notice(self, listed: int) -> str:
        return skills_notice(listed, self.total) if 0 < listed < self.total else ""

    def of(self, listed: int) -> Size:
        """The size around so many entries."""
        return wrapper_size(self.counter, self.notice(listed), self.aliases)

    def prefixes(self, count: int) -> tuple[Ints, Ints]:
        """In characters and tokens, of each prefix of so many."""
        if not self.total:
            plain = self.of(0)
            return np.full(count, plain.chars, np.int64), np.full(count, plain.tokens, np.int64)
        sizes = [self.of(listed) for listed in range(1, count + 1)]
        chars, tokens = ([one.chars for one in sizes], [one.tokens for one in sizes])
        return np.array(chars, np.int64), np.array(tokens, np.int64)

    def largest(self, count: int) -> Size:
        """At most so much stands around any of the prefixes of so many."""
        chars, tokens = self.prefixes(count)
        return Size(int(tokens.max(initial=0)), int(chars.max(initial=0)))


@dataclass(frozen=True, slots=True)
class _Search:
    config: SkillsBudgetConfig
    entries: Entries
    wrappers: _Wrappers
    pinned: NDArray[np.bool_]
    named: NDArray[np.bool_]
    max_tokens: int | None

    def asked(self, eligible: Ints) -> Size:
        """The block of all eligible skills, limits aside."""
        if not len(eligible):
            return Size()
        chars, tokens = self.sizes(eligible, self.named)
        return Size(int(tokens.sum()), int(chars.sum())) + self.wrappers.of(0)

    def run(self, indices: Ints, cause: Ints) -> tuple[NDArray[np.bool_], NDArray[np.bool_], tuple[Ints, Ints], str]:
        """Kept, short, (needed characters, needed tokens) and the tier; writes the causes of what does not fit."""
        size = len(self.pinned)
        kept, short = np.zeros(size, np.bool_), self.named.copy()
        needed = np.zeros(size, np.int64), np.zeros(size, np.int64)
        if not self.config.enabled:
            kept[indices] = True
            return kept, np.zeros(size, np.bool_), needed, "full"
        first = self.config.limits.max_skills_in_prompt
        within = np.arange(len(indices)) < first
        within |= self.pinned[indices]
        cause[indices[~within]] = SkillCause.TOO_MANY
        # Of one too many: the block that would hold it. Names alone are enough where the fallback lists them.
        sizes = self.sizes(indices, ~self.pinned if self.config.fallback != "none" else self.named)
        for column, around, each in zip(needed, self.wrappers.prefixes(len(indices)), sizes, strict=True):
            column[indices] = _least(np.cumsum(each) + around)
        tier = "full"
        candidates = indices[within]
        fitting, chars, tokens = self._fit(candidates, short)
        if self.config.fallback != "none" and not fitting.all():
            tier = "nameOnly"
            short = ~self.pinned
            fitting, chars, tokens = self._fit(candidates, short)
        kept[candidates[fitting]] = True
        needed[0][candidates], needed[1][candidates] = chars, tokens
        out = candidates[~fitting]
        over_chars = chars[~fitting] > self.config.limits.max_skills_prompt_chars
        cause[out] = np.where(over_chars, int(SkillCause.NO_ROOM_CHARS), int(SkillCause.NO_ROOM_TOKENS))
        return kept, short, needed, tier

    def sizes(self, indices: Ints, short: NDArray[np.bool_]) -> tuple[Ints, Ints]:
        """Characters and tokens of these entries, those that are short by name and location."""
        e = self.entries
        brief = short[indices]
        chars: Ints = np.where(brief, e.short_chars[indices], e.full_chars[indices])
        tokens: Ints = np.where(brief, e.short_tokens[indices], e.full_tokens[indices])
        return chars, tokens

    def _fit(self, indices: Ints, short: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], Ints, Ints]:
        """Which fit, and the block's characters and tokens up to and including each, in order."""
        chars, tokens = self.sizes(indices, short)
        max_chars = self.config.limits.max_skills_prompt_chars
        max_tokens = self.max_tokens
        pinned = int(self.pinned[indices].sum())
        if self.config.fit == "fill":
            return _fill(self, chars, tokens, pinned)
        around_chars, around_tokens = self.wrappers.prefixes(len(indices))
        sum_chars, sum_tokens = _least(np.cumsum(chars) + around_chars), _least(np.cumsum(tokens) + around_tokens)
        # Binary search on the prefix sums: the longest prefix whose rendered block is within each limit.
        longest = int(np.searchsorted(sum_chars, max_chars, side="right"))
        if max_tokens is not None:
            longest = min(longest, int(np.searchsorted(sum_tokens, max_tokens, side="right")))
        return np.arange(len(indices)) < max(longest, pinned), sum_chars, sum_tokens


@dataclass(frozen=True, slots=True)
class _Cut:
    """Descriptions cut to so many characters: which are, and the entries with them."""

    chars: int
    is_cut: NDArray[np.bool_]
    entries: Entries


@dataclass(frozen=True, slots=True)
class _Cuts:
    """Descriptions of all skills that are listed, cut alike, where whole ones do not fit and names alone do.

    What a short description leaves is room for the longer ones. Source: Codex (codex-rs/core-skills/src/render.rs, read
    2026-11-24), which shares the room for descriptions equally and passes on what is not used.
    """

    skills: Sequence[Skill]
    config: SkillsBudgetConfig
    search: _Search

    def longest(self, eligible: Ints, cause: Ints) -> _Cut | None:
        """The longest cut at which all fit that are considered; None where that is none, or names alone do not fit."""
        config, search = self.config, self.search
        listed = eligible[cause[eligible] != SkillCause.TOO_MANY]
        if config.fallback != "cutDescriptions" or (cause[listed] != SkillCause.FITS).any():
            return None
        lengths = [len(described(self.skills[row], config)) for row in listed.tolist()]
        lowest, highest = 0, max(lengths, default=0)
        while lowest < highest:
            middle = (lowest + highest + 1) // 2
            cut = self._cut(listed, middle)
            chars, tokens = replace(search, entries=cut.entries).sizes(listed, search.named)
            if self._fits(listed, int(chars.sum()), int(tokens.sum())):
                lowest = middle
            else:
                highest = middle - 1
        return self._cut(listed, lowest) if lowest else None

    def _fits(self, listed: Ints, chars: int, tokens: int) -> bool:
        around, most = self.search.wrappers.of(len(listed)), self.search.max_tokens
        within = chars + around.chars <= self.config.limits.max_skills_prompt_chars
        return within and (most is None or tokens + around.tokens <= most)

    def _cut(self, listed: Ints, most: int) -> _Cut:
        """The entries where no description of a skill that is listed, and not pinned, is longer than this."""
        entries, counter = self.search.entries, self.search.wrappers.counter
        is_cut = np.zeros(len(self.skills), np.bool_)
        chars, tokens = entries.full_chars.copy(), entries.full_tokens.copy()
        for row in listed.tolist():
            text = described(self.skills[row], self.config)
            if len(text) <= most or self.search.pinned[row] or self.search.named[row]:
                continue
            is_cut[row] = True
            middle = skill_description(text[:most])
            chars[row] = entries.short_chars[row] + len(middle)
            tokens[row] = entries.short_tokens[row] + counter.count(middle)
            if not counter.per_message_overhead:
                tokens[row] = -(-int(chars[row]) // 4)
        return _Cut(most, is_cut, replace(entries, full_chars=chars, full_tokens=tokens))


def _fill(search: _Search, chars: Ints, tokens: Ints, pinned: int) -> tuple[NDArray[np.bool_], Ints, Ints]:
    """As `_Search._fit`, going on past what does not fit, which is told the block with all that come before it."""
    max_chars, max_tokens = search.config.limits.max_skills_prompt_chars, search.max_tokens
    used = search.wrappers.of(0)
    if used.chars + int(chars.sum()) > max_chars or (
        max_tokens is not None and used.tokens + int(tokens.sum()) > max_tokens
    ):
        used = search.wrappers.largest(len(chars))
    fitting = np.zeros(len(chars), np.bool_)
    need_chars, need_tokens = np.cumsum(chars) + used.chars, np.cumsum(tokens) + used.tokens
    for at in range(len(chars)):
        with_it = used + Size(int(tokens[at]), int(chars[at]))
        fits = with_it.chars <= max_chars and (max_tokens is None or with_it.tokens <= max_tokens)
        if fits or at < pinned:
            fitting[at] = True
            used = with_it
            need_chars[at], need_tokens[at] = used.chars, used.tokens
    return fitting, need_chars, need_tokens


def _least(sums: Ints) -> Ints:
    """The least limit that lets each prefix in: the notice that some are left out goes where none is."""
    found: Ints = np.minimum.accumulate(sums[::-1])[::-1]
    return found
