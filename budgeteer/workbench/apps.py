"""The app: registers the count of followers with presets."""

from __future__ import annotations

from django.apps import AppConfig


class WorkbenchConfig(AppConfig):
    """Workspaces and everything that shows them."""

    name = "budgeteer.workbench"
    label = "workbench"
    verbose_name = "Workbench"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Let the preset catalogue say how many workspaces follow each preset."""
        from budgeteer.presets.services import register_usage_counter
        from budgeteer.workbench.followers import count_followers

        register_usage_counter(count_followers)
