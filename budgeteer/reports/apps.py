"""The app's registration with Django."""

from django.apps import AppConfig


class ReportsConfig(AppConfig):
    """Registers `budgeteer.reports` under the label `reports`."""

    name = "budgeteer.reports"
    label = "reports"
