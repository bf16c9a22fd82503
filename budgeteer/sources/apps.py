"""The app's registration with Django."""

from django.apps import AppConfig


class SourcesConfig(AppConfig):
    """Registers `budgeteer.sources` under the label `sources`."""

    name = "budgeteer.sources"
    label = "sources"
