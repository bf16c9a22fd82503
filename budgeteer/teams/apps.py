"""The app's registration with Django."""

from django.apps import AppConfig


class TeamsConfig(AppConfig):
    """Registers `budgeteer.teams` under the label `teams`."""

    name = "budgeteer.teams"
    label = "teams"
