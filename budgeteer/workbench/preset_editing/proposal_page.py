"""The page of a proposal, as one frozen object: everything its template prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from django.contrib.auth.models import User
from django.urls import reverse

from budgeteer.engine.errors import ConfigError
from budgeteer.presentation.labels import count_of
from budgeteer.presets import proposals
from budgeteer.presets import services as presets
from budgeteer.presets.configuration import config_text
from budgeteer.presets.models import PresetProposal, PresetVersion
from budgeteer.presets.version_diff import SettingChange, setting_changes
from budgeteer.workbench import services
from budgeteer.workbench.preset_editing.impact_view import ImpactView, impact_view
from budgeteer.workbench.preset_editing.proposal_forms import ProposalForm

#: How many of the reader's workspaces are offered to try a proposal on.
TRIED_ON = 5


@dataclass(frozen=True, slots=True)
class ProposalReader:
    """Who looks, and whether they may publish."""

    user: User
    may_publish: bool

    @classmethod
    def of(cls, user: User) -> Self:
        """This person."""
        return cls(user, presets.may_edit(user))


@dataclass(frozen=True, slots=True)
class TriedOn:
    """A workspace of the reader's own, and the page that compares both versions on its sources."""

    name: str
    url: str


@dataclass(frozen=True, slots=True)
class ProposalPage:
    """A proposal beside the current version; one that was published, beside the version before it.

    Attributes:
        current: the version it is held against; None for a new preset, which is held against the engine's defaults.
        seen: the number of that version, 0 where there is none.
        next_number: the number it would be published under.
        changes: setting by setting.
        sentence: how many settings differ.
        problem: why its configuration cannot be used any more, "" where it can.
        impact: what it does to those who follow; None where nobody is asked.
        form: what is published with it; None for readers who may not publish, and once it was decided on.
    """

    proposal: PresetProposal
    reader: ProposalReader
    current: PresetVersion | None
    seen: int
    next_number: int
    changes: tuple[SettingChange, ...]
    sentence: str
    problem: str
    config_text: str
    tried_on: tuple[TriedOn, ...]
    form: ProposalForm | None
    impact: ImpactView | None

    @property
    def is_draft(self) -> bool:
        """Whether it is its author's own draft, which nobody proposed."""
        return self.proposal.state == PresetProposal.State.DRAFT

    @property
    def is_outdated(self) -> bool:
        """Whether a version was published since it was made."""
        return self.proposal.is_pending and self.proposal.based_on != self.seen


def proposal_page(
    proposal: PresetProposal, reader: ProposalReader, *, form: ProposalForm | None = None
) -> ProposalPage:
    """The page; `form` is one that was posted and refused."""
    current = _held_against(proposal)
    problem = ""
    changes: tuple[SettingChange, ...] = ()
    try:
        changes = setting_changes(current.config if current else {}, proposal.config)
    except ConfigError as error:
        problem = error.sentence
    seen = current.number if current else 0
    against = f"v{seen}" if current else "the defaults"
    is_open_to_reader = proposal.is_pending and reader.may_publish
    return ProposalPage(
        proposal=proposal,
        reader=reader,
        current=current,
        seen=seen,
        next_number=seen + 1,
        changes=changes,
        sentence=f"{count_of(len(changes), 'setting')} {'differs' if len(changes) == 1 else 'differ'} from {against}"
        if changes
        else f"Nothing differs from {against}",
        problem=problem,
        config_text=config_text(proposal.config),
        tried_on=_tried_on(proposal, reader) if current and proposal.is_pending and not problem else (),
        form=(form or ProposalForm(instance=proposal)) if is_open_to_reader else None,
        impact=impact_view(proposal, reader.user, here=proposal.get_absolute_url())
        if current and is_open_to_reader and not problem
        else None,
    )


def _held_against(proposal: PresetProposal) -> PresetVersion | None:
    """The preset's newest version, or the one that stood before this was published."""
    if (published := proposal.published) is not None:
        return published.preset.versions.filter(number__lt=published.number).order_by("-number").first()
    return presets.current(proposal.preset.slug) if proposal.preset else None


def _tried_on(proposal: PresetProposal, reader: ProposalReader) -> tuple[TriedOn, ...]:
    """The reader's last workspaces that have sources, those that follow the preset first."""
    rows = services.live(reader.user).filter(links__isnull=False)[: TRIED_ON * 4]
    follows = sorted(rows, key=lambda row: proposal.preset is None or row.preset_slug != proposal.preset.slug)
    newest = proposals.newest_number(proposal.preset)
    slug = proposal.preset.slug if proposal.preset else ""
    sides = f"?a=preset:{slug}@{newest}&b=proposal:{proposal.pk}"
    own_sides = f"?a=own&b=upgrade:{proposal.pk}"
    return tuple(
        TriedOn(
            row.name,
            f"{reverse('workbench:compare', args=[row.pk])}{own_sides if row.preset_slug == slug else sides}",
        )
        for row in follows[:TRIED_ON]
    )
