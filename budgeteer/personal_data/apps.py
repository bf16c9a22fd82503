"""The app's registration with Django."""

from django.apps import AppConfig


class PersonalDataConfig(AppConfig):
    """Registers `budgeteer.personal_data` under the label `personal_data`; it has no rows of its own."""

    name = "budgeteer.personal_data"
    label = "personal_data"
