"""Proposals: configurations that are to become a preset's next version, from a workspace or from the editor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.text import slugify

from budgeteer.access.audit import SecurityEvent, record
from budgeteer.engine.errors import InputError
from budgeteer.presets import services
from budgeteer.presets.configuration import smallest_delta
from budgeteer.presets.models import Preset, PresetProposal, PresetVersion

PENDING: Final = (PresetProposal.State.DRAFT, PresetProposal.State.OPEN)
_SLUG_CHARS: Final = 46


class ProposalMovedOn(InputError):
    """A proposal, or the preset it is for, is not as it was when the page was drawn."""


@dataclass(frozen=True, slots=True)
class ProposalWords:
    """What is said about a proposal beside its configuration.

    Attributes:
        note: why.
        title, description: of a new preset; unused where there is one.
        provenance: the fields of PresetProvenance.
    """

    note: str = ""
    title: str = ""
    description: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)


def propose(
    author: User, config: Mapping[str, Any], words: ProposalWords, *, preset: Preset | None = None
) -> PresetProposal:
    """Keep a configuration for a preset: a draft of those who may publish it, a proposal to them of anybody else.

    Raises:
        ConfigError: a key or a value cannot be used.
    """
    is_editor = services.may_edit(author)
    proposal = PresetProposal.objects.create(
        preset=preset,
        title="" if preset else words.title,
        description="" if preset else words.description,
        config=smallest_delta(config),
        note=words.note,
        based_on=newest_number(preset),
        author=author,
        state=PresetProposal.State.DRAFT if is_editor else PresetProposal.State.OPEN,
        **words.provenance,
    )
    if not is_editor:
        record(SecurityEvent.PRESET_PROPOSED, proposal=proposal.pk, by=author.pk)
    return proposal


def draft_of(author: User, preset: Preset) -> PresetProposal:
    """The author's draft of a preset's next version; a new one says what the newest version says."""
    kept = PresetProposal.objects.filter(author=author, preset=preset, state=PresetProposal.State.DRAFT).first()
    if kept is not None:
        return kept
    newest = services.current(preset.slug)
    return propose(author, newest.config, ProposalWords(provenance=newest.provenance), preset=preset)


def visible_to(user: User) -> QuerySet[PresetProposal]:
    """Those a person may see: their own, and everybody's proposals for those who may publish them."""
    rows = PresetProposal.objects.select_related("preset", "author", "decided_by", "published__preset")
    own = Q(author=user)
    return rows.filter(own | ~Q(state=PresetProposal.State.DRAFT)) if services.may_edit(user) else rows.filter(own)


def waiting_count(user: User) -> int:
    """How many proposals of others wait for this person's decision."""
    if not services.may_edit(user):
        return 0
    return PresetProposal.objects.filter(state=PresetProposal.State.OPEN).exclude(author=user).count()


def newest_number(preset: Preset | None) -> int:
    """The number of a preset's newest version, 0 where there is none."""
    if preset is None:
        return 0
    return preset.versions.order_by("-number").values_list("number", flat=True).first() or 0


def rewrite(proposal: PresetProposal, config: Mapping[str, Any]) -> None:
    """Give a proposal that is still pending another configuration.

    Raises:
        ConfigError: a key or a value cannot be used.
        ProposalMovedOn: somebody decided on it meanwhile.
    """
    delta = smallest_delta(config)
    with transaction.atomic():
        held = _pending(proposal)
        held.config = delta
        held.save(update_fields=["config", "updated_at"])
    proposal.config = delta


@transaction.atomic
def publish(proposal: PresetProposal, *, by: User, seen: int) -> PresetVersion:
    """Make a proposal the preset's next version, or a new preset's first.

    Args:
        proposal: with the note and the provenance it is published with.
        by: who publishes it; its author stays the version's author.
        seen: the number of the version it was compared with.

    Raises:
        ProposalMovedOn: another version was published meanwhile, or somebody decided on the proposal.
        ConfigError: a key or a value cannot be used.
    """
    held = _pending(proposal)
    preset = held.preset or Preset.objects.create(
        slug=_free_slug(held.title), title=held.title, description=held.description
    )
    Preset.objects.select_for_update().get(pk=preset.pk)
    newest = newest_number(preset)
    if newest != seen:
        raise ProposalMovedOn(
            f"v{newest} of {preset.title} was published meanwhile",
            mend="Look at the differences from it, then publish",
        )
    version = services.publish(
        preset, config=held.config, note=held.note, author=held.author or by, provenance=held.provenance
    )
    held.preset, held.published = preset, version
    _decide(held, PresetProposal.State.PUBLISHED, by=by)
    return version


@transaction.atomic
def decline(proposal: PresetProposal, *, by: User, answer: str) -> None:
    """Close a proposal without publishing it; `answer` is what its author reads.

    Raises:
        ProposalMovedOn: somebody decided on it meanwhile.
    """
    held = _pending(proposal)
    held.answer = answer
    _decide(held, PresetProposal.State.DECLINED, by=by)
    record(SecurityEvent.PRESET_DECLINED, proposal=held.pk, by=by.pk)


def _pending(proposal: PresetProposal) -> PresetProposal:
    held = PresetProposal.objects.select_for_update(of=("self",)).select_related("preset", "author").get(pk=proposal.pk)
    if not held.is_pending:
        raise ProposalMovedOn(
            f"this was {held.get_state_display().lower()} meanwhile", mend="Load the page to see what came of it"
        )
    return held


def _decide(held: PresetProposal, state: PresetProposal.State, *, by: User) -> None:
    held.state, held.decided_by, held.decided_at = state, by, timezone.now()
    held.save()


def _free_slug(title: str) -> str:
    """A slug made from a title, with a number behind it where another preset has it."""
    plain = slugify(title)[:_SLUG_CHARS].strip("-") or "preset"
    taken = set(Preset.objects.filter(slug__startswith=plain).values_list("slug", flat=True))
    numbered = (f"{plain}-{number}" for number in range(2, len(taken) + 3))
    return plain if plain not in taken else next(slug for slug in numbered if slug not in taken)
