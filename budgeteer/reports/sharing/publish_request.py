"""What somebody orders when sharing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from budgeteer.reports.models import ReportKindName


@dataclass(frozen=True, slots=True)
class PublishRequest:
    """What somebody chose when sharing.

    Attributes:
        password, embed_on: as in models.Report, the password as it was typed; "" for none.
        form_key: tells two orders from one that was sent twice.
        kind: what is shown, a name of kinds/registry.py. question: what of it, as that kind's row says.
    """

    title: str
    content: str
    days: int
    form_key: UUID | None = None
    password: str = ""
    embed_on: str = ""
    kind: str = ReportKindName.PACKING
    question: Mapping[str, str] = field(default_factory=dict)
