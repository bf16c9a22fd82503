"""Formats of a user's own: mappings they saved, which read files that no other format knows."""

from __future__ import annotations

import uuid

from django.contrib.auth.models import User
from django.db import transaction

from budgeteer.engine.errors import InputError
from budgeteer.formats.format import Format
from budgeteer.formats.mapping.field_mapping import FieldMapping, mapping_from_json
from budgeteer.formats.mapping.mapped_reader import mapped_format
from budgeteer.sources.models import OwnFormat

MOST_FORMATS = 50


def formats_of(owner: User) -> tuple[Format, ...]:
    """The owner's formats as rows that an import takes, the newest first."""
    rows = OwnFormat.objects.filter(owner=owner)
    return tuple(mapped_format(mapping_from_json(row.mapping), name=row.format_name) for row in rows)


def save(owner: User, mapping: FieldMapping) -> OwnFormat:
    """Keep a mapping as a format of the owner's; one of the same title is replaced.

    Raises:
        InputError: the owner has as many as fit.
    """
    with transaction.atomic():
        others = OwnFormat.objects.filter(owner=owner).exclude(title=mapping.title)
        if others.count() >= MOST_FORMATS:
            raise InputError(f"You have {MOST_FORMATS} formats of your own", mend="Delete one that you no longer need")
        row, _ = OwnFormat.objects.update_or_create(
            owner=owner, title=mapping.title, defaults={"mapping": mapping.to_json()}
        )
    return row


def of_user(owner: User, format_id: uuid.UUID) -> OwnFormat | None:
    """One of the owner's formats, None where it is not theirs."""
    return OwnFormat.objects.filter(owner=owner, id=format_id).first()
