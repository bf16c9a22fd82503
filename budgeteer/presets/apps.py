"""The app: adds the shipped presets after every migration."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class PresetsConfig(AppConfig):
    """Presets and their versions."""

    name = "budgeteer.presets"
    label = "presets"
    verbose_name = "Shared configurations"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Plant missing shipped presets once the tables of this app stand."""
        post_migrate.connect(_plant_after_migrate, sender=self, dispatch_uid="presets.seeds")


def _plant_after_migrate(*, using: str, **_: Any) -> None:
    from budgeteer.presets.seeds import plant

    plant(using=using)
