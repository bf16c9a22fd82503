"""What a preset's next version would do to the workspaces that follow it: found by jobs, before it is published."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Self

from django.db.models import OuterRef, Prefetch, Subquery

from budgeteer.engine.counting.tokenizers import counter_for
from budgeteer.engine.errors import BudgeteerError, ConfigError
from budgeteer.engine.packing.allocation import tokenizer_of
from budgeteer.engine.packing.pack import pack
from budgeteer.engine.packing.result import Packing
from budgeteer.presets import proposals
from budgeteer.presets.models import PresetProposal, PresetVersion
from budgeteer.sources import services as sources
from budgeteer.workbench.config_form.editable import EditableConfig
from budgeteer.workbench.models import Workspace, WorkspaceSource
from budgeteer.workbench.preview import bundle_of, has_something
from budgeteer.workbench.summary_store import stored_or_extracted

#: Of what a workspace holds, so much more is left out before it is named. Source: the design, journey 5.
NAMED_SHARE: Final = 0.10
#: So many workspaces are tried by one job; more are divided among several, which the workers do side by side.
WORKSPACES_A_JOB: Final = 100
MOST_JOBS: Final = 4

type Watch = Callable[[int, int], None]


class FollowerOutcome(StrEnum):
    """What becomes of a workspace that takes the version; the first that holds."""

    UNUSABLE = "unusable"
    NOT_TRIED = "notTried"
    OVER = "over"
    DROPS_MORE = "dropsMore"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class LeftOutTokens:
    """Tokens of one workspace that are left out now and under the version, of those that are requested now."""

    now: int
    proposed: int
    requested: int


@dataclass(frozen=True, slots=True)
class PresetImpact:
    """The outcome of every workspace, by its id; those that are unchanged are only counted.

    Attributes:
        named: by outcome, ids of workspaces.
        unchanged: how many are none of these.
        left_out: what those named leave out that could be packed twice, by id; nothing in what earlier versions found.
    """

    named: Mapping[FollowerOutcome, tuple[str, ...]] = field(default_factory=dict)
    unchanged: int = 0
    left_out: Mapping[str, LeftOutTokens] = field(default_factory=dict)

    @property
    def followers(self) -> int:
        """How many workspaces follow the preset."""
        return self.unchanged + sum(len(ids) for ids in self.named.values())

    def count(self, outcome: FollowerOutcome) -> int:
        """How many have this outcome."""
        return len(self.named.get(outcome, ()))

    def to_json(self) -> dict[str, Any]:
        """As a job keeps it."""
        named = {str(key): list(ids) for key, ids in self.named.items()}
        left_out = {key: [one.now, one.proposed, one.requested] for key, one in self.left_out.items()}
        return {"named": named, "unchanged": self.unchanged, "leftOut": left_out}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of to_json."""
        named = {FollowerOutcome(key): tuple(ids) for key, ids in data["named"].items()}
        left_out = {key: LeftOutTokens(*tokens) for key, tokens in data.get("leftOut", {}).items()}
        return cls(named, data["unchanged"], left_out)

    @classmethod
    def joined(cls, parts: Iterable[PresetImpact]) -> Self:
        """What several jobs found, each of other workspaces."""
        listed = list(parts)
        named = {
            outcome: tuple(sorted(key for part in listed for key in part.named.get(outcome, ())))
            for outcome in FollowerOutcome
        }
        kept = {outcome: ids for outcome, ids in named.items() if ids}
        left_out = {key: one for part in listed for key, one in part.left_out.items()}
        return cls(kept, sum(part.unchanged for part in listed), left_out)


def digest_of_config(proposal: PresetProposal) -> str:
    """The name of what is tried: another configuration is another question."""
    return hashlib.sha256(json.dumps(proposal.config, sort_keys=True).encode()).hexdigest()[:24]


def jobs_for(followers: int) -> int:
    """How many jobs try so many workspaces."""
    return min(MOST_JOBS, max(1, -(-followers // WORKSPACES_A_JOB)))


def follower_ids(proposal: PresetProposal) -> list[str]:
    """The live workspaces that follow the preset, whichever version they stand on; those over the same source together.

    What is loaded of a source is kept in a worker's memory for the next of them.
    """
    if proposal.preset is None:
        return []
    rows = Workspace.objects.filter(preset_slug=proposal.preset.slug, deleted_at__isnull=True)
    first = WorkspaceSource.objects.filter(workspace=OuterRef("pk")).order_by("order", "pk").values("source_id")[:1]
    ordered = rows.annotate(first_source=Subquery(first)).order_by("first_source", "pk")
    return [str(key) for key in ordered.values_list("pk", flat=True)]


def part_of(ids: Sequence[str], part: int, parts: int) -> Sequence[str]:
    """The stretch of these that one of several jobs tries."""
    return ids[len(ids) * part // parts : len(ids) * (part + 1) // parts]


def impact_on(proposal: PresetProposal, ids: Sequence[str], watch: Watch) -> PresetImpact:
    """Pack each of these workspaces as it stands and on the proposed version, with its own changes on both.

    Nothing is counted and nothing is written for it: a workspace whose sources are not counted under the tokenizer of
    both configurations is not tried. `watch` is told how many are done.
    """
    version = proposal.as_version(proposals.newest_number(proposal.preset) + 1)
    used = Prefetch(
        "links",
        WorkspaceSource.objects.select_related("source", "source__owner").filter(source__deleted_at__isnull=True),
        to_attr="used_links",
    )
    trial = _Trial(version)
    named: dict[FollowerOutcome, list[str]] = {}
    left_out: dict[str, LeftOutTokens] = {}
    unchanged = done = 0
    for start in range(0, len(ids), WORKSPACES_A_JOB):
        chunk = ids[start : start + WORKSPACES_A_JOB]
        rows = Workspace.objects.filter(pk__in=chunk, deleted_at__isnull=True).select_related("owner")
        found = {str(row.pk): row for row in rows.prefetch_related(used)}
        for workspace in (found[key] for key in chunk if key in found):
            outcome, tokens = trial.outcome(workspace, workspace.used_links)
            if outcome is FollowerOutcome.UNCHANGED:
                unchanged += 1
            else:
                named.setdefault(outcome, []).append(str(workspace.pk))
                if tokens is not None:
                    left_out[str(workspace.pk)] = tokens
            done += 1
            watch(done, len(ids))
    return PresetImpact({outcome: tuple(keys) for outcome, keys in named.items()}, unchanged, left_out)


@dataclass(slots=True)
class _Trial:
    """One version that is tried; it remembers which sources are counted."""

    version: PresetVersion
    counted: dict[tuple[str, int, str], bool] = field(default_factory=dict)

    def outcome(
        self, workspace: Workspace, links: Sequence[WorkspaceSource]
    ) -> tuple[FollowerOutcome, LeftOutTokens | None]:
        """What becomes of a workspace, and what it leaves out where it could be packed twice."""
        try:
            now = EditableConfig.of(workspace)
        except ConfigError:
            return FollowerOutcome.NOT_TRIED, None  # it cannot be packed as it stands either
        try:
            then = now.on(self.version)
        except ConfigError:
            return FollowerOutcome.UNUSABLE, None
        if then.config == now.config:
            return FollowerOutcome.UNCHANGED, None
        if not self._is_counted(links, {tokenizer_of(now.config), tokenizer_of(then.config)}):
            return FollowerOutcome.NOT_TRIED, None
        if not has_something(workspace, links):
            return FollowerOutcome.UNCHANGED, None
        return self._outcome_packed(workspace, now, then, links)

    def _outcome_packed(
        self, workspace: Workspace, now: EditableConfig, then: EditableConfig, links: Sequence[WorkspaceSource]
    ) -> tuple[FollowerOutcome, LeftOutTokens | None]:
        try:
            before = self._packed(workspace, now, links)
        except BudgeteerError:
            return FollowerOutcome.NOT_TRIED, None
        try:
            after = self._packed(workspace, then, links)
        except BudgeteerError:
            return FollowerOutcome.UNUSABLE, None
        tokens = LeftOutTokens(
            before.verdict.not_sent_tokens, after.verdict.not_sent_tokens, before.verdict.asked_tokens
        )
        return outcome_between(before, after, tokens), tokens

    def _packed(self, workspace: Workspace, config: EditableConfig, links: Sequence[WorkspaceSource]) -> Packing:
        bundle, _ = bundle_of(workspace, config.config, links)
        counter = counter_for(bundle.tokenizer)
        return pack(bundle, config.config, counter=counter, summarise=stored_or_extracted(workspace.owner_id))

    def _is_counted(self, links: Sequence[WorkspaceSource], tokenizers: Iterable[str]) -> bool:
        return all(self._is_source_counted(link, name) for link in links for name in sorted(tokenizers))

    def _is_source_counted(self, link: WorkspaceSource, tokenizer: str) -> bool:
        key = (str(link.source_id), link.source.revision, tokenizer)
        if key not in self.counted:
            is_ready = link.source.state == "ready"
            self.counted[key] = is_ready and sources.is_measured(link.source, tokenizer)
        return self.counted[key]


def outcome_between(before: Packing, after: Packing, left_out: LeftOutTokens) -> FollowerOutcome:
    """What leads from one packing of the same inputs to the other; `left_out` is what both leave out."""
    if after.error is not None and before.error is None:
        return FollowerOutcome.OVER
    if left_out.proposed - left_out.now > NAMED_SHARE * left_out.requested:
        return FollowerOutcome.DROPS_MORE
    return FollowerOutcome.UNCHANGED
