"""Count of the workspaces that follow a preset; apart from the services, so that start-up loads no engine."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Count

from budgeteer.workbench.models import Workspace


def count_followers(slugs: Iterable[str]) -> dict[str, int]:
    """How many live workspaces follow each preset."""
    rows = Workspace.objects.filter(preset_slug__in=list(slugs), deleted_at__isnull=True)
    return dict(rows.values_list("preset_slug").annotate(Count("pk")).order_by())
