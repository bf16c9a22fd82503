"""The app's registration with Django."""

from django.apps import AppConfig


class JobsConfig(AppConfig):
    """Registers `budgeteer.jobs` under the label `jobs`."""

    name = "budgeteer.jobs"
    label = "jobs"
    verbose_name = "Background work"
