"""The app's registration with Django."""

from django.apps import AppConfig


class CollectionsConfig(AppConfig):
    """Registers `budgeteer.collections` under the label `collections`."""

    name = "budgeteer.collections"
    label = "collections"
    default_auto_field = "django.db.models.BigAutoField"
